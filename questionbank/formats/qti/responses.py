"""The correct answers of a QTI item: response declarations and the comparisons of response processing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analytics.question_content import AcceptedAnswer
from questionbank.formats.written_numbers import exact_share, finite_number
from questionbank.formats.xml_nodes import Node

_NOTHING = Node("", {}, 0, 0)
WITH_ANSWER = re.compile(r"answer_\d+")
"""Our names for feedback on a single typed answer."""
_NUMERIC = ("equal", "equalRounded")
_COMPARISONS = ("match", "stringMatch", "equal", "equalRounded", "member", "contains")


@dataclass(frozen=True, slots=True)
class Comparison:
    """A branch of response processing for one value of a response.

    Attributes:
        value: the value; ``"*"`` for any other.
        node: the comparison.
        gain: points that it adds to the score.
        shown: names of the feedback on this answer.
    """

    value: str
    node: Node
    gain: float
    shown: tuple[str, ...]


class Responses:
    """The responses of an item."""

    def __init__(self, item: Node) -> None:
        self._declared = {node.get("identifier"): node for node in item.children("responseDeclaration")}
        self._outcomes = {node.get("identifier"): node for node in item.children("outcomeDeclaration")}
        self._templates = {node.get("identifier"): node for node in item.children("templateDeclaration")}
        self._processing = item.find("responseProcessing") or _NOTHING
        address = self._processing.get("template") or self._processing.get("templateLocation")
        self._template = address.rpartition("/")[2].removesuffix(".xml")

    def _node(self, response: str) -> Node:
        return self._declared.get(response, _NOTHING)

    def with_answers(self) -> dict[str, str]:
        """Return the typed answer by the name of its feedback."""
        found = (one for response in self._declared for one in self.comparisons(response))
        return {name: one.value for one in found for name in one.shown}

    def is_multiple(self, response: str) -> bool:
        return self._node(response).get("cardinality", "single") != "single"

    def base_type(self, response: str) -> str:
        """Return the base type of a response, such as ``"float"``."""
        return self._node(response).get("baseType")

    def correct(self, response: str) -> list[str]:
        """Return the correct values: as declared, as mapped, or else as compared by response processing."""
        correct = self._node(response).find("correctResponse") or _NOTHING
        if values := [text for value in correct.children("value") if (text := value.text())]:
            return values
        mapping = self.mapping(response)
        least = 0.0 if self.is_multiple(response) else max(mapping.values(), default=0.0)
        positive = [key for key, points in mapping.items() if points > 0 and points >= least]
        return positive or self.compared(response)

    def mapping(self, response: str) -> dict[str, float]:
        return {
            " ".join(entry.get("mapKey").split()): finite_number(entry.get("mappedValue")) or 0.0
            for entry in self.mapping_node(response).children("mapEntry")
        }

    def mapping_node(self, response: str) -> Node:
        return self._node(response).find("mapping") or _NOTHING

    def is_mapped(self, response: str) -> bool:
        """Return whether the points of a response come from its mapping."""
        if not self.mapping(response):
            return False
        if self._template:
            return "map_response" in self._template
        return any(node.get("identifier") == response for node in self._processing.iter("mapResponse"))

    def is_case_sensitive(self, response: str) -> bool:
        """Return whether letter case matters, if the item states it."""
        if entries := self.mapping_node(response).children("mapEntry"):
            return all(entry.get("caseSensitive") == "true" for entry in entries)
        matches = [node for node in self._processing.iter("stringMatch") if response in _variables(node)]
        return bool(matches) and all(node.get("caseSensitive") == "true" for node in matches)

    def points(self) -> float | None:
        """Return the points of a correct answer, if stated or computable from what the processing adds at most."""
        mapped = [self.total(name) for name in self._declared if self.is_mapped(name)]
        given = sum(filter(lambda total: total > 0, [*mapped, *self._added()]))
        each = _default(self._templates.get("SCORE_EACH_CORRECT"))  # Inspera's
        whole = _default(self._templates.get("SCORE_ALL_CORRECT"))
        if whole and not any(self.correct(name) for name in self._declared):
            return whole  # for an essay, which declares no correct answer
        if each:
            return each * sum(max(len(self.correct(name)), 1) for name in self._declared)
        largest = finite_number(self._outcomes.get("SCORE", _NOTHING).get("normalMaximum"))
        stated = _default(self._outcomes.get("MAXSCORE")) or largest or 0.0
        return max(stated, given) or None

    def _added(self) -> Iterator[float]:
        """Yield the most that each condition adds to the score as a constant, apart from mappings."""
        for condition in self._processing.iter("responseCondition"):
            sums = [rule.find("sum") for rule in condition.iter("setOutcomeValue") if rule.get("identifier") == "SCORE"]
            stated = [one for one in sums if one is not None and one.find("mapResponse") is None]
            values = [finite_number(value.text()) for one in stated for value in one.children("baseValue")]
            yield max(filter(None, values), default=0.0)

    def total(self, response: str) -> float:
        mapping = self.mapping(response)
        positive = [points for points in mapping.values() if points > 0]
        total = sum(positive) if self.is_multiple(response) else max(positive, default=0.0)
        bound = finite_number(self.mapping_node(response).get("upperBound"))
        return min(total, bound) if bound and bound > 0 else total

    def weights(self, response: str, values: Sequence[str]) -> list[float]:
        """Return each value's share of the points, from -1 to 1."""
        mapping, total = self.mapping(response), self.total(response) or 1.0
        others = finite_number(self.mapping_node(response).get("defaultValue")) or 0.0
        shares = (mapping.get(value, others) / total for value in values)
        return [exact_share(max(-1.0, min(1.0, share))) for share in shares]

    def typed(self, response: str, *, is_number: bool) -> list[AcceptedAnswer]:
        """Return the accepted answers for a typed response; answers found in comparisons come first, in order."""
        correct = [] if self.is_multiple(response) else self.correct(response)
        shares = dict.fromkeys(correct, 1.0)
        if self.is_mapped(response):
            total = self.total(response) or 1.0
            for value, points in self.mapping(response).items():
                if points >= 0:
                    shares[value] = exact_share(min(1.0, points / total))
        margins: dict[str, tuple[float | None, str]] = {}
        found = [*self.comparisons(response)]
        most = max((one.gain for one in found), default=0.0) or 1.0
        for one in found:
            if is_number and one.value != "*":
                margins.setdefault(one.value, _margin(one.node))
            if (is_number and one.gain > 0) or one.shown:
                shares.setdefault(one.value, exact_share(max(0.0, min(1.0, one.gain / most))))
        order = [one.value for one in found if one.value in shares]
        default = self._tolerance(response) if is_number else (None, "absolute")
        return [
            AcceptedAnswer(value, shares[value], tolerance=tolerance, tolerance_kind=kind)
            for value in dict.fromkeys([*order, *shares])
            for tolerance, kind in (margins.get(value, default if value != "*" else (None, "absolute")),)
        ]

    def _tolerance(self, response: str) -> tuple[float | None, str]:
        """Return the tolerance of the first comparison that has one."""
        compared = (node for node in self._processing.iter(*_NUMERIC) if response in _variables(node))
        return next((margin for node in compared if (margin := _margin(node))[0]), (None, "absolute"))

    def comparisons(self, response: str) -> Iterator[Comparison]:
        """Yield the comparisons of a response with single values, one per branch."""
        right = [value.text() for value in self._node(response).iter("value")][:1]
        for condition in self._processing.iter("responseCondition"):
            compares = False
            for branch in condition.children("responseIf", "responseElseIf", "responseElse"):
                node, *rules = branch.children() or [_NOTHING]
                if branch.name == "responseElse":
                    if compares and (shown := _shown_with_answer(branch.children())):
                        yield Comparison("*", _NOTHING, 0.0, shown)
                elif node.name in _COMPARISONS and response in _variables(node):
                    compares = True
                    values = [value.text() for value in node.iter("baseValue")] or right
                    if len(values) == 1 and values[0]:
                        yield Comparison(values[0], node, _gain(rules), _shown_with_answer(rules))

    # -- processing ------------------------------------------------------------------------------------------------

    def branches(self) -> Iterator[tuple[Node | None, list[Node]]]:
        """Yield condition and outcome rules of each branch; a catch-all branch has no condition."""
        for condition in self._processing.iter("responseCondition"):
            for branch in condition.children("responseIf", "responseElseIf", "responseElse"):
                parts = branch.children()
                has_condition = branch.name != "responseElse" and bool(parts)
                rules = [part for part in parts if part.name == "setOutcomeValue"]
                yield parts[0] if has_condition else None, rules

    def compared(self, response: str) -> list[str]:
        """Return the values that scoring branches compare a response with."""
        found: dict[str, None] = {}
        for condition, rules in self.branches():
            scored = [rule for rule in rules if rule.get("identifier") in ("SCORE", f"SCORE_{response}")]
            if condition is None or not scored:
                continue
            points = [finite_number(value.text()) for value in scored[0].iter("baseValue")]
            if len(points) == 1 and points[0] is not None and points[0] <= 0:
                continue
            for node in _positive(condition):
                if node.name in _COMPARISONS and response in _variables(node):
                    found |= dict.fromkeys(value.text() for value in node.iter("baseValue"))
        return [value for value in found if value]


