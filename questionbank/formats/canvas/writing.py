"""Write one record as a QTI 1.2 item in Canvas's style, readable by Canvas and New Quizzes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count

from analytics.question_content import AcceptedAnswer, Blank, Option
from analytics.records import QuestionRecord
from questionbank.formats.canvas.words import GAP, OURS, digits_bounds
from questionbank.formats.html_text import text_html
from questionbank.formats.kinds import accepted_answers, right_labels
from questionbank.formats.seam import ANOTHER_TYPE, CannotHold
from questionbank.formats.written_numbers import PLAIN_NUMBER
from questionbank.formats.xml_writing import Markup, block, element, joined

_IDENT = re.compile(r"[A-Za-z0-9_.-]{1,100}")
_GAP_NAME = re.compile(r"[A-Za-z]\w{0,40}")
_MOODLE_STYLES = re.compile(r"[A-Z]{2,}(?:_[A-Z]+)?")
_RESPONSE = "response1"
_OTHER = element("other")

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
    return _Writing(record, address, ours).item().encode()


class _Writing:
    def __init__(self, record: QuestionRecord, address: PictureAddress, ours: str) -> None:
        self.record, self.content = record, record.content
        self._address, self._ours = address, ours
        self.type = _type_of(record)
        self._feedback: list[tuple[str, str]] = []  # of answers: (identifier, text)
        self._asked: dict[str, str] = {}  # identifier of a choice with feedback -> its response
        self._gaps = [_gap_name(blank, place) for place, blank in enumerate(self.content.blanks, start=1)]

    def item(self) -> Markup:
        title = self.content.title or "Question"
        return block("item", *self._parts(), ident=item_ident(self.record), title=title)

    def _parts(self) -> Iterator[Markup]:
        points = 1.0 if self.content.points is None else self.content.points
        metadata = [_metadata("question_type", self.type), _metadata("points_possible", repr(points))]
        metadata += [_metadata(OURS, self._ours)] if self._ours else []
        yield element("itemmetadata", block("qtimetadata", *metadata))
        presentation, conditions = list(self._presentation()), list(self._conditions())  # this collects feedback
        yield block("presentation", self.material(self._text(), is_question=True), *presentation)
        if self.type != "text_only_question":
            yield block("resprocessing", *self._processing(conditions))
        feedback = self.content.feedback
        for ident, text in (
            ("general_fb", self.record.solution),
            ("correct_fb", feedback.right),
            ("general_incorrect_fb", feedback.wrong),
            *((f"{ident}_fb", said) for ident, said in self._feedback),
        ):
            if text:
                yield element("itemfeedback", element("flow_mat", self.material(text)), ident=ident)

    def _processing(self, conditions: Sequence[Markup]) -> Iterator[Markup]:
        score = element("decvar", maxvalue=100, minvalue=0, varname="SCORE", vartype="Decimal")
        yield element("outcomes", score)
        if self.record.solution:
            yield _shown(_OTHER, "general_fb")
        for ident, _said in self._feedback:
            yield _shown(_equal(ident, self._asked[ident]), f"{ident}_fb")
        yield from conditions
        if self.content.feedback.wrong:
            yield _shown(_OTHER, "general_incorrect_fb")

    # -- texts -----------------------------------------------------------------------------------------------------

    def _text(self) -> str:
        if self.type not in ("fill_in_multiple_blanks_question", "multiple_dropdowns_question"):
            return self.record.text

        def named(match: re.Match[str]) -> str:
            place = int(match[1]) - 1
            return f"[{self._gaps[place]}]" if place < len(self._gaps) else match[0]

        return GAP.sub(named, self.record.text)

    def material(self, text: str, *, is_question: bool = False) -> Markup:
        html = text_html(text, self._address)
        if html is not None and is_question:
            html = f"<div>{html}</div>"
        form = "text/plain" if html is None else "text/html"
        return element("material", element("mattext", text if html is None else html, texttype=form))

    def _label(self, ident: str, text: str, feedback: str = "", response: str = _RESPONSE) -> Markup:
        if feedback:
            self._feedback.append((ident, feedback))
            self._asked[ident] = response
        return element("response_label", self.material(text), ident=ident)

    # -- what is asked ---------------------------------------------------------------------------------------------

    def _presentation(self) -> Iterator[Markup]:
        match self.type:
            case "multiple_choice_question" | "multiple_answers_question" | "ordering_question":
                several = {"multiple_answers_question": "Multiple", "ordering_question": "Ordered"}
                yield self._choices(several.get(self.type, "Single"), [*map(_option, self.record.options)])
            case "true_false_question":
                said = {answer.text: answer.feedback for answer in self.content.accepted}
                yield self._choices("Single", [(word, said.get(word, "")) for word in ("True", "False")])
            case "short_answer_question" | "essay_question":
                yield self._typed(element("render_fib", element("response_label", ident="answer1", rshuffle="No")))
            case "numerical_question":
                yield self._typed(element("render_fib", element("response_label", ident="answer1"), fibtype="Decimal"))
            case "matching_question":
                yield from self._pairs()
            case "fill_in_multiple_blanks_question" | "multiple_dropdowns_question":
                yield from self._blanks()

    def _typed(self, field: Markup) -> Markup:
        return element("response_str", field, ident=_RESPONSE, rcardinality="Single")

    def _choices(self, cardinality: str, choices: Sequence[tuple[str, str]]) -> Markup:
        labels = (self._label(_choice_ident(place), text, said) for place, (text, said) in enumerate(choices))
        return element("response_lid", _render_choice(labels), ident=_RESPONSE, rcardinality=cardinality)

    def _rights(self) -> list[str]:
        """Return the choices of a matching question, with unmatched ones last."""
        asked = [pair.right for pair in self.content.pairs if pair.left]
        return list(dict.fromkeys([*asked, *(pair.right for pair in self.content.pairs)]))

    def _pairs(self) -> Iterator[Markup]:
        choices = _render_choice(self._label(_choice_ident(place), right) for place, right in enumerate(self._rights()))
        for place, pair in enumerate((pair for pair in self.content.pairs if pair.left), start=1):
            yield element("response_lid", self.material(pair.left), choices, ident=f"response_{place}")

    def _blanks(self) -> Iterator[Markup]:
        numbers = count()
        for place, blank in enumerate(self.content.blanks):
            ident = f"response_{self._gaps[place]}"
            labels = [
                self._label(_choice_ident(next(numbers)), text, said, ident) for text, said in _gap_choices(blank)
            ]
            name = element("material", element("mattext", self._gaps[place]))
            yield element("response_lid", name, _render_choice(labels), ident=ident)

    # -- what is right ---------------------------------------------------------------------------------------------

    def _conditions(self) -> Iterator[Markup]:
        match self.type:
            case "multiple_choice_question":
                yield from self._right_choice()
            case "multiple_answers_question":
                yield self._right(element("and", *self._ticked()))
            case "true_false_question":
                yield self._right(_equal(_choice_ident(int(self.record.answer == "False")), _RESPONSE))
            case "ordering_question":
                yield self._right(*self._equal_options())
            case "short_answer_question":
                yield self._right(*(_equal(answer.text, _RESPONSE) for answer in self._right_answers()))
            case "numerical_question":
                yield from (self._right(_numbers(answer, _RESPONSE)) for answer in self._right_answers())
            case "essay_question" | "file_upload_question":
                yield element("respcondition", element("conditionvar", _OTHER), continue_="No")
            case "matching_question":
                yield from self._right_pairs()
            case "fill_in_multiple_blanks_question" | "multiple_dropdowns_question":
                yield from self._right_gaps()

    def _right_choice(self) -> Iterator[Markup]:
        right = _right_labels(self.record)
        place = next((at for at, option in enumerate(self.record.options) if option.label in right), None)
        if place is not None:
            yield self._right(_equal(_choice_ident(place), _RESPONSE))

    def _ticked(self) -> Iterator[Markup]:
        """Yield the condition for each option, ticked or not, if several are right."""
        right = _right_labels(self.record)
        for one, option in zip(self._equal_options(), self.record.options, strict=True):
            yield one if option.label in right else element("not", one)

    def _equal_options(self) -> list[Markup]:
        return [_equal(_choice_ident(place), _RESPONSE) for place in range(len(self.record.options))]

    def _right_answers(self) -> list[AcceptedAnswer]:
        accepted = accepted_answers(self.content, self.record.answer)
        return [answer for answer in accepted if answer.weight > 0]

    def _right_pairs(self) -> Iterator[Markup]:
        rights = self._rights()
        pairs = [pair for pair in self.content.pairs if pair.left]
        for place, pair in enumerate(pairs, start=1):
            right = _equal(_choice_ident(rights.index(pair.right)), f"response_{place}")
            yield _share(right, len(pairs))

    def _right_gaps(self) -> Iterator[Markup]:
        number = 0
        for place, blank in enumerate(self.content.blanks):
            ident = f"response_{self._gaps[place]}"
            right = next((at for at, option in enumerate(blank.options) if (option.weight or 0) > 0), 0)
            if blank.options or blank.accepted:
                yield _share(_equal(_choice_ident(number + right), ident), len(self.content.blanks))
            number += len(_gap_choices(blank))

    def _right(self, *conditions: Markup) -> Markup:
        said = [_display("correct_fb")] if self.content.feedback.right else []
        score = element("setvar", "100", action="Set", varname="SCORE")
        return element("respcondition", element("conditionvar", joined(conditions)), score, *said, continue_="No")


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


def _numbers(answer: AcceptedAnswer, response: str) -> Markup:
    value = float(answer.text)
    if not answer.tolerance:
        return element("or", _equal(answer.text, response))
    percent = {}
    strict = answer.tolerance_kind == "digits"
    if strict:
        least, most = digits_bounds(value, max(1, min(16, round(answer.tolerance))))
    else:
        margin = answer.tolerance * (abs(value) if answer.tolerance_kind == "relative" else 1)
        least, most = float(f"{value - margin:.15g}"), float(f"{value + margin:.15g}")
        if answer.tolerance_kind == "relative":
            percent = {"margintype": "percent", "margin": f"{answer.tolerance * 100:.12g}"}
    equal = element("varequal", answer.text, **percent, respident=response)
    low = element("vargt" if strict else "vargte", repr(least), respident=response)
    return element("or", equal, element("and", low, element("varlte", repr(most), respident=response)))


def _render_choice(labels: Iterable[Markup]) -> Markup:
    return element("render_choice", joined(labels))


def _equal(value: str, response: str) -> Markup:
    return element("varequal", value, respident=response)


def _share(condition: Markup, parts: int) -> Markup:
    score = element("setvar", f"{100 / parts:.2f}", action="Add", varname="SCORE")
    return element("respcondition", element("conditionvar", condition), score)


def _shown(condition: Markup, ident: str) -> Markup:
    return element("respcondition", element("conditionvar", condition), _display(ident), continue_="Yes")


def _display(ident: str) -> Markup:
    return element("displayfeedback", feedbacktype="Response", linkrefid=ident)


def _metadata(label: str, entry: str) -> Markup:
    return element("qtimetadatafield", element("fieldlabel", label), element("fieldentry", entry))
