"""Each rule answers the problems that it is for, over the problem's numbers, and leaves others alone."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from analytics.inference.subject import NOT_MATHEMATICS
from analytics.records import ProblemRecord
from analytics.solver.rules.reading import Reading
from analytics.solver.rules.solver import (
    CONTRADICTION_REASON,
    RULES,
    RuleSolver,
    compared_answers,
    contradicts_itself,
    may_be_solved,
    rule_solution,
)
from analytics.solver.solution import Solution, solution_steps
from tests.cases import each_case, load_cases
from tests.questionbank.scripted_solver import ScriptedSolver


@each_case("word_problems", "answers")
def test_a_rule_answers_what_it_is_for(rule: str, text: str, answer: str) -> None:
    solution = rule_solution(text)
    assert solution is not None
    assert (solution.rule, solution.answer) == (rule, answer)
    assert 0.5 < solution.probability < 1
    assert solution_steps(solution)
    assert may_be_solved(text)


def test_a_notice_with_numbers_is_not_solved() -> None:
    text = "Lost on Monday: one bag with 2 books and 3 pens. Please bring it to room 12."
    assert not may_be_solved(text)
    assert RuleSolver(ScriptedSolver({})).unsolvable_reason(ProblemRecord("", text)) == NOT_MATHEMATICS


@each_case("word_problems", "contradictions")
def test_a_story_that_contradicts_itself_has_no_answer(text: str, contradicts: bool) -> None:
    assert contradicts_itself(text) is contradicts
    reason = RuleSolver(NoSolver()).unsolvable_reason(ProblemRecord("1", text, "en"))
    assert (reason == CONTRADICTION_REASON) is contradicts
    assert not contradicts or rule_solution(text) is None


class NoSolver:
    """Tries every problem, and finds nothing."""

    name = "none"

    def solve(self, problems: Sequence[ProblemRecord], *, beam: int = 3) -> list[list[Solution]]:
        return [[] for _problem in problems]

    def unsolvable_reason(self, problem: ProblemRecord) -> str:
        return ""


def test_every_rule_has_an_example() -> None:
    assert {rule.name for rule in RULES} == {case["rule"] for case in load_cases("word_problems", "answers")}


@each_case("word_problems", "unanswered")
def test_no_rule_answers_what_it_does_not_understand(text: str) -> None:
    assert rule_solution(text) is None


def test_an_equation_is_written_over_the_problems_own_numbers() -> None:
    solution = rule_solution("Divide 35 sweets between Ann and Bo in the ratio 3 : 4. How many does Bo get?")
    assert (solution.prototype, solution.equation) == ("N0/(N1+N2)*N2", "35/(3+4)*4")
    remainder = rule_solution("29 cookies are shared equally among 4 children. How many are left over?")
    assert (remainder.equation, remainder.rounding, remainder.quotient) == ("29/4", "remainder", 7.25)
    assert [str(step) for step in solution_steps(remainder)] == ["29 / 4 = 7.25", "remainder of 29 ÷ 4 = 1"]


@each_case("word_problems", "steps")
def test_steps_are_those_of_a_pupil(text: str, steps: list[str]) -> None:
    assert [str(step) for step in solution_steps(rule_solution(text))] == steps


@pytest.mark.parametrize(
    "text", ["", "?", "9" * 20_000, "of 1:2 " * 1_000, "每" * 9_000, "A: 3/0 ratio 1:0 of them?", "Divide 3 by 0."]
)
def test_a_strange_text_ends_without_an_answer(text: str, no_hang: None) -> None:
    assert rule_solution(text) is None
    for rule in RULES:
        rule.answer(Reading(text[:10_000]))


@each_case("word_problems", "same_answers")
def test_answers_are_compared_in_one_unit_or_not_at_all(original: str, paraphrase: str, expected: float) -> None:
    assert compared_answers(original, paraphrase) == expected
    assert compared_answers(paraphrase, original) == expected
