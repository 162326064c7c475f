"""The problem in the form that a trained solver knows: plain numbers, and quantities in the unit asked for.

A solver was trained on numbers such as ``3.5`` and on problems with consistent units. So it gets "0.35 dollars" instead
of "35 cents" if dollars are asked for, and ``300000`` instead of ``3×10^5``; its equation is then rewritten
over the problem's own numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from analytics.expression.evaluate import EvaluationError, constant_label, evaluate, fill_slots, is_slot, slot_index
from analytics.expression.tree import ExpressionTree, from_prefix, to_prefix
from analytics.language.mentions import NumberKind, unit_dimension
from analytics.solver.plausibility import asks_for_count
from analytics.solver.rules.reading import Quantity, Reading, asked_unit, constant, conversion_factor, in_unit
from analytics.solver.solution import Solution, solution_of
from analytics.text.number_slots import number_slots


@dataclass(frozen=True, slots=True)
class _Change:
    """A stretch of the text, its replacement, and the new number in terms of the problem's numbers."""

    start: int
    end: int
    text: str
    tree: ExpressionTree


@dataclass(frozen=True, slots=True)
class Restatement:
    """A restated problem.

    Attributes:
        text: the text to be solved instead of the problem's.
        trees: for each slot of `text`, an expression over the problem's slots.
        values: of the problem's slots.
    """

    text: str
    trees: tuple[ExpressionTree, ...]
    values: tuple[Fraction, ...]

    def original(self, solution: Solution) -> Solution:
        """Convert a solution of the restated problem into one of the original problem."""
        tree = from_prefix(solution.tokens).with_leaves(
            lambda label: self.trees[slot_index(label)] if is_slot(label) else ExpressionTree(label)
        )
        original = solution_of(to_prefix(tree), self.values, solution.probability)
        if not solution.rounding:
            return original
        return replace(original, value=solution.value, exact=solution.exact, rounding=solution.rounding)


def restatement(reading: Reading) -> Restatement | None:
    """Return the restated problem; None if nothing would change."""
    slots = number_slots(reading.text)
    values = tuple(slot.value for slot in slots)
    changes = _free_of_overlap([*_in_asked_units(reading), *_written_plainly(reading)])
    if not changes:
        return None
    parts: list[str] = []
    moved: list[tuple[int, int, _Change]] = []  # offsets of each change in the new text
    done = length = 0
    for change in changes:
        kept = reading.text[done : change.start]
        parts += (kept, change.text)
        moved.append((length + len(kept), length + len(kept) + len(change.text), change))
        length, done = length + len(kept) + len(change.text), change.end
    text = "".join((*parts, reading.text[done:]))
    starts = {(slot.start, slot.value): place for place, slot in reversed(list(enumerate(slots)))}
    trees = []
    for slot in number_slots(text):
        change_here = next((change for begin, end, change in moved if begin <= slot.start < end), None)
        if change_here is not None:
            is_whole = _worth(change_here.tree, values) == slot.value
            trees.append(change_here.tree if is_whole else constant(slot.value))
            continue
        shift = sum(
            len(change.text) - (change.end - change.start) for begin, _end, change in moved if begin < slot.start
        )
        place = starts.get((slot.start - shift, slot.value))
        trees.append(constant(slot.value) if place is None else ExpressionTree(f"N{place}"))
    return Restatement(text, tuple(trees), values)


def _free_of_overlap(changes: Sequence[_Change]) -> list[_Change]:
    """Return the changes in text order; of overlapping changes, the one earlier in the list is kept."""
    free: list[_Change] = []
    for change in changes:
        if all(change.end <= other.start or change.start >= other.end for other in free):
            free.append(change)
    return sorted(free, key=lambda change: change.start)


def _worth(tree: ExpressionTree, values: Sequence[Fraction]) -> Fraction | None:
    try:
        return evaluate(fill_slots(tree, values))
    except EvaluationError:
        return None


_OF = re.compile(r" of(?= [a-z]+s\b| people)")  # "3 dozens of rolls"
_USUAL = re.compile(r"\.?\d+(?:\.\d+)?|\d{1,3}(?:,\d{3})+(?:\.\d+)?")


