"""Constraints that replacement numbers must meet so that a problem's story remains plausible.

A problem implies more than its equation: 14 of 42 visitors are adults, 60 minutes are an hour, there are 5 results
because 4 and a missing one are listed. We do not parse that. Instead, the new numbers must keep the shape of the old:
numbers and steps of the equation with the same measure compare with each other, and with the bounds of their unit, as
before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from analytics.errors import DataError
from analytics.expression.evaluate import EvaluationError, evaluate, is_slot, slot_index
from analytics.expression.tree import ExpressionTree, to_infix
from analytics.language.mentions import NumberKind, unit_dimension
from analytics.solver.rules.reading import Quantity, Reading
from analytics.text.number_slots import NumberSlot
from analytics.text.units import convert_quantity

_ENDLESS = 7  # decimals
_PER_CENT = 2  # decimals of a whole percentage
_MOST_GROWTH = 2  # factor by which a step of the equation may change, in either direction
_SMALL = 10  # steps below it in both problems count as similar in size
_MOST_ADDED = 10  # largest count of numbers in a text for which sums are compared
_BOUNDS: Mapping[
    str, tuple[int, ...]
] = {  # a literal table: the number of each unit from which a quantity changes its meaning
    "second": (60,),
    "minute": (60,),
    "hour": (24,),
    "day": (7, 31, 365),
    "week": (52,),
    "month": (12,),
    "year": (18, 100),
    "degree": (90, 180, 360),
}
_COUNT, _RATIO, _CONSTANT, _UNKNOWN = "count", "ratio", "constant", ""
_FORMULA_CONSTANTS = frozenset(map(Fraction, (2, 3, 4, 6, 7, 10, 12, 24, 60, 90, 100, 180, 360, 1000)))
_SMALL_CONSTANT = 4
_HAS_FORMULA = re.compile(
    r"\b(?:area|perimeter|circumference|volume|surface|rectang\w+|squares?|triang\w+|circ\w+|cub\w+|prism|pyramid|cone"
    r"|angles?|diagonals?|average|mean)\b",
    re.IGNORECASE,
)
_ITEM = r"(?:[$£€]\s?)?\d+(?:,\d{3})*(?:\.\d+)?%?"
_THING = r"(?: [a-z]+){1,2}"
_JOIN = r"(?:,? and |, )"
_LISTS = (  # "12, 15 and 19", "3 apples, 4 pears and 5 plums", "Ann, Ben and Cara"
    re.compile(rf"{_ITEM}(?:{_JOIN}{_ITEM})+"),
    re.compile(rf"{_ITEM}{_THING}(?:{_JOIN}{_ITEM}{_THING}){{2,}}"),
    re.compile(rf"[A-Z][a-z]+(?:{_JOIN}[A-Z][a-z]+)+"),
)


class Sense:
    """The relations between a problem's numbers.

    Args:
        slots: the number slots of its text.
        tree: its equation over the slots.

    Attributes:
        fixed: slots with a number that must not change, as far as text and equation show: the bounds of a unit (60
            minutes), numbers that the equation may contain as constants (the 2 of a perimeter), and how many things
            are listed.

    Raises:
        EvaluationError: the equation has no value.
    """

    def __init__(self, text: str, slots: Sequence[NumberSlot], tree: ExpressionTree) -> None:
        self._text, self._slots, self._tree = text, slots, tree
        self._steps = dict(_steps(tree))
        reading = Reading(text)
        quantities = {
            _place(quantity): quantity
            for quantity in reading.quantities
            if quantity.mention.kind != NumberKind.CLOCK_TIME
        }
        self._bounds = _bounds(quantities, {unit.unit for unit in reading.units})
        self._stated = [f"N{place}" for place in quantities]
        self._measures = {f"N{place}": _measure(quantity) for place, quantity in quantities.items()}
        for name, step in self._steps.items():
            self._measures[name] = _measure_of_step(step, self._measures)
        self._values = self._with_steps([slot.value for slot in slots])
        self.fixed = self._fixed()
        self._order_of_numbers = self._order(combinations(self._stated, 2))
        self._order_of_steps = self._order(
            (name, other)
            for place, name in enumerate(self._steps)
            for other in (*self._stated, *list(self._steps)[:place], "0", "1")
        )
        self._sums = list(self._signs_of_sums(self._values))

    def tells_apart(self) -> bool:
        """Return whether each number of the equation can only be one of the text's numbers.

        "Thrice" and "3 points" are both 3, and so is 1 + 2 as an intermediate result: it is then ambiguous which one
        the equation means, and only one of them may change.
        """
        stated = {slot.value for slot in self._slots}
        return not any(
            self._values[name] in stated
            for name, step in self._steps.items()
            if name != to_infix(self._tree) and step.label != "/"
        )

    def _fixed(self) -> frozenset[int]:
        leaves = Counter(self._tree.leaves())
        values = Counter(slot.value for slot in self._slots)
        has_formula = _HAS_FORMULA.search(self._text) is not None
        lists = [match for pattern in _LISTS for match in pattern.finditer(self._text)]
        fixed = set()
        for place, slot in enumerate(self._slots):
            may_be_constant = slot.value in _FORMULA_CONSTANTS and (
                leaves[f"N{place}"] > values[slot.value] or (has_formula and slot.value <= _SMALL_CONSTANT)
            )
            is_bound = slot.value in self._bounds.get(place, ())
            if may_be_constant or is_bound or _counts_a_list(slot, lists):
                fixed.add(place)
        return frozenset(fixed)

    def holds(self, values: Sequence[Fraction]) -> bool:
        """Return whether other numbers keep the shape of the problem's own.

        Args:
            values: the new value of each slot.
        """
        changes: dict[Fraction, Fraction] = {}
        for slot, value in zip(self._slots, values, strict=True):
            if changes.setdefault(slot.value, value) != value:
                return False  # it is ambiguous which of two equal numbers an equation means
        if any(
            _order_of(values[place], bound) != _order_of(self._slots[place].value, bound)
            for place, bounds in self._bounds.items()
            for bound in bounds
        ):
            return False
        numbers = {f"N{place}": value for place, value in enumerate(values)}
        if not _is_ordered(self._order_of_numbers, numbers):
            return False
        try:
            others = self._with_steps(values)
        except EvaluationError:
            return False
        return (
            all(_is_alike(self._values[name], others[name], self._measures[name] == _RATIO) for name in self._steps)
            and _is_ordered(self._order_of_steps, others)
            and list(self._signs_of_sums(others)) == self._sums
        )

    def _with_steps(self, values: Sequence[Fraction]) -> dict[str, Fraction]:
        """Return the value of each slot, of each step of the equation, and of 0 and 1."""
        named = {"0": Fraction(0), "1": Fraction(1)}
        named |= {f"N{place}": value for place, value in enumerate(values)}
        for name, step in self._steps.items():
            named[name] = evaluate(step, named)
        return named

    def _order(self, pairs: Iterator[tuple[str, str]]) -> list[tuple[str, str, int]]:
        """Return the order of each comparable pair."""
        order = []
        for first, second in pairs:
            measures = {self._measures.get(name, _CONSTANT) for name in (first, second)}
            sign = _order_of(self._values[first], self._values[second])
            # a product's measure is unknown, so its equality with a number may be chance
            is_chance = _UNKNOWN in measures and not sign and second != "0"
            if not is_chance and (len(measures) == 1 or measures & {_UNKNOWN, _CONSTANT}):
                order.append((first, second, sign))
        return order

    def _signs_of_sums(self, values: Mapping[str, Fraction]) -> Iterator[int]:
        """Yield how sums of numbers compare with others of their kind, since nobody gives away more than there is.

        The sums are of two numbers, or of more consecutive ones; products are only checked for equality.
        """
        stated = [name for name in self._stated if slot_index(name) not in self.fixed]
        stated = stated if len(stated) <= _MOST_ADDED else []
        for measure in dict.fromkeys(self._measures[name] for name in stated):
            yield from _signs_of_sums([values[name] for name in stated if self._measures[name] == measure])
        for first, second in combinations(stated, 2):
            yield from (values[name] == values[first] * values[second] for name in stated)
        yield _order_of(sum((values[name] for name in stated if values[name] < 1), Fraction()), 1)


def _steps(tree: ExpressionTree) -> Iterator[tuple[str, ExpressionTree]]:
    """Yield each operation of a tree, inner ones first: its name, and the operation over its operands' names."""
    if tree.is_number:
        return
    for child in tree.children:
        yield from _steps(child)
    operands = (child if child.is_number else ExpressionTree(to_infix(child)) for child in tree.children)
    yield to_infix(tree), ExpressionTree(tree.label, tuple(operands))


