"""Write one record as a QTI 2.1, 2.2 or 3.0 item, with the element order that their schemas require."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from analytics.question_content import AcceptedAnswer, Option, QuestionPart, Stimulus, own_text
from analytics.records import QuestionRecord
from questionbank.formats.naming import default_title
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
from questionbank.formats.qti.texts import Address, block_html, flow_html
from questionbank.formats.qti.words import STIMULUS_CLASS, TOOL, Version, in_version
from questionbank.formats.seam import ANOTHER_TYPE, CannotHold
from questionbank.formats.xml_nodes import attribute_text

_GAP = re.compile(r"<math\b.*?</math>|<[^<>]*>|\[\[(\d{1,3})\]\]", re.DOTALL)  # gaps never occur in a formula or a tag
_NAME = re.compile(r"[A-Za-z][\w.-]*", re.ASCII)
_ENDING = re.compile(r"[\w.-]{1,60}", re.ASCII)
_BLOCK = re.compile(r"<(?:p|ul|ol|table)\b")
_FALSE = ("false", "0")
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
    inner = f"<stimulusBody>{block_html(shared.text, address)}</stimulusBody>"
    attributes = f'identifier="{identifier}" title="{attribute_text(shared.title or identifier)}"'
    return document("assessmentStimulus", attributes, inner, version).encode()


def document(root: str, attributes: str, inner: str, version: Version) -> str:
    """Return a document in a version of QTI."""
    spaces = f'xmlns="{version.space}" xmlns:xsi="{_XSI}" xsi:schemaLocation="{version.space} {version.schema}"'
    body = in_version(f"<{root} {attributes}>\n{inner}\n</{root}>\n", version)
    head, tag, rest = body.partition(" ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head} {spaces}{tag}{rest}'


def _identifier(id: str, version: Version) -> str:
    """Return an item's identifier; QTI 3 requires a letter or underscore, then letters, digits and ``.-_``.

    Different ids give different identifiers; the id itself is then in the metadata.
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
        title = attribute_text(self.content.title or default_title(record.text))
        attributes = (
            f'identifier="{attribute_text(_identifier(record.id, self.version))}" title="{title}" adaptive="false"'
            f' timeDependent="false" xml:lang="{attribute_text(record.language or "en")}" toolName="{TOOL}"'
        )
        inner = [declaration_xml(declared, points) for declared in self._declared]
        inner += self._outcomes()
        if self._stimulus:
            shared = self.content.stimulus
            inner.append(
                f'<assessmentStimulusRef identifier="stimulus" href="{attribute_text(self._stimulus)}"'
                f' title="{attribute_text(shared.title)}"/>'
            )
        inner.append("<itemBody>" + "\n".join(self._body()) + "</itemBody>")
        if self._declared:
            inner.append(self._processing(points))
        inner += [self._modal_feedback(name, text) for name, text in self._modal]
        return document("assessmentItem", attributes, "\n".join(inner), self.version)

    def _outcomes(self) -> Iterator[str]:
        if self._declared:
            yield _outcome("SCORE", "float", "0")
            if self.content.points is not None:
                yield _outcome("MAXSCORE", "float", f"{self.content.points!r}")
        if self._modal or self._has_own_feedback:
            yield '<outcomeDeclaration identifier="FEEDBACK" cardinality="multiple" baseType="identifier"/>'

    def _modal_feedback(self, name: str, text: str) -> str:
        inner = self._in_body(block_html(text, self._address))
        shown = f'outcomeIdentifier="FEEDBACK" showHide="show" identifier="{name}"'
        return f"<modalFeedback {shown}>{inner}</modalFeedback>"

    def _in_body(self, html: str) -> str:
        return f"<contentBody>{html}</contentBody>" if self.version.is_three else html

    # -- the body --------------------------------------------------------------------------------------------------

    def _body(self) -> Iterator[str]:
        record, shared = self.record, self.content.stimulus
        own = own_text(record.text, self.content)
        if own != record.text and not self._stimulus:
            label = f' label="{attribute_text(shared.title)}"' if shared.title else ""
            yield f'<div class="{STIMULUS_CLASS}"{label}>{block_html(shared.text, self._address)}</div>'
        responses = iter(self._declared)
        if not self.content.parts:
            yield from self._asked(record, own, responses, "")
        else:
            yield block_html(own, self._address)
            for place, part in enumerate(self._asking(), start=1):
                yield from self._asked(part, part.text, responses, f"P{place}_")
        if record.kind == "open" and record.answer and not self.content.parts:
            use = ' use="scoring"' if self.version.is_three else ""
            answer = self._in_body(block_html(record.answer, self._address))
            yield f'<rubricBlock{use} view="scorer">{answer}</rubricBlock>'

    def _asked(self, asking: Asking, text: str, responses: Iterator[Declared], prefix: str) -> Iterator[str]:
        """Yield the blocks of a text and its interaction."""
        if asking.kind == "blanks" and asking.content.blanks:
            yield self._with_gaps(asking, text, responses)
            return
        declared = next(responses, None) if asking.kind != "description" else None
        html = block_html(text, self._address)
        if declared is None:
            yield html
            return
        response = declared.response
        prompt = flow_html(text, self._address) if prefix else ""
        is_prompt = bool(prompt) and not _BLOCK.search(prompt)
        inner = f"<prompt>{prompt}</prompt>" if is_prompt else ""
        block = self._block(asking, response, inner, prefix)
        if not (block and is_prompt):
            yield html
        field = f'<div><textEntryInteraction responseIdentifier="{response}" expectedLength="15"/></div>'
        yield block or field

    def _block(self, asking: Asking, response: str, prompt: str, prefix: str) -> str:
        """Return the interaction of a question; empty if an inline text field is used."""
        options = asking.options
        if (asking.kind == "choice" and options) or asking.kind == "ordering":
            idents = choice_idents(options, prefix)
            choices = [self._choice(*pair) for pair in zip(idents, options, strict=True)]
            most = "" if asking.kind == "ordering" else f' maxChoices="{int(is_single(asking))}"'
            name = "orderInteraction" if asking.kind == "ordering" else "choiceInteraction"
            return self._interaction(name, response, prompt, choices, most, asking)
        if asking.kind == "true_false":
            said = {answer.text: answer.feedback for answer in asking.content.accepted}
            words = [Option(word, word, feedback=said.get(word, "")) for word in ("True", "False")]
            choices = [self._choice(f"{prefix}{option.label.lower()}", option) for option in words]
            return self._interaction("choiceInteraction", response, prompt, choices, ' maxChoices="1"', None)
        if asking.kind == "matching" and asking.content.pairs:
            return self._matching(asking, response, prompt, prefix)
        if typed_kind(asking) == "open":
            is_file = asking.content.settings.get("type") == UPLOAD
            name, more = "extendedTextInteraction", ' expectedLines="5"'
            if is_file:
                name, more = "uploadInteraction", ""
            return f'<{name} responseIdentifier="{response}"{more}>{prompt}</{name}>'
        return ""

    @staticmethod
    def _interaction(
        name: str, response: str, prompt: str, choices: Sequence[str], more: str, asking: Asking | None
    ) -> str:
        setting = asking.content.settings.get("shuffle", "true") if asking else "false"
        shuffle = "false" if setting in _FALSE else "true"
        inner = "\n".join([prompt, *choices])
        return f'<{name} responseIdentifier="{response}" shuffle="{shuffle}"{more}>{inner}</{name}>'

    def _choice(self, ident: str, option: Option) -> str:
        feedback = ""
        if option.feedback and not self.content.parts:
            html = flow_html(option.feedback, self._address)
            name = "feedbackBlock" if _BLOCK.search(html) else "feedbackInline"
            inner = self._in_body(html) if name == "feedbackBlock" else html
            shown = f'outcomeIdentifier="FEEDBACK" identifier="{ident}" showHide="show"'
            feedback = f"<{name} {shown}>{inner}</{name}>"
        return f'<simpleChoice identifier="{ident}">{flow_html(option.text, self._address)}{feedback}</simpleChoice>'

    def _matching(self, asking: Asking, response: str, prompt: str, prefix: str) -> str:
        lefts, rights = pair_idents(asking.content, prefix)

        def choice(ident: str, text: str, most: int) -> str:
            html = flow_html(text, self._address)
            return f'<simpleAssociableChoice identifier="{ident}" matchMax="{most}">{html}</simpleAssociableChoice>'

        first = "".join(choice(ident, pair.left, 1) for ident, pair in lefts)
        second = "".join(choice(ident, text, 0) for text, ident in rights.items())
        return (
            f'<matchInteraction responseIdentifier="{response}" shuffle="true" maxAssociations="{len(lefts)}">'
            f"{prompt}<simpleMatchSet>{first}</simpleMatchSet><simpleMatchSet>{second}</simpleMatchSet>"
            "</matchInteraction>"
        )

    def _with_gaps(self, asking: Asking, text: str, responses: Iterator[Declared]) -> str:
        """Return a text with its gaps inserted; gaps that it does not mention are appended."""
        blanks = asking.content.blanks
        gaps: list[str] = []
        for blank, declared in zip(blanks, [next(responses) for _blank in blanks], strict=True):
            response = declared.response
            if blank.options:
                idents = gap_idents(blank, response)
                inner = "".join(
                    f'<inlineChoice identifier="{ident}">{attribute_text(option.text)}</inlineChoice>'
                    for ident, option in zip(idents, blank.options, strict=True)
                )
                gaps.append(
                    f'<inlineChoiceInteraction responseIdentifier="{response}" shuffle="false">{inner}'
                    "</inlineChoiceInteraction>"
                )
            else:
                gaps.append(f'<textEntryInteraction responseIdentifier="{response}" expectedLength="15"/>')
        html, used = block_html(text, self._address), set[int]()

        def gap(match: re.Match[str]) -> str:
            place = int(match[1] or 0) - 1
            if place in used or not 0 <= place < len(gaps):
                return match[0]
            used.add(place)
            return gaps[place]

        html = _GAP.sub(gap, html)
        rest = "".join(f"<div>{gaps[place]}</div>" for place in range(len(gaps)) if place not in used)
        return html + rest

    # -- processing ------------------------------------------------------------------------------------------------

    def _processing(self, points: float) -> str:
        declared = self._declared
        is_simple = len(declared) == 1 and not self._modal and not self._has_own_feedback
        only = declared[0]
        if is_simple and not only.has_tolerance and (only.points or self.content.points is None):
            name = "map_response" if only.points else "match_correct"
            if (only.correct or only.points) and only.response == "RESPONSE":  # the name assumed by templates
                before, behind = self.version.templates
                return f'<responseProcessing template="{before}{name}{behind}"/>'
        rules = [rule for response in declared if (rule := _scoring(response, points))]
        return f"<responseProcessing>{''.join(rules)}{self._shown_feedback()}</responseProcessing>"

    def _shown_feedback(self) -> str:
        names = {name for name, _text in self._modal}
        always = (name for name, _text in self._modal if name.startswith(("general", "solution", "hint")))
        rules = "".join(_show(_base(name, "identifier")) for name in always)
        if self._has_own_feedback and self._declared:
            rules += _show(f'<variable identifier="{self._declared[0].response}"/>')
        rules += self._shown_with_typed()
        known = [declared for declared in self._declared if declared.correct]
        if not known:
            return rules
        right = "".join(_is_right(declared) for declared in known)
        right = f"<and>{right}</and>" if len(known) > 1 else right
        branches = []
        if "correct" in names or names & {"partial", "incorrect"}:
            shown = _base("correct", "identifier") if "correct" in names else ""
            branches.append(f"<responseIf>{right}{_show(shown)}</responseIf>")
        if "partial" in names:
            some = f'<gt><variable identifier="SCORE"/>{_base("0", "float")}</gt>'
            branches.append(f"<responseElseIf>{some}{_show(_base('partial', 'identifier'))}</responseElseIf>")
        if "incorrect" in names:
            branches.append(f"<responseElse>{_show(_base('incorrect', 'identifier'))}</responseElse>")
        return rules + (f"<responseCondition>{''.join(branches)}</responseCondition>" if branches else "")

    def _shown_with_typed(self) -> str:
        """Return the rule that shows the feedback of the first matching typed answer, or else of any other answer."""
        names = {answer.text: name for name, answer in self._typed_feedback()}
        if not names:
            return ""
        declared = self._declared[0]
        branches = [f"<isNull>{_variable(declared.response)}</isNull>{_show('')}"] if ANY_OTHER in names else []
        for answer in self.content.accepted:
            is_told_apart = answer.text in names or ANY_OTHER in names
            if answer.text != ANY_OTHER and is_told_apart:
                name = names.get(answer.text)
                branches.append(_fits(declared, answer) + _show(_base(name, "identifier") if name else ""))
        tags = ["responseIf", *["responseElseIf"] * len(branches)]
        rules = [f"<{tag}>{branch}</{tag}>" for tag, branch in zip(tags, branches, strict=False)]
        if ANY_OTHER in names:
            rules.append(f"<responseElse>{_show(_base(names[ANY_OTHER], 'identifier'))}</responseElse>")
        return f"<responseCondition>{''.join(rules)}</responseCondition>"


