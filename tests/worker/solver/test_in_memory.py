"""A model that no artifact holds answers as a served one does."""

from __future__ import annotations

from fractions import Fraction

from analytics.records import ProblemRecord
from analytics.solver.solution import solution_of
from tests.analytics.solver.small_problems import tiny_solver
from worker.solver.reproduction.in_memory import SolverInMemory


def test_an_answer_that_the_question_cannot_have_gives_way(monkeypatch):
    model = tiny_solver()
    values = [Fraction(5), Fraction(28)]
    found = [
        solution_of(["/", "N1", "N0"], values, 0.5),
        solution_of(["-", "N1", "N0"], values, 0.4),
    ]
    monkeypatch.setattr(model, "solve", lambda problems, beam: [found[:beam] for _problem in problems])
    problem = ProblemRecord("1", "A car holds 5 pupils, and there are 28. How many pupils are left?")
    [solutions] = SolverInMemory(model).solve([problem])
    assert [solution.equation for solution in solutions] == ["28-5", "28/5"]
    [only] = SolverInMemory(model).solve([problem], beam=1)
    assert [solution.equation for solution in only] == ["28/5"]
