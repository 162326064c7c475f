"""Answers from the graphs of neighbours."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.analogy.graphs import ComputationalGraph
from analytics.analogy.retrieve_and_apply import Neighbour, alignments, apply_graphs
from analytics.expression.parser import parse_expression
from analytics.expression.slots import with_slots

VALUES = [Fraction(5), Fraction(12), Fraction(3)]


def graph(equation: str, *numbers: int) -> ComputationalGraph:
    return ComputationalGraph.of(
        with_slots(parse_expression(equation), [{Fraction(number)} for number in numbers])
    )


def test_the_nearest_graph_is_filled_with_the_questions_numbers() -> None:
    (best, *_others) = apply_graphs([Neighbour(graph("7*2", 7, 2), 0.9, row=4)], [Fraction(5), Fraction(12)])
    assert (best.value, best.equation, best.prototype, best.row) == (60, "5*12", "N0*N1", 4)


def test_numbers_that_a_neighbour_has_elsewhere_keep_their_order() -> None:
    (best, *_others) = apply_graphs([Neighbour(graph("9-4", 1, 9, 4), 0.9)], [Fraction(8), Fraction(2)])
    assert best.equation == "8-2"


def test_an_order_that_gives_nothing_or_less_yields_to_the_next() -> None:
    best, worse = apply_graphs([Neighbour(graph("9-4", 9, 4), 0.9)], [Fraction(5), Fraction(12)])
    assert (best.value, worse.value) == (7, -7)
    assert best.confidence > 0.9 > worse.confidence


def test_neighbours_vote_by_similarity() -> None:
    near, far = graph("7+2", 7, 2), graph("7*2", 7, 2)
    values = [Fraction(5), Fraction(12)]
    assert apply_graphs([Neighbour(near, 0.8), Neighbour(far, 0.7)], values)[0].value == 17
    outvoted = [Neighbour(near, 0.8), *(Neighbour(far, 0.79) for _ in range(2))]
    answer = apply_graphs(outvoted, values)[0]
    assert answer.value == 60
    assert answer.confidence == pytest.approx(2 / (2 + 1.2214), abs=0.001)


def test_confidence_falls_where_neighbours_cannot_be_filled() -> None:
    filled = Neighbour(graph("7+2", 7, 2), 0.8)
    too_large = Neighbour(graph("7+2+1+8", 7, 2, 1, 8), 0.8)
    values = [Fraction(5), Fraction(12)]
    assert apply_graphs([filled], values)[0].confidence == 1
    assert apply_graphs([filled, too_large], values)[0].confidence == 0.5


def test_nothing_is_answered_where_nothing_fits() -> None:
    assert apply_graphs([], VALUES) == []
    assert apply_graphs([Neighbour(graph("7+2", 7, 2), 0.8)], []) == []
    assert apply_graphs([Neighbour(graph("7/0", 7), 0.8)], [Fraction(4)]) == []


@given(st.sets(st.integers(0, 7), max_size=4), st.integers(0, 6))
def test_alignments_give_each_slot_a_number_of_its_own(places: set[int], count: int) -> None:
    slots = tuple(sorted(places))
    tried = list(islice(alignments(slots, count), 50))
    assert len(tried) == len(set(tried))
    for alignment in tried:
        assert len(set(alignment)) == len(slots)
        assert all(0 <= place < count for place in alignment)
    assert bool(tried) == (len(slots) <= count)
