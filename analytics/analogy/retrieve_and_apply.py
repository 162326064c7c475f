"""Answers without a language model: the graphs of the nearest problems, filled with the question's numbers. Torch-free.

Ours; the paper hands the nearest problems to a language model instead (Eq. 3), and this is never called its result.
Every graph is filled with the numbers in several alignments, evaluated, and the values are voted for by similarity. A
number of the text may have several slots (20 % is 1/5 and 20); an alignment chooses numbers, and each is read as the
neighbour reads its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations, islice, permutations
from math import exp, inf, isfinite

import numpy as np

from analytics.analogy.graphs import ComputationalGraph
from analytics.expression.evaluate import EvaluationError, Floats, answers_agree, evaluate_floats
from analytics.expression.notation import to_infix, to_prefix
from analytics.expression.slots import fill_slots, renumbered
from analytics.text.number_slots import NumberPlace, SlotNumbers, SlotPlace

_ALIGNMENTS = 24  # of one graph
_TEMPERATURE = 0.05  # of similarity: a neighbour that is less alike by so much has 1/e of the votes
_LATER_ALIGNMENT = 0.1  # votes of an alignment as a share of those of the one before it
_LEAST_VALUE = 1e-9  # that counts as more than nothing: floats of equal sums differ by less
_LARGEST = 10**300  # number that is computed with
_IMPLAUSIBLE = 0.01  # votes of a value that a story can hardly have: nothing, or less
_MOST_CHOICES = 1_000  # combinations of a question's numbers considered for a graph
_MOST_SLOTS = 6  # numbers of a graph that are put in other orders


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A problem that is like the question.

    Attributes:
        graph: what is computed there.
        similarity: to the question; the scale is that of a cosine.
        row: the problem's place in its corpus.
        is_twin: whether its text differs from the question's in its numbers alone.
    """

    graph: ComputationalGraph
    similarity: float
    row: int = -1
    is_twin: bool = False


@dataclass(frozen=True, slots=True)
class AppliedAnswer:
    """An answer with the computation that gives it.

    Attributes:
        value: of the equation.
        equation: a neighbour's graph with the question's numbers.
        tokens: the same over the question's slots, in pre-order.
        prototype: the same in infix.
        row: of the neighbour whose graph it is, the most alike of those that voted for the value.
        confidence: the value's share of all votes, in (0, 1], times the share of the neighbours that voted at all.
    """

    value: float
    equation: str
    tokens: tuple[str, ...]
    prototype: str
    row: int
    confidence: float


def alignments(
    used: Sequence[NumberPlace], question: Sequence[NumberPlace]
) -> Iterator[tuple[NumberPlace, ...]]:
    """Yield ways of giving a graph the numbers of a question, the most probable first, each once.

    First the same places of the text; then the numbers in their order, some passed over, those first that are written
    as the graph's own are; then other orders.

    Args:
        used: numbers that the graph uses, in the order of its text: whether in words, and which of those.
        question: numbers of the question, in the order of its text.

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
        key=lambda choice: sum(
            candidate[0] != number[0] for candidate, number in zip(choice, used, strict=True)
        )
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
"""Votes of an alignment, its value, and for each slot of the graph the place of the question's number."""

Filled = dict[tuple[str, tuple[SlotPlace, ...]], list[_Candidate]]
"""What a question's numbers make of each graph that was filled with them already, by prototype and places."""


def apply_graphs(
    neighbours: Iterable[Neighbour],
    numbers: SlotNumbers,
    *,
    filled: Filled | None = None,
    most: int | None = None,
) -> list[AppliedAnswer]:
    """Return the answers that the neighbours' graphs give with a question's numbers, the most voted first.

    Args:
        neighbours: problems like the question.
        numbers: of the question.
        filled: of the same question, kept between calls that only rank its neighbours otherwise.
        most: answers that are returned; None for all.

    Returns:
        Answers of different values; none where no graph can be filled.
    """
    ranked = sorted(neighbours, key=lambda neighbour: -neighbour.similarity)
    if not ranked:
        return []
    ballot = _Ballot()
    best = ranked[0].similarity
    cast = possible = 0.0
    by_graph: Filled = {} if filled is None else filled
    question = _Question.of(numbers)
    by_slot = _Question.of(SlotNumbers.of_values(numbers.values))  # for graphs that know slots alone
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
    """What graphs are filled with.

    Attributes:
        values: of the slots.
        numbers: of the text.
        slot_of: the slot of each reading of each number.
        alignments: those of graphs with the same numbers, which were found already.
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
            question_alignments = self.alignments[used] = list(
                islice(alignments(used, self.numbers), _ALIGNMENTS)
            )
        return question_alignments

    def slot(self, number: NumberPlace, reading: int) -> int:
        """Return the slot of a reading of a number; of its value where it has no such reading."""
        slot = self.slot_of.get((number, reading))
        return self.slot_of[number, 0] if slot is None else slot


def _numbers(places: Iterable[SlotPlace]) -> tuple[NumberPlace, ...]:
    """Return the numbers that slots read, in the text's order."""
    return tuple(dict.fromkeys(place.mention for place in places))


def _floats(values: Sequence[Fraction]) -> Floats:
    """Return floats (numbers,), infinite where a number is beyond what a float holds."""
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
    """The votes for a value, and the alignment with the most of them: its own votes, neighbour and slots."""

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
    """Votes for values; values that differ by rounding are one."""

    def __init__(self) -> None:
        self._votes: dict[float, _Votes] = {}

    def vote(self, value: float, weight: float, neighbour: Neighbour, places: _Places) -> None:
        votes = _Votes(value, weight, weight, neighbour, places)
        earlier_votes = self._votes.setdefault(value, votes)
        if earlier_votes is not votes:
            earlier_votes.add(votes)

    def _merge_near_values(self) -> list[_Votes]:
        """Return the votes for each value, those that differ by rounding together, the most voted first."""
        merged: list[_Votes] = []
        smallest = 0.0  # of the last group
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
                    value=float(f"{votes.value:.12g}"),  # without a float's last digits
                    equation=to_infix(fill_slots(tree, values)),
                    tokens=tuple(to_prefix(tree)),
                    prototype=to_infix(tree),
                    row=votes.neighbour.row,
                    confidence=turnout * votes.total / total,
                )
            )
        return answers
