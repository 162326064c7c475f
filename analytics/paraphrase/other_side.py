"""Comparisons that a paraphrase tells from the other side: "2 more hens than ducks", "2 fewer ducks than hens"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from analytics.paraphrase.comparing import (
    Comparison,
    crossing_things,
    end_of_clause,
    is_as_much_the_other_way,
    is_inverse,
    is_turned,
    things_between,
)
from analytics.paraphrase.finding import Span
from analytics.paraphrase.reading import Quantity, Reading

__all__ = ["OtherSide", "told_from_the_other_side"]


@dataclass(frozen=True, slots=True)
class OtherSide:
    """A comparison that the paraphrase tells from the other side.

    Attributes:
        things: keys of the two that changed places.
        numbers: places of the numbers by which it is turned round, in the original and in the paraphrase, if there are.
    """

    things: frozenset[str]
    numbers: tuple[Span, Span] | None = None


def told_from_the_other_side(
    original: Reading, paraphrase: Reading, before: Sequence[Comparison], after: Sequence[Comparison]
) -> list[OtherSide]:
    """Return comparisons that say the same with both things exchanged.

    "Twice as many hens as ducks" is "half as many ducks as hens", "its length is twice its width" "its width is half
    its length".

    Args:
        before: comparisons of the original.
        after: comparisons of the paraphrase.
    """
    found = []
    for one in before:
        for other in after:
            if is_inverse(one, other):
                numbers = (one.by.number, other.by.number) if one.by and other.by else None
            elif is_turned(one, other) or is_as_much_the_other_way(one, other):
                numbers = None
            else:
                continue
            if crossing := crossing_things(one, other):
                found.append(OtherSide(frozenset(crossing), numbers))
    return found + _inverse_multiples(original, paraphrase)


def _inverse_multiples(original: Reading, paraphrase: Reading) -> list[OtherSide]:
    found = []
    multiples: dict[Fraction, list[Quantity]] = {}
    for quantity in _multiples(paraphrase):
        multiples.setdefault(quantity.value, []).append(quantity)
    for one in _multiples(original):
        inverse = multiples.get(1 / one.value)
        if not inverse:
            continue
        before, behind = _sides(original, one)
        for other in inverse:
            new_before, new_behind = _sides(paraphrase, other)
            if before & new_behind and behind & new_before and not behind & new_behind:
                things = frozenset((min(before & new_behind), min(behind & new_before)))
                found.append(OtherSide(things, (one.number, other.number)))
    return found


def _multiples(reading: Reading) -> list[Quantity]:
    """Numbers that may say how many times one thing is another."""
    return [one for one in reading.quantities if not one.unit and one.value not in (0, 1)]


def _sides(reading: Reading, quantity: Quantity) -> tuple[set[str], set[str]]:
    """Keys of the words before a number in its sentence and behind it in its clause, without those of both."""
    sentence = reading.sentences[reading.sentence_of(quantity.start)]
    end = end_of_clause(reading.text, quantity.end, sentence.end)
    before = things_between(reading, sentence.start, quantity.start).keys()
    behind = things_between(reading, quantity.end, end).keys()
    return set(before - behind), set(behind - before)
