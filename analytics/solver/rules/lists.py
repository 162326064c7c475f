"""Median, range, mode and mean of numbers listed in a text, and means with a missing number."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from analytics.expression.evaluate import constant_label
from analytics.expression.tree import ExpressionTree
from analytics.language.mentions import NumberKind
from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer, constant, when

_NAMES = {
    "median": re.compile(r"\bmedian\b|中位数", re.IGNORECASE),
    "range": re.compile(r"\brange\b|极差", re.IGNORECASE),
    "mode": re.compile(r"\b(?:mode|modal)\b|众数", re.IGNORECASE),
    "mean": re.compile(r"\b(?:mean|average)\b|平均[数分值]?", re.IGNORECASE),
}
_NO_PLAIN_LIST = re.compile(
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
    r"\s?\$?\s?(?:[,，、;；]\s?(?:and|和)?|and|和|与|及|/)\s?\$?\s?(?:[-−–]|minus |零下)?\s?", re.IGNORECASE
)
_KINDS = (NumberKind.INTEGER, NumberKind.DECIMAL, NumberKind.FRACTION, NumberKind.MIXED)


def statistic_of_list(reading: Reading) -> RuleAnswer | None:
    """Answer "Find the median of 9, 4, 17 and 6."; any other number of the text must be the length of the list."""
    asked = [name for name, pattern in _NAMES.items() if pattern.search(reading.text)]
    if len(asked) != 1 or not _NAMES[asked[0]].search(reading.question) or _NO_PLAIN_LIST.search(reading.text):
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
    """Return the numbers of the only list; empty if the text has two lists."""
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
        return RuleAnswer(in_order[middle].tree, said=f"{said} The one in the middle is {_shown(in_order[middle])}.")
    first, second = in_order[middle - 1 : middle + 1]
    said += f" The two in the middle are {_shown(first)} and {_shown(second)}."
    return RuleAnswer((first.tree + second.tree) / constant(2), said=said)


def _range(in_order: list[Quantity]) -> RuleAnswer:
    said = f"The largest is {_shown(in_order[-1])}, the smallest {_shown(in_order[0])}."
    return RuleAnswer(in_order[-1].tree - in_order[0].tree, said=said)


def _mode(in_order: list[Quantity]) -> RuleAnswer | None:
    (value, most), *rest = Counter(each.value for each in in_order).most_common(2)
    if most == 1 or (rest and rest[0][1] == most):  # there is no mode, or more than one
        return None
    first = next(each for each in in_order if each.value == value)
    return RuleAnswer(first.tree, said=f"{_shown(first)} occurs {most} times, every other number less often.")


def _mean(in_order: list[Quantity]) -> RuleAnswer:
    as_written = sorted(in_order, key=lambda each: each.start)
    return RuleAnswer(sum_of([each.tree for each in as_written]) / constant(len(as_written)))


_STATISTICS = {"median": _median, "range": _range, "mode": _mode, "mean": _mean}


def sum_of(trees: list[ExpressionTree]) -> ExpressionTree:
    """Return the sum of one or more trees."""
    total = trees[0]
    for tree in trees[1:]:
        total = total + tree
    return total


def _shown(number: Quantity) -> str:
    return constant_label(number.value)


_MEAN = re.compile(r"\b(?:mean|averag\w+)\b|平均", re.IGNORECASE)
_OTHERWISE = re.compile(
    r"\b(?:median|mode|range|ratio|twice|half|times|consecutive|weighted|older|younger|more|less|fewer"
    r"|excluding|in place|highest|lowest|remov\w+|drop\w*|leaves|left|replac\w+|correct\w*|wrong\w*|error|even|odd"
    r"|integers|multipl\w+|total|sum|same|of n|n people)\b|每(?!次)|去掉|擦|最[高低大小]|倍|[多少](?=\d)|比|共|总|相差",
    re.IGNORECASE,
)
_MISSING = re.compile(
    r"\b(?:other|missing|remaining|unknown|next|last|final|third|fourth|fifth|sixth|seventh|eighth|3rd|[4-8]th)\b|另一?个"
    r"|剩下|第[三四五六七八3-8]",
    re.IGNORECASE,
)
_ASKS_MEAN = re.compile(
    r"\b(?:what|find)\b(?![^?]*\b(?:must|should|needs?)\b)[^?]*\b(?:mean|average)\b|平均", re.IGNORECASE
)
_KINDS_OF_NUMBERS = (NumberKind.INTEGER, NumberKind.DECIMAL, NumberKind.PERCENT)


def _may_fit(reading: Reading, quantities: list[Quantity]) -> bool:
    asked = reading.question if reading.language.space else reading.asked
    is_plain = all(each.mention.kind in _KINDS_OF_NUMBERS for each in quantities)
    return is_plain and len(_MEAN.findall(reading.text)) < 3 + ("平" in asked) and not _ASKS_MEAN.search(asked)


@when(3, 9, says=_MEAN, asks=_MISSING, unless=_OTHERWISE)
def missing_of_mean(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer for the missing number among those with a given mean: "Four are 68, 75, 80, 61. The fifth?"."""
    found = list(_told_means(reading, quantities))
    fitting = [each for each in found if each[0] == max(most for most, *_rest in found)]
    if len(fitting) != 1 or not _may_fit(reading, quantities):
        return None
    _most, mean, count, listed = fitting[0]
    if 0 <= mean.value * count < sum(each.value for each in listed):
        return None
    tree = mean.tree * constant(count) - sum_of([each.tree for each in listed])
    return RuleAnswer(tree * constant(100) if mean.mention.kind is NumberKind.PERCENT else tree)


