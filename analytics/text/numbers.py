r"""Numbers in questions, in digits and in words.

Finds ``1,250``, ``3.5``, ``1/2``, ``2 1/2``, ``2½``, ``\frac{3}{4}``, ``20\%``, ``3.2 \times 10^{6}``
(`analytics.text.numerals`), "twenty-five", "half a dozen", "five sixteenths", 二十五, 十分之三, 七五折
(``numbers.py`` of a language), each with its exact value as a :class:`~fractions.Fraction` and with its kind: a
percentage, the hour of a clock time, part of a ratio.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from analytics.language.contract import Language
from analytics.language.mentions import NumberKind, NumberMention
from analytics.language.table import language_of, languages
from analytics.text.numerals import find_numerals, half_width
from analytics.text.pictures import blank_names
from analytics.text.remembered import Remembered

RATIO = re.compile(r"(?<![\d.:])\d+(?:\.\d+)?(?:\s?[:：∶]\s?\d+(?:\.\d+)?)+(?![\d:])")
_RANGE = re.compile(r"(?<![\d.,/+*=-])(?<!\d )\d+[-–—]\d+(?![\d/+*=]|[-–.]\d| ?=)")


def find_numbers(text: str, *, with_indefinite: bool = False) -> list[NumberMention]:
    r"""Return the numbers of a text in order of appearance, formulas included.

    Args:
        with_indefinite: whether to count the 一 of 一个数, "a number", as trained models do.

    A date, a clock time, a ratio or a range has no value of its own: the numbers in it are found one by one. Picture
    names contain no numbers.

    >>> [(m.text, str(m.value)) for m in find_numbers(r"twenty-five pens for $2.50, $\frac{1}{4}$ of 20\%")]
    [('twenty-five', '25'), ('2.50', '5/2'), ('\\frac{1}{4}', '1/4'), ('20\\%', '1/5')]
    >>> [(m.text, str(m.value)) for m in find_numbers("二十五个的三分之一")]
    [('二十五', '25'), ('三分之一', '1/3')]
    """
    mentions = _mentions(text)
    if with_indefinite:
        return mentions
    indefinite = [language.numbers.INDEFINITE for language in languages()]
    return [mention for mention in mentions if not any(each.match(text, mention.start) for each in indefinite)]


@Remembered
def numbers_alone(text: str) -> tuple[NumberMention, ...]:
    """Return the numbers of a text, including indefinite ones, without signs and without the roles of plain numbers."""
    text = blank_names(text)
    mentions = [_percentage(text, mention) for mention in _digit_mentions(text, half_width(text))]
    for language in languages():
        words = language.numbers.find_number_words(text)
        mentions += _free((_percentage(text, mention) for mention in words), mentions)
    mentions.sort(key=lambda mention: mention.start)
    return tuple(mentions)


@Remembered
def _mentions(text: str) -> tuple[NumberMention, ...]:
    mentions = numbers_alone(text)
    text = blank_names(text)
    return tuple(_with_roles(text, half_width(text), mentions))


def _with_roles(text: str, plain: str, mentions: list[NumberMention]) -> Iterator[NumberMention]:
    """Yield the mentions with their signs and with the roles of plain numbers."""
    roles: dict[int, NumberKind] = {}
    stretches: list[tuple[int, int, NumberKind]] = []
    if ":" in plain or "：" in text or "∶" in text:
        stretches += [(match.start(), match.end(), NumberKind.RATIO_PART) for match in RATIO.finditer(plain)]
    clock_times = language_of(text).numbers.find_clock_times(text)
    stretches += [(time.start, time.end, NumberKind.CLOCK_TIME) for time in clock_times]
    stretches += [(match.start(), match.end(), NumberKind.RANGE_END) for match in _RANGE.finditer(plain)]
    for start, end, kind in stretches:
        roles |= {mention.start: kind for mention in mentions if start <= mention.start < end}
    for mention in mentions:
        if mention.kind in (NumberKind.INTEGER, NumberKind.DECIMAL) and mention.start in roles:
            mention = replace(mention, kind=roles[mention.start])
        if mention.kind is not NumberKind.RANGE_END and _is_negative(plain, mention.start):
            mention = replace(mention, is_negative=True)
        yield mention


def _is_negative(text: str, start: int) -> bool:
    before = text[max(start - 12, 0) : start]
    if start > 12:
        before = "x" + before if before[:1].isspace() else before  # `^` matches only at the start of the text
    match = _minus(languages()).search(before)
    return match is not None and not (start > 12 and match.start() == 0 and before[0] in " -−–")


def mask_numbers(text: str) -> str:
    """Replace every number by "#", so that questions that differ only in their numbers become equal.

    >>> mask_numbers("Tom has 3 pens and Ann has twelve.") == mask_numbers("Tom has 25 pens and Ann has 4.")
    True
    """
    parts: list[str] = []
    end = 0
    for mention in find_numbers(text):
        parts += (text[end : mention.start], "#")
        end = mention.end
    parts.append(text[end:])
    return "".join(parts)


def _free(mentions: Iterator[NumberMention], taken: list[NumberMention]) -> list[NumberMention]:
    """Return the mentions that do not lie in a stretch that is already taken (百分之20, 3万)."""
    stretches = sorted((mention.start, mention.end) for mention in taken)
    starts = [start for start, _ in stretches]
    free: list[NumberMention] = []
    for mention in mentions:
        before = bisect_left(starts, mention.end) - 1  # the last stretch that starts before the mention ends
        if before < 0 or stretches[before][1] <= mention.start:
            free.append(mention)
    return free


def _digit_mentions(text: str, plain: str) -> Iterator[NumberMention]:
    for numeral in find_numerals(plain):
        start, end = numeral.start, numeral.end
        mention = NumberMention(start, end, text[start:end], numeral.value, numeral.kind)
        for language in languages():
            mention = language.numbers.around_digits(text, mention)
        yield mention


def _percentage(text: str, mention: NumberMention) -> NumberMention:
    """Return a number with the percent or per mille sign, or its name, after it."""
    sign = _percent(languages()).match(text, mention.end)
    if sign is None:
        return mention
    base = 1000 if "mil" in sign[0] or "‰" in sign[0] else 100
    start, end = mention.start, sign.end()
    return NumberMention(start, end, text[start:end], mention.value / base, NumberKind.PERCENT)


@lru_cache(maxsize=8)
def _percent(languages: tuple[Language, ...]) -> re.Pattern[str]:
    names = "".join(rf"|{name}\b" for language in languages for name in language.numbers.PERCENT)
    return re.compile(rf"\s*(?:\\?[%％]|\\permil|‰{names})", re.IGNORECASE)


@lru_cache(maxsize=8)
def _minus(languages: tuple[Language, ...]) -> re.Pattern[str]:
    words = "|".join(language.numbers.MINUS for language in languages)
    return re.compile(rf"(?:^\s*[-−–]\s*\$?\s*|(?<![\w)}}%])[-−]\$?|(?<=[A-Za-z,(] )–|(?:{words})\s?)$")
