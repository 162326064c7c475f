"""Write one record as a QTI 2.1, 2.2 or 3.0 item, with the element order that their schemas require."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from analytics.question_content import AcceptedAnswer, Blank, Option, QuestionPart, Stimulus, own_text
from analytics.records import QuestionRecord
from questionbank.formats.limits import default_title
from questionbank.formats.qti.declarations import (
    ANY_OTHER,
    UPLOAD,
    Asking,
    Declared,
    choice_idents,
    declaration_xml,
    declarations,
    gap_idents,
    is_single,
    pair_idents,
    typed_kind,
)
from questionbank.formats.qti.metadata import STIMULUS_CLASS, TOOL, Version, in_version
from questionbank.formats.qti.texts import Address, block_html, flow_html
from questionbank.formats.seam import ANOTHER_TYPE, CannotHold
from questionbank.formats.xml_writing import DECLARATION, Markup, block, element, joined

_GAP = re.compile(r"<math\b.*?</math>|<[^<>]*>|\[\[(\d{1,3})\]\]", re.DOTALL)  # gaps never occur in a formula or a tag
_NAME = re.compile(r"[A-Za-z][\w.-]*", re.ASCII)
_ENDING = re.compile(r"[\w.-]{1,60}", re.ASCII)
_BLOCK = re.compile(r"<(?:p|ul|ol|table)\b")
_FALSE = ("false", "0")
_SHOWN = {"outcomeIdentifier": "FEEDBACK", "showHide": "show"}
_XSI = "http://www.w3.org/2001/XMLSchema-instance"


def write_item(record: QuestionRecord, version: Version, address: Address, stimulus: str = "") -> bytes:
    """Return the document of an item.

    Args:
        address: returns the address of a picture by its name.
        stimulus: path of the file with the shared stimulus; if empty, the stimulus is written into the item.

    Raises:
        CannotHold: QTI has no equivalent.
    """
    if record.kind == "opaque":
        raise CannotHold(ANOTHER_TYPE)
    return _Writing(record, version, address, stimulus).document().encode()


def write_stimulus(shared: Stimulus, identifier: str, version: Version, address: Address) -> bytes:
    """Return the document of a shared stimulus, in QTI 3."""
    body = element("stimulusBody", block_html(shared.text, address))
    title = shared.title or identifier
    return document("assessmentStimulus", [body], version, identifier=identifier, title=title).encode()


def document(root: str, inner: Sequence[str], version: Version, **attributes: object) -> str:
    """Return a document in a version of QTI."""
    spaces = f'xmlns="{version.space}" xmlns:xsi="{_XSI}" xsi:schemaLocation="{version.space} {version.schema}"'
    body = in_version(block(root, *inner, **attributes), version)
    head, tag, rest = body.partition(" ")
    return f"{DECLARATION}{head} {spaces}{tag}{rest}\n"


def _identifier(id: str, version: Version) -> str:
    """Return an item's identifier; QTI 3 requires a letter or underscore, then letters, digits and ``.-_``.

    Different ids give different identifiers; an id that had to be changed is kept in the metadata.
    """
    if not version.is_three or not id:
        return id or "question"
    if _NAME.fullmatch(id):
        return id
    return f"_{id}" if _ENDING.fullmatch(id) else f"_{hashlib.sha256(id.encode()).hexdigest()}"


class _Writing:
    def __init__(self, record: QuestionRecord, version: Version, address: Address, stimulus: str) -> None:
        self.record, self.content, self.version = record, record.content, version
        self._address, self._stimulus = address, stimulus
        self._declared = [*self._all_declared()]
        feedback = self.content.feedback
        self._modal = [
            (name, text)
            for name, text in (
                ("general", feedback.general), ("correct", feedback.right), ("partial", feedback.partly),
                ("incorrect", feedback.wrong), ("solution", record.solution),
                *((f"hint_{place}", hint) for place, hint in enumerate(self.content.hints, start=1)),
            )
            if text
        ]  # fmt: skip
        self._modal += [(name, answer.feedback) for name, answer in self._typed_feedback()]
        answers = self.content.accepted if record.kind == "true_false" else ()
        own = [option.feedback for option in record.options] + [answer.feedback for answer in answers]
        self._has_own_feedback = any(own)

    def _typed_feedback(self) -> Iterator[tuple[str, AcceptedAnswer]]:
        """Yield the typed answers with feedback, each with the name of its feedback."""
        if len(self._declared) == 1 and self._declared[0].base_type in ("float", "string"):
            for place, answer in enumerate(self.content.accepted, start=1):
                if answer.feedback:
                    yield f"answer_{place}", answer

    def _asking(self) -> Sequence[Asking]:
        """Return what is asked: the question, or the leaves of its parts."""
        return [*_leaves(self.content.parts)] if self.content.parts else [self.record]

    def _all_declared(self) -> Iterator[Declared]:
        asked = self._asking()
        if not self.content.parts:
            yield from declarations(self.record)
            return
        first = 0
        for place, part in enumerate(asked, start=1):
            found = [*declarations(part, first, f"P{place}_")]
            first += len(found)
            yield from (replace(declared, share=declared.share / len(asked)) for declared in found)

    # -- the whole -------------------------------------------------------------------------------------------------

    def document(self) -> str:
        record = self.record
        points = self.content.points if self.content.points is not None else 1.0
        inner = [declaration_xml(declared, points) for declared in self._declared]
        inner += self._outcomes()
        if self._stimulus:
            title = self.content.stimulus.title
            inner.append(element("assessmentStimulusRef", identifier="stimulus", href=self._stimulus, title=title))
        inner.append(element("itemBody", joined(self._body(), "\n")))
        if self._declared:
            inner.append(self._processing(points))
        inner += [
            element("modalFeedback", self._in_body(block_html(text, self._address)), **_SHOWN, identifier=name)
            for name, text in self._modal
        ]
        return document(
            "assessmentItem",
            inner,
            self.version,
            identifier=_identifier(record.id, self.version),
            title=self.content.title or default_title(record.text),
            adaptive=False,
            timeDependent=False,
            **{"xml:lang": record.language or "en"},
            toolName=TOOL,
        )

    def _outcomes(self) -> Iterator[Markup]:
        if self._declared:
            yield _outcome("SCORE", "0")
            if self.content.points is not None:
                yield _outcome("MAXSCORE", repr(self.content.points))
        if self._modal or self._has_own_feedback:
            yield element("outcomeDeclaration", identifier="FEEDBACK", cardinality="multiple", baseType="identifier")

    def _in_body(self, html: Markup) -> Markup:
        return element("contentBody", html) if self.version.is_three else html

    # -- the body --------------------------------------------------------------------------------------------------

    def _body(self) -> Iterator[Markup]:
        record, shared = self.record, self.content.stimulus
        own = own_text(record.text, self.content)
        if own != record.text and not self._stimulus:
            html = block_html(shared.text, self._address)
            yield element("div", html, class_=STIMULUS_CLASS, label=shared.title or None)
        responses = iter(self._declared)
        if not self.content.parts:
            yield from self._asked(record, own, responses, "")
        else:
            yield block_html(own, self._address)
            for place, part in enumerate(self._asking(), start=1):
                yield from self._asked(part, part.text, responses, f"P{place}_")
        if record.kind == "open" and record.answer and not self.content.parts:
            answer = self._in_body(block_html(record.answer, self._address))
            yield element("rubricBlock", answer, use="scoring" if self.version.is_three else None, view="scorer")

    def _asked(self, asking: Asking, text: str, responses: Iterator[Declared], prefix: str) -> Iterator[Markup]:
        """Yield the blocks of a text and its interaction."""
        if asking.kind == "blanks" and asking.content.blanks:
            yield self._with_gaps(asking, text, responses)
            return
        declared = next(responses, None) if asking.kind != "description" else None
        html = block_html(text, self._address)
        if declared is None:
            yield html
            return
        prompt = flow_html(text, self._address) if prefix else Markup()
        is_prompt = bool(prompt) and not _BLOCK.search(prompt)
        interaction = self._block(
            asking, declared.response, element("prompt", prompt) if is_prompt else Markup(), prefix
        )
        if not (interaction and is_prompt):
            yield html
        yield interaction or element("div", _text_field(declared.response))

    def _block(self, asking: Asking, response: str, prompt: Markup, prefix: str) -> Markup | None:
        """Return the interaction of a question; None if an inline text field is used."""
        options = asking.options
        setting = asking.content.settings.get("shuffle", "true")
        stated = {"responseIdentifier": response, "shuffle": setting not in _FALSE}
        if (asking.kind == "choice" and options) or asking.kind == "ordering":
            idents = choice_idents(options, prefix)
            choices = joined([prompt, *map(self._choice, idents, options)], "\n")
            if asking.kind == "ordering":
                return element("orderInteraction", choices, **stated)
            return element("choiceInteraction", choices, **stated, maxChoices=int(is_single(asking)))
        if asking.kind == "true_false":
            said = {answer.text: answer.feedback for answer in asking.content.accepted}
            words = [Option(word, word, feedback=said.get(word, "")) for word in ("True", "False")]
            choices = joined([prompt, *(self._choice(f"{prefix}{word.text.lower()}", word) for word in words)], "\n")
            return element("choiceInteraction", choices, **stated | {"shuffle": False}, maxChoices=1)
        if asking.kind == "matching" and asking.content.pairs:
            return self._matching(asking, response, prompt, prefix)
        if typed_kind(asking) != "open":
            return None
        if asking.content.settings.get("type") == UPLOAD:
            return element("uploadInteraction", prompt, responseIdentifier=response)
        return element("extendedTextInteraction", prompt, responseIdentifier=response, expectedLines=5)

    def _choice(self, ident: str, option: Option) -> Markup:
        inner = [flow_html(option.text, self._address)]
        if option.feedback and not self.content.parts:
            html = flow_html(option.feedback, self._address)
            stated = {"outcomeIdentifier": "FEEDBACK", "identifier": ident, "showHide": "show"}
            is_block = _BLOCK.search(html)
            inner.append(
                element("feedbackBlock", self._in_body(html), **stated)
                if is_block
                else element("feedbackInline", html, **stated)
            )
        return element("simpleChoice", *inner, identifier=ident)

    def _matching(self, asking: Asking, response: str, prompt: Markup, prefix: str) -> Markup:
        lefts, rights = pair_idents(asking.content, prefix)

        def choice(ident: str, text: str, most: int) -> Markup:
            html = flow_html(text, self._address)
            return element("simpleAssociableChoice", html, identifier=ident, matchMax=most)

        first = joined(choice(ident, pair.left, 1) for ident, pair in lefts)
        second = joined(choice(ident, text, 0) for text, ident in rights.items())
        return element(
            "matchInteraction",
            prompt,
            element("simpleMatchSet", first),
            element("simpleMatchSet", second),
            responseIdentifier=response,
            shuffle=True,
            maxAssociations=len(lefts),
        )

    def _with_gaps(self, asking: Asking, text: str, responses: Iterator[Declared]) -> Markup:
        """Return a text with its gaps inserted; gaps that it does not mention are appended."""
        gaps = [_gap(blank, next(responses).response) for blank in asking.content.blanks]
        html, used = block_html(text, self._address), set[int]()

        def gap(match: re.Match[str]) -> str:
            place = int(match[1] or 0) - 1
            if place in used or not 0 <= place < len(gaps):
                return match[0]
            used.add(place)
            return gaps[place]

        html = Markup(_GAP.sub(gap, html))
        return joined([html, *(element("div", gaps[place]) for place in range(len(gaps)) if place not in used)])

    # -- processing ------------------------------------------------------------------------------------------------

    def _processing(self, points: float) -> Markup:
        declared = self._declared
        is_simple = len(declared) == 1 and not self._modal and not self._has_own_feedback
        only = declared[0]
        if is_simple and not only.has_tolerance and (only.points or self.content.points is None):
            name = "map_response" if only.points else "match_correct"
            if (only.correct or only.points) and only.response == "RESPONSE":  # the name assumed by templates
                before, behind = self.version.templates
                return element("responseProcessing", template=f"{before}{name}{behind}")
        rules = [rule for response in declared if (rule := _scoring(response, points))]
        return element("responseProcessing", *rules, joined(self._shown_feedback()))

    def _shown_feedback(self) -> Iterator[Markup]:
        names = {name for name, _text in self._modal}
        for name, _text in self._modal:
            if name.startswith(("general", "solution", "hint")):
                yield _show(name)
        if self._has_own_feedback and self._declared:
            yield _set("FEEDBACK", "multiple", _variable(self._declared[0].response))
        yield from self._shown_with_typed()
        right = [_is_right(declared) for declared in self._declared if declared.correct]
        branches: list[Markup] = []
        if right and names & {"correct", "partial", "incorrect"}:
            condition = element("and", *right) if len(right) > 1 else right[0]
            branches.append(element("responseIf", condition, _show("correct" if "correct" in names else "")))
        if right and "partial" in names:
            some = element("gt", _variable("SCORE"), _base("0", "float"))
            branches.append(element("responseElseIf", some, _show("partial")))
        if right and "incorrect" in names:
            branches.append(element("responseElse", _show("incorrect")))
        if branches:
            yield element("responseCondition", *branches)

    def _shown_with_typed(self) -> Iterator[Markup]:
        """Yield the rule that shows the feedback of the first matching typed answer, or else of any other answer."""
        names = {answer.text: name for name, answer in self._typed_feedback()}
        if not names:
            return
        declared = self._declared[0]
        branches = [(element("isNull", _variable(declared.response)), _show(""))] if ANY_OTHER in names else []
        for answer in self.content.accepted:
            is_told_apart = answer.text in names or ANY_OTHER in names
            if answer.text != ANY_OTHER and is_told_apart:
                branches.append((_fits(declared, answer), _show(names.get(answer.text, ""))))
        other = _show(names[ANY_OTHER]) if ANY_OTHER in names else None
        yield _condition(branches, other)


def _leaves(parts: Sequence[QuestionPart]) -> Iterator[QuestionPart]:
    """Yield the parts that ask something; a part with subparts becomes a description followed by them."""
    for part in parts:
        if part.content.parts:
            yield QuestionPart(part.text, "description")
            yield from _leaves(part.content.parts)
        else:
            yield part


def _gap(blank: Blank, response: str) -> Markup:
    """Return the field of a gap: a list of choices, or a line to type on."""
    if not blank.options:
        return _text_field(response)
    idents = gap_idents(blank, response)
    choices = (
        element("inlineChoice", option.text, identifier=ident)
        for ident, option in zip(idents, blank.options, strict=True)
    )
    return element("inlineChoiceInteraction", *choices, responseIdentifier=response, shuffle=False)


def _text_field(response: str) -> Markup:
    return element("textEntryInteraction", responseIdentifier=response, expectedLength=15)


def _outcome(name: str, value: str) -> Markup:
    default = element("defaultValue", element("value", value))
    return element("outcomeDeclaration", default, identifier=name, cardinality="single", baseType="float")


def _base(value: str, base_type: str) -> Markup:
    return element("baseValue", value, baseType=base_type)


def _variable(name: str) -> Markup:
    return element("variable", identifier=name)


def _show(name: str) -> Markup:
    """Return a rule that shows one more piece of feedback; without a name it changes nothing."""
    if not name:
        return element("setOutcomeValue", _variable("FEEDBACK"), identifier="FEEDBACK")
    return _set("FEEDBACK", "multiple", _base(name, "identifier"))


def _set(outcome: str, together: str, value: Markup) -> Markup:
    """Return a rule that adds a value to an outcome."""
    return element("setOutcomeValue", element(together, _variable(outcome), value), identifier=outcome)


def _condition(branches: Sequence[tuple[Markup, Markup]], otherwise: Markup | None = None) -> Markup:
    """Return the rule of the first branch whose condition holds."""
    names = ["responseIf", *["responseElseIf"] * len(branches)]
    rules = [element(name, *branch) for name, branch in zip(names, branches, strict=False)]
    if otherwise:
        rules.append(element("responseElse", otherwise))
    return element("responseCondition", joined(rules))


def _is_right(declared: Declared) -> Markup:
    for answer in declared.accepted if declared.has_tolerance else ():
        if (answer.text,) == declared.correct:
            return _equal(declared, answer)
    return element("match", _variable(declared.response), element("correct", identifier=declared.response))


def _fits(declared: Declared, answer: AcceptedAnswer) -> Markup:
    """Return the comparison with an accepted typed answer."""
    if declared.base_type == "float":
        return _equal(declared, answer)
    compared = (_variable(declared.response), _base(answer.text, "string"))
    return element("stringMatch", *compared, caseSensitive=declared.is_case_sensitive, substring=False)


def _equal(declared: Declared, answer: AcceptedAnswer) -> Markup:
    """Return the comparison with an accepted number."""
    is_correct = declared.correct == (answer.text,)
    right = element("correct", identifier=declared.response) if is_correct else _base(answer.text, "float")
    compared = (_variable(declared.response), right)
    if not answer.tolerance:
        return element("equal", *compared, toleranceMode="exact")
    if answer.tolerance_kind == "digits":
        figures = f"{answer.tolerance:.0f}"
        return element("equalRounded", *compared, roundingMode="significantFigures", figures=figures)
    width = f"{answer.tolerance * (100 if answer.tolerance_kind == 'relative' else 1):.12g}"
    return element("equal", *compared, toleranceMode=answer.tolerance_kind, tolerance=f"{width} {width}")


def _scoring(declared: Declared, points: float) -> Markup | None:
    share = points * declared.share
    if declared.points:
        is_answered = element("not", element("isNull", _variable(declared.response)))
        return _condition([(is_answered, _set("SCORE", "sum", element("mapResponse", identifier=declared.response)))])
    if declared.has_tolerance:
        named = [answer for answer in declared.accepted if answer.text != ANY_OTHER]
        others = [answer for answer in declared.accepted if answer.text == ANY_OTHER and answer.weight]
        branches = [(_equal(declared, answer), _gain(answer.weight * share)) for answer in named]
        return _condition(branches, _gain(others[0].weight * share) if named and others else None)
    return _condition([(_is_right(declared), _gain(share))]) if declared.correct else None


def _gain(points: float) -> Markup:
    return _set("SCORE", "sum", _base(f"{points:.10g}", "float"))
