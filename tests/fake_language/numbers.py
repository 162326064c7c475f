"""Numbers in words, up to ten; no times of day are read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from analytics.language.mentions import ClockTime, NumberMention, NumeralForm

MINUS = "minus"
PERCENT = ("procentoj",)
INDEFINITE = re.compile("(?!)")
DIGIT_FORMS = (NumeralForm("eo_half", r"(?P<eo_whole>\d+) kaj duono", lambda m: int(m["eo_whole"]) + Fraction(1, 2)),)
_VALUES = dict(zip("du tri kvar kvin ses sep ok naŭ dek".split(), range(2, 11), strict=True))
NUMBER_WORD = "|".join(_VALUES)


def find_number_words(text: str) -> Iterator[NumberMention]:
    for match in re.finditer(rf"\b(?:{NUMBER_WORD})\b", text):
        yield NumberMention(*match.span(), match[0], Fraction(_VALUES[match[0]]))


def around_digits(text: str, mention: NumberMention) -> NumberMention:
    return mention


def find_clock_times(text: str) -> Iterator[ClockTime]:
    yield from ()


def written_clock_time(minutes: int, *, with_half: bool) -> str:
    return f"{minutes // 60}:{minutes % 60:02}"


def written_period(hours: int, minutes: int) -> str:
    return f"{hours} h {minutes} min"
