"""Counting: pairings, posts and gaps, remainders, containers, how many are enough for all, and pieces of a whole."""

# ruff: noqa: E501 - one pattern per line

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from operator import sub

from analytics.expression.tree import ExpressionTree
from analytics.language.mentions import NumberKind, unit_dimension
from analytics.solver.rules.lists import sum_of
from analytics.solver.rules.reading import (
    Quantity,
    Reading,
    RuleAnswer,
    asked_unit,
    constant,
    conversion_factor,
    in_unit,
    scaled,
    when,
)

# fmt: off
_ALL_PAIRS = re.compile(r"\b(?:round[- ]robin|(?:each|every(?:one|body)?|all)\b[^.?]{0,60}?\b(?:each|every|one|any) ?(?:one|body)? ?(?:of the )?(?:else|others?|another)\b|all shake hands|each other)\b|单循环|每两", re.IGNORECASE)
_MEETINGS = re.compile(r"\bhow many (?:\w+ )?(?:handshakes?|games|matches|hugs|fist bumps|high[- ]fives|rounds|phone calls|calls|pairs|kisses|toasts|clinks)\b|多少场|几场|多少次|几次", re.IGNORECASE)
_ONE_WAY = re.compile(r"\bhow many (?:\w+ )?(?:cards?|letters?|presents?|gifts?|messages?|e-?mails?|photos?|valentines|notes?|postcards)\b", re.IGNORECASE)
_TWICE = re.compile(r"\b(?:twice|(?:two|2) (?:times|games|matches)|other (?:is )?(?:played )?away|home and away|home and once away|both at home)\b|双循环", re.IGNORECASE)
_KNOCKOUT = re.compile(r"\b(?:knock-? ?outs?|(?:single[- ])?elimination|eliminated|loser(?:s)?\b[^.?]{0,30}\b(?:out|leaves?|home)|los(?:es|ing)\b[^.?]{0,25}\bout)\b|淘汰", re.IGNORECASE)
_OTHERWISE = re.compile(r"\b(?:groups? of|couples?|except|his wife|spouse|hours?|minutes|points|at a time|three times|first round|per)\b|组|积分", re.IGNORECASE)
_ASKS = re.compile(r"\bhow many\b|多少|几", re.IGNORECASE)
# fmt: on


