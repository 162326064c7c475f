"""Area, perimeter and sides of squares and rectangles, English and Chinese."""

from __future__ import annotations

import math
import re
from fractions import Fraction

from analytics.expression.tree import ExpressionTree
from analytics.language.mentions import NumberKind
from analytics.solver.rules.conversions import asked_unit
from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer, constant, when

_SQUARE = re.compile(
    r"\bsquare(?! (?:met|cent|feet|foot|inch|mile|yard|kilo|root|unit|decim|millim"
    r"|of\b|number))(?:-shaped)?s?\b|正方形",
    re.IGNORECASE,
)
_RECTANGLE = re.compile(r"\brectang(?:le|ular)\b|长方形", re.IGNORECASE)
_AREA, _PERIMETER = (re.compile(r"\barea\b|面积", re.IGNORECASE), re.compile(r"\bperimeter\b|周长", re.IGNORECASE))
_SIDE = re.compile(r"\bsides?\b|边长", re.IGNORECASE)
_LENGTH, _WIDTH = (
    re.compile(r"\b(?:length|long)\b|长(?!方)", re.IGNORECASE),
    re.compile(r"\b(?:width|wide|breadth)\b|宽", re.IGNORECASE),
)
_MORE = re.compile(
    r"\b(?:triangle|circle|cube|box|tiles?|cost|fence|each|every|times|twice"
    r"|half|increase[ds]?|decrease[ds]?|ratio|path|cut|walks?|runs?"
    r"|around|remaining|difference|more|less|another|both|two squares|midpoints?"
    r"|joining|inscribed|diagonals?|added|subtracted|least|nearest|removed|doubl\w+|tripl\w+|enlarge\w*)\b|每"
    r"|比|的[(（]?\d|剪|圆|三角|增加|减少|扩大|缩小|倍|拼|围|块|面积[是为]的"
    r"|另|体",
    re.IGNORECASE,
)


@when(1, says=_SQUARE, unless=_MORE)
def square_measure(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer for a square's area or perimeter given its side, or for its side given its perimeter or area."""
    asked, story = reading.asked, reading.story
    is_plain = quantities[0].mention.kind in (NumberKind.INTEGER, NumberKind.DECIMAL)
    if not is_plain or _RECTANGLE.search(reading.text):
        return None
    unit, wanted = quantities[0].unit, asked_unit(reading)
    if unit is not None and wanted and wanted.partition(" ")[0] != unit.unit.partition(" ")[0]:
        return None
    number = quantities[0].tree
    asks_area, asks_perimeter = _AREA.search(asked) is not None, _PERIMETER.search(asked) is not None
    if _SIDE.search(story) and asks_area != asks_perimeter and not _PERIMETER.search(story.replace(asked, "")):
        return RuleAnswer(number * (number if asks_area else constant(4)))
    before = story.replace(asked, "")
    is_square = math.isqrt(int(quantities[0].value)) ** 2 == quantities[0].value
    tells_area, tells_perimeter = _AREA.search(before) is not None, _PERIMETER.search(before) is not None
    if tells_area and not (tells_perimeter or asks_area) and is_square and asks_perimeter != bool(_SIDE.search(asked)):
        root = ExpressionTree("^", (number, constant(Fraction(1, 2))))
        return RuleAnswer(root * constant(4) if asks_perimeter else root)
    if tells_perimeter and asks_area and not (asks_perimeter or tells_area):
        return RuleAnswer(number / constant(4) * (number / constant(4)))
    if _PERIMETER.search(story) and _SIDE.search(asked) and not asks_area and not asks_perimeter:
        return RuleAnswer(number / constant(4))
    return None


@when(2, says=_RECTANGLE, unless=_MORE)
def rectangle_measure(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer for a rectangle's area or perimeter given its sides, or for a side given the other and one of these."""
    asked, story = reading.asked, reading.story
    if _SQUARE.search(reading.text) or (
        len({each.unit.unit for each in quantities if each.unit is not None and each.unit.dimension == "length"}) > 1
    ):
        return None
    first, second = quantities
    wants_area, wants_perimeter = bool(_AREA.search(asked)), bool(_PERIMETER.search(asked))
    has_sides = _LENGTH.search(story) is not None and _WIDTH.search(story) is not None
    if has_sides or re.search(r"\d+\s?\w*\s(?:by|x|×)\s\d+", story):
        before = story.replace(asked, "")
        if wants_area == wants_perimeter or _AREA.search(before) or _PERIMETER.search(before):
            return None
        if wants_area:
            return RuleAnswer(first.tree * second.tree)
        return RuleAnswer(constant(2) * (first.tree + second.tree))
    asks_side = _LENGTH.search(asked) is not None or _WIDTH.search(asked) is not None
    if not asks_side or wants_area or wants_perimeter:
        return None
    if not (_WIDTH.search(story) or _LENGTH.search(story)) or bool(_AREA.search(story)) == bool(
        _PERIMETER.search(story)
    ):
        return None
    whole, side = _whole_and_side(reading)
    if _AREA.search(story):
        return RuleAnswer(whole.tree / side.tree)
    return RuleAnswer(whole.tree / constant(2) - side.tree)


def _whole_and_side(reading: Reading) -> tuple[Quantity, Quantity]:
    """Return the area or perimeter, and the side: the former is the number that follows its word most closely."""
    first, second = reading.counted()
    word = _AREA.search(reading.story) or _PERIMETER.search(reading.story)
    is_second = word is not None and first.start < word.end() <= second.start
    return (second, first) if is_second else (first, second)
