"""Problems made of a question's own story: one asks for a known number instead, one has the question in front.

Textual-CL (2022), section 3.1: reversed operations and question reordering, in English and in Chinese.
"""

from __future__ import annotations

from collections.abc import Iterator

from analytics.errors import DataError
from analytics.expression.evaluate import evaluate
from analytics.expression.parser import parse_expression
from analytics.expression.slots import constant_label
from analytics.records import ProblemRecord
from analytics.solver.reordering import reorder_question
from analytics.solver.reversing import reverse_operation
from questionbank.retelling.problem import RetoldProblem

__all__ = ["LANGUAGES", "reordered", "reversed_problems"]

LANGUAGES = ("en", "zh")


def reversed_problems(text: str, equation: str, language: str) -> Iterator[RetoldProblem]:
    """Yield a problem for each known number that can be asked for; the answer stands in the text instead."""
    for problem in reverse_operation(ProblemRecord("", text, language, equation=equation)):
        yield from _retold(problem, "asks for a known number")


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
