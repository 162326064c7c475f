"""Median, range, mode and mean of the numbers that a text lists, in English and Chinese."""

from __future__ import annotations

import re
from collections import Counter

from analytics.expression.slots import constant_label
from analytics.expression.tree import ExpressionTree
from analytics.language.mentions import NumberKind
from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer, constant

_NAMES = {
    "median": re.compile(r"\bmedian\b|中位数", re.IGNORECASE),
    "range": re.compile(r"\brange\b|极差", re.IGNORECASE),
    "mode": re.compile(r"\b(?:mode|modal)\b|众数", re.IGNORECASE),
    "mean": re.compile(r"\b(?:mean|average)\b|平均[数分值]?", re.IGNORECASE),
}
_OTHERWISE = re.compile(
    r"\b(?:interquartile|quartiles?|deviation|variance|speed|rate|geometric|harmonic|weighted"
    r"|frequenc\w+|times|twice"
    r"|half|remov\w+|delet\w+|add(?:ed|s|ing)?|join\w*|leaves?|left|another|new|next|must|needs?"
    r"|wants?|missing|unknown"
    r"|replac\w+|includ\w+|without|highest|lowest|ratio|percent|increase\w*|decrease\w*|multipl\w+"
    r"|double\w*|more|less"
    r"|fewer|greater|smaller|than|if|[xyzn]|total|sum|difference|prime|even|odd|product"
    r"|proportional|round\w*|nearest|decimal)\b"
    r"|方差|标准差|加权|去掉|增加|加上|最[高低]|至少|再|若|如果|平均每|速度|频|[a-z]的",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"\s?\$?\s?(?:[,，、;；]\s?(?:and|和)?|and|和|与|及|/)\s?\$?\s?(?:[-−–]|minus |零下)?\s?",
    re.IGNORECASE,
)
_KINDS = (NumberKind.INTEGER, NumberKind.DECIMAL, NumberKind.FRACTION, NumberKind.MIXED)


def statistic_of_list(reading: Reading) -> RuleAnswer | None:
    """Answer "Find the median of 9, 4, 17 and 6."; any other number of the text must say how many are listed."""
    asked = [name for name, pattern in _NAMES.items() if pattern.search(reading.text)]
    if len(asked) != 1 or not _NAMES[asked[0]].search(reading.question) or _OTHERWISE.search(reading.text):
        return None
    listed = _listed(reading)
    if len(listed) < 2:
        return None
    others = [each for each in reading.counted() if all(each is not one for one in listed)]
    is_measured_alike = {each.unit_name for each in listed[:-1]} in ({""}, {listed[-1].unit_name})
    if any(each.value != len(listed) for each in others) or not is_measured_alike:
        return None
    in_order = sorted(listed, key=lambda each: each.value)
    return _STATISTICS[asked[0]](in_order)


def _listed(reading: Reading) -> list[Quantity]:
    """Return the numbers that stand in one list; none where the text has two lists."""
    runs: list[list[Quantity]] = [[]]
    for each in reading.counted():
        if each.mention.kind not in _KINDS:
            return []
        gap = reading.text[runs[-1][-1].end : each.start] if runs[-1] else ""
        if runs[-1] and _BETWEEN.fullmatch(gap):
            runs[-1].append(each)
        else:
            runs.append([each])
    lists = [run for run in runs if len(run) > 1]
    return lists[0] if len(lists) == 1 else []


def _median(in_order: list[Quantity]) -> RuleAnswer:
    middle, is_odd = divmod(len(in_order), 2)
    said = f"In order: {', '.join(map(_shown, in_order))}."
    if is_odd:
        return RuleAnswer(
            in_order[middle].tree, said=f"{said} The one in the middle is {_shown(in_order[middle])}."
        )
    first, second = in_order[middle - 1 : middle + 1]
    said += f" The two in the middle are {_shown(first)} and {_shown(second)}."
    return RuleAnswer((first.tree + second.tree) / constant(2), said=said)


def _range(in_order: list[Quantity]) -> RuleAnswer:
    said = f"The largest is {_shown(in_order[-1])}, the smallest {_shown(in_order[0])}."
    return RuleAnswer(in_order[-1].tree - in_order[0].tree, said=said)


def _mode(in_order: list[Quantity]) -> RuleAnswer | None:
    (value, most), *rest = Counter(each.value for each in in_order).most_common(2)
    if most == 1 or (rest and rest[0][1] == most):  # there is none, or more than one
        return None
    first = next(each for each in in_order if each.value == value)
    return RuleAnswer(first.tree, said=f"{_shown(first)} occurs {most} times, every other number less often.")


def _mean(in_order: list[Quantity]) -> RuleAnswer:
    as_written = sorted(in_order, key=lambda each: each.start)
    return RuleAnswer(sum_of([each.tree for each in as_written]) / constant(len(as_written)))


_STATISTICS = {"median": _median, "range": _range, "mode": _mode, "mean": _mean}


def sum_of(trees: list[ExpressionTree]) -> ExpressionTree:
    """Return the sum of one tree or more."""
    total = trees[0]
    for tree in trees[1:]:
        total = total + tree
    return total


def _shown(number: Quantity) -> str:
    return constant_label(number.value)
