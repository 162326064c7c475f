"""How many are enough for all, and quantities in several units: the rest, the total, and the number of pieces."""

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
from analytics.language.mentions import unit_dimension
from analytics.solver.rules.conversions import asked_unit, conversion_factor, scaled
from analytics.solver.rules.lists import sum_of
from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer, when

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
_OTHERWISE = re.compile(
    r"\b(?:times|twice|half|more|less|fewer|left|remain\w*|already|full|empty|days?|hours?|minutes?|weeks?|except|third"
    r"|absent|leave\w*|back|both|trips|drops?|about|approximately|costs?|each (?:other|of)|\w+ each,|eats?|gets?|gives?"
    r"|brings?)\b|[倍剩比次天元]|走|保证|取|摸",
    re.IGNORECASE,
)
_TOGETHER = r"<{}>[^<.。]{{0,25}}(?:\band\b|带着|和|与|、)[^<.。]{{0,12}}<{}>"


@when(2, 3, asks=_NEEDED, unless=_OTHERWISE)
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


_LEFT = re.compile(r"\b(?:left|remain\w*)\b|剩", re.IGNORECASE)
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
        return _LEFT.search(text, max(self.measured[-1].end, text.rfind(asked))) is not None

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
        lambda told: told.is_shared and _LEFT.search(told.reading.story) is not None and told.rest > 0,
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