def _leaves(parts: Sequence[QuestionPart]) -> Iterator[QuestionPart]:
    """Yield the parts that ask something; a part with subparts becomes a description followed by them."""
    for part in parts:
        if part.content.parts:
            yield QuestionPart(part.text, "description")
            yield from _leaves(part.content.parts)
        else:
            yield part


def _outcome(name: str, base_type: str, value: str) -> str:
    return (
        f'<outcomeDeclaration identifier="{name}" cardinality="single" baseType="{base_type}">'
        f"<defaultValue><value>{value}</value></defaultValue></outcomeDeclaration>"
    )


def _base(value: str, base_type: str) -> str:
    return f'<baseValue baseType="{base_type}">{attribute_text(value)}</baseValue>'


def _variable(name: str) -> str:
    return f'<variable identifier="{name}"/>'


def _show(what: str) -> str:
    """Return a rule that adds to the shown feedback, or leaves it unchanged."""
    shown = _variable("FEEDBACK")
    together = f"<multiple>{shown}{what}</multiple>" if what else shown
    return f'<setOutcomeValue identifier="FEEDBACK">{together}</setOutcomeValue>'


def _is_right(declared: Declared) -> str:
    for answer in declared.accepted if declared.has_tolerance else ():
        if (answer.text,) == declared.correct:
            return _equal(declared, answer)
    return f'<match>{_variable(declared.response)}<correct identifier="{declared.response}"/></match>'


