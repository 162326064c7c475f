"""How an instruction wants its answer rounded: "to the nearest ten", "to 2 decimal places", 精确到十分位."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction

from analytics.expression.slots import constant_label
from analytics.text.units import find_units

_ENGLISH = re.compile(
    r"[,;.]?\s*(?:\b(?:and|then)\s+)*"
    r"(?:\b(?:giv(?:e|ing)|round(?:ed|ing)?|write|writing|express)\b\s*(?:(?:your"
    r"|the)\s+)?(?:(?:final )?answer|result|it)?\s*)?"
    r"(?:\b(?:correct(?:ed)?|rounded|off|accurate)\s+)*\b(?:to|as)\s+(?:an?\s+accuracy\s+of\s+)?(?:"
    r"(?:the\s+|its\s+)?nearest\s+(?P<near>(?:(?:ten|hundred)[ -])?(?:thousand|million)s?"
    r"|\d[\d.,]*\d|\d|[a-z]+(?: number)?)\b"
    r"|(?P<digits>[1-9]|one|two|three|four|five|six)[\s-]*(?P<kind>decimals?(?: places?)?|d\.?\s?p\b\.?"
    r"|significant (?:figures?|digits?)|s\.?\s?f\b\.?|sig\.? ?figs?\b\.?))",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"[,，]?(?:得数|结果|并|用)?(?:四舍五入法?)?[,，]?(?:"
    r"(?:精确)?[到至](?P<place>[十百千]?万|[十百千万]分|[个十百千亿])位|(?:保留|精确到|取)(?P<whole>整数)"
    r"|(?:保留|精确到)(?P<digits>[一二两三四五六]|[1-6])位(?P<kind>小数|有效数字)|精确到(?P<near>0\.0*1))"
)
_PLACES: dict[str, int | Fraction] = {
    "whole number": 1, "integer": 1, "whole": 1, "unit": 1, "one": 1, "ten": 10, "hundred": 100, "thousand": 1000,
    "ten thousand": 10**4, "hundred thousand": 10**5, "million": 10**6, "tenth": Fraction(1, 10),
    "hundredth": Fraction(1, 100), "thousandth": Fraction(1, 1000),
    "个": 1, "十": 10, "百": 100, "千": 1000, "万": 10**4, "十万": 10**5, "百万": 10**6, "千万": 10**7, "亿": 10**8,
    "十分": Fraction(1, 10), "百分": Fraction(1, 100), "千分": Fraction(1, 1000), "万分": Fraction(1, 10**4),
}  # fmt: skip
_DIGITS = {word: place for place, word in enumerate("one two three four five six".split(), start=1)} | {
    "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RoundingPhrase:
    """How a number is to be rounded.

    Attributes:
        rest: the text with blanks in place of the phrase, as long as before.
        words: what is done, to be read behind "rounded": ``"to the nearest ten"``.
        step: the answer is a multiple of it; None where so many `figures` count.
        figures: significant ones; 0 where a step is given.
        unit: pint's name of the unit whose whole numbers are asked for ("the nearest metre"); else empty.
    """

    rest: str
    words: str
    step: Fraction | None
    figures: int = 0
    unit: str = ""

    def rounded(self, value: Fraction) -> tuple[Fraction, str]:
        """Return a value rounded, halves away from zero, and how it is written with all its decimals."""
        step = self.step
        if step is None:
            power = len(str(int(abs(value)))) if abs(value) >= 1 else 0
            while 0 < abs(value) < Fraction(10) ** (power - 1):
                power -= 1
            step = Fraction(10) ** (power - self.figures)
        rounded = step * math.floor(abs(value) / step + Fraction(1, 2)) * (-1 if value < 0 else 1)
        decimals = len(constant_label(step)) - 2 if step < 1 else 0
        return rounded, f"{float(rounded):.{decimals}f}" if decimals else ""


def rounding_phrase(text: str) -> RoundingPhrase | None:
    """Return the one phrase of a text that says how to round; None if there is none, or it is not understood.

    >>> phrase = rounding_phrase("Round 4768 to the nearest hundred.")
    >>> phrase.words, [str(each) for each in phrase.rounded(Fraction(4768))]
    ('to the nearest hundred', ['4800', ''])
    """
    found = [*_ENGLISH.finditer(text), *_CHINESE.finditer(text)]
    if len(found) != 1:
        return None
    match = found[0]
    said = {name: value.lower() for name, value in match.groupdict().items() if value}
    rest = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    rest = re.sub("用?四舍五入法?", lambda words: " " * len(words[0]), rest)
    if digits := said.get("digits"):
        count = _DIGITS.get(digits) or int(digits)
        is_decimal = said["kind"][0] == "d" or said["kind"] == "小数"
        noun = ("decimal place" if is_decimal else "significant figure") + ("s" if count > 1 else "")
        step = Fraction(1, 10**count) if is_decimal else None
        return RoundingPhrase(rest, f"to {count} {noun}", step, 0 if is_decimal else count)
    near = said.get("near") or said.get("place") or "whole number"
    words = near if near.isascii() else constant_label(Fraction(_PLACES[near]))
    if near[0].isdigit():
        step = Fraction(near.replace(",", ""))
        return RoundingPhrase(rest, f"to the nearest {words}", step) if step else None
    place = _PLACES.get(near.removesuffix("s").replace("-", " "))
    units = [each.unit for each in find_units(f"1 {near}")] if place is None else [""]
    if len(units) != 1:
        return None
    return RoundingPhrase(rest, f"to the nearest {words}", Fraction(place or 1), unit=units[0])
