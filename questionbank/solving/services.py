"""Equations of word problems, and the solver's solutions: requesting and storing them."""

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
from questionbank.jobs.run_services import run_create, run_under_way
from questionbank.models import GRAPH_KEY_LIMIT, ModelArtifact, Question, QuestionEquation, QuestionSolution, Run, User
from questionbank.people.permissions import require
from questionbank.solving.solutions import contradicts_published, solution_from_json, solver_with_unsolved_questions


def equation_graph_key(*, text: str, expression: str) -> str:
    """Return the graph key of a question's equation; empty if it has none, or one too long for a lookup."""
    if not expression:
        return ""
    # Each operand takes at least two characters of the key; keys of very long equations take seconds.
    if sum(expression.count(sign) for sign in OPERATORS) > GRAPH_KEY_LIMIT // 2:
        return ""
    key = problem_graph_key(text, expression)
    return key if len(key) <= GRAPH_KEY_LIMIT else ""


def equation_write(*, question: Question, expression: str, user: User | None, set_by: str) -> None:
    """Store a question's equation for its current text; an empty expression deletes it.

    An unchanged equation keeps its author. Call it in the transaction that saves the question.

    Args:
        set_by: a `QuestionEquation.SetBy` value, for a new equation.
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
        version: version of the question that the person read.

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
    equation_write(question=fresh, expression=_checked(expression), user=user, set_by=QuestionEquation.SetBy.PERSON)
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
    """Serialize a solution for `QuestionSolution.alternatives`."""
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
    """Solve a text in a job that also queries the language model, or return the job that does so already.

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
    artifact: ModelArtifact | None,
    solutions: Sequence[Solution],
    reason: str = "",
    retriever: ModelArtifact | None = None,
) -> QuestionSolution:
    """Store a solver's solutions of a question, replacing those of an earlier one.

    Args:
        solutions: the likeliest first; empty if it found none.
        reason: why it found none.
        retriever: the retriever that recalled the similar problems.
    """
    best = solutions[0] if solutions else None
    return QuestionSolution.objects.update_or_create(
        question=question,
        defaults={
            "artifact": artifact,
            "retriever": retriever,
            "content_hash": question.content_hash,
            "alternatives": [solution_to_json(solution) for solution in solutions],
            "own_alternatives": [],
            "read_with": "",
            "reason": reason,
            "probability": best.probability if best else None,
            "graph_key": _graph_key(question, best) if best else "",
        },
    )[0]


def solution_compare(*, question: Question) -> None:
    """Compare the stored solution of a question with its published answer again, in case that changed."""
    stored = QuestionSolution.objects.filter(question=question).first()
    if stored is None or not stored.alternatives or bytes(stored.content_hash) != bytes(question.content_hash):
        return  # nothing was found, or it is for an earlier text and will be replaced
    graph_key = _graph_key(question, solution_from_json(stored.alternatives[0]))
    if graph_key != stored.graph_key:
        stored.graph_key = graph_key
        stored.save(update_fields=["graph_key"])


def _graph_key(question: Question, solution: Solution) -> str:
    """Return the key for finding a solved question by graph; empty without a value or if it contradicts the source."""
    if solution.value is None or contradicts_published(question, solution):
        return ""
    return equation_graph_key(text=question.text, expression=solution.equation)


@transaction.atomic
def solve_request(*, user: User | None = None) -> Run | None:
    """Request solutions of unsolved word problems by the solvers in use; None if already requested."""
    job: dict[str, Any] = {"kind": "solve", "capability": "solver", "parameters": {}}
    if run_under_way(**job) is not None:
        return None
    return run_create(**job, title="Solve the word problems", requested_by=user)


def solve_request_missing(*, user: User | None = None) -> Run | None:
    """Request solutions if a question has none by the solver in use; None if there is nothing to do."""
    return solve_request(user=user) if solver_with_unsolved_questions() is not None else None


def solve_after_promotion(*, user: User | None = None) -> str:
    """Request solutions for questions not solved since the solvers in use, or the retriever, were promoted.

    Returns:
        A sentence that reports it; empty if there is nothing to solve.
    """
    run = solve_request_missing(user=user)
    return f"Word problems are solved again by job {run.pk}." if run else ""
