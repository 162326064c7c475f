"""Answers from the graphs of neighbours."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.analogy.graphs import ComputationalGraph, text_graph
from analytics.analogy.retrieve_and_apply import Neighbour, alignments, apply_graphs
from analytics.expression.evaluate import with_slots
from analytics.expression.tree import from_prefix, parse_expression
from analytics.records import ProblemRecord
from analytics.text.number_slots import SlotNumbers
from tests.cases import each_case


def numbers(*values: int) -> SlotNumbers:
    return SlotNumbers.of_values(map(Fraction, values))


def graph(equation: str, *numbers: int) -> ComputationalGraph:
    return ComputationalGraph.of(with_slots(parse_expression(equation), [Fraction(number) for number in numbers]))


def test_the_nearest_graph_is_filled_with_the_questions_numbers() -> None:
    (best, *_others) = apply_graphs([Neighbour(graph("7*2", 7, 2), 0.9, row=4)], numbers(5, 12))
    assert (best.value, best.equation, best.prototype, best.row) == (60, "5*12", "N0*N1", 4)


def test_numbers_that_a_neighbour_has_elsewhere_keep_their_order() -> None:
    (best, *_others) = apply_graphs([Neighbour(graph("9-4", 1, 9, 4), 0.9)], numbers(8, 2))
    assert best.equation == "8-2"


@each_case("exemplars", "applied")
def test_a_number_is_read_as_the_neighbour_reads_its_own(text: str, equation: str, asked: str, answer: float) -> None:
    neighbour = text_graph(ProblemRecord("1", text, equation=equation))
    assert neighbour is not None
    (first, *_others) = apply_graphs([Neighbour(neighbour, 0.9)], SlotNumbers.of_text(asked))
    assert first.value == pytest.approx(answer)


@pytest.mark.parametrize(
    ("asked", "equation", "value"),
    [("30 % of 80 girls", "/ * N2 N1 100", 24), ("Three men eat 5 eggs, and 7 cups", "* N1 N0", 15)],
)
def test_graphs_of_earlier_versions_know_slots_alone(asked: str, equation: str, value: int) -> None:
    old = ComputationalGraph.of(from_prefix(equation.split()))
    assert apply_graphs([Neighbour(old, 0.9)], SlotNumbers.of_text(asked))[0].value == value


def test_the_value_is_that_of_the_equation_shown() -> None:
    near, nearer = Neighbour(graph("7*2-0.001", 7, 2), 0.5), Neighbour(graph("7*2", 7, 2), 0.95)
    best = apply_graphs([near, nearer], numbers(10, 3))[0]
    assert (best.value, best.equation) == (30, "10*3")


def test_numbers_in_digits_are_taken_for_numbers_in_digits() -> None:
    words, digits = (True, 0), [(False, place) for place in range(3)]
    first, *_others = alignments([(False, 3), (False, 4)], [words, *digits])
    assert first == (digits[0], digits[1])


def test_an_order_that_gives_nothing_or_less_yields_to_the_next() -> None:
    best, worse = apply_graphs([Neighbour(graph("9-4", 9, 4), 0.9)], numbers(5, 12))
    assert (best.value, worse.value) == (7, -7)
    assert best.confidence > 0.9 > worse.confidence


def test_neighbours_vote_by_similarity() -> None:
    near, far = graph("7+2", 7, 2), graph("7*2", 7, 2)
    values = numbers(5, 12)
    assert apply_graphs([Neighbour(near, 0.8), Neighbour(far, 0.7)], values)[0].value == 17
    outvoted = [Neighbour(near, 0.8), *(Neighbour(far, 0.79) for _ in range(2))]
    answer = apply_graphs(outvoted, values)[0]
    assert answer.value == 60
    assert answer.confidence == pytest.approx(2 / (2 + 1.2214), abs=0.001)


def test_confidence_falls_where_neighbours_cannot_be_filled() -> None:
    filled = Neighbour(graph("7+2", 7, 2), 0.8)
    too_large = Neighbour(graph("7+2+1+8", 7, 2, 1, 8), 0.8)
    values = numbers(5, 12)
    assert apply_graphs([filled], values)[0].confidence == 1
    assert apply_graphs([filled, too_large], values)[0].confidence == 0.5


def test_nothing_is_answered_where_nothing_fits() -> None:
    assert apply_graphs([], numbers(5, 12, 3)) == []
    assert apply_graphs([Neighbour(graph("7+2", 7, 2), 0.8)], numbers()) == []
    assert apply_graphs([Neighbour(graph("7/0", 7), 0.8)], numbers(4)) == []


NUMBERS = st.lists(st.tuples(st.booleans(), st.integers(0, 4)), max_size=6, unique=True)


@given(NUMBERS, NUMBERS)
def test_alignments_give_each_number_one_of_its_own(
    own: list[tuple[bool, int]], question: list[tuple[bool, int]]
) -> None:
    tried = list(islice(alignments(own, question), 50))
    assert len(tried) == len(set(tried))
    for alignment in tried:
        assert len(set(alignment)) == len(own)
        assert set(alignment) <= set(question)
    assert bool(tried) == (len(own) <= len(question))
