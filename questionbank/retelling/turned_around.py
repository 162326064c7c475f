"""Problems made of a question's own story: some ask for a known number instead, one has the question in front.

Reversed operations and question reordering as in Textual-CL (2022), section 3.1, in English and in Chinese. Where a
sentence cannot be reversed, for instance because it has several numbers, the number is left out and asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType

from analytics.errors import DataError
from analytics.expression.evaluate import evaluate
from analytics.expression.notation import to_infix
from analytics.expression.parser import parse_expression
from analytics.expression.slots import constant_label, fill_slots, is_slot, slot_index
from analytics.expression.tree import ExpressionTree
from analytics.records import ProblemRecord
from analytics.solver.inversion import UnsolvableError, solve_for
from analytics.solver.reordering import reorder_question
from analytics.solver.reversed_text import NotReversibleError, number_text
from analytics.solver.reversing import reverse_operation
from analytics.solver.targets import SolverExample, solver_example
from questionbank.retelling.problem import RetoldProblem

__all__ = ["LANGUAGES", "reordered", "reversed_problems"]

LANGUAGES = ("en", "zh")
_GAP = "____"
_ASKS_FOR_THE_GAP: Mapping[str, str] = MappingProxyType(
    {
        "en": "{text} The answer is {answer}. Which number is missing?",
        "zh": "{text}答案是{answer}。空格里的数是多少？",
    }
)


def reversed_problems(text: str, equation: str, language: str) -> Iterator[RetoldProblem]:
    """Yield a problem for each known number that can be asked for; the answer stands in the text instead."""
    problem = ProblemRecord("", text, language, equation=equation)
    asked_for = set()
    for made in reverse_operation(problem):
        for retold in _retold(made, "asks for a known number"):
            asked_for.add(retold.answer)
            yield retold
    yield from (retold for retold in _with_a_gap(problem) if retold.answer not in asked_for)


def reordered(text: str, equation: str, language: str) -> Iterator[RetoldProblem]:
    """Yield the problem with its question in front, where its last sentence is a question."""
    problem = reorder_question(ProblemRecord("", text, language, equation=equation))
    if problem is not None:
        yield from _retold(problem, "question in front")


def _retold(problem: ProblemRecord, generator: str) -> Iterator[RetoldProblem]:
    """The problem with its answer; nothing where its equation has no exact value."""
    try:
        value = evaluate(parse_expression(problem.equation))
    except DataError:
        return
    yield RetoldProblem(problem.text, problem.equation, constant_label(value), generator)


def _with_a_gap(problem: ProblemRecord) -> Iterator[RetoldProblem]:
    """The problem with one number left out and its answer told, for each number that the equation can be solved for."""
    try:
        example = solver_example(problem)
        if example.tree is None or example.tree.is_number:
            return
        answer = evaluate(fill_slots(example.tree, example.values))
        told = number_text(answer, problem.language)
    except (DataError, NotReversibleError):
        return
    for slot in dict.fromkeys(filter(is_slot, example.tokens)):
        place = example.slots[slot_index(slot)]
        before, number, behind = (
            problem.text[: place.start],
            problem.text[place.start : place.end],
            problem.text[place.end :],
        )
        equation = _solved_for(example, slot, answer)
        if not equation or not number.isdigit() or _may_be_formula(before, behind):
            continue
        gapped = f"{before}{_GAP}{behind}".strip()
        text = _ASKS_FOR_THE_GAP[problem.language].format(text=gapped, answer=told)
        yield RetoldProblem(text, equation, constant_label(place.value), "leaves a number out")


def _may_be_formula(before: str, behind: str) -> bool:
    """Whether the place between is in a formula, or behind a dollar sign that a gap would make one of."""
    return before.rstrip().endswith("$") or "\\" in before or (before.count("$") % 2 == 1 and "$" in behind)


def _solved_for(example: SolverExample, slot: str, answer: Fraction) -> str:
    """The equation for a number that occurs once; empty where there is none, or its value is not that number."""
    value = example.values[slot_index(slot)]
    if example.tree is None or [*example.values, answer].count(value) > 1:
        return ""
    try:
        solved = solve_for(example.tree, slot, fill_slots(ExpressionTree("N0"), [answer]))
        equation = to_infix(fill_slots(solved, example.values))
        return equation if evaluate(parse_expression(equation)) == value else ""
    except (DataError, UnsolvableError):
        return ""
