"""Problems are restated in plain numbers and one unit, and solved over their own numbers."""

from __future__ import annotations

from analytics.records import ProblemRecord
from analytics.solver.rules.reading import Reading
from analytics.solver.rules.restating import restatement
from analytics.solver.rules.solver import RuleSolver
from tests.cases import each_case
from tests.questionbank.scripted_solver import ScriptedSolver


@each_case("word_problems", "restated")
def test_a_problem_is_restated_as_solvers_know_such_texts(text: str, restated: str) -> None:
    found = restatement(Reading(text))
    assert found is not None
    assert found.text.startswith(restated)


@each_case("word_problems", "not_restated")
def test_what_is_usual_stays_as_it_is(text: str) -> None:
    assert restatement(Reading(text)) is None


def test_the_equation_of_a_restated_problem_is_over_its_own_numbers() -> None:
    text = "A pencil costs 35 cents. How many dollars do 20 pencils cost in all?"
    restated = "A pencil costs 0.35 dollars. How many dollars do 20 pencils cost in all?"
    solver = RuleSolver(ScriptedSolver({restated: [("0.35*20", 0.7)], text: [("35*20", 0.9)]}))
    ((solution,),) = solver.solve([ProblemRecord("", text)])
    assert (solution.equation, solution.prototype, solution.exact) == ("35/100*20", "N0/100*N1", "7")
    assert solution.probability == 0.7


def test_a_rule_comes_first_and_agreement_makes_it_surer() -> None:
    text = "18 of the 24 pupils in a class have a pet. What percentage of the pupils have a pet?"
    for equation, is_surer in (("24/18*100", False), ("18/24*100", True)):
        solver = RuleSolver(ScriptedSolver({text: [(equation, 0.86)]}))
        ((best, *_others),) = solver.solve([ProblemRecord("", text)])
        assert (best.exact, best.rule) == ("75", "percentages")
        assert (best.probability > 0.95) == is_surer
        assert solver.unsolvable_reason(ProblemRecord("", text)) == ""


def test_a_share_is_written_in_per_cent_where_it_is_asked_for() -> None:
    text = "男生有24人，女生有30人，男生人数是女生的百分之几？"
    ((solution,),) = RuleSolver(ScriptedSolver({text: [("24/30", 0.9)]})).solve([ProblemRecord("", text, "zh")])
    assert (solution.value, solution.answer) == (0.8, "80%")