def _gain(rules: Sequence[Node]) -> float:
    """Return the points that rules add to the score."""
    scored = (rule for rule in rules if rule.get("identifier") == "SCORE")
    values = (finite_number(value.text()) for rule in scored for value in rule.iter("baseValue"))
    return sum(filter(None, values))


def _shown_with_answer(rules: Sequence[Node]) -> tuple[str, ...]:
    """Return the names of feedback on a typed answer that rules show."""
    named = (value.text() for rule in rules for value in rule.iter("baseValue"))
    return tuple(name for name in named if WITH_ANSWER.fullmatch(name))


def _margin(node: Node) -> tuple[float | None, str]:
    """Return the tolerance of a numeric comparison, and its kind."""
    if node.name == "equalRounded":
        figures = finite_number(node.get("figures")) or 0.0
        if node.get("roundingMode", "significantFigures") == "significantFigures":
            return figures or None, "digits"
        return 0.5 * 10.0**-figures, "absolute"
    margins = (finite_number(margin) for margin in node.get("tolerance").split())
    largest = max((margin for margin in margins if margin is not None), default=0.0)
    mode = node.get("toleranceMode")
    if mode == "relative" and largest:
        return float(f"{largest / 100:.12g}"), "relative"
    return (largest, "absolute") if mode == "absolute" and largest else (None, "absolute")


