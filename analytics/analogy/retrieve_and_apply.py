"""Answer without a language model, by filling the nearest problems' graphs with the question's numbers. Torch-free.

Ours; the paper passes the nearest problems to a language model instead (Eq. 3), and this is never presented
as the paper's result. Every graph is filled with the numbers in several alignments and evaluated, and the
values are voted on, weighted by similarity. A number in the text may have several slots (20 % is 1/5 and 20);
an alignment chooses numbers, and each is read as the neighbour reads its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations, islice, permutations
from math import exp, inf, isfinite

import numpy as np

from analytics.analogy.graphs import ComputationalGraph
from analytics.expression.evaluate import (
    EvaluationError,
    Floats,
    answers_agree,
    evaluate_floats,
    fill_slots,
    renumbered,
)
from analytics.expression.tree import to_infix, to_prefix
from analytics.text.number_slots import NumberPlace, SlotNumbers, SlotPlace

_ALIGNMENTS = 24  # of one graph
_TEMPERATURE = 0.05  # of similarity: a neighbour less similar by this much has 1/e of the votes
_LATER_ALIGNMENT = 0.1  # votes of an alignment relative to the one before it
_LEAST_VALUE = 1e-9  # values below it count as zero: floats of equal sums differ by less
_LARGEST = 10**300  # largest number used in computations
_IMPLAUSIBLE = 0.01  # vote factor for a value that is implausible in a story: zero or negative
_MOST_CHOICES = 1_000  # maximum combinations of a question's numbers per graph
_MOST_SLOTS = 6  # maximum numbers of a graph that are permuted


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A problem similar to the question.

    Attributes:
        graph: its computational graph.
        similarity: similarity to the question, on the scale of a cosine.
        row: the problem's index in its corpus.
        is_twin: whether its text differs from the question's only in numbers.
    """

    graph: ComputationalGraph
    similarity: float
    row: int = -1
    is_twin: bool = False


@dataclass(frozen=True, slots=True)
class AppliedAnswer:
    """An answer with the computation that gives it.

    Attributes:
        value: value of the equation.
        equation: a neighbour's graph with the question's numbers.
        tokens: the equation over the question's slots, in pre-order.
        prototype: the equation over the slots, in infix.
        row: row of the neighbour that the graph is from, the most similar of those that voted for the value.
        confidence: the value's share of all votes, in (0, 1], times the share of neighbours that voted.
    """

    value: float
    equation: str
    tokens: tuple[str, ...]
    prototype: str
    row: int
    confidence: float


def alignments(used: Sequence[NumberPlace], question: Sequence[NumberPlace]) -> Iterator[tuple[NumberPlace, ...]]:
    """Yield distinct ways of assigning a question's numbers to a graph, most probable first.

    First come the same places in the text; then the numbers in order with some skipped, preferring those
    written like the graph's own; then other orders.

    Args:
        used: numbers that the graph uses, in text order, as (whether in words, index among those).
        question: numbers of the question, in text order.

    >>> first, second = (False, 0), (False, 1)
    >>> list(alignments([first, second], [first, second]))
    [((False, 0), (False, 1)), ((False, 1), (False, 0))]
    """
    if len(used) > len(question):
        return
    seen: set[tuple[NumberPlace, ...]] = set()
    if set(used) <= set(question):
        seen.add(tuple(used))
        yield tuple(used)
    choices = list(islice(combinations(question, len(used)), _MOST_CHOICES))
    choices.sort(
        key=lambda choice: sum(candidate[0] != number[0] for candidate, number in zip(choice, used, strict=True))
    )
    del choices[_ALIGNMENTS:]
    for choice in choices:
        if choice not in seen:
            seen.add(choice)
            yield choice
    if len(used) > _MOST_SLOTS:
        return
    for choice in choices:
        for order in permutations(choice):
            if order not in seen:
                seen.add(order)
                yield order


_Places = tuple[int, ...]
_Candidate = tuple[float, float, _Places]
"""Votes of an alignment, its value, and the place of the question's number for each slot of the graph."""

Filled = dict[tuple[str, tuple[SlotPlace, ...]], list[_Candidate]]
"""Cached results of filling graphs with a question's numbers, by prototype and places."""


def apply_graphs(
    neighbours: Iterable[Neighbour], numbers: SlotNumbers, *, filled: Filled | None = None, most: int | None = None
) -> list[AppliedAnswer]:
    """Return the answers of the neighbours' graphs with a question's numbers, in descending order of votes.

    Args:
        neighbours: problems similar to the question.
        numbers: the question's numbers.
        filled: cache for the same question, reused between calls that only rank its neighbours differently.
        most: maximum number of answers; None for all.

    Returns:
        Answers with distinct values; empty if no graph can be filled.
    """
    ranked = sorted(neighbours, key=lambda neighbour: -neighbour.similarity)
    if not ranked:
        return []
    ballot = _Ballot()
    best = ranked[0].similarity
    cast = possible = 0.0
    by_graph: Filled = {} if filled is None else filled
    question = _Question.of(numbers)
    by_slot = _Question.of(SlotNumbers.of_values(numbers.values))  # for graphs that only know slots
    for neighbour in ranked:
        weight = exp((neighbour.similarity - best) / _TEMPERATURE)
        key = (neighbour.graph.prototype, neighbour.graph.places)
        candidates = by_graph.get(key)
        if candidates is None:
            question_numbers = question if neighbour.graph.places else by_slot
            candidates = by_graph[key] = _candidates(neighbour.graph, question_numbers)
        total = sum(share for share, _value, _places in candidates)
        possible += weight
        cast += weight if candidates else 0.0
        for share, value, places in candidates:
            ballot.vote(value, weight * share / total, neighbour, places)
    return ballot.answers(numbers.values, cast / possible, most)