def _place(quantity: Quantity) -> int:
    return slot_index(next(filter(is_slot, quantity.tree.leaves())))


def _measure(quantity: Quantity) -> str:
    """Return what a number of the text measures: a dimension, a ratio, or a count of something."""
    if quantity.unit is not None:
        return quantity.unit.dimension
    is_ratio = quantity.mention.kind in (NumberKind.PERCENT, NumberKind.RATIO_PART) or quantity.value < 1
    return _RATIO if is_ratio else _COUNT


def _measure_of_step(step: ExpressionTree, measures: Mapping[str, str]) -> str:
    """Return what a step of the equation measures; `_UNKNOWN` for most products and quotients."""
    known = [measures.get(leaf.label, _CONSTANT) for leaf in step.children]
    if step.label in "+-":
        return next((measure for measure in known if measure not in (_UNKNOWN, _CONSTANT)), known[0])
    if step.label not in "*/":
        return _UNKNOWN
    neutral = [measure in (_RATIO, _CONSTANT) for measure in known]
    if neutral[1]:
        return known[0] if known[0] != _CONSTANT else known[1]
    return known[1] if neutral[0] and step.label == "*" else _UNKNOWN


def _bounds(quantities: Mapping[int, Quantity], units: set[str]) -> dict[int, tuple[Fraction, ...]]:
    """Return the bounds of each slot's number: those of its unit, and conversion factors to the text's larger units."""
    bounds: dict[int, tuple[Fraction, ...]] = {}
    for place, quantity in quantities.items():
        if quantity.unit is not None:
            unit = quantity.unit.unit
            larger = filter(None, (_factor(unit, other) for other in units - {unit}))
            bounds[place] = (*map(Fraction, _BOUNDS.get(unit, ())), *larger)
        elif quantity.value <= 1 or quantity.mention.kind == NumberKind.PERCENT:
            bounds[place] = (Fraction(1),)
    return bounds


