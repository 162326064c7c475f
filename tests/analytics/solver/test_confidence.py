"""How probable a solution is, and two opinions that become one: agreement is worth more than either says."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction

import pytest

from analytics.artifacts import Manifest, artifact_read
from analytics.errors import ArtifactError, DataError
from analytics.records import ProblemRecord
from analytics.solver import calibrating
from analytics.solver.calibrating import fit_confidence
from analytics.solver.confidence import (
    CONFIDENCE_NAME,
    Confidence,
    load_confidence,
    mixed_solutions,
    pooled_solutions,
    save_confidence,
)
from analytics.solver.model import save_solver, solver_extra
from analytics.solver.served import load_solver
from analytics.solver.solution import Solution, solution_of
from analytics.solver.targets import solver_example
from tests.analytics.solver.small_problems import problems, tiny_solver

VALUES = [Fraction(7), Fraction(2)]
ADD = solution_of(["+", "N0", "N1"], VALUES, 0.6)
TAKE = solution_of(["-", "N0", "N1"], VALUES, 0.2)
NOTHING = solution_of(["/", "N0", "-", "N1", "N1"], VALUES, 0.1)


def test_probabilities_fall_and_add_up_to_one_at_most_in_the_searchs_order():
    sure = Confidence((0.0, 0.0, 0.0), 3.0).applied([ADD, TAKE, NOTHING])
    assert sum(solution.probability for solution in sure) == pytest.approx(1)
    upside_down = Confidence((-1.0, 0.0, 0.0), 0.0).applied([ADD, TAKE, NOTHING])
    assert [solution.tokens for solution in upside_down] == [ADD.tokens, TAKE.tokens, NOTHING.tokens]
    probabilities = [solution.probability for solution in upside_down]
    assert probabilities == sorted(probabilities, reverse=True)


def test_solutions_with_equal_values_are_right_together():
    turned = solution_of(["+", "N1", "N0"], VALUES, 0.5)
    first, second, third = Confidence((0.0, 0.0, 0.0), 1.386).applied([ADD, turned, TAKE])  # each 0.8
    assert first.probability == second.probability == pytest.approx(0.8, abs=1e-3)
    assert third.probability == pytest.approx(0.2, abs=1e-3)
    assert Confidence((0.0, 0.0, 0.0), 1.0).applied([]) == []


def fitted_on_two_sets(name: str) -> float:
    """The probability of an answer; of 300 problems of one set all are right, of 60 of another one in ten."""
    examples, solutions = [], []
    for number in range(360):
        is_right = number < 300 or number % 10 == 0
        problem = ProblemRecord(name.format("large" if number < 300 else "small", number), "7 and 2")
        examples.append(solver_example(replace(problem, equation="7+2" if is_right else "7*2")))
        solutions.append([replace(ADD, probability=0.5)])
    return fit_confidence(examples, solutions).confidence.applied(solutions[0])[0].probability


def test_sets_that_ids_name_count_the_same_whatever_their_size():
    assert fitted_on_two_sets("{0}/{1}") == pytest.approx((1 + 0.1) / 2, abs=0.03)
    assert fitted_on_two_sets("{1}") == pytest.approx(306 / 360, abs=0.03)


def test_the_confidence_of_a_trained_solver_is_fitted_anew(tmp_path, monkeypatch):
    model = tiny_solver()
    save_solver(model, tmp_path / "model", Manifest("solver", "tiny", extra=solver_extra(model)))
    lines = [json.dumps({"text": problem.text, "equation": problem.equation}) for problem in problems()]
    (tmp_path / "problems.jsonl").write_text("\n".join(lines))
    arguments = (tmp_path / "model", tmp_path / "problems.jsonl")
    with pytest.raises(DataError, match="too few problems"):
        calibrating.refit(*arguments)
    wanted = calibrating.Calibration(Confidence((0.1, 0.2, 0.3), 0.4), 0.05, 0.1, 60)
    passed = []
    monkeypatch.setattr(calibrating, "fit_confidence", lambda examples, solutions: passed.extend(solutions) or wanted)
    assert calibrating.refit(*arguments) == wanted
    plain = load_solver(tmp_path / "model")
    plain.confidence = None
    assert passed == plain.solve(problems())  # the search's own probabilities
    calibrating.refit(*arguments)
    assert passed[len(problems()) :] == passed[: len(problems())]
    assert load_solver(tmp_path / "model").confidence == wanted.confidence  # checksums included
    assert artifact_read(tmp_path / "model").metrics["confidence"]["problems"] == 60


def test_a_search_that_is_too_sure_of_itself_is_corrected():
    rng = random.Random(1)
    examples, solutions = [], []
    for number in range(600):
        is_right = rng.random() < 0.6
        examples.append(solver_example(ProblemRecord(str(number), "7 and 2", equation="7+2" if is_right else "7*2")))
        sure = rng.uniform(0.9, 0.99)
        solutions.append([replace(ADD, probability=sure), replace(TAKE, probability=(1 - sure) / 2)])
    calibration = fit_confidence(examples, solutions)
    assert calibration.error_before > 0.25
    assert calibration.error < 0.08
    first = calibration.confidence.applied(solutions[0])[0]
    assert first.probability == pytest.approx(0.6, abs=0.1)
    assert calibration.as_metrics()["problems"] == 600


def test_too_few_problems_or_one_kind_of_answer_fit_nothing():
    example = solver_example(ProblemRecord("1", "7 and 2", equation="7+2"))
    assert fit_confidence([example] * 10, [[ADD, TAKE]] * 10) is None
    assert fit_confidence([example] * 90, [[ADD]] * 90) is None


def test_saved_and_loaded_it_is_the_same_and_damage_is_said(tmp_path):
    assert load_confidence(tmp_path) is None
    confidence = Confidence((0.5, 1.25, -0.125), 0.75)
    save_confidence(confidence, tmp_path)
    assert load_confidence(tmp_path) == confidence
    (tmp_path / CONFIDENCE_NAME).write_text('{"weights": [1], "bias": 0}')
    with pytest.raises(ArtifactError, match="1 weights"):
        load_confidence(tmp_path)


POOLED_VALUES = [Fraction(6), Fraction(3)]


def solution(operator: str, probability: float, *slots: str) -> Solution:
    return solution_of([operator, *(slots or ("N0", "N1"))], POOLED_VALUES, probability)


def answers(solutions: list[Solution]) -> dict[str, float]:
    return {each.exact: each.probability for each in solutions}


def test_an_answer_of_both_is_likelier_than_either_says():
    pooled = pooled_solutions([solution("+", 0.6)], [solution("+", 0.7), solution("-", 0.2)], most=3)
    assert pooled[0].exact == "9"
    assert pooled[0].probability > 0.7


def test_each_opinion_counts_with_the_weight_of_decision_61():
    pooled = pooled_solutions([solution("+", 0.6)], [solution("+", 0.7)], most=1)
    said = ((0.6 + 0.1 * 0.4) * (0.7 + 0.1 * 0.3)) ** 0.6
    neither = (0.4 * 0.3) ** 0.6
    assert pooled[0].probability == pytest.approx(said / (said + neither))


def test_what_one_is_surer_of_wins_where_they_differ():
    pooled = pooled_solutions([solution("+", 0.9), solution("*", 0.05)], [solution("-", 0.5)], most=3)
    assert pooled[0].exact == "9"
    assert {each.exact for each in pooled} == {"9", "3", "18"}
    assert pooled[0].probability < 0.9


def test_equal_values_of_the_solver_are_right_together_and_its_equation_is_shown():
    own = [solution("+", 0.5), solution("+", 0.5, "N1", "N0"), solution("-", 0.3)]
    pooled = pooled_solutions(own, [solution("+", 0.4, "N1", "N0")], most=3)
    assert [each.exact for each in pooled] == ["9", "3"]
    assert pooled[0].equation == "6+3"
    same = pooled_solutions([own[0], own[2]], [solution("+", 0.4)], most=3)
    assert answers(pooled) == pytest.approx(answers(same))


@pytest.mark.parametrize(
    ("own", "other"),
    [
        ([("+", 1.0)], [("-", 1.0)]),
        ([("+", 1.0)], [("+", 1.0)]),
        ([("+", 0.4), ("-", 0.3)], [("*", 0.5), ("-", 0.4)]),
        ([("+", 0.0)], [("-", 0.0)]),
    ],
)
def test_probabilities_fall_and_add_up_to_one_at_most(own, other):
    pooled = pooled_solutions([solution(*each) for each in own], [solution(*each) for each in other], most=8)
    probabilities = [each.probability for each in pooled]
    assert probabilities == sorted(probabilities, reverse=True)
    assert 0 <= sum(probabilities) <= 1 + 1e-9
    assert max(probabilities) < 1


def test_a_silent_opinion_changes_nothing():
    own = [solution("+", 0.6), solution("-", 0.3)]
    assert pooled_solutions(own, [], most=3) == own
    assert pooled_solutions([], own, most=1) == own[:1]


def test_a_solution_without_a_value_stands_last():
    broken = solution_of(["/", "N0", "-", "N1", "N1"], POOLED_VALUES, 0.8)
    pooled = pooled_solutions([broken, solution("+", 0.1)], [solution("+", 0.2)], most=3)
    assert [each.value for each in pooled] == [9.0, None]


def test_a_certain_solution_comes_first_and_leaves_the_rest_to_the_others():
    mixed = mixed_solutions(solution("-", 0.9), [solution("+", 0.8), solution("-", 0.1)], most=3)
    assert answers(mixed) == {"3": pytest.approx(0.9 + 0.1 * 0.1), "9": pytest.approx(0.1 * 0.8)}
    assert mixed[0].exact == "3"


def test_without_a_certain_solution_the_others_stay_as_they_are():
    others = [solution("+", 0.8), solution("-", 0.1)]
    assert mixed_solutions(None, others, most=1) == others[:1]
