"""Numbers of a pair, aligned: which of the paraphrase states the same as which of the original.

Equal are a number in digits and in words, "twice" and "two times", 50% and one half, 0.333 and a third, "3 times fewer"
and "a third", and a quantity converted into another unit (2 hours, 120 minutes; 60 minutes, an hour).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from analytics.errors import DataError
from analytics.paraphrase.words.reading import TIMES, Quantity, Reading
from analytics.text.units import convert_quantity

__all__ = ["Match", "QuantityAlignment", "align_quantities", "is_repeated", "says_both", "similarity"]

_BOTH = re.compile(r"\b(?:both|couple|pair|either|neither)\b", re.IGNORECASE)
_NAMES = r"[A-Z][\w'’]*(?:(?:,| and|, and) [A-Z][\w'’]*)"
_MOST_NAMED = 6
_ALIKE = 0.5  # surroundings of a number that became another one
_SAME_PLACE = 0.4


@dataclass(frozen=True, slots=True)
class Match:
    """A quantity of the original and the one of the paraphrase that says the same."""

    original: Quantity
    paraphrase: Quantity


@dataclass(frozen=True, slots=True)
class QuantityAlignment:
    """Which quantities correspond.

    Attributes:
        matches: equal quantities.
        other_units: equal numbers whose units differ.
        changed: numbers that became other numbers.
        lost: quantities that the original alone states.
        added: quantities that the paraphrase alone states.
    """

    matches: tuple[Match, ...]
    other_units: tuple[Match, ...]
    changed: tuple[Match, ...]
    lost: tuple[Quantity, ...]
    added: tuple[Quantity, ...]

    @property
    def same_values(self) -> tuple[Match, ...]:
        """Matches and those whose units alone differ."""
        return self.matches + self.other_units


def align_quantities(original: Reading, paraphrase: Reading) -> QuantityAlignment:
    """Match the quantities of both texts, equal ones first, and what is left over by its surroundings."""
    left, right = list(original.quantities), list(paraphrase.quantities)
    matches: list[Match] = []
    for rule in (_equal, _equal_number, _equal_converted, _equal_rounded, _equal_inverse):
        matches += _paired(original, paraphrase, left, right, rule)
    other_units = _paired(original, paraphrase, left, right, _same_value)
    _paired(original, paraphrase, left, list(paraphrase.implied), _equal_implied)
    _paired(original, paraphrase, list(original.implied), right, _equal_implied)
    changed = _changed(original, paraphrase, left, right, matches + other_units)
    return QuantityAlignment(tuple(matches), tuple(other_units), tuple(changed), tuple(left), tuple(right))


def says_both(one: Quantity, without: Reading, within: Reading) -> bool:
    """Whether the other text says a bare two as "both" or "a pair", or the names that are counted alone."""
    if one.unit or one.value.denominator != 1 or not 2 <= one.value <= _MOST_NAMED:
        return False
    if one.value == 2 and _BOTH.search(without.text) and not _BOTH.search(within.text):
        return True
    more = one.value.numerator - 1
    named = re.compile(rf"\s[a-z]+:?\s({_NAMES}{{{more}}})(?!(?:,| and|, and) [A-Z])")
    match = named.match(within.text, one.end)
    return match is not None and re.search(rf"\b{re.escape(match[1])}(?!\w)", without.text) is not None


def _equal(one: Quantity, other: Quantity) -> bool:
    return one.value == other.value and one.unit == other.unit


def _equal_number(one: Quantity, other: Quantity) -> bool:
    return one.value == other.value and (not one.unit or not other.unit)


def _equal_converted(one: Quantity, other: Quantity) -> bool:
    if one.unit == other.unit or not one.dimension or one.dimension != other.dimension:
        return False
    try:
        return convert_quantity(one.value, one.unit, other.unit) == other.value
    except DataError:
        return False


def _equal_rounded(one: Quantity, other: Quantity) -> bool:
    if one.unit and other.unit and one.unit != other.unit:
        return False
    return _rounds_to(one.value, other.value) or _rounds_to(other.value, one.value)


def _rounds_to(exact: Fraction, decimal: Fraction) -> bool:
    """Whether a decimal of two places and more is a fraction that no decimal says: 2/3, 0.667."""
    places = _places(decimal)
    return (
        places is not None and places > 1 and _places(exact) is None and abs(exact - decimal) * 10**places < 1
    )


def _places(value: Fraction) -> int | None:
    """Places that the decimal of a number has; None where no decimal says it."""
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None


def _equal_inverse(one: Quantity, other: Quantity) -> bool:
    return one.is_inverse != other.is_inverse and one.value * other.value == 1


def _equal_implied(one: Quantity, other: Quantity) -> bool:
    return _equal(one, other) or _equal_converted(one, other)


def _same_value(one: Quantity, other: Quantity) -> bool:
    return one.value == other.value


def _paired(
    original: Reading,
    paraphrase: Reading,
    left: list[Quantity],
    right: list[Quantity],
    rule: Callable[[Quantity, Quantity], bool],
) -> list[Match]:
    """Take pairs that fit a rule out of both lists, those in the most similar surroundings first."""
    pairs = [(one, other) for one in left for other in right if rule(one, other)]
    if not pairs:
        return []
    alone = len({one.start for one, _ in pairs}) == len({other.start for _, other in pairs}) == len(pairs)
    if not alone:
        pairs.sort(
            key=lambda pair: -similarity(original.surroundings(pair[0]), paraphrase.surroundings(pair[1]))
        )
    return _taken(pairs, left, right)


def _taken(
    pairs: Iterable[tuple[Quantity, Quantity]], left: list[Quantity], right: list[Quantity]
) -> list[Match]:
    """Match the pairs in their order, each quantity once, and take what is matched out of both lists."""
    here, there = {one.start for one in left}, {one.start for one in right}
    matches = []
    for one, other in pairs:
        if one.start in here and other.start in there:
            here.remove(one.start)
            there.remove(other.start)
            matches.append(Match(one, other))
    left[:] = [one for one in left if one.start in here]
    right[:] = [one for one in right if one.start in there]
    return matches


def similarity(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Cosine of two surroundings; 0 where one is empty."""
    return sum(weight * other[key] for key, weight in one.items() if key in other)


