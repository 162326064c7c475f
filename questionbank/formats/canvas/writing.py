"""Write one record as a QTI 1.2 item in Canvas's style, readable by Canvas and New Quizzes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from analytics.question_content import AcceptedAnswer, Blank, Option
from analytics.records import QuestionRecord
from questionbank.formats.canvas.words import GAP, OURS, digits_bounds
from questionbank.formats.derived_answer import accepted_answers
from questionbank.formats.html_writing import text_html
from questionbank.formats.kinds import right_labels
from questionbank.formats.seam import ANOTHER_TYPE, CannotHold
from questionbank.formats.written_numbers import PLAIN_NUMBER
from questionbank.formats.xml_nodes import legal, xml_text

_IDENT = re.compile(r"[A-Za-z0-9_.-]{1,100}")
_GAP_NAME = re.compile(r"[A-Za-z]\w{0,40}")
_MOODLE_STYLES = re.compile(r"[A-Z]{2,}(?:_[A-Z]+)?")
_RESPONSE = "response1"

PictureAddress = Callable[[str], str]


def item_ident(record: QuestionRecord) -> str:
    """Return the identifier of an item."""
    if _IDENT.fullmatch(record.id):
        return record.id
    return f"k{hashlib.sha256(record.id.encode()).hexdigest()[:32]}"


def write_item(record: QuestionRecord, address: PictureAddress, ours: str = "") -> bytes:
    """Return the ``<item>`` element of a record.

    Args:
        address: returns the address of a picture by its name.
        ours: what Canvas has no place for, as JSON.

    Raises:
        CannotHold: Canvas has no equivalent.
    """
    if record.kind == "opaque":
        raise CannotHold(ANOTHER_TYPE)
    if record.kind == "parts":
        raise CannotHold("questions in parts")
    return "\n".join(_Writing(record, address, ours).lines()).encode()


class _Writing:
    def __init__(self, record: QuestionRecord, address: PictureAddress, ours: str) -> None:
        self.record, self.content = record, record.content
        self._address, self._ours = address, ours
        self.type = _type_of(record)
        self._feedback: list[tuple[str, str]] = []  # of answers: (identifier, text)
        self._asked: dict[str, str] = {}  # identifier of a choice with feedback -> its response
        self._gaps = [_gap_name(blank, place) for place, blank in enumerate(self.content.blanks, start=1)]

    def lines(self) -> Iterator[str]:
        record, content = self.record, self.content
        feedback = content.feedback
        title = quoteattr(legal(content.title or "Question"))
        yield f"<item ident={quoteattr(item_ident(record))} title={title}>"
        yield "<itemmetadata><qtimetadata>"
        yield _metadata("question_type", self.type)
        yield _metadata("points_possible", f"{1.0 if content.points is None else content.points!r}")
        if self._ours:
            yield _metadata(OURS, self._ours)
        yield "</qtimetadata></itemmetadata>"
        presentation, processing = list(self._presentation()), list(self._processing())
        yield "<presentation>"
        yield self.material(self._text(), is_question=True)
        yield from presentation
        yield "</presentation>"
        if self.type != "text_only_question":
            yield "<resprocessing>"
            yield '<outcomes><decvar maxvalue="100" minvalue="0" varname="SCORE" vartype="Decimal"/></outcomes>'
            if record.solution:
                yield _shown("<other/>", "general_fb")
            for ident, _said in self._feedback:
                yield _shown(_equal(ident, self._asked[ident]), f"{ident}_fb")
            yield from processing
            if feedback.wrong:
                yield _shown("<other/>", "general_incorrect_fb")
            yield "</resprocessing>"
        for ident, text in (
            ("general_fb", record.solution),
            ("correct_fb", feedback.right),
            ("general_incorrect_fb", feedback.wrong),
            *((f"{ident}_fb", said) for ident, said in self._feedback),
        ):
            if text:
                yield f'<itemfeedback ident="{escape(ident)}"><flow_mat>{self.material(text)}</flow_mat></itemfeedback>'
        yield "</item>"

    # -- texts -----------------------------------------------------------------------------------------------------

    def _text(self) -> str:
        if self.type not in ("fill_in_multiple_blanks_question", "multiple_dropdowns_question"):
            return self.record.text

        def named(match: re.Match[str]) -> str:
            place = int(match[1]) - 1
            return f"[{self._gaps[place]}]" if place < len(self._gaps) else match[0]

        return GAP.sub(named, self.record.text)

    def material(self, text: str, *, is_question: bool = False) -> str:
        html = text_html(text, self._address)
        if html is None:
            return f'<material><mattext texttype="text/plain">{xml_text(text)}</mattext></material>'
        inner = f"<div>{html}</div>" if is_question else html
        return f'<material><mattext texttype="text/html">{xml_text(inner)}</mattext></material>'

    def _label(self, ident: str, text: str, feedback: str = "", response: str = _RESPONSE) -> str:
        if feedback:
            self._feedback.append((ident, feedback))
            self._asked[ident] = response
        return f'<response_label ident="{escape(ident)}">{self.material(text)}</response_label>'

    # -- what is asked ---------------------------------------------------------------------------------------------

    def _presentation(self) -> Iterator[str]:
        match self.type:
            case "multiple_choice_question" | "multiple_answers_question" | "ordering_question":
                several = {"multiple_answers_question": "Multiple", "ordering_question": "Ordered"}
                yield self._choices(several.get(self.type, "Single"), [*map(_option, self.record.options)])
            case "true_false_question":
                said = {answer.text: answer.feedback for answer in self.content.accepted}
                yield self._choices("Single", [(word, said.get(word, "")) for word in ("True", "False")])
            case "short_answer_question" | "essay_question":
                label = '<response_label ident="answer1" rshuffle="No"/>'
                yield self._typed(f"<render_fib>{label}</render_fib>")
            case "numerical_question":
                yield self._typed('<render_fib fibtype="Decimal"><response_label ident="answer1"/></render_fib>')
            case "matching_question":
                yield from self._pairs()
            case "fill_in_multiple_blanks_question" | "multiple_dropdowns_question":
                yield from self._blanks()

    def _typed(self, field: str) -> str:
        return f'<response_str ident="{_RESPONSE}" rcardinality="Single">{field}</response_str>'

    def _choices(self, cardinality: str, choices: Sequence[tuple[str, str]]) -> str:
        response = _RESPONSE
        labels = "".join(
            self._label(_choice_ident(place), text, said, response) for place, (text, said) in enumerate(choices)
        )
        return (
            f'<response_lid ident="{response}" rcardinality="{cardinality}">'
            f"<render_choice>{labels}</render_choice></response_lid>"
        )

    def _rights(self) -> list[str]:
        """Return the choices of a matching question, with unmatched ones last."""
        asked = [pair.right for pair in self.content.pairs if pair.left]
        return list(dict.fromkeys([*asked, *(pair.right for pair in self.content.pairs)]))

    def _pairs(self) -> Iterator[str]:
        labels = "".join(self._label(_choice_ident(place), right) for place, right in enumerate(self._rights()))
        for place, pair in enumerate(pair for pair in self.content.pairs if pair.left):
            ident = f"response_{place + 1}"
            yield (
                f'<response_lid ident="{ident}">{self.material(pair.left)}'
                f"<render_choice>{labels}</render_choice></response_lid>"
            )

    def _blanks(self) -> Iterator[str]:
        number = 0
        for place, blank in enumerate(self.content.blanks):
            ident = f"response_{self._gaps[place]}"
            labels = []
            for text, said in _gap_choices(blank):
                labels.append(self._label(_choice_ident(number), text, said, ident))
                number += 1
            name = f"<material><mattext>{escape(self._gaps[place])}</mattext></material>"
            yield (
                f'<response_lid ident="{escape(ident)}">{name}'
                f"<render_choice>{''.join(labels)}</render_choice></response_lid>"
            )

    # -- what is right ---------------------------------------------------------------------------------------------

    def _processing(self) -> Iterator[str]:
        match self.type:
            case "multiple_choice_question":
                yield from self._right_choice()
            case "multiple_answers_question":
                yield self._right(f"<and>{''.join(self._ticked())}</and>")
            case "true_false_question":
                yield self._right(_equal(_choice_ident(int(self.record.answer == "False")), _RESPONSE))
            case "ordering_question":
                yield self._right("".join(self._equal_options()))
            case "short_answer_question":
                yield self._right("".join(_equal(answer.text, _RESPONSE) for answer in self._right_answers()))
            case "numerical_question":
                yield from (self._right(_numbers(answer, _RESPONSE)) for answer in self._right_answers())
            case "essay_question" | "file_upload_question":
                yield '<respcondition continue="No"><conditionvar><other/></conditionvar></respcondition>'
            case "matching_question":
                yield from self._right_pairs()
            case "fill_in_multiple_blanks_question" | "multiple_dropdowns_question":
                yield from self._right_gaps()

    def _right_choice(self) -> Iterator[str]:
        right = _right_labels(self.record)
        place = next((at for at, option in enumerate(self.record.options) if option.label in right), None)
        if place is not None:
            yield self._right(_equal(_choice_ident(place), _RESPONSE))

    def _ticked(self) -> Iterator[str]:
        """Yield the condition for each option, ticked or not, if several are right."""
        right = _right_labels(self.record)
        for one, option in zip(self._equal_options(), self.record.options, strict=True):
            yield one if option.label in right else f"<not>{one}</not>"

    def _equal_options(self) -> list[str]:
        return [_equal(_choice_ident(place), _RESPONSE) for place in range(len(self.record.options))]

    def _right_answers(self) -> list[AcceptedAnswer]:
        accepted = accepted_answers(self.content, self.record.answer)
        return [answer for answer in accepted if answer.weight > 0]

    def _right_pairs(self) -> Iterator[str]:
        rights = self._rights()
        pairs = [pair for pair in self.content.pairs if pair.left]
        for place, pair in enumerate(pairs, start=1):
            right = _equal(_choice_ident(rights.index(pair.right)), f"response_{place}")
            yield _share(right, len(pairs))

    def _right_gaps(self) -> Iterator[str]:
        number = 0
        for place, blank in enumerate(self.content.blanks):
            ident = f"response_{self._gaps[place]}"
            right = next((at for at, option in enumerate(blank.options) if (option.weight or 0) > 0), 0)
            if blank.options or blank.accepted:
                yield _share(_equal(_choice_ident(number + right), ident), len(self.content.blanks))
            number += len(_gap_choices(blank))

    def _right(self, condition: str) -> str:
        feedback = ""
        if self.content.feedback.right:
            feedback = '<displayfeedback feedbacktype="Response" linkrefid="correct_fb"/>'
        score = '<setvar action="Set" varname="SCORE">100</setvar>'
        return f'<respcondition continue="No"><conditionvar>{condition}</conditionvar>{score}{feedback}</respcondition>'


def _type_of(record: QuestionRecord) -> str:
    """Return the Canvas type that holds most of a question: the result of the first rule that applies."""
    return next(filter(None, (rule(record) for rule in _TYPE_RULES)))


def _choice_type(record: QuestionRecord) -> str | None:
    if record.kind != "choice" or not record.options:
        return None
    has_one = len(_right_labels(record)) == 1
    is_single = record.content.settings.get("single", "true" if has_one else "false") == "true"
    return "multiple_choice_question" if is_single and has_one else "multiple_answers_question"


def _number_type(record: QuestionRecord) -> str | None:
    accepted = accepted_answers(record.content, record.answer) if record.kind == "number" else []
    are_plain = all(PLAIN_NUMBER.fullmatch(answer.text) for answer in accepted if answer.weight)
    return "numerical_question" if accepted and are_plain else None


def _typed_type(record: QuestionRecord) -> str | None:
    """Return the type for short or long typed answers."""
    if record.kind not in ("short", "number", "blanks", "choice") or record.content.blanks:
        return None
    texts = [answer.text for answer in accepted_answers(record.content, record.answer)]
    if not texts:
        return None
    is_line = all(text.strip() == text and "\n" not in text for text in texts)
    return "short_answer_question" if is_line else "essay_question"


def _gaps_type(record: QuestionRecord) -> str | None:
    """Return the type for a text with a mark for each gap."""
    blanks = record.content.blanks
    if record.kind != "blanks" or not blanks or len(GAP.findall(record.text)) != len(blanks):
        return None
    has_choices = all(blank.options for blank in blanks)
    return "multiple_dropdowns_question" if has_choices else "fill_in_multiple_blanks_question"


def _open_type(record: QuestionRecord) -> str | None:
    asks_for_file = record.content.settings.get("type") == "file_upload_question"
    return "file_upload_question" if record.kind == "open" and asks_for_file else None


def _truth_type(record: QuestionRecord) -> str | None:
    is_known = record.kind == "true_false" and record.answer in ("True", "False")
    return "true_false_question" if is_known else None


def _other_type(record: QuestionRecord) -> str:
    return {
        "matching": "matching_question", "ordering": "ordering_question", "description": "text_only_question",
    }.get(record.kind, "essay_question")  # fmt: skip


_TYPE_RULES: tuple[Callable[[QuestionRecord], str | None], ...] = (
    _choice_type,
    _number_type,
    _typed_type,
    _gaps_type,
    _open_type,
    _truth_type,
    _other_type,
)


def _right_labels(record: QuestionRecord) -> list[str]:
    return right_labels(record.answer, [option.label for option in record.options]) or []


def _choice_ident(place: int) -> str:
    """Return the identifier of a choice, counting from 0 over the whole item."""
    return str(1_000 + place)


def _option(option: Option) -> tuple[str, str]:
    return option.text, option.feedback


def _gap_choices(blank: Blank) -> list[tuple[str, str]]:
    return [*map(_option, blank.options)] or [(answer.text, answer.feedback) for answer in blank.accepted]


def _gap_name(blank: Blank, place: int) -> str:
    is_named = _GAP_NAME.fullmatch(blank.style) and not _MOODLE_STYLES.fullmatch(blank.style)
    return blank.style if is_named else f"blank{place}"


def _numbers(answer: AcceptedAnswer, response: str) -> str:
    value = float(answer.text)
    equal = f'<varequal respident="{response}">{escape(answer.text)}</varequal>'
    if not answer.tolerance:
        return f"<or>{equal}</or>"
    strict = answer.tolerance_kind == "digits"
    if strict:
        least, most = digits_bounds(value, max(1, min(16, round(answer.tolerance))))
    else:
        margin = answer.tolerance * (abs(value) if answer.tolerance_kind == "relative" else 1)
        least, most = float(f"{value - margin:.15g}"), float(f"{value + margin:.15g}")
        if answer.tolerance_kind == "relative":
            percent = f'margintype="percent" margin="{answer.tolerance * 100:.12g}"'
            equal = equal.replace("<varequal ", f"<varequal {percent} ")
    low = "vargt" if strict else "vargte"
    return (
        f'<or>{equal}<and><{low} respident="{response}">{least!r}</{low}>'
        f'<varlte respident="{response}">{most!r}</varlte></and></or>'
    )


def _equal(value: str, response: str) -> str:
    return f'<varequal respident="{escape(response)}">{escape(legal(value))}</varequal>'


def _share(condition: str, count: int) -> str:
    score = f'<setvar action="Add" varname="SCORE">{100 / count:.2f}</setvar>'
    return f"<respcondition><conditionvar>{condition}</conditionvar>{score}</respcondition>"


def _shown(condition: str, ident: str) -> str:
    shown = f'<displayfeedback feedbacktype="Response" linkrefid="{escape(ident)}"/>'
    return f'<respcondition continue="Yes"><conditionvar>{condition}</conditionvar>{shown}</respcondition>'


def _metadata(label: str, entry: str) -> str:
    return (
        f"<qtimetadatafield><fieldlabel>{label}</fieldlabel><fieldentry>{xml_text(entry)}</fieldentry>"
        "</qtimetadatafield>"
    )
