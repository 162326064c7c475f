"""Two-digit numbers by what is told of their digits: the sum, how they compare, the number with both exchanged."""

# ruff: noqa: E501 - a pattern a line

from __future__ import annotations

import re
from collections.abc import Iterator

from analytics.solver.rules.linear import Amount, Contradiction, Linear, solve
from analytics.solver.rules.reading import Reading, RuleAnswer

# fmt: off
_TWO_DIGITS = re.compile(r"(?:<\d>|\btwo)[- ]digits?\b|两位数", re.IGNORECASE)
_MOST_NUMBERS = 6
_PLACE = r"(?P<{}>tens|ten['’]s|first|left|units?|unit['’]s|ones|second|last|right|十位|个位)"
_FIRST = ("ten", "fir", "lef", "十位")
_DIGIT = r"(?:[- ]?(?:hand )?digit(?: of (?:a|the) <\d>-digit number)?|上?的?数字?)"
_SUM = re.compile(r"\b(?:sum of (?:the |its |both )?(?:two |<\d> )?digits|digit(?:al)? sum|digits?\b[^<.]{0,40}?\b(?:add(?:s)? (?:up )?to|sum (?:up )?to|total|have a sum of))[^<.]{0,30}?(?:<\d>[- ]digit[^<.]{0,20}?)?<(?P<n>\d)>(?![- ]digit)|数字?之?和[是为等于]+<(?P<zh>\d)>", re.IGNORECASE)
_MORE = re.compile(rf"{_PLACE.format('a')} ?{_DIGIT} ?(?:is|比|exceeds)? ?(?:{_PLACE.format('zh')}{_DIGIT}(?P<zh_more>[大小多少]))?<(?P<n>\d)>(?: (?P<more>more|greater|larger|bigger|higher|less|smaller|lower) than (?:the |its )?{_PLACE.format('b')}?)?", re.IGNORECASE)
_TIMES = re.compile(rf"{_PLACE.format('a')} ?{_DIGIT} ?(?:is|equals|是) ?(?:(?P<m>twice|double|three times|<\d> times)(?: as (?:large|big|great) as)? (?:the |its |that of the )?{_PLACE.format('b')}|{_PLACE.format('zh')}{_DIGIT}的<(?P<n>\d)>倍)", re.IGNORECASE)
_TIMES_SUM = re.compile(r"\bis <(?P<n>\d)> times (?:as (?:large|big|great) as )?the sum of its (?:two )?digits\b", re.IGNORECASE)
_REVERSED = re.compile(r"(?:\b(?:revers\w+|swap\w*|interchang\w+|exchang\w+|switch\w*)\b|对调|交换|互换)[^<]{0,70}?(?:by )?<(?P<n>\d)>(?: (?P<more>more|greater|larger|bigger|higher|less|smaller|lower|fewer)\b)?", re.IGNORECASE)
_OPEN = re.compile(r"\bdifference\b|差|\b(?:what|which) (?:is|are) (?:the |its )?(?:tens|units?|ones|digits)\b", re.IGNORECASE)  # which number is larger, or a digit
_SMALLER = re.compile(r"\b(?:decreas\w+|reduc\w+|less|smaller|lower|fewer)\b|[小少]", re.IGNORECASE)
_ASKS_REVERSED = re.compile(r"\b(?:new|reversed|resulting) number\b|新数", re.IGNORECASE)
_ASKS_NUMBER = re.compile(r"\b(?:what (?:is|was)|which|find|determine|what) (?:the |this |that )?(?:original |<?2?>?two-digit )?(?:number|integer)\b|是(?:多少|几)|求", re.IGNORECASE)
# fmt: on
_TENS, _ONES = Linear.unknown(("tens", "")), Linear.unknown(("ones", ""))
_NUMBER, _SWAPPED = _TENS.times(Amount.of(10)) + _ONES, _ONES.times(Amount.of(10)) + _TENS


def two_digit_number(reading: Reading) -> RuleAnswer | None:
    """Answer "The digits of a two-digit number add up to 11. Swapped, they make it 27 larger. What is the number?".

    Raises:
        Contradiction: no two-digit number is like that.
    """
    text, quantities = reading.marked, reading.counted()
    is_such = _TWO_DIGITS.search(text) or _TWO_DIGITS.search(reading.text)
    if not is_such or len(quantities) > _MOST_NUMBERS or _OPEN.search(text):
        return None
    amounts = [Amount(each.value, each.tree) for each in quantities]
    equations, used = _equations(text, amounts)
    rest = [each for place, each in enumerate(quantities) if place not in used]
    if (
        len(equations) < 2
        or any(each.value != 2 for each in rest)
        or not _ASKS_NUMBER.search(reading.question)
    ):
        return None
    asked = _SWAPPED if _ASKS_REVERSED.search(reading.question) else _NUMBER
    worth = solve(equations, asked)
    if worth is None or len(worth) < 2:
        return None
    if any(not 0 <= each.value <= 9 or each.value.denominator != 1 for each in worth.values()):
        raise Contradiction
    for name, value in worth.items():
        asked = asked.with_value(name, Linear.known(value))
    return RuleAnswer(asked.rest.tree)


def _equations(text: str, amounts: list[Amount]) -> tuple[list[Linear], set[int]]:
    """Return sums that are zero for the digits, and the places of the numbers that they use."""
    equations, used = list[Linear](), set[int]()
    for match in _SUM.finditer(text):
        place = int(match["n"] or match["zh"])
        equations.append(_TENS + _ONES - Linear.known(amounts[place]))
        used.add(place)
    equations += _compared(text, amounts, used)
    for match in _TIMES_SUM.finditer(text):
        place = int(match["n"])
        equations.append(_NUMBER - (_TENS + _ONES).times(amounts[place]))
        used.add(place)
    for match in _TIMES.finditer(text):
        factor, is_tens = _factor(match, amounts, used), _is_tens(match["a"])
        first, second = (_TENS, _ONES) if is_tens else (_ONES, _TENS)
        equations.append(first - second.times(factor))
    for match in _REVERSED.finditer(text):
        place = int(match["n"])
        sign = -1 if _SMALLER.search(match[0]) else 1
        equations.append(_SWAPPED - _NUMBER - Linear.known(amounts[place]).times(Amount.of(sign)))
        used.add(place)
    return equations, used


def _compared(text: str, amounts: list[Amount], used: set[int]) -> Iterator[Linear]:
    """Yield what is told of which digit is larger by how much; keep the numbers that say so."""
    for match in _MORE.finditer(text):
        place, is_tens, word = int(match["n"]), _is_tens(match["a"]), match["more"] or match["zh_more"]
        if word is None or (match["b"] and _is_tens(match["b"]) == is_tens):
            continue
        larger, smaller = (_TENS, _ONES) if is_tens != bool(_SMALLER.search(word)) else (_ONES, _TENS)
        used.add(place)
        yield larger - smaller - Linear.known(amounts[place])


def _is_tens(place: str) -> bool:
    return place.lower().startswith(_FIRST)


def _factor(match: re.Match[str], amounts: list[Amount], used: set[int]) -> Amount:
    """Return how many times as large one digit is, and keep the number of the text that says so."""
    words = {"twice": 2, "double": 2, "three times": 3}.get((match["m"] or "").lower())
    if words is not None:
        return Amount.of(words)
    place = int(match["n"] or match["m"][1])
    used.add(place)
    return amounts[place]