@when(1, 3, asks=_ASKS, unless=_OTHERWISE)
def number_of_pairings(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer how often people meet if each meets each other, or how many games a knockout tournament has."""
    text, people = reading.text, [each for each in quantities if each.value > 2 and each.unit is None]
    others = [each for each in quantities if each not in people and each.value not in (1, 2)]
    if len(people) != 1 or others or people[0].value.denominator != 1:
        return None
    number, is_meeting = people[0].tree, _MEETINGS.search(reading.question) is not None
    if re.match(r"\W*(?:handshakes?|games|matches|hugs|cards|calls)\b", text[people[0].end :], re.IGNORECASE):
        return None  # the question is the reverse
    if _KNOCKOUT.search(text):
        return RuleAnswer(number - constant(1)) if is_meeting and not _TWICE.search(text) else None
    if not _ALL_PAIRS.search(text):
        return None
    ordered = number * (number - constant(1))
    if _ONE_WAY.search(reading.question):
        return RuleAnswer(ordered)
    if not is_meeting:
        return None
    return RuleAnswer(ordered if _TWICE.search(text) else ordered / constant(2))


# fmt: off
_APART = re.compile(r"(?:\bevery|\bintervals? of|\bspaced|\bdistance of|\b(?:spacing|gaps?) of|每隔|间隔)[^<.]{0,12}<(?P<a>\d)>|<(?P<b>\d)> (?:[a-z ]{0,20}from (?:each|one) [a-z]+ to the next|apart|from (?:each other|one another|the next)|between|intervals?|distance)", re.IGNORECASE)
_ROUND = re.compile(r"\b(?:circular|circle|(?:all the way |right )?(?:a?round) (?:the (?:edge|whole|outside)|an?|the|it)\b|ring|perimeter|pond|lake|roundabout|running track|closed|loop)\b|圆形|四周|一周|环形|封闭", re.IGNORECASE)
_ENDS = re.compile(r"\b(?:(?:at|on) (?:each|both|either) ends?|both ends|one end to the other|(?:beginning|start) and (?:the |at the )?end|from (?:the )?first to (?:the )?last|including (?:both|the) ends?|very (?:start|beginning))\b|两端都|两头都", re.IGNORECASE)
_NO_ENDS = re.compile(r"\b(?:not|no \w+|none|except|neither|without)\b[^.]{0,20}\bends?\b|两端(?:都)?不|两头(?:都)?不|not at (?:either|the) end", re.IGNORECASE)
_ONE_END = re.compile(r"\b(?:only (?:at )?one end|one of the ends|starting \w+ m)\b|一端", re.IGNORECASE)
_BOTH_SIDES = re.compile(r"\b(?:both|each|either|two) sides?\b|\bon each side\b|两[侧旁边]", re.IGNORECASE)
_BETWEEN = re.compile("中间|灯间|杆间|之间挂|每两")
_PLANTED = re.compile(r"\b(?:posts?|poles?|trees?|flags?|lamps?|lampposts?|lights?|stakes?|bushes|bollards?|cones?|pegs?|plants?|saplings?|hooks?|chairs?|streetlights?|pillars?|columns?|markers?|lanterns?|seedlings?)\b|树|棵|灯|旗|杆|花", re.IGNORECASE)
_ASKS_NUMBER = re.compile(r"\bhow many (?!met|m\b|cm|minutes|seconds|gaps)|几|多少(?:棵|盏|面|根|盆)|\bfind the number of\b", re.IGNORECASE)
_ASKS_LENGTH = re.compile(r"\bhow (?:far|long)\b|\bhow many (?:met\w+|m|feet|yards|km|cm)\b|\bwhat is the (?:distance|length)\b|多少米", re.IGNORECASE)
# fmt: on


@when(2, 3, says=_PLANTED, unless=_BETWEEN)
def posts_and_gaps(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer how many posts a fence with known ends has, or the distance from the first post to the last."""
    text = reading.marked
    if (found := _APART.search(text)) is None or _ONE_END.search(text):
        return None
    apart = quantities[int(found["a"] or found["b"])]
    if apart.unit is None or apart.unit.dimension != "length":
        return None
    others = [each for each in quantities if each is not apart and not (each.value == 2 and each.unit is None)]
    if len(others) != 1:
        return None
    other, is_round = others[0], _ROUND.search(text) is not None
    if other.unit is None and _ASKS_LENGTH.search(reading.question) and _PLANTED.search(text):
        gaps = other.tree if is_round else other.tree - constant(1)
        return None if _BOTH_SIDES.search(text) or _NO_ENDS.search(text) else RuleAnswer(gaps * apart.tree)
    return _number_of_posts(reading, other, apart) if _ASKS_NUMBER.search(reading.question) else None


def _number_of_posts(reading: Reading, length: Quantity, apart: Quantity) -> RuleAnswer | None:
    text, factor = reading.text, conversion_factor(length.unit_name, apart.unit_name) if length.unit else None
    tree = in_unit(length, apart.unit_name)
    if factor is None or tree is None or (length.value * factor / apart.value).denominator != 1:
        return None
    gaps = tree / apart.tree
    if _NO_ENDS.search(text):
        number = gaps - constant(1)
    elif _ENDS.search(text):
        number = gaps + constant(1)
    elif _ROUND.search(text):
        number = gaps
    else:
        return None  # the text does not state whether there is one at each end
    return RuleAnswer(constant(2) * number if _BOTH_SIDES.search(text) else number)


_LEFT = re.compile(r"\b(?:left ?over|leftover|remain(?:s|ing|der)?|left|unused)\b", re.IGNORECASE)
_SHARED = re.compile(
    r"\b(?:equally|evenly|groups? of|boxes of|bags of|packs? of|packets of|rows of"
    r"|teams of|pieces of|stacks of|bundles of|pages of|plates of"
    r"|jars of|cartons of|sets of|same (?:number|amount)|as many as possible|divided (?:by|among|between|into)"
    r"|(?:hold|carry|fit|pack|take|put|place|seat|contain)s?\b[^.?]*\b(?:each"
    r"|every|per|a)|in each|to each|each (?:hold|carr|box|bag|pack|row)s?\w*)\b",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"\b(?:got|initially|ate|eats|sold|gave|gives|lost|used|spent|then|after"
    r"|more|first|another|bought|buys|broke\w*|took)\b",
    re.IGNORECASE,
)


@when(2, asks=_LEFT, says=_SHARED, unless=_MORE)
def remainder(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer for the remainder of a division of whole numbers, if nothing else happens."""
    if not re.search(r"\bhow (?:many|much|long)\b", reading.question, re.IGNORECASE):
        return None
    whole, part = sorted(quantities, key=lambda each: -each.value)
    if whole.value.denominator != 1 or part.value.denominator != 1 or part.value < 2:
        return None
    units = {each.unit.unit for each in quantities if each.unit is not None}
    if len(units) > 1:
        return None
    return RuleAnswer(whole.tree / part.tree, rounding="remainder")


# fmt: off
_FULL = re.compile(r"\bfull\b|\bcapacity\b", re.IGNORECASE)
_ADDED = re.compile(r"\b(?:add(?:s|ed|ing)?|pour(?:s|ed|ing)? (?:in|into)|poured|filling|put(?:s|ting)? in|pumped in|more)\b", re.IGNORECASE)
_TAKEN = re.compile(r"\b(?:us(?:es|ed|ing)|tak(?:es|en|ing)|took|remov\w+|pour\w* (?:out|away|off)|drain\w*|dr[aiu]nk\w*|drawn|leak\w*|spill\w*|burn\w*)\b", re.IGNORECASE)
_HOLDS = re.compile(r"\bhow (?:much|many)\b[^?]*\b(?:hold|fit|contain|there (?:be )?in)\b|\bcapacity\b|\bwhen (?:it is )?(?:completely )?full\b|\bfull (?:tank|barrel|jug|bottle|container|bucket|pool|bath)\b", re.IGNORECASE)
_TO_FILL = re.compile(r"\b(?:to fill|more|needed|until it is full|must be added|fill it up)\b", re.IGNORECASE)
_STATE = re.compile(r"<(?P<n>\d)>(?: of the way| of its capacity| of capacity|-)? ?full\b|\bfull to <(?P<m>\d)>", re.IGNORECASE)
# fmt: on


@when(2, 3, only="en", says=_FULL)
def capacity(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer "A tank is 1/4 full. After 30 litres are added it is 5/8 full. How much does it hold?" and the like."""
    states = [quantities[int(match["n"] or match["m"])] for match in _STATE.finditer(reading.marked)]
    shares = [each for each in quantities if each.mention.kind in (NumberKind.FRACTION, NumberKind.PERCENT)]
    amounts = [each for each in quantities if each not in shares]
    is_read = states == shares and all(0 < each.value < 1 for each in shares) and len(amounts) == 1
    if not is_read or not shares or amounts[0].unit is None:
        return None
    amount = in_unit(amounts[0], asked_unit(reading)) if asked_unit(reading) else amounts[0].tree
    if amount is None or not _HOLDS.search(reading.question):
        return None
    if len(shares) == 1:
        is_part = not (_ADDED.search(reading.text) or _TAKEN.search(reading.text))
        return RuleAnswer(amount / shares[0].tree) if is_part and not _TO_FILL.search(reading.question) else None
    first, second = shares
    words = reading.text[first.end : reading.text.rfind(reading.asked)]
    is_filled = second.value > first.value
    if (
        first.value == second.value
        or not (_ADDED if is_filled else _TAKEN).search(words)
        or _TO_FILL.search(reading.asked)
    ):
        return None
    part = second.tree - first.tree if is_filled else first.tree - second.tree
    return RuleAnswer(amount / part)


_CAPACITY = re.compile(
    r"\b(?:each|every|one|per|an?) (?:\w+ ){1,3}?(?:can |will |only )*(?:has|have|holds?|seats?|takes?|carr(?:y|ies)"
    r"|fits?|contains?|room for|capacity (?:is|of))\b(?: \w+){0,3} <(\d)>"
    r"|\b\w+s (?:of|for|that (?:hold|seat|carry|take|fit)) <(\d)>"
    r"|<(\d)>(?: (?!if\b|that\b)\w+){0,4} (?:(?:in )?each|per|in every|(?:to|in) an?)\b"
    r"|每[条辆只个张艘间顶]\D{0,9}<(\d)>",
    re.IGNORECASE,
)
_NEEDED = re.compile(
    r"\bhow many\b[^?]*\b(?:needs?|needed|must|required?|necessary|have to|has to)\b|至少", re.IGNORECASE
)
_NOT_SHARED_OUT = re.compile(
    r"\b(?:times|twice|half|more|less|fewer|left|remain\w*|already|full|empty|days?|hours?|minutes?|weeks?|except|third"
    r"|absent|leave\w*|back|both|trips|drops?|about|approximately|costs?|each (?:other|of)|\w+ each,|eats?|gets?|gives?"
    r"|brings?)\b|[倍剩比次天元]|走|保证|取|摸",
    re.IGNORECASE,
)
_TOGETHER = r"<{}>[^<.。]{{0,25}}(?:\band\b|带着|和|与|、)[^<.。]{{0,12}}<{}>"


@when(2, 3, asks=_NEEDED, unless=_NOT_SHARED_OUT)
def enough_for_all(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer "3 teachers and 48 pupils go by boat, 6 in a boat. How many boats are needed?", rounded up."""
    found = {place for match in _CAPACITY.finditer(reading.marked) for place in match.groups() if place}
    if len(found) != 1 or any(each.value.denominator != 1 for each in quantities):
        return None
    capacity = quantities[int(found.pop())]
    places = [place for place, each in enumerate(quantities) if each is not capacity]
    people = [quantities[place] for place in places]
    total, following = sum(each.value for each in people), re.split("[.?!,]", reading.text[capacity.end :])[0]
    asked = re.search(r"how many (\w+)", reading.question, re.IGNORECASE)
    if total < capacity.value or (asked is not None and re.search(rf"\b{asked[1]}\b", following)):
        return None
    if capacity.value < 2 or any(each.unit_name != capacity.unit_name for each in people):
        return None
    if len(people) == 2 and not re.search(_TOGETHER.format(*places), reading.marked):
        return None
    quotient = total / capacity.value
    tree = sum_of([each.tree for each in people]) / capacity.tree
    is_exact = quotient.denominator == 1
    return RuleAnswer(tree) if is_exact else RuleAnswer(tree, "up", value=Fraction(math.ceil(quotient)))


_SAYS_LEFT = re.compile(r"\b(?:left|remain\w*)\b|剩", re.IGNORECASE)
_TOTAL = re.compile(r"\b(?:total|altogether|in all|together|combined)\b|[一总]共", re.IGNORECASE)
_PIECES = re.compile(
    r"\bhow many (?:complete |whole |full )?(?:[\d.,]+[ -]?[a-z]+ |<\d> |\w+ )?(?:pieces|glasses|cups|bottles|bags|jars|packets|portions|servings|strips|boxes|jugs)\b"
    r"|(?:几|多少)[段杯瓶袋根块盒]",
    re.IGNORECASE,
)
_EACH = re.compile(r"\beach\b|每", re.IGNORECASE)
_SEVERAL = re.compile(  # 5 glasses of 220 ml, 5 pieces, each 45 cm long
    r"<(?P<n>\d)>(?: ?[a-z-]+){1,3}(?: of|, each(?: \w+)?|,? (?:each )?(?:weigh|hold|measur)\w*) <(?P<size>\d)>"
    r"|<(?P<n2>\d)>[段杯瓶袋根块盒个][^<]{0,8}每[^<]{0,6}<(?P<size2>\d)>",
    re.IGNORECASE,
)
_NO_SUM = re.compile(
    r"\b(?:times|twice|half|double\w*|more|less|fewer|than|per|every|percent|ratio|average|speed|older|as many as|if 1|there are"
    r"|wide|deep|area|round|both|rest|profit|sells?|complete[sd]?(?! \w+s\b)|completing|days?|weeks?)\b|[倍比%]|每[天小时分]|面积|宽|平均|照这样|对折|每隔",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Measured:
    """The quantities of a text, in the unit that is asked for.

    Attributes:
        measured: the quantities with a unit; `trees` and `values` belong to them, with equal pieces as one product.
        counts: the other numbers, without a unit.
    """

    reading: Reading
    measured: list[Quantity]
    trees: list[ExpressionTree]
    values: list[Fraction]
    counts: list[Quantity]

    @property
    def asks_pieces(self) -> bool:
        return _PIECES.search(self.reading.asked) is not None

    @property
    def asks_each(self) -> bool:
        return _EACH.search(self.reading.asked) is not None

    @property
    def is_shared(self) -> bool:
        """Whether equal parts are asked for, and the text gives their number."""
        return len(self.counts) == 1 and self.asks_each

    @property
    def gaps(self) -> list[str]:
        """The words between the quantities."""
        return [self.reading.text[one.end : other.start].strip() for one, other in pairwise(self.measured)]

    @property
    def is_one(self) -> bool:
        """Whether this is a single quantity given in several units: 3 kg 200 g."""
        return set(self.gaps) <= _ONE_QUANTITY

    @property
    def asks_rest(self) -> bool:
        text, asked = self.reading.text, self.reading.asked
        return _SAYS_LEFT.search(text, max(self.measured[-1].end, text.rfind(asked))) is not None

    @property
    def rest(self) -> Fraction:
        return self.values[0] - sum(self.values[1:])

    @property
    def left(self) -> ExpressionTree:
        return reduce(sub, self.trees)

    def part(self, whole: ExpressionTree) -> RuleAnswer:
        """Return one of the equal parts of a whole."""
        return RuleAnswer(whole / self.counts[0].tree)


_ONE_QUANTITY = {"", "and"}


def _measured(reading: Reading, quantities: list[Quantity]) -> _Measured | None:
    """Return the quantities in the unit asked for; None unless they use other units of its dimension."""
    measured = [each for each in quantities if each.unit is not None]
    counts = [each for each in quantities if each.unit is None]
    is_last = _PIECES.search(reading.asked) is not None and bool(measured)
    unit = asked_unit(reading) or (measured[-1].unit_name if is_last else "")
    factors = [conversion_factor(each.unit_name, unit) for each in measured] if unit else []
    known = [factor for factor in factors if factor is not None]
    if len(known) < len(measured) or set(known) <= {1} or unit_dimension(unit) == "time":
        return None
    trees = [scaled(each.tree, factor) for each, factor in zip(measured, known, strict=True)]
    values = [each.value * factor for each, factor in zip(measured, known, strict=True)]
    for match in _SEVERAL.finditer(reading.marked):
        number, size = (quantities[int(match[name] or match[f"{name}2"])] for name in ("n", "size"))
        if number in counts and size in measured:
            place = measured.index(size)
            trees[place], values[place] = number.tree * trees[place], number.value * values[place]
            counts.remove(number)
    return _Measured(reading, measured, trees, values, counts)


def _number_of_pieces(told: _Measured) -> RuleAnswer | None:
    if len(told.values) != 2:
        return None
    (whole, size), (whole_tree, size_tree) = told.values, told.trees
    sized, place = _PIECES.search(told.reading.marked), told.reading.counted().index(told.measured[0])
    if sized is not None and f"<{place}>" in sized[0]:
        whole, size, whole_tree, size_tree = size, whole, size_tree, whole_tree
    number = 0 if told.counts else whole // size
    if not number:
        return None
    tree = whole_tree / size_tree
    return RuleAnswer(tree) if number * size == whole else RuleAnswer(tree, "down", value=Fraction(number))


def _nothing(_told: _Measured) -> None:
    return None


_ASKED_OF_SEVERAL: tuple[tuple[str, Callable[[_Measured], bool], Callable[[_Measured], RuleAnswer | None]], ...] = (
    ("pieces", lambda told: told.asks_pieces, _number_of_pieces),
    ("a part of one", lambda told: told.is_shared and told.is_one, lambda told: told.part(sum_of(told.trees))),
    (
        "a part of the rest",
        lambda told: told.is_shared and _SAYS_LEFT.search(told.reading.story) is not None and told.rest > 0,
        lambda told: told.part(told.left),
    ),
    ("counts", lambda told: bool(told.counts) or told.asks_each or len(told.trees) < 2, _nothing),
    ("more than there is", lambda told: told.asks_rest and (told.rest < 0 or told.gaps[0] in _ONE_QUANTITY), _nothing),
    ("the rest", lambda told: told.asks_rest, lambda told: RuleAnswer(told.left)),
    ("in all", lambda told: _TOTAL.search(told.reading.asked) is not None, lambda told: RuleAnswer(sum_of(told.trees))),
)
"""What may be asked, by name, with its test and its answer. The first that applies answers."""


@when(2, 5, unless=_NO_SUM)
def in_several_units(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer for the rest, the total or the number of pieces of quantities in more than one unit."""
    if (told := _measured(reading, quantities)) is None:
        return None
    return next((answer(told) for _name, applies, answer in _ASKED_OF_SEVERAL if applies(told)), None)