def _fits(declared: Declared, answer: AcceptedAnswer) -> str:
    """Return the comparison with an accepted typed answer."""
    if declared.base_type == "float":
        return _equal(declared, answer)
    case = str(declared.is_case_sensitive).lower()
    shown = f"{_variable(declared.response)}{_base(answer.text, 'string')}"
    return f'<stringMatch caseSensitive="{case}" substring="false">{shown}</stringMatch>'


def _equal(declared: Declared, answer: AcceptedAnswer) -> str:
    """Return the comparison with an accepted number."""
    mode, name, margin = "exact", "equal", ""
    if answer.tolerance and answer.tolerance_kind == "digits":
        name, margin = "equalRounded", f' roundingMode="significantFigures" figures="{answer.tolerance:.0f}"'
    elif answer.tolerance:
        mode = answer.tolerance_kind
        width = f"{answer.tolerance * (100 if mode == 'relative' else 1):.12g}"
        margin = f' tolerance="{width} {width}"'
    attributes = margin if name == "equalRounded" else f' toleranceMode="{mode}"{margin}'
    is_correct = declared.correct == (answer.text,)
    right = f'<correct identifier="{declared.response}"/>' if is_correct else _base(answer.text, "float")
    return f"<{name}{attributes}>{_variable(declared.response)}{right}</{name}>"