def _told_means(reading: Reading, quantities: list[Quantity]) -> Iterator[tuple[int, Quantity, int, list[Quantity]]]:
    """Yield (number of counts in the text, mean, number of averaged values, known values) for each possible reading."""
    for mean in filter(lambda each: _MEAN.search(reading.clause_around(each)), quantities):
        others = [each for each in quantities if each is not mean]
        for count in range(3, min(len(others), 7) + 2):
            counts = _saying_how_many(others, count)
            listed = [each for each in others if each not in counts]
            is_told = counts or _is_asked(reading, count, listed)
            is_alike = len({each.unit_name for each in (*listed, mean)} - {""}) < 2
            if len(listed) == count - 1 and len(counts) <= 3 and is_told and is_alike:
                yield len(counts), mean, count, listed


def _saying_how_many(numbers: list[Quantity], count: int) -> list[Quantity]:
    """Return the possible counts of averaged or known values: no money, no lengths."""
    counts = [each for each in numbers if each.value in (count, count - 1)]
    return [each for each in counts if each.unit is None or each.unit.dimension == "time"]


def _is_asked(reading: Reading, count: int, listed: list[Quantity]) -> bool:
    """Return whether a question asks in words alone for the last of `count` values: the third of three, the next."""
    ordinals = ("third", "fourth", "fifth", "sixth", "seventh", "eighth")
    words = rf"\b(?:{ordinals[count - 3]}|next|last|final)\b|第{'三四五六七八'[count - 3]}"
    is_one_mean = len(_MEAN.findall(reading.text)) == 1 and not any(each.mention.text.isalpha() for each in listed)
    return is_one_mean and re.search(words, reading.question, re.IGNORECASE) is not None


_ONE_MORE = re.compile(
    rf"\b(?:another|includ\w+|new|joins?|joined|added|more|teacher|raise|bring|increase\w*)\b|{_MISSING.pattern}|加上|增加",
    re.IGNORECASE,
)
_RISES_BY = re.compile(r"\b(?:increas|rais)\w+\b[^<.?]*\bby <|\bincreases? <", re.IGNORECASE)
_NO_MEAN = re.compile(
    rf"{_OTHERWISE.pattern}|\b(?:speed|at least|each|every|(?:decreas|reduc|lower)\w+ by)\b|%|每", re.IGNORECASE
)
_COUNTED = re.compile(r"\s?(?:other |different )?[a-z]{3,}s\b|\s?(?:men|people|children)\b|[个次人名位场门科]")
_NO_COUNT = re.compile(r"\b(?:aged?|average of) $", re.IGNORECASE)


@when(3, 4, says=_MEAN, unless=_NO_MEAN)
def mean_with_one_more(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer for the number that changes the mean of a given number of values from one value to another."""
    if len(_MEAN.findall(reading.text)) < 2 or not _ONE_MORE.search(reading.text) or not _may_fit(reading, quantities):
        return None
    found = []
    for place, count in enumerate(quantities[:-1]):
        after, rest = reading.text[count.end :], quantities[:place] + quantities[place + 1 :]
        is_mean = _NO_COUNT.search(reading.text[: count.start]) and not re.match(r"[^<.\d]* (?:is|was)\b", after)
        if len(quantities) == 4:
            rest = [each for each in rest if each.value != count.value + 1 or each.unit_name]
        if len(rest) == 2 and _COUNTED.match(after) and not is_mean and not count.unit_name and count.value <= 60:
            found.append((count, *rest))
    if not found or (len(found) > 1 and (len(quantities) == 4 or found[0][0] is not quantities[0])):
        return None
    count, first, last = found[0]
    if first.unit_name != last.unit_name and "" not in (first.unit_name, last.unit_name):
        return None
    if not all(_MEAN.search(reading.clause_around(each)) for each in (first, last)):
        return None
    new = first.tree + last.tree if _RISES_BY.search(reading.marked) else last.tree
    return RuleAnswer(new * (count.tree + constant(1)) - first.tree * count.tree)
