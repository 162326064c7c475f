"""Which graphs a solver's answers make likely."""

from __future__ import annotations

import pytest

from analytics.records import ProblemRecord
from analytics.solver.solution import solution_of
from analytics.solver.targets import problem_graph_key
from analytics.text.number_slots import number_slots
from questionbank.similar.likely_graphs import likely_graphs
from tests.questionbank.scripted_solver import ScriptedSolver

EGGS = "Of 12 eggs 5 broke, then 0 were bought."


def likely(*equations: tuple[str, float]) -> list[tuple[str, float]]:
    (graphs,) = likely_graphs(ScriptedSolver({EGGS: equations}), [ProblemRecord("1", EGGS, "en")])
    return [(graph.prototype, probability) for graph, probability in graphs]


def test_each_value_counts_once_by_its_likeliest_equation():
    assert likely(("12-5", 0.7), ("12+0-5", 0.6), ("12+5", 0.2)) == [("N0-N1", 0.7), ("N0+N1", 0.2)]


def test_a_number_that_the_text_repeats_is_one_number():
    text = "A pen costs 3 dollars and a pencil costs 3 dollars."
    problem = ProblemRecord("1", text, "en")
    ((graph, _probability),) = likely_graphs(RepeatedNumbers(), [problem])[0]
    assert graph.graph == problem_graph_key(text, "3+3")


class RepeatedNumbers(ScriptedSolver):
    """Writes both of the numbers, as a tree decoder may."""

    def __init__(self) -> None:
        super().__init__({})

    def _solutions(self, text):
        return [solution_of(["+", "N0", "N1"], [slot.value for slot in number_slots(text)], 0.9)]


@pytest.mark.parametrize("equations", [(), (("12/0", 0.9),)])
def test_what_has_no_value_makes_no_graph_likely(equations):
    assert likely(*equations) == []
