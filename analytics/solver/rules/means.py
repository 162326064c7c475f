"""Means of which a number is missing, and means that one more number changes, English and Chinese."""

from __future__ import annotations

import re

from analytics.language.mentions import NumberKind
from analytics.solver.rules.lists import sum_of
from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer, constant, when

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
_KINDS = (NumberKind.INTEGER, NumberKind.DECIMAL, NumberKind.PERCENT)


def _may_fit(reading: Reading, quantities: list[Quantity]) -> bool:
    asked = reading.question if reading.language.space else reading.asked
    is_plain = all(each.mention.kind in _KINDS for each in quantities)
    return (
        is_plain and len(_MEAN.findall(reading.text)) < 3 + ("平" in asked) and not _ASKS_MEAN.search(asked)
    )


@when(3, 9, says=_MEAN, asks=_MISSING, unless=_OTHERWISE)
def missing_of_mean(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer for the number that is missing of those whose mean is told: "Four are 68, 75, 80, 61. The fifth?"."""
    found: list[tuple[int, Quantity, int, list[Quantity]]] = []
    for mean in filter(lambda each: _MEAN.search(reading.clause_around(each)), quantities):
        others = [each for each in quantities if each is not mean]
        for count in range(3, min(len(others), 7) + 2):
            counts = [each for each in others if each.value in (count, count - 1)]
            counts = [each for each in counts if each.unit is None or each.unit.dimension == "time"]
            listed = [each for each in others if each not in counts]
            is_told = counts or _is_asked(reading, count, listed)
            is_alike = len({each.unit_name for each in (*listed, mean)} - {""}) < 2
            if len(listed) == count - 1 and len(counts) <= 3 and is_told and is_alike:
                found.append((len(counts), mean, count, listed))
    fitting = [each for each in found if each[0] == max(most for most, *_rest in found)]
    if len(fitting) != 1 or not _may_fit(reading, quantities):
        return None
    _most, mean, count, listed = fitting[0]
    if 0 <= mean.value * count < sum(each.value for each in listed):
        return None
    tree = mean.tree * constant(count) - sum_of([each.tree for each in listed])
    return RuleAnswer(tree * constant(100) if mean.mention.kind is NumberKind.PERCENT else tree)


def _is_asked(reading: Reading, count: int, listed: list[Quantity]) -> bool:
    """Return whether a question asks for the last of so many, by words alone: the third of three, the next."""
    ordinals = ("third", "fourth", "fifth", "sixth", "seventh", "eighth")
    words = rf"\b(?:{ordinals[count - 3]}|next|last|final)\b|第{'三四五六七八'[count - 3]}"
    is_one_mean = len(_MEAN.findall(reading.text)) == 1 and not any(
        each.mention.text.isalpha() for each in listed
    )
    return is_one_mean and re.search(words, reading.question, re.IGNORECASE) is not None


_ONE_MORE = re.compile(
    rf"\b(?:another|includ\w+|new|joins?|joined|added|more|teacher|raise|bring|increase\w*)\b|{_MISSING.pattern}|加上|增加",
    re.IGNORECASE,
)
_RISES_BY = re.compile(r"\b(?:increas|rais)\w+\b[^<.?]*\bby <|\bincreases? <", re.IGNORECASE)
_NO_MEAN = re.compile(
    rf"{_OTHERWISE.pattern}|\b(?:speed|at least|each|every|(?:decreas|reduc|lower)\w+ by)\b|%|每",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\s?(?:other |different )?[a-z]{3,}s\b|\s?(?:men|people|children)\b|[个次人名位场门科]"
)
_NO_COUNT = re.compile(r"\b(?:aged?|average of) $", re.IGNORECASE)


@when(3, 4, says=_MEAN, unless=_NO_MEAN)
def mean_with_one_more(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer for the number that takes the mean of so many numbers from one value to another."""
    if (
        len(_MEAN.findall(reading.text)) < 2
        or not _ONE_MORE.search(reading.text)
        or not _may_fit(reading, quantities)
    ):
        return None
    found = []
    for place, count in enumerate(quantities[:-1]):
        after, rest = reading.text[count.end :], quantities[:place] + quantities[place + 1 :]
        is_mean = _NO_COUNT.search(reading.text[: count.start]) and not re.match(
            r"[^<.\d]* (?:is|was)\b", after
        )
        if len(quantities) == 4:
            rest = [each for each in rest if each.value != count.value + 1 or each.unit_name]
        if (
            len(rest) == 2
            and _COUNTED.match(after)
            and not is_mean
            and not count.unit_name
            and count.value <= 60
        ):
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
