"""Read the interactions of one item: options, accepted answers, pairs, gaps and fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from analytics.question_content import EMPTY, AcceptedAnswer, Blank, MatchingPair, Option, QuestionContent, QuestionPart
from questionbank.formats.items import with_others
from questionbank.formats.kinds import derived_answer, lettered, right_options
from questionbank.formats.qti.declarations import UPLOAD
from questionbank.formats.qti.responses import Responses
from questionbank.formats.qti.texts import Texts
from questionbank.formats.xml_nodes import Node

_TRUE = frozenset("true t yes wahr richtig ja vrai verdadero vero 对 正确 是".split())
_FALSE = frozenset("false f no falsch nein faux falso 错 错误 否".split())
_NUMBERS = ("float", "integer")
MARK = re.compile(r"\[\[(\d{1,3})\]\]")
_ALONE = re.compile(r"(?:^|\n|[?:=]\s*)\[\[1\]\]\s*$")


@dataclass(slots=True)
class Asked:
    """What an interaction asks for.

    Attributes:
        text: extra text of the question; for an opaque one, the texts of its choices.
        marks: numbers of its gaps by the item's gap numbers.
    """

    kind: str
    options: tuple[Option, ...] = ()
    answer: str = ""
    content: dict[str, Any] = field(default_factory=dict)
    text: str = ""
    marks: dict[int, int] = field(default_factory=dict)


class Interactions:
    """Reads the interactions of an item.

    Attributes:
        choices: identifiers of each response's options, in the order of our options.
    """

    def __init__(self, texts: Texts, responses: Responses) -> None:
        self.texts, self.responses = texts, responses
        self.choices: dict[str, list[str]] = {}

    def asked(self, node: Node) -> Asked:
        response = node.get("responseIdentifier")
        asked = _READERS[node.name](self, node, response)
        if asked.kind == "opaque":
            self.texts.settings["type"] = node.name
        if node.name not in ("uploadInteraction", "extendedTextInteraction") and asked.kind != "opaque":
            derived = derived_answer(
                kind=asked.kind, options=asked.options, answer=asked.answer,
                content=QuestionContent(**asked.content),
            )  # fmt: skip
            if not derived:
                self.texts.say("answer", "the item does not say which answer is right")
        return asked

    # -- gaps ------------------------------------------------------------------------------------------------------

    def with_gaps(self, text: str) -> Asked:
        """Return what a text with gaps asks for; a single field at its end is not a gap."""
        marks = [int(match[1]) for match in MARK.finditer(text)]
        gaps = [self.texts.gaps[mark - 1] for mark in marks if 0 < mark <= len(self.texts.gaps)]
        text = renumbered(text, {mark: place for place, mark in enumerate(marks, start=1)})
        if len(gaps) == 1 and gaps[0].name == "textEntryInteraction" and _ALONE.search(text):
            asked = self._field(gaps[0])
            asked.text = MARK.sub("", text).strip()
            return asked
        if len(gaps) > 1 and all(MARK.fullmatch(line) for line in text.split("\n") if MARK.search(line)):
            return self._fields(text, gaps)
        blanks = tuple(self._blank(node) for node in gaps)
        if not any(blank.accepted or blank.options for blank in blanks):
            self.texts.say("answer", "the item does not say which answer is right")
        return Asked("blanks", content={"blanks": blanks}, text=text)

    def _fields(self, text: str, gaps: list[Node]) -> Asked:
        """Return a question in parts, each with a field below its text."""
        texts = [part.strip() for part in MARK.split(text)[::2]]
        stem, _gap, texts[0] = texts[0].rpartition("\n\n")
        parts = []
        for said, node in zip(texts, gaps, strict=False):
            asked = self._field(node) if node.name == "textEntryInteraction" else None
            blank = Asked("blanks", content={"blanks": (self._blank(node),)}, text=f"{said}\n\n[[1]]")
            parts.append(part_of(said, asked) if asked else part_of(blank.text, blank))
        return Asked(
            "parts", content={"parts": tuple(parts)}, text="\n\n".join(filter(None, (stem, *texts[len(gaps) :])))
        )

    def _field(self, node: Node, response: str = "") -> Asked:
        response = response or node.get("responseIdentifier")
        kind = "number" if self.responses.base_type(response) in _NUMBERS else "short"
        accepted = self.responses.typed(response, is_number=kind == "number")
        self._note_case(response)
        if not accepted:
            self.texts.say("answer", "the item does not say which answer is right")
        asked = Asked(kind)
        if len(accepted) == 1 and accepted[0] == AcceptedAnswer(accepted[0].text):
            asked.answer = accepted[0].text
        elif accepted:
            asked.content["accepted"] = tuple(accepted)
        return asked

    def _note_case(self, response: str) -> None:
        if self.responses.is_case_sensitive(response):
            self.texts.settings["case"] = "1"

    def _blank(self, node: Node) -> Blank:
        response = node.get("responseIdentifier")
        total = self.responses.total(response) if self.responses.is_mapped(response) else 1.0
        if node.name == "inlineChoiceInteraction":
            choices = node.children("inlineChoice")
            options = self._options(response, choices, "blanks")
            right = {*self.responses.correct(response)}
            weighed = (
                (o.text, choice.get("identifier") in right, o.feedback)
                for o, choice in zip(options, choices, strict=True)
            )
            return Blank("choice", (), lettered(weighed), total or 1.0)
        kind = "number" if self.responses.base_type(response) in _NUMBERS else "short"
        self._note_case(response)
        return Blank(kind, tuple(self.responses.typed(response, is_number=kind == "number")), (), total or 1.0)

    # -- blocks ----------------------------------------------------------------------------------------------------

    def _options(self, response: str, choices: Sequence[Node], field: str = "options") -> list[Option]:
        self.choices[response] = [choice.get("identifier") for choice in choices]
        options = []
        for choice in choices:
            before = len(self.texts.unseen.feedback)
            text = self.texts.text(choice, field)
            said = [said for _identifier, said in self.texts.unseen.feedback[before:]]
            del self.texts.unseen.feedback[before:]
            options.append((text, None, "\n\n".join(said)))
        return [*lettered(options)]

    def _choice(self, node: Node, response: str) -> Asked:
        name = "hottext" if node.name == "hottextInteraction" else "simpleChoice"
        choices = [*node.iter(name)]
        options = self._options(response, choices)
        idents = self.choices[response]
        right = [ident for ident in self.responses.correct(response) if ident in idents]
        is_single = not self.responses.is_multiple(response)
        if name == "simpleChoice" and is_single and (asked := self._true_false(options, idents, right)):
            return asked
        labels = [option.label for option, ident in zip(options, idents, strict=True) if ident in right]
        weights = self.responses.weights(response, idents) if self.responses.is_mapped(response) else []
        if weights:
            is_plain = is_single and sorted(weights)[:-1] == [0.0] * (len(weights) - 1) and max(weights) == 1
            weighed = [Option(o.label, o.text, "", w, o.feedback) for o, w in zip(options, weights, strict=True)]
            if not is_plain and {*right_options(weighed, is_single=is_single)} == {*labels}:
                options = weighed
            elif right and not is_plain:
                reason = "the points of the options do not fit the right answer; they stay with the original"
                self.texts.say("options", reason)
        has_weights = any(option.weight is not None for option in options)
        settings = self.texts.settings
        if not is_single and len(labels) <= 1:
            settings["single"] = "false"
        elif is_single and (has_weights or len(labels) > 1):
            settings["single"] = "true"
        if node.get("shuffle") == "false":
            settings["shuffle"] = "false"
        return Asked("choice", tuple(options), ", ".join(labels))

    def _true_false(self, options: list[Option], idents: list[str], right: list[str]) -> Asked | None:
        words = ["True" if _word(o) in _TRUE else "False" if _word(o) in _FALSE else "" for o in options]
        if sorted(words) != ["False", "True"]:
            return None
        answer = next((word for word, ident in zip(words, idents, strict=True) if ident in right), "")
        asked = Asked("true_false", answer=answer)
        if any(option.feedback for option in options):
            asked.content["accepted"] = tuple(
                AcceptedAnswer(word, float(word == answer), option.feedback)
                for word, option in sorted(zip(words, options, strict=True), reverse=True)
            )
        return asked

    def _ordering(self, node: Node, response: str) -> Asked:
        choices = {choice.get("identifier"): choice for choice in node.iter("simpleChoice")}
        correct = [ident for ident in self.responses.correct(response) if ident in choices]
        is_whole = len(correct) == len(choices)
        listed = [choices[ident] for ident in correct] if is_whole else [*choices.values()]
        options = self._options(response, listed)
        if not is_whole and correct:
            texts = dict(zip(choices, (option.text for option in options), strict=True))
            return Asked("opaque", tuple(options), "; ".join(texts[ident] for ident in correct))
        return Asked("ordering" if is_whole else "opaque", tuple(options))

    def _matching(self, node: Node, response: str) -> Asked:
        sets = node.children("simpleMatchSet")
        groups = [group.children("simpleAssociableChoice") for group in sets]
        if len(groups) != 2:
            return self._associating(node, response)
        left, right = (
            dict(zip([c.get("identifier") for c in group], self._texts_of(response, group), strict=True))
            for group in groups
        )
        self.choices[response] = [*left, *right]
        pairs = [pair for pair in self._wanted(response) if pair[0] in left and pair[1] in right]
        if len(pairs) == len({first for first, _ in pairs}) == len(left):
            return self._pairs(left, right, dict(pairs))
        if len(pairs) == len({second for _, second in pairs}) == len(right):
            return self._pairs(right, left, {second: first for first, second in pairs})
        answer = "; ".join(f"{left[first]} – {right[second]}" for first, second in pairs)
        rows = "\n".join(f"- {text}" for text in (*left.values(), *right.values()))
        return Asked("opaque", answer=answer, text=rows)

    def _wanted(self, response: str) -> list[tuple[str, str]]:
        """Return the pairs of identifiers that belong together."""
        values = (value.partition(" ") for value in self.responses.correct(response))
        return [(first, second) for first, _blank, second in values if second and " " not in second]

    def _texts_of(self, response: str, choices: list[Node]) -> list[str]:
        return [option.text for option in self._options(response, choices, "pairs")]

    @staticmethod
    def _pairs(left: dict[str, str], right: dict[str, str], wanted: dict[str, str]) -> Asked:
        pairs = (MatchingPair(text, right[wanted[ident]]) for ident, text in left.items())
        return Asked("matching", content={"pairs": with_others(pairs, right.values())})

    def _associating(self, node: Node, response: str) -> Asked:
        choices = [*node.iter("simpleAssociableChoice")]
        texts = dict(zip([c.get("identifier") for c in choices], self._texts_of(response, choices), strict=True))
        pairs = [pair for pair in self._wanted(response) if texts.keys() >= {*pair}]
        named = [ident for pair in pairs for ident in pair]
        if pairs and len(named) == len({*named}):
            found = tuple(MatchingPair(texts[first], texts[second]) for first, second in pairs)
            rest = tuple(MatchingPair("", text) for ident, text in texts.items() if ident not in named)
            return Asked("matching", content={"pairs": (*found, *rest)})
        answer = "; ".join(f"{texts[first]} – {texts[second]}" for first, second in pairs)
        return Asked("opaque", answer=answer, text="\n".join(f"- {text}" for text in texts.values()))

    def _gap_match(self, node: Node, response: str) -> Asked:
        choices = node.children("gapText", "gapImg")
        options = self._options(response, choices, "blanks")
        idents = self.choices[response]
        pairs = self._wanted(response)
        right = {*pairs} | {(second, first) for first, second in pairs}
        gaps = [*node.iter("gap")]

        def offered(gap: str) -> tuple[Option, ...]:
            choices = zip(options, idents, strict=True)
            return lettered((o.text, (ident, gap) in right, o.feedback) for o, ident in choices)

        blanks = tuple(Blank("choice", (), offered(gap.get("identifier"))) for gap in gaps)
        numbers = {self.texts.gaps.index(gap) + 1: place for place, gap in enumerate(gaps, start=1)}
        return Asked("blanks", content={"blanks": blanks}, marks=numbers)

    def _open(self, node: Node, response: str) -> Asked:
        if self.responses.base_type(response) in _NUMBERS:
            return self._field(node)
        return Asked("open", answer="\n".join(self.responses.correct(response)))

    def _upload(self, _node: Node, _response: str) -> Asked:
        self.texts.settings["type"] = UPLOAD
        return Asked("open")


_READERS: dict[str, Callable[[Interactions, Node, str], Asked]] = {
    "choiceInteraction": Interactions._choice,
    "hottextInteraction": Interactions._choice,
    "orderInteraction": Interactions._ordering,
    "matchInteraction": Interactions._matching,
    "associateInteraction": Interactions._associating,
    "gapMatchInteraction": Interactions._gap_match,
    "extendedTextInteraction": Interactions._open,
    "sliderInteraction": Interactions._field,
    "uploadInteraction": Interactions._upload,
}


def part_of(text: str, asked: Asked) -> QuestionPart:
    """Return an interaction's question as a part."""
    content = QuestionContent(**asked.content) if asked.content else EMPTY
    answer = derived_answer(kind=asked.kind, options=asked.options, answer=asked.answer, content=content)
    return QuestionPart(text, asked.kind, asked.options, answer, content)


def renumbered(text: str, numbers: dict[int, int]) -> str:
    """Renumber the gaps of a text."""
    return MARK.sub(lambda match: f"[[{numbers.get(int(match[1]), match[1])}]]", text)


def _word(option: Option) -> str:
    return option.text.strip(" .!").lower()
