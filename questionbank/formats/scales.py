"""Difficulties: the named scales of published ones, how each maps to 0-100 %, and columns of a file that hold them.

A question stores its published value and the name of its scale; per cent is only used for filters and pages.
Values on different scales are never mixed without mapping.

A column may hold no plain numbers: "75%", "Level 3", "3/5", "hard". The column as a whole determines the scale: one
notation, one scale. If a column mixes notations, none of its values is guessed, and the column can be left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from questionbank.formats.columns import plain_name


@dataclass(frozen=True, slots=True)
class Scale:
    """Bounds of a scale; `inverted` if a high value means an easy question."""

    low: float
    high: float
    inverted: bool = False


SCALES: dict[str, Scale] = {
    "0-4": Scale(0, 4),
    "1-5": Scale(1, 5),
    "1-9.5": Scale(1, 9.5),
    "1-3": Scale(1, 3),
    "1-10": Scale(1, 10),
    "0-1": Scale(0, 1),
    "0-100": Scale(0, 100),
    "facility": Scale(0, 1, inverted=True),
}

AS_PUBLISHED = "as published"
"""Name for a difficulty without a stated scale: stored and shown, but never mapped to per cent."""

_SCALE_BY_SET = {"tal_scq_zh": "0-4", "tal_scq_en": "0-4", "math": "1-5", "opl": "1-5", "omni_math_rule": "1-9.5"}

_SCALE_BY_ID = {
    r"tal-(zh|en)-(train|test)-\d+": "0-4",
    r"math-(train|test)-\d+": "1-5",
    r"opl-[0-9a-f]{12}": "1-5",
    r"omni-\d+": "1-9.5",
}


def scale_names() -> tuple[str, ...]:
    """Return all valid values of a question's `difficulty_scale`."""
    return (*SCALES, AS_PUBLISHED)


def scale_of_set(name: str) -> str:
    """Return the scale of a public data set, or an empty string.

    >>> scale_of_set("tal_scq_en"), scale_of_set("my questions")
    ('0-4', '')
    """
    return _SCALE_BY_SET.get(name, "")


def scale_of_id(identifier: str) -> str:
    """Return the scale of a question from a public data set by its identifier, or an empty string.

    An uploaded file has lost its folder's name, but its identifiers still reveal the data set.

    >>> scale_of_id("omni-17"), scale_of_id("q-17")
    ('1-9.5', '')
    """
    return next((scale for form, scale in _SCALE_BY_ID.items() if re.fullmatch(form, identifier)), "")


def scale_percent(value: float | None, scale: str) -> float | None:
    """Map a difficulty to 0 (easiest) .. 100 (hardest) per cent; None if it or its scale is unknown.

    Estimates may lie slightly outside the scale and are clipped.

    >>> scale_percent(2, "0-4"), scale_percent(0.25, "facility"), scale_percent(3, "as published")
    (50.0, 75.0, None)
    """
    bounds = SCALES.get(scale)
    if value is None or bounds is None:
        return None
    share = (value - bounds.low) / (bounds.high - bounds.low)
    share = min(1.0, max(0.0, share))
    return 100.0 * (1.0 - share if bounds.inverted else share)


def scale_value(percent: float | None, scale: str) -> float | None:
    """Map per cent back to a value on the scale; the inverse of `scale_percent`.

    >>> scale_value(50, "1-5"), scale_value(75, "facility")
    (3.0, 0.25)
    """
    bounds = SCALES.get(scale)
    if percent is None or bounds is None:
        return None
    share = percent / 100.0
    share = 1.0 - share if bounds.inverted else share
    return bounds.low + share * (bounds.high - bounds.low)


_STEPS = {  # word, as `plain_name` returns it -> 1 (very easy) .. 5 (very hard); a literal table
    1: "very easy | beginner | trivial | sehr leicht | sehr einfach | tres facile"
    " | muy facil | 很容易 | 很简单 | 非常简单",
    2: "easy | simple | basic | low | leicht | einfach | facile | facil | sencillo | bajo | baja"
    " | 容易 | 简单 | 较易 | 较容易 | 易 | 基础",
    3: "medium | moderate | intermediate | average | normal | mid | med | mittel | mittelschwer | moyen | moyenne"
    " | intermediaire | medio | media | intermedio | 中等 | 一般 | 中 | 适中 | 普通 | 中档",
    4: "hard | difficult | advanced | challenging | high | schwer | schwierig"
    " | anspruchsvoll | difficile | dificil | alto | alta"
    " | 较难 | 困难 | 难 | 提高",
    5: "very hard | very difficult | expert | extremely hard | sehr schwer"
    " | sehr schwierig | tres difficile | muy dificil"
    " | 很难 | 非常难 | 极难",
}  # fmt: skip
_STEP_OF_WORD = {word.strip(): step for step, words in _STEPS.items() for word in words.split("|")}
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_PERCENT = re.compile(r"([+-]?\d+(?:[.,]\d+)?)\s*[%％]")
_FRACTION = re.compile(r"(\d+(?:[.,]\d+)?)\s*(?:/|of|out of|von|sur|de)\s*(\d+)", re.IGNORECASE)
_LEVEL = re.compile(
    r"(?:difficulty |schwierigkeits?|difficult[eé] )?(?:level|lvl|l|lv|stufe|niveau|nivel|grad|stage|难度|等级|级别|第)"
    r"\s*[.:：-]?\s*(\d+(?:[.,]\d+)?)\s*级?|(\d+(?:[.,]\d+)?)\s*(?:stars?|sterne?|étoiles?|estrellas?|星|级|★)",
    re.IGNORECASE,
)
_STARS = re.compile(r"([★⭐*]+)([☆]*)")
_NAMES = {"percent": "percentages", "fraction": "fractions", "level": "levels", "word": "words"}
_MOST_DENOMINATORS = 50
_SCALE_OF_TOP = {3: "1-3", 4: "0-4", 5: "1-5", 10: "1-10", 100: "0-100"}