def _scoring(declared: Declared, points: float) -> str:
    share = points * declared.share
    if declared.points:
        is_answered = f"<not><isNull>{_variable(declared.response)}</isNull></not>"
        return _if(is_answered, f'<mapResponse identifier="{declared.response}"/>')
    if declared.has_tolerance:
        named = [answer for answer in declared.accepted if answer.text != ANY_OTHER]
        branches = [
            f"<{name}>{_equal(declared, answer)}{_gain(answer, share)}</{name}>"
            for place, answer in enumerate(named)
            for name in (("responseIf" if place == 0 else "responseElseIf"),)
        ]
        others = [answer for answer in declared.accepted if answer.text == ANY_OTHER and answer.weight]
        if named and others:
            branches.append(f"<responseElse>{_gain(others[0], share)}</responseElse>")
        return f"<responseCondition>{''.join(branches)}</responseCondition>"
    if not declared.correct:
        return ""
    return _if(_is_right(declared), _base(f"{share:.10g}", "float"))


def _if(condition: str, gain: str) -> str:
    return f"<responseCondition><responseIf>{condition}{_add(gain)}</responseIf></responseCondition>"


def _gain(answer: AcceptedAnswer, share: float) -> str:
    return _add(_base(f"{answer.weight * share:.10g}", "float"))


def _add(gain: str) -> str:
    return f'<setOutcomeValue identifier="SCORE"><sum>{_variable("SCORE")}{gain}</sum></setOutcomeValue>'
