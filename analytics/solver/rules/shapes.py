"""Squares and rectangles, lengths by the scale of a map or model, and levels above and below zero."""

from __future__ import annotations

import math
import re
from fractions import Fraction

from analytics.expression.tree import ExpressionTree
from analytics.language.mentions import NumberKind
from analytics.solver.rules.reading import (
    Quantity,
    Reading,
    RuleAnswer,
    asked_unit,
    constant,
    conversion_factor,
    scaled,
    when,
)

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


_SCALE = re.compile(r"\bscale\b|\bmaps?\b|\bmodel\b|\bplan\b|比例尺", re.IGNORECASE)
_STANDS_FOR = re.compile(
    r"<\d> (?:on (?:the|a) \w+ )?(?:represents?|stands for|corresponds to|shows|means|is|for|to|equals)"
    r" (?:an? )?(?:actual |real )?(?:distance |length )?(?:of )?<\d>"
    r"|<\d> ?[=:：] ?<\d>|<\d>(?:的距离)?(?:表示|代表|相当于)\D{0,8}<\d>",
    re.IGNORECASE,
)
_REAL = re.compile(r"\b(?:real\w*|actual\w*|true|ground|(?:full|life)[- ]size)\b|实际", re.IGNORECASE)
_DRAWN = re.compile(
    r"\b(?:on|in) (?:the|this|a|that) (?:\w+ )?(?:map|plan|drawing)\b|\bmodel\b|图上|图纸上|画", re.IGNORECASE
)
_OTHERWISE = re.compile(
    r"\b(?:area|volume|perimeter|factor|similar|dilat\w+|speed|hours?)\b|面积|体积|周长|直径|半径|小时|[行分]",
    re.IGNORECASE,
)


@when(2, 4, says=_SCALE, unless=_OTHERWISE)
def length_by_scale(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer for a real length given its length on a map or model, or vice versa."""
    match = _STANDS_FOR.search(reading.marked)
    if match is None:
        return None
    drawn, real = (quantities[int(place)] for place in re.findall(r"\d", match[0]))
    given = _only_length([each for each in quantities if each is not drawn and each is not real])
    if given is None or (drawn.unit is None) != (real.unit is None):
        return None
    wanted = asked_unit(reading)
    ratio = conversion_factor(wanted, given.unit_name) if wanted else None
    if (wanted and ratio is None) or not (wanted or drawn.unit):
        return None
    asks_real = _asks_for_real(reading, ratio if real.value > drawn.value else None)
    if asks_real is None:
        return None
    return _at_scale(given, drawn, real, wanted) if asks_real else _at_scale(given, real, drawn, wanted)


def _only_length(others: list[Quantity]) -> Quantity | None:
    """Return the only number besides the scale, if it is a length; "two" without a unit means two places."""
    rest = [each for each in others if each.unit or each.mention.text.lower() not in ("two", "两")]
    is_length = len(rest) == 1 and rest[0].unit is not None and rest[0].unit.dimension == "length"
    return rest[0] if is_length else None


def _asks_for_real(reading: Reading, ratio: Fraction | None) -> bool | None:
    """Return whether the question is for the real length; None if that is unclear.

    Args:
        ratio: how many of the given length's units make up the unit asked for; None unless the real length is larger.
    """
    if ratio is not None and ratio != 1:
        return ratio > 1
    is_real, is_drawn = (pattern.search(reading.asked) is not None for pattern in (_REAL, _DRAWN))
    return is_real if is_real != is_drawn else None


def _at_scale(given: Quantity, source: Quantity, target: Quantity, wanted: str) -> RuleAnswer | None:
    """Convert a length from the side of `source` to the side of `target`, in the wanted unit if there is one."""
    is_pair = source.unit is not None
    before = conversion_factor(given.unit_name, source.unit_name) if is_pair else Fraction(1)
    unit = target.unit_name if is_pair else given.unit_name
    after = conversion_factor(unit, wanted or unit)
    if before is None or after is None:
        return None
    tree = scaled(given.tree, before)
    tree = tree * target.tree if target.value != 1 else tree
    return RuleAnswer(scaled(tree / source.tree if source.value != 1 else tree, after))


_ASKS_CHANGE = re.compile(
    r"\b(?:by how (?:many|much)|how (?:many|much) (?:degrees|warmer|colder|higher"
    r"|lower|more|less)|how (?:many|much)\b.*\b(?:fall|rise|drop|change|increase"
    r"|decrease|differ)"
    r"|difference)\b|多少(?:度|摄氏度)|相差|温差",
    re.IGNORECASE,
)
_ASKS_LEVEL = re.compile(
    r"\bwhat (?:is|was|will)\b.*\b(?:temperature|level|it)\b|\bhow (?:warm|cold)\b|(?:气温|温度)(?:是|为)?(?:多少|几)",
    re.IGNORECASE,
)
_RISES = re.compile(
    r"\b(?:r[io]se[sn]?|increase[ds]?|went up|goes up|climb(?:s|ed)|warmer|higher|up)\b|升|高", re.IGNORECASE
)
_FALLS = re.compile(
    r"\b(?:fell|falls?|dropp?(?:s|ed)?|decrease[ds]?|went down|goes down|sank|colder|lower|down)\b|降|低", re.IGNORECASE
)


_KINDS = (NumberKind.INTEGER, NumberKind.DECIMAL, NumberKind.FRACTION)
_DEGREES = re.compile(r"\btemperature|°|℃|\bdegrees? (?:C|Celsius)\b|气温|温度", re.IGNORECASE)
_OTHER_CHANGE = re.compile(r"\b(?:every|each|per|hour|average|twice|half|mean|how many times)\b|平均|每", re.IGNORECASE)


@when(2, 6)
def change_of_level(reading: Reading, _numbers: list[Quantity]) -> RuleAnswer | None:
    """Answer for temperatures, or numbers of which one is negative: the difference, or the level after the changes."""
    quantities = reading.plain()  # without times of day
    is_below = any(each.value < 0 for each in quantities)
    if len(quantities) < 2 or any(each.mention.kind not in _KINDS for each in quantities):
        return None
    if not (is_below or _DEGREES.search(reading.text)) or _OTHER_CHANGE.search(reading.text):
        return None
    if _ASKS_LEVEL.search(reading.question) and not _ASKS_CHANGE.search(reading.question.replace("多少", "")):
        return _level_after(reading, quantities)
    if not is_below or len(quantities) != 2 or "比" in reading.text:
        return None
    first, second = quantities
    if _ASKS_CHANGE.search(reading.question):
        larger, smaller = (first, second) if first.value >= second.value else (second, first)
        return RuleAnswer(larger.tree - smaller.tree)
    return None


def _level_after(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Return the level after each rise and fall; the words for each are next to its number."""
    tree, begin = quantities[0].tree, quantities[0].end
    for change in quantities[1:]:
        words = reading.text[begin : change.end]
        words += re.split(r"[.,;?，。；]|\band\b", reading.text[change.end :])[0]
        is_up, is_down = (pattern.search(words) is not None for pattern in (_RISES, _FALLS))
        if is_up == is_down or change.value < 0 or change.end > reading.text.rfind(reading.asked):
            return None
        tree, begin = (tree + change.tree if is_up else tree - change.tree), change.end
    return RuleAnswer(tree)
