"""Similar problems generated for questions: those awaiting review, and those that may enter the bank."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import QuerySet

from analytics.errors import DataError
from analytics.expression.evaluate import evaluate_float
from analytics.expression.tree import parse_expression
from questionbank.core.database import get_or_not_found
from questionbank.models import ProblemVariant, Question, User
from questionbank.solving.solutions import SolvedText, answer_shown, gives


def variant_get(*, variant_id: int) -> ProblemVariant:
    """Return the similar problem with this id."""
    return get_or_not_found(
        ProblemVariant.objects.select_related("question").filter(pk=variant_id),
        "There is no similar problem with this number.",
    )


def question_variants(*, question: Question) -> QuerySet[ProblemVariant, ProblemVariant]:
    """Return the similar problems of a question, the newest first."""
    return ProblemVariant.objects.filter(question=question).select_related("added").order_by("-pk")


def open_variants() -> QuerySet[ProblemVariant, ProblemVariant]:
    """Return the similar problems that wait for a reviewer, the oldest first."""
    waiting = ProblemVariant.objects.filter(state=ProblemVariant.State.OPEN)
    return waiting.select_related("question", "added").order_by("pk")


def last_decided_variant(*, reviewer: User) -> ProblemVariant | None:
    """Return the similar problem that a reviewer decided on last.

    Return None if it is in the bank already, or there is no decision.
    """
    decided = ProblemVariant.objects.filter(decided_by=reviewer).order_by("-decided_at", "-pk").first()
    return decided if decided is not None and decided.added_id is None else None


def own_drafts(*, texts: Collection[str], user: User) -> dict[str, Question]:
    """Return a person's drafts with one of these texts, by text."""
    drafts = Question.objects.filter(created_by=user, status=Question.Status.DRAFT, text__in=texts)
    return {draft.text: draft for draft in drafts.defer("search_vector").order_by("-pk")}


def accepted_variants(*, question: Question | None = None) -> QuerySet[ProblemVariant, ProblemVariant]:
    """Return accepted problems that the bank lacks and whose question is in use, the oldest first."""
    accepted = ProblemVariant.objects.filter(
        state=ProblemVariant.State.ACCEPTED, added__isnull=True, question__isnull=False
    ).exclude(question__status=Question.Status.RETIRED)
    if question is not None:
        accepted = accepted.filter(question=question)
    return accepted.order_by("pk")


def solver_objection(*, variant: ProblemVariant, solved: SolvedText | None) -> str:
    """Return a sentence if the solver is fairly sure of another answer to a reworded problem; empty otherwise."""
    if solved is None or not solved.is_certain or solved.best is None or solved.best.value is None:
        return ""
    try:
        value = evaluate_float(parse_expression(variant.answer))
    except DataError:
        return ""
    if gives(solved.best, value):
        return ""
    return (
        f"The solver gets {answer_shown(solved.best.value)} for the new wording; the stored answer is {variant.answer}."
        " Check the equation."
    )
