"""A language model beside the solver: agreement counts, and whatever goes wrong leaves the solver's answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest

from analytics.errors import DataError
from analytics.expression.tree import to_prefix
from analytics.language_model.equations import WrittenEquation
from analytics.records import ProblemRecord
from analytics.solver.second_opinion import SecondOpinionSolver, written_solutions
from analytics.solver.solution import SIGNED_REASON, Solution, solution_of, story_reason
from analytics.solver.targets import target_tree
from analytics.text.number_slots import number_slots

PENS = "A pen costs 3 dollars. How many dollars do 4 pens cost?"
COLD = "It is -4 degrees and gets 9 degrees warmer. How warm is it then?"


def solution(text: str, equation: str, probability: float) -> Solution:
    slots = number_slots(text)
    return solution_of(to_prefix(target_tree(equation, slots)), [slot.value for slot in slots], probability)


class Tree:
    """Answers 3+4 to everything, refuses numbers below zero, and whatever is no question."""

    name = "tree"

    def solve(self, problems: Sequence[ProblemRecord], *, beam: int = 3) -> list[list[Solution]]:
        return [[] if self.unsolvable_reason(problem) else [solution(problem.text, "3+4", 0.4)] for problem in problems]

    def unsolvable_reason(self, problem: ProblemRecord) -> str:
        return story_reason(problem.text)


class Writer:
    """Writes the same equations about everything."""

    def __init__(self, *equations: tuple[str, float], error: Exception | None = None) -> None:
        self.equations, self.error, self.asked = equations, error, 0

    def write(self, prompts: Sequence[str], texts: Sequence[str], **_options: Any) -> list[list[WrittenEquation]]:
        self.asked += len(texts)
        if self.error is not None:
            raise self.error
        return [[WrittenEquation(equation, math.log(p)) for equation, p in self.equations] for _text in texts]


def solved(writer: Writer, text: str, language: str = "en") -> list[Solution]:
    problem = ProblemRecord("1", text, language)
    return SecondOpinionSolver(Tree(), writer).solve([problem])[0]  # type: ignore[arg-type]


def test_a_sure_second_opinion_wins_over_an_unsure_solver():
    assert solved(Writer(("3*4", 0.9), ("3+4", 0.05)), PENS)[0].equation == "3*4"


def test_two_that_agree_are_surer_than_two_that_do_not():
    text = "There are 3 red pens and 4 blue ones. How many pens are there?"  # pens are never added to dollars
    agree, differ = solved(Writer(("3+4", 0.6)), text), solved(Writer(("3*4", 0.6)), text)

    assert agree[0].probability > max(0.6, differ[0].probability)
    assert sum(each.probability for each in differ) <= 1


@pytest.mark.parametrize(
    "writer",
    [Writer(error=DataError("The prompt is too long.")), Writer(), Writer(("3/0", 0.9)), Writer(("no equation", 0.9))],
    ids=["too long", "nothing written in time", "no value", "no equation"],
)
def test_what_goes_wrong_leaves_the_solvers_answer(writer: Writer):
    assert [each.equation for each in solved(writer, PENS)] == ["3+4"]


def test_a_number_below_zero_is_left_to_the_model():
    problem = ProblemRecord("1", COLD, "en")
    solver = SecondOpinionSolver(Tree(), Writer(("9-4", 0.9)))  # type: ignore[arg-type]

    assert Tree().unsolvable_reason(problem) == SIGNED_REASON
    assert solver.unsolvable_reason(problem) == ""
    assert solver.solve([problem])[0][0].value == 5


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("小明有3支铅笔，又买了4支，一共有多少支？", "zh"),
        (f"{'Ann has 3 pens. ' * 120}How many pens have 4 people?", "en"),
    ],
    ids=["another language", "a long text"],
)
def test_the_model_is_not_asked_about_what_it_cannot_read(text: str, language: str):
    writer = Writer(("3*4", 0.9))

    solved(writer, text, language)

    assert not writer.asked


def test_equations_of_one_value_are_one_solution():
    found = written_solutions(PENS, [WrittenEquation("3*4", -1.0), WrittenEquation("4*3", -1.0)])

    assert [each.equation for each in found] == ["3*4"]
    assert found[0].probability == pytest.approx(2 * math.exp(-1))
