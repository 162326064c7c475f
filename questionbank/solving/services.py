"""Equations of word problems, and what the solver makes of them: asking for it, and keeping it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models import F

from analytics.errors import DataError
from analytics.expression.evaluate import evaluate_float
from analytics.expression.notation import to_prefix
from analytics.expression.parser import parse_expression
from analytics.solver.solution import Solution
from analytics.solver.targets import OPERATORS, problem_graph_key
from questionbank.core.database import get_or_not_found
from questionbank.core.errors import Conflict, ValidationFailed
from questionbank.models import (
    GRAPH_KEY_LIMIT,
    ModelArtifact,
    Question,
    QuestionEquation,
    QuestionSolution,
    Run,
    User,
)
from questionbank.people.permissions import require
from questionbank.registry.run_services import run_create, run_under_way
from questionbank.solving.solutions import (
    contradicts_published,
    solution_from_json,
    solver_with_unsolved_questions,
)


def equation_graph_key(*, text: str, expression: str) -> str:
    """Return the key of a question's equation; empty where it has none, or one that is too long to be looked up by."""
    if not expression:
        return ""
    # Each operand has two characters of the key or more; keys of very long equations take seconds.
    if sum(expression.count(sign) for sign in OPERATORS) > GRAPH_KEY_LIMIT // 2:
        return ""
    key = problem_graph_key(text, expression)
    return key if len(key) <= GRAPH_KEY_LIMIT else ""


def equation_write(*, question: Question, expression: str, user: User | None, set_by: str) -> None:
    """Keep a question's equation as its text now reads; an empty one is taken away.

    An equation that stays keeps who set it. To be called in the transaction that saves the question.

    Args:
        set_by: of `QuestionEquation.SetBy`, for an equation that is new.
    """
    stored = QuestionEquation.objects.filter(question=question).first()
    if not expression:
        if stored is not None:
            stored.delete()
        return
    equation = stored or QuestionEquation(question=question)
    if stored is None or stored.expression != expression:
        equation.expression, equation.set_by, equation.user = expression, set_by, user
    equation.graph_key = equation_graph_key(text=question.text, expression=expression)
    equation.save()


@transaction.atomic
def equation_accept(*, user: User | None, question: Question, version: int, expression: str) -> Question:
    """Make an equation that the solver found, or a person corrected, the question's own; an empty one removes it.

    Args:
        version: of the question that the person read.

    Raises:
        Conflict: somebody has changed the question since.
        NotAllowed: the person may not set equations.
        ValidationFailed: the equation cannot be read, computes nothing, or has no value.
    """
    fresh = get_or_not_found(
        Question.objects.select_for_update().filter(pk=question.pk), "This question no longer exists."
    )
    require(user, "equation_edit", "You may not set the equation of a question.", fresh)
    if fresh.version != version:
        raise Conflict("Somebody else has just changed this question. Check the new version first.")
    equation_write(
        question=fresh,
        expression=_checked(expression),
        user=user,
        set_by=QuestionEquation.SetBy.PERSON,
    )
    Question.objects.filter(pk=fresh.pk).update(version=F("version") + 1)
    fresh.refresh_from_db(fields=["version"])
    return fresh


def _checked(expression: str) -> str:
    if not (expression := expression.strip()):
        return ""
    try:
        tree = parse_expression(expression)
        evaluate_float(tree)
    except DataError as error:
        raise ValidationFailed.beside("equation", str(error)) from error
    if not any(token in OPERATORS for token in to_prefix(tree)):
        problem = "This is a number. An equation has an operation, such as (11-1)*2."
        raise ValidationFailed.beside("equation", problem)
    return expression


def solution_to_json(solution: Solution) -> dict[str, Any]:
    """Return a solution as plain values, as `QuestionSolution.alternatives` keeps it."""
    return {
        "tokens": list(solution.tokens),
        "terms": list(solution.terms),
        "prototype": solution.prototype,
        "equation": solution.equation,
        "value": solution.value,
        "exact": solution.exact,
        "probability": round(solution.probability, 4),
        "rounding": solution.rounding,
        "written": solution.written,
        "rule": solution.rule,
        "twin": solution.twin,
        "said": solution.said,
    }


@transaction.atomic
def second_opinion_request(*, text: str, language: str, user: User, send: bool = True) -> Run:
    """Have a text solved in a job, where the language model is asked too; or return the job that does so already.

    The run's parameters are ``{"text", "language", "asked_by": id}``.

    Raises:
        NotAllowed: the person may not ask.
        Busy: too many jobs are waiting.
    """
    require(user, "language_model_ask", "You may not ask the language model.")
    parameters = {"text": text, "language": language, "asked_by": user.pk}
    wanted: dict[str, Any] = {"kind": "opinion", "capability": "solver", "parameters": parameters}
    if (requested_already := run_under_way(**wanted)) is not None:
        return requested_already
    title = "Solve a text with a second opinion"
    return run_create(**wanted, title=title, queue="light", requested_by=user, send=send)


def solution_store(
    *,
    question: Question,
    artifact: ModelArtifact,
    solutions: Sequence[Solution],
    reason: str = "",
    retriever: ModelArtifact | None = None,
) -> QuestionSolution:
    """Keep what a solver made of a question, in place of what an earlier one did.

    Args:
        solutions: the likeliest first; empty where it found none.
        reason: why it found none.
        retriever: whose similar problems counted.
    """
    best = solutions[0] if solutions else None
    return QuestionSolution.objects.update_or_create(
        question=question,
        defaults={
            "artifact": artifact,
            "retriever": retriever,
            "content_hash": question.content_hash,
            "alternatives": [solution_to_json(solution) for solution in solutions],
            "reason": reason,
            "probability": best.probability if best else None,
            "graph_key": _graph_key(question, best) if best else "",
        },
    )[0]


def solution_compare(*, question: Question) -> None:
    """Compare what a solver made of a question with its published answer again, which may have changed."""
    stored = QuestionSolution.objects.filter(question=question).first()
    if (
        stored is None
        or not stored.alternatives
        or bytes(stored.content_hash) != bytes(question.content_hash)
    ):
        return  # nothing was found, or it belongs to an earlier text and is made anew
    graph_key = _graph_key(question, solution_from_json(stored.alternatives[0]))
    if graph_key != stored.graph_key:
        stored.graph_key = graph_key
        stored.save(update_fields=["graph_key"])


def _graph_key(question: Question, solution: Solution) -> str:
    """Return the graph by which a solved question is found; empty where there is no value, or another is published."""
    if solution.value is None or contradicts_published(question, solution):
        return ""
    return equation_graph_key(text=question.text, expression=solution.equation)


@transaction.atomic
def solve_request(*, user: User | None = None) -> Run | None:
    """Ask for the word problems that the solvers in use have not solved; None where that is asked for already."""
    job: dict[str, Any] = {"kind": "solve", "capability": "solver", "parameters": {}}
    if run_under_way(**job) is not None:
        return None
    return run_create(**job, title="Solve the word problems", requested_by=user)


def solve_request_missing(*, user: User | None = None) -> Run | None:
    """Ask for solutions where a solver is in use and a question has none by it; None: nothing to do."""
    return solve_request(user=user) if solver_with_unsolved_questions() is not None else None


def solve_after_promotion(*, user: User | None = None) -> str:
    """Ask for what the solvers in use have not solved since they, or the retriever, came into use.

    Returns:
        The sentence that says so; empty where there is nothing to solve.
    """
    run = solve_request_missing(user=user)
    return f"Word problems are solved again by job {run.pk}." if run else ""
