"""Equations of word problems: kept with the key by which questions that are computed alike find each other."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F

from analytics.errors import DataError
from analytics.expression.evaluate import evaluate_float
from analytics.expression.notation import to_prefix
from analytics.expression.parser import parse_expression
from analytics.solver.targets import OPERATORS, problem_graph_key
from questionbank.errors import Conflict, ValidationFailed
from questionbank.models import GRAPH_KEY_LIMIT, Question, QuestionEquation, User
from questionbank.rows import existing
from questionbank.services.permissions import require


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
    fresh = existing(
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
