"""Which graphs a solver's answers make likely."""

from __future__ import annotations

import pytest

from analytics.records import ProblemRecord
from questionbank.selectors.similar.likely_graphs import likely_graphs
from tests.questionbank.scripted_solver import ScriptedSolver

EGGS = "Of 12 eggs 5 broke, then 0 were bought."


def likely(*equations: tuple[str, float]) -> list[tuple[str, float]]:
    (graphs,) = likely_graphs(ScriptedSolver({EGGS: equations}), [ProblemRecord("1", EGGS, "en")])
    return [(graph.prototype, probability) for graph, probability in graphs]


def test_each_value_counts_once_by_its_likeliest_equation():
    assert likely(("12-5", 0.7), ("12+0-5", 0.6), ("12+5", 0.2)) == [("N0-N1", 0.7), ("N0+N1", 0.2)]


@pytest.mark.parametrize("equations", [(), (("12/0", 0.9),)])
def test_what_has_no_value_makes_no_graph_likely(equations):
    assert likely(*equations) == []
