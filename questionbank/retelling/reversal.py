"""Write new problems from a question's own story: ask for a known number, leave one blank, or put the question first.

Reversed operations and question reordering are those of Textual-CL (2022), section 3.1, in English and in Chinese.
Where a sentence cannot be reversed, for instance because it has several numbers, a number is left blank (ours).
"""

from __future__ import annotations

import re
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
_BLANK = "____"
_HAS_BLANK = re.compile(r"_{2,}|[(（]\s*[)）]")
_END_MARKS = ".?!。？！"
_BESIDE_FORMULAS = frozenset("/^=+*-×÷$")
_ASKS_FOR_THE_BLANK: Mapping[str, str] = MappingProxyType(
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
    yield from (retold for retold in _with_a_blank(problem) if retold.answer not in asked_for)


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


def _with_a_blank(problem: ProblemRecord) -> Iterator[RetoldProblem]:
    """Yield the problem with one number left blank and the answer given, for each number it can be solved for."""
    if "\\" in problem.text or _HAS_BLANK.search(problem.text):
        return
    try:
        example = solver_example(problem)
        if example.tree is None or example.tree.is_number:
            return
        answer = evaluate(fill_slots(example.tree, example.values))
        answer_text = number_text(answer, problem.language)
    except (DataError, NotReversibleError):
        return
    for label in dict.fromkeys(filter(is_slot, example.tokens)):
        slot = example.slots[slot_index(label)]
        before, number, after = (
            problem.text[: slot.start],
            problem.text[slot.start : slot.end],
            problem.text[slot.end :],
        )
        equation = _solved_for(example, label, answer)
        if not equation or not number.isdigit() or _may_be_formula(before, after):
            continue
        story = f"{before}{_BLANK}{after}".strip()
        if story[-1] not in _END_MARKS:
            story += "。" if problem.language == "zh" else "."
        text = _ASKS_FOR_THE_BLANK[problem.language].format(text=story, answer=answer_text)
        yield RetoldProblem(text, equation, constant_label(slot.value), "leaves a number blank")


def _may_be_formula(before: str, after: str) -> bool:
    """Whether the number is in a formula, or directly after a dollar sign, where a blank could start one."""
    beside = {before.rstrip()[-1:], after.lstrip()[:1]}
    return bool(beside & _BESIDE_FORMULAS) or (before.count("$") % 2 == 1 and "$" in after)


def _solved_for(example: SolverExample, label: str, answer: Fraction) -> str:
    """Return the equation solved for a number that occurs once; empty where it cannot be solved exactly."""
    value = example.values[slot_index(label)]
    if example.tree is None or [*example.values, answer].count(value) > 1:
        return ""
    try:
        solved = solve_for(example.tree, label, fill_slots(ExpressionTree("N0"), [answer]))
        equation = to_infix(fill_slots(solved, example.values))
        return equation if evaluate(parse_expression(equation)) == value else ""
    except (DataError, UnsolvableError):
        return ""
