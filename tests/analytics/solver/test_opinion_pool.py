"""Two opinions on a problem become one: agreement is worth more than either says."""

from __future__ import annotations

from fractions import Fraction

import pytest

from analytics.solver.confidence import mixed_solutions, pooled_solutions
from analytics.solver.solution import Solution, solution_of

VALUES = [Fraction(6), Fraction(3)]


def solution(operator: str, probability: float, *slots: str) -> Solution:
    return solution_of([operator, *(slots or ("N0", "N1"))], VALUES, probability)


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
    broken = solution_of(["/", "N0", "-", "N1", "N1"], VALUES, 0.8)
    pooled = pooled_solutions([broken, solution("+", 0.1)], [solution("+", 0.2)], most=3)
    assert [each.value for each in pooled] == [9.0, None]


def test_a_certain_solution_comes_first_and_leaves_the_rest_to_the_others():
    mixed = mixed_solutions(solution("-", 0.9), [solution("+", 0.8), solution("-", 0.1)], most=3)
    assert answers(mixed) == {"3": pytest.approx(0.9 + 0.1 * 0.1), "9": pytest.approx(0.1 * 0.8)}
    assert mixed[0].exact == "3"


def test_without_a_certain_solution_the_others_stay_as_they_are():
    others = [solution("+", 0.8), solution("-", 0.1)]
    assert mixed_solutions(None, others, most=1) == others[:1]