def _default(declared: Node | None) -> float:
    value = (declared or _NOTHING).find("defaultValue", "value") or _NOTHING
    return max(finite_number(value.text()) or 0.0, 0.0)


def _positive(node: Node) -> Iterator[Node]:
    """Yield an expression and its subexpressions, except negated ones."""
    if node.name != "not":
        yield node
        for child in node.children():
            yield from _positive(child)


def _variables(node: Node) -> set[str]:
    return {variable.get("identifier") for variable in node.iter("variable")}


def feedback_roles(responses: Responses) -> dict[str, str]:
    """Return when each feedback is shown by response processing: ``"right"`` or ``"wrong"``."""
    roles: dict[str, str] = {}
    for condition, rules in responses.branches():
        role = "wrong"
        if condition is not None:
            names = {value.text().lower() for value in condition.iter("baseValue")}
            if "incorrect" in names or "wrong" in names:
                role = "wrong"
            elif "correct" in names:
                role = "right"
            else:
                is_right = any(
                    node.name == "correct" or (node.name == "variable" and node.get("identifier") == "MAXSCORE")
                    for node in _positive(condition)
                )
                has_none = any(node.name in ("isNull", "lt") for node in _positive(condition))
                role = "" if has_none or not is_right else "right"
        for rule in rules:
            if role and rule.get("identifier") != "SCORE":
                for value in rule.iter("baseValue"):
                    if value.get("baseType") == "identifier":
                        roles.setdefault(value.text(), role)
    return roles