def _written_plainly(reading: Reading) -> Iterator[_Change]:
    """Yield numbers in notations that solvers have not seen, as plain digits."""
    for quantity in reading.quantities:
        mention, kind = quantity.mention, quantity.mention.kind
        is_odd = (
            (kind is NumberKind.MIXED and re.search(r"-\d|[½-⅞¼-¾又]", mention.text))
            or (kind is NumberKind.SCALED and re.search(r"\^|\d[ekKmM]|[⁰¹²³⁴-⁹]|dozens", mention.text))
            or (kind in (NumberKind.INTEGER, NumberKind.DECIMAL) and _is_odd_plain(mention.text))
        )
        if is_odd and not mention.is_negative and "/" not in (label := constant_label(mention.value)):
            of = _OF.match(reading.text, mention.end)
            yield _Change(mention.start, of.end() if of else mention.end, label, quantity.tree)


def _is_odd_plain(written: str) -> bool:
    has_digits = re.search(r"\d", written) is not None
    return written.lower().startswith(("a couple", "a pair")) or (has_digits and not _USUAL.fullmatch(written))


def _in_asked_units(reading: Reading) -> Iterator[_Change]:
    """Yield quantities in units other than the one asked for, converted to that unit."""
    asked = asked_unit(reading) or _implied_unit(reading)
    targets = []
    if asked:
        base, _, rest = asked.partition(" / ")
        targets = [base, rest] if rest else [asked]
    for target in targets:
        if unit_dimension(target) not in ("length", "mass", "money", "volume", "time"):
            continue
        if unit_dimension(target) == "money" and _COINS.search(reading.text):
            continue
        measured = [each for each in reading.quantities if each.unit is not None and _converts(each, target)]
        words = {each.unit.text for each in measured if each.unit is not None and each.unit.text.isalpha()}
        singular = "|".join(re.escape(word.removesuffix("s")) for word in words)
        if words and re.search(rf"\b(?:an?|per|each|every|one) (?:{singular})\b", reading.text, re.IGNORECASE):
            continue  # "2 ounces for a pound"
        if not measured or all(each.unit is not None and each.unit.unit == target for each in measured):
            continue
        yield from _converted(reading, measured, target)


_COINS = re.compile(r"\b(?:penn(?:y|ies)|nickels?|dimes?|quarters?|coins?)\b", re.IGNORECASE)


def _converts(quantity: Quantity, target: str) -> bool:
    if quantity.unit is None or quantity.mention.kind is NumberKind.PERCENT:
        return False
    is_time = unit_dimension(target) == "time"
    if quantity.unit.text == "时":
        return False  # 8时 is usually a time of day
    if is_time and not {quantity.unit.unit, target} <= {"second", "minute", "hour"}:
        return False
    return conversion_factor(quantity.unit.unit, target) is not None


def _converted(reading: Reading, measured: Sequence[Quantity], target: str) -> Iterator[_Change]:
    values = [slot.value for slot in number_slots(reading.text)]
    name = reading.language.units.name_of(target)
    place = 0
    while place < len(measured):
        first = measured[place]
        tree, end = in_unit(first, target), first.end
        place += 1
        if place < len(measured):
            second = measured[place]
            is_compound = reading.text[first.end : second.start].strip() in ("", "and") and first.unit != second.unit
            smaller = in_unit(second, target)
            if is_compound and tree is not None and smaller is not None:
                tree, end = tree + smaller, second.end
                place += 1
        value = _worth(tree, values) if tree is not None else None
        if tree is None or value is None or "/" in constant_label(value) or not name:
            continue
        if first.unit is not None and first.unit.unit == target and end == first.end:
            continue
        yield _Change(first.start, end, f"{constant_label(value)}{reading.language.space}{name}", tree)


def _implied_unit(reading: Reading) -> str:
    """Return the unit to compute in if the question names none but the quantities have several."""
    by_dimension: dict[str, set[str]] = {}
    for quantity in reading.quantities:
        if quantity.unit is not None:
            by_dimension.setdefault(quantity.unit.dimension, set()).add(quantity.unit.unit)
    if by_dimension.get("money") == {"dollar", "dollar_cent"} and re.search(
        r"\bhow much\b", reading.question, re.IGNORECASE
    ):
        return "dollar"
    if asks_for_count(reading.text):
        for dimension in ("length", "mass", "volume"):
            units = by_dimension.get(dimension, set())
            if len(units) == 2:
                first, second = sorted(units)
                factor = conversion_factor(first, second)
                return "" if factor is None else second if factor > 1 else first
    return ""