@dataclass(frozen=True, slots=True)
class _Question:
    """The numbers that graphs are filled with.

    Attributes:
        values: values of the slots.
        numbers: numbers in the text.
        slot_of: the slot of each reading of each number.
        alignments: cached alignments, by the graph's numbers.
    """

    values: Floats
    numbers: tuple[NumberPlace, ...]
    slot_of: dict[tuple[NumberPlace, int], int]
    alignments: dict[tuple[NumberPlace, ...], list[tuple[NumberPlace, ...]]] = field(default_factory=dict)

    @classmethod
    def of(cls, numbers: SlotNumbers) -> _Question:
        slot_of = {(place.mention, place.reading): slot for slot, place in enumerate(numbers.places)}
        return cls(_floats(numbers.values), _numbers(numbers.places), slot_of)

    def aligned(self, used: tuple[NumberPlace, ...]) -> list[tuple[NumberPlace, ...]]:
        """Return the first alignments with a graph's numbers."""
        question_alignments = self.alignments.get(used)
        if question_alignments is None:
            question_alignments = self.alignments[used] = list(islice(alignments(used, self.numbers), _ALIGNMENTS))
        return question_alignments

    def slot(self, number: NumberPlace, reading: int) -> int:
        """Return the slot of a reading of a number, or that of its value if it has no such reading."""
        slot = self.slot_of.get((number, reading))
        return self.slot_of[number, 0] if slot is None else slot


def _numbers(places: Iterable[SlotPlace]) -> tuple[NumberPlace, ...]:
    """Return the numbers that slots read, in text order."""
    return tuple(dict.fromkeys(place.mention for place in places))


def _floats(values: Sequence[Fraction]) -> Floats:
    """Convert to floats (numbers,), infinite if a number exceeds the range of a float."""
    try:
        return np.array([float(value) for value in values])
    except OverflowError:
        return np.array([float(value) if abs(value) < _LARGEST else inf for value in values])


def _candidates(graph: ComputationalGraph, question: _Question) -> list[_Candidate]:
    """Return (votes, value, slots of the question) for each alignment of a graph that has a value."""
    places = graph.slot_places
    used = _numbers(places)
    uses = [(used.index(place.mention), place.reading) for place in places]
    choices = [
        tuple(question.slot(alignment[number], reading) for number, reading in uses)
        for alignment in question.aligned(used)
    ]
    if not choices:
        return []
    numbers = question.values[np.array(choices, dtype=int)]
    slots = {f"N{slot}": column for slot, column in zip(graph.slots, numbers.T, strict=True)}
    try:
        results = evaluate_floats(graph.tree, slots)
    except EvaluationError:
        return []
    candidates = []
    share = 1.0
    for choice, value in zip(choices, np.broadcast_to(results, len(choices)).tolist(), strict=True):
        if not isfinite(value):
            continue
        plausible = value > _LEAST_VALUE
        candidates.append((share if plausible else share * _IMPLAUSIBLE, value, choice))
        if plausible:
            share *= _LATER_ALIGNMENT
    return candidates


@dataclass(slots=True)
class _Votes:
    """The votes for a value, and its best alignment: that alignment's own votes, neighbour and slots."""

    value: float
    total: float
    most: float
    neighbour: Neighbour
    places: _Places

    def add(self, other: _Votes) -> None:
        self.total += other.total
        if other.most > self.most:
            self.value, self.most = other.value, other.most
            self.neighbour, self.places = other.neighbour, other.places


class _Ballot:
    """Votes for values; values that differ only by rounding are merged."""

    def __init__(self) -> None:
        self._votes: dict[float, _Votes] = {}

    def vote(self, value: float, weight: float, neighbour: Neighbour, places: _Places) -> None:
        votes = _Votes(value, weight, weight, neighbour, places)
        earlier_votes = self._votes.setdefault(value, votes)
        if earlier_votes is not votes:
            earlier_votes.add(votes)

    def _merge_near_values(self) -> list[_Votes]:
        """Return the votes for each value, merging those that differ only by rounding, most votes first."""
        merged: list[_Votes] = []
        smallest = 0.0  # smallest value of the last group
        for votes in sorted(self._votes.values(), key=lambda votes: votes.value):
            if merged and answers_agree(smallest, votes.value):
                merged[-1].add(votes)
            else:
                smallest = votes.value
                merged.append(replace(votes))
        return sorted(merged, key=lambda votes: (-votes.total, -votes.most))

    def answers(self, values: Sequence[Fraction], turnout: float, most: int | None) -> list[AppliedAnswer]:
        merged = self._merge_near_values()
        total = sum(votes.total for votes in merged)
        answers = []
        for votes in merged[:most]:
            graph = votes.neighbour.graph
            tree = renumbered(graph.tree, dict(zip(graph.slots, votes.places, strict=True)))
            answers.append(
                AppliedAnswer(
                    value=float(f"{votes.value:.12g}"),  # drops a float's last digits
                    equation=to_infix(fill_slots(tree, values)),
                    tokens=tuple(to_prefix(tree)),
                    prototype=to_infix(tree),
                    row=votes.neighbour.row,
                    confidence=turnout * votes.total / total,
                )
            )
        return answers
