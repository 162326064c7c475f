"""What a solver is trained on: the bank's questions with an equation, in parts (`training_parts`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analytics.errors import DataError
from analytics.expression.parser import parse_expression
from analytics.languages import primary_language
from analytics.records import ProblemRecord
from analytics.splits import split_place
from questionbank.selectors.models.training_parts import Divider, Parts
from questionbank.selectors.models.training_questions import is_test_source, original_questions

__all__ = ["SolverMaterial", "solver_material"]


@dataclass(frozen=True, slots=True)
class SolverMaterial:
    """What a training would get.

    Attributes:
        problems: ready questions in the language with an equation that can be read, each text once, without those of
            sources that are named as a test split.
        ready: number of ready questions in any language.
        with_equation: of them, those with an equation.
        foreign: of these, those in another language.
        unreadable: of those in the language, those whose equation cannot be read.
        repeated: those that repeat another one exactly.
        test_items: those from a test split.
    """

    problems: Parts[ProblemRecord]
    ready: int
    with_equation: int
    foreign: int
    unreadable: int
    repeated: int
    test_items: int


def solver_material(wanted: str, *, hierarchies: Sequence[str] | None = None) -> SolverMaterial:
    """Divide the bank's questions that have an equation.

    Args:
        wanted: the language, ``"en"`` for all kinds of English.
        hierarchies: learn only from questions tagged in these; by default from all.
    """
    questions = original_questions(hierarchies=hierarchies)
    rows = questions.filter(equation__isnull=False).order_by("pk")
    columns = rows.values_list("pk", "text", "language", "source", "answer", "equation__expression")
    problems: dict[str, ProblemRecord] = {}
    tests: list[str] = []
    with_equation = foreign = unreadable = repeated = 0
    for pk, text, language, source, answer, expression in columns.iterator():
        with_equation += 1
        if primary_language(language) != wanted:
            foreign += 1
        elif is_test_source(source):
            tests.append(text)
        elif not _is_readable(expression):
            unreadable += 1
        elif text in problems:
            repeated += 1
        else:
            problems[text] = ProblemRecord(str(pk), text, wanted, expression, answer)
    divider = Divider({text: split_place(text) for text in problems}, tests)
    return SolverMaterial(
        problems=divider.parts(problems.values(), lambda problem: (problem.text,)),
        ready=questions.count(),
        with_equation=with_equation,
        foreign=foreign,
        unreadable=unreadable,
        repeated=repeated,
        test_items=len(tests),
    )


def _is_readable(expression: str) -> bool:
    try:
        parse_expression(expression)
    except DataError:
        return False
    return True