def _factor(unit: str, larger: str) -> Fraction | None:
    """Return how many of a unit make a larger unit; None if they have different dimensions or it is not larger."""
    if unit_dimension(unit) != unit_dimension(larger):
        return None
    try:
        factor = convert_quantity(Fraction(1), larger, unit)
    except DataError:
        return None
    return factor if factor > 1 else None


def _counts_a_list(slot: NumberSlot, lists: Sequence[re.Match[str]]) -> bool:
    """Return whether a number counts the items of a list, or one more if one is missing or named separately."""
    counts = (len(re.findall(_JOIN, match[0])) + 1 for match in lists if not match.start() <= slot.start < match.end())
    return any(slot.value in (count, count + 1) for count in counts)


def _signs_of_sums(values: Sequence[Fraction]) -> Iterator[int]:
    places = range(len(values))
    for first, second in combinations(places, 2):
        total = values[first] + values[second]
        yield from (_order_of(values[whole], total) for whole in places if whole not in (first, second))
    for start in places:
        for end in places[start + 3 :]:
            total = sum(values[start:end], Fraction())
            yield from (_order_of(values[whole], total) for whole in places if not start <= whole < end)


def _is_ordered(order: Sequence[tuple[str, str, int]], values: Mapping[str, Fraction]) -> bool:
    return all(_order_of(values[first], values[second]) == sign for first, second, sign in order)


def _order_of(first: Fraction, second: Fraction | int) -> int:
    """Return 1 if the first is more, -1 if it is less, and 0 if both are equal."""
    return (first > second) - (first < second)


def _is_alike(old: Fraction, new: Fraction, is_ratio: bool) -> bool:
    """Return whether a step's value has a similar size as before, and no more decimals."""
    smaller, larger = min(abs(old), abs(new)), max(abs(old), abs(new))
    is_near = larger <= smaller * _MOST_GROWTH or larger <= _SMALL
    most = max(_decimal_places(old), _PER_CENT if is_ratio else 0)
    return is_near and _decimal_places(new) <= most


def _decimal_places(value: Fraction) -> int:
    """Return the number of decimals of a value; `_ENDLESS` if they never end, or end late."""
    return next((places for places in range(_ENDLESS) if (value * 10**places).denominator == 1), _ENDLESS)