def plain_number(text: str) -> float | None:
    """Return a number with a decimal point or comma; None otherwise, and if a comma may separate thousands.

    >>> plain_number("2.5"), plain_number("1,5"), plain_number("1,500"), plain_number("hard")
    (2.5, 1.5, None, None)
    """
    text = text.strip()
    try:
        return float(text)
    except ValueError:
        pass
    if not _NUMBER.fullmatch(text) or _THOUSANDS.fullmatch(text):
        return None
    return float(text.replace(",", "."))


@dataclass(frozen=True, slots=True)
class DifficultyReading:
    """How the values of a column are interpreted.

    Attributes:
        way: the notation (percent, fraction, level, word); empty if there is no single one.
        scale: scale of the resulting values.
        top: highest denominator or level.
        ways: all notations in the column, for messages about mixed columns.
    """

    way: str = ""
    scale: str = ""
    top: float = 0.0
    ways: tuple[str, ...] = ()

    def value(self, text: str) -> float | None:
        """Return the difficulty on `scale`, or None if the text is not in this notation."""
        way, value, of = _written(text)
        if way != self.way or not way:
            return None
        if way == "fraction":
            return value if self.scale not in ("", "0-1") else value / of
        if way == "word" and self.scale == "1-3":
            return {1.0: 1.0, 2.0: 1.0, 3.0: 2.0}.get(value, 3.0)
        return value

    def why_not(self, text: str) -> str:
        """Return why a value cannot be read, for the line's problem message."""
        if len(self.ways) > 1 and _written(text)[0]:
            mixed = f"{', '.join(self.ways[:-1])} and {self.ways[-1]}"
            return f"{text!r} cannot be placed: the column mixes {mixed}"
        return f"{text!r} is not a number, a level or a word such as easy"

    def note(self) -> str:
        """Return one sentence on how the column is converted; empty if it is not."""
        if not self.way:
            return ""
        example = f"3/{self.top:g} becomes {3 / self.top if self.scale == '0-1' else 3:.2g}"
        words = "1, 2, 3" if self.scale == "1-3" else "2, 3, 4"
        examples = {
            "percent": "75% becomes 75",
            "fraction": example,
            "level": "Level 3 becomes 3",
            "word": f"easy, medium, hard become {words}",
        }
        on = "as published" if self.scale == AS_PUBLISHED else f"on the scale {self.scale}"
        return f"Difficulty is read from {_NAMES[self.way]} {on}: {examples[self.way]}."


def _written(text: str) -> tuple[str, float, float]:
    """Return a value's notation, its number, and the denominator if it is a fraction."""
    text = text.strip()[:60]
    if match := _PERCENT.fullmatch(text):
        return "percent", _float(match[1]), 0.0
    if (match := _FRACTION.fullmatch(text)) and int(match[2]):
        return "fraction", _float(match[1]), float(match[2])
    if match := _LEVEL.fullmatch(text):
        return "level", _float(match[1] or match[2]), 0.0
    if match := _STARS.fullmatch(text):
        return "level", float(len(match[1])), 0.0
    step = _STEP_OF_WORD.get(plain_name(text))
    return ("word", float(step), 0.0) if step else ("", 0.0, 0.0)


def _float(text: str) -> float:
    return float(text.replace(",", "."))


def read_column(values: Iterable[Any]) -> DifficultyReading:
    """Return how a whole column is interpreted, judging by its values that are not plain numbers.

    >>> read_column(["easy", "hard", "medium"]).scale, read_column(["Level 1", "Level 5"]).scale
    ('1-3', '1-5')
    >>> read_column(["75%", "Level 3"]).ways
    ('percentages', 'levels')
    """
    ways: Counter[str] = Counter()
    tops: dict[str, float] = {}
    lows: dict[str, float] = {}
    denominators: set[float] = set()
    for value in values:
        if value is None or value == "":
            continue
        if not isinstance(value, str) or plain_number(value) is not None:
            ways["number"] += 1
            continue
        way, number, of = _written(value)
        if way:
            ways[way] += 1
            tops[way] = max(number, tops.get(way, number))
            lows[way] = min(number, lows.get(way, number))
            if of and len(denominators) < _MOST_DENOMINATORS:
                denominators.add(of)
    written = [way for way in ways if way != "number"]
    names = tuple(_NAMES[way] for way in written) + (("plain numbers",) if ways["number"] else ())
    if len(written) != 1 or (ways["number"] and written != ["level"]):
        return DifficultyReading(ways=names)
    way = written[0]
    scale, top = _scale(way, lows[way], tops[way], denominators)
    return DifficultyReading(way, scale, top, names)


def _scale(way: str, low: float, top: float, denominators: set[float]) -> tuple[str, float]:
    if way == "percent":
        return ("0-100" if low >= 0 and top <= 100 else AS_PUBLISHED), top
    if way == "word":
        return ("1-5" if low == 1 or top == 5 else "1-3"), top
    if way == "level":
        if low >= 1 and top <= 10:
            return ("1-5" if top <= 5 else "1-10"), top
        return ("0-4" if low >= 0 and top <= 4 else AS_PUBLISHED), top
    of = denominators.pop() if len(denominators) == 1 else 0.0
    scale = _SCALE_OF_TOP.get(int(of), "0-1")
    lowest = {"0-4": 0, "0-100": 0}.get(scale, 1)
    return (scale if lowest <= low and top <= of else "0-1"), of or 10.0