def _changed(
    original: Reading,
    paraphrase: Reading,
    left: list[Quantity],
    right: list[Quantity],
    known: list[Match],
) -> list[Match]:
    """Pair what is left over by its surroundings: numbers that became others."""
    before = [
        (one, original.surroundings(one), is_repeated(original, one, [match.original for match in known]))
        for one in left
        if not (one.is_ordinal or says_both(one, paraphrase, original))
    ]
    after = [
        (
            other,
            paraphrase.surroundings(other),
            is_repeated(paraphrase, other, [m.paraphrase for m in known]),
        )
        for other in right
        if not (other.is_ordinal or says_both(other, original, paraphrase))
    ]
    pairs = [
        (similarity(here, there) + (one.unit == other.unit) / 4, one, other)
        for one, here, is_repeated in before
        for other, there, otheris_repeated in after
        if not (one.is_weak and (other.is_weak or otheris_repeated))
        if not (other.is_weak and is_repeated)
    ]
    pairs.sort(key=lambda pair: -pair[0])
    matches = _taken([(one, other) for alike, one, other in pairs if alike > _ALIKE], left, right)
    if len(left) == len(right) == 1:  # what alone is left over became the other, wherever it stands
        matches += _taken([(one, other) for _, one, other in pairs], left, right)
    return matches


def is_repeated(reading: Reading, quantity: Quantity, matched: Iterable[Quantity]) -> bool:
    """Whether the same quantity of the same things is said elsewhere in the text, where it is matched."""
    return any(
        other.value == quantity.value
        and other.text.lower() not in TIMES
        and (other.unit == quantity.unit or not other.unit or not quantity.unit)
        and (
            bool(set(quantity.nouns) & set(other.nouns))
            or similarity(reading.surroundings(quantity), reading.surroundings(other)) > _SAME_PLACE
        )
        for other in matched
    )
