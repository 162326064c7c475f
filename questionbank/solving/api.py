"""Solving word problems over the API."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja import Router
from pydantic import BaseModel

from questionbank.api.access import Access
from questionbank.api.contract import Id, TextsBody, input_questions
from questionbank.bank.question_selectors import question_get
from questionbank.core.errors import ServiceUnavailable
from questionbank.formats.answer_files import InputQuestion
from questionbank.registry.serving import served_solver
from questionbank.solving.solution_files import problem_solutions
from questionbank.solving.solutions import Alternative, question_solved

router = Router(tags=["analysis"])
READ = Access("read")


class OtherEquation(BaseModel):
    """A less likely equation."""

    equation: str
    prototype: str
    answer: float | None
    probability: float


class SolutionItem(BaseModel):
    """The likeliest equation of a problem and its value; `reason` says why there is no answer."""

    equation: str | None
    prototype: str | None
    answer: float | None
    exact: str | None
    written: str | None
    steps: list[str]
    probability: float | None
    alternatives: list[OtherEquation]
    reason: str = ""


class EquationItem(BaseModel):
    """An equation with its value and its operations."""

    equation: str
    answer: str
    value: float | None
    probability: float
    steps: list[str]


class QuestionSolutionItem(BaseModel):
    """How a question is solved: `known` comes from its source or a person, `found` from the solver."""

    known: EquationItem | None
    found: list[EquationItem]
    agrees: bool | None
    published: str
    reason: str
    solver: str


@router.post("/solve", auth=READ, response=list[SolutionItem])
def solve_texts(request: HttpRequest, body: TextsBody) -> list[SolutionItem]:  # noqa: ARG001 - django-ninja passes it
    """Solve word problems."""
    questions = input_questions(body.texts)
    by_language: dict[str, list[InputQuestion]] = {}
    for question in questions:
        by_language.setdefault(question.language, []).append(question)
    rows: dict[Any, dict[str, Any]] = {}
    for language, asked in by_language.items():
        served = served_solver(language)
        if served is None:
            raise ServiceUnavailable("There is no solver yet.")
        rows |= {row.pop("id"): row for row in problem_solutions(asked, solver=served.solver)}
    return [SolutionItem.model_validate(rows[question.id]) for question in questions]


@router.get("/questions/{int:question_id}/solution", auth=READ, response=QuestionSolutionItem | None)
def get_question_solution(request: HttpRequest, question_id: Id) -> QuestionSolutionItem | None:
    """Return how a question is solved; null if it is not a word problem and has no equation."""
    question = question_get(question_id=question_id, user=request.user)
    solved = question_solved(question, served_solver(question.language))
    if solved is None:
        return None
    return QuestionSolutionItem(
        known=_equation(solved.known) if solved.known else None,
        found=[_equation(alternative) for alternative in solved.alternatives],
        agrees=solved.agrees,
        published=solved.published,
        reason=solved.reason,
        solver=solved.solver,
    )


def _equation(alternative: Alternative) -> EquationItem:
    return EquationItem(
        equation=alternative.equation,
        answer=alternative.answer,
        value=alternative.value,
        probability=alternative.probability,
        steps=[str(step) for step in alternative.steps],
    )
