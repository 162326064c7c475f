"""Similar problems that were written for questions: those that wait, and those that may enter the bank."""

from __future__ import annotations

from django.db.models import QuerySet

from questionbank.errors import NotFound
from questionbank.models import ProblemVariant, Question, User

__all__ = ["accepted_variants", "last_decided_variant", "open_variants", "question_variants", "variant_get"]


def variant_get(*, variant_id: int) -> ProblemVariant:
    """Return the similar problem with a number.

    Raises:
        NotFound: there is none.
    """
    variant = ProblemVariant.objects.select_related("question").filter(pk=variant_id).first()
    if variant is None:
        raise NotFound("There is no similar problem with this number.")
    return variant


def question_variants(*, question: Question) -> QuerySet[ProblemVariant, ProblemVariant]:
    """Return the similar problems of a question, the newest first."""
    return ProblemVariant.objects.filter(question=question).select_related("added").order_by("-pk")


def open_variants() -> QuerySet[ProblemVariant, ProblemVariant]:
    """Return those that wait for a reviewer, the oldest first."""
    waiting = ProblemVariant.objects.filter(state=ProblemVariant.State.OPEN)
    return waiting.select_related("question", "added").order_by("pk")


def last_decided_variant(*, reviewer: User) -> ProblemVariant | None:
    """Return the similar problem that a reviewer decided on last.

    None where that one is in the bank, or there is none.
    """
    decided = ProblemVariant.objects.filter(decided_by=reviewer).order_by("-decided_at", "-pk").first()
    return decided if decided is not None and decided.added_id is None else None


def accepted_variants(*, question: Question | None = None) -> QuerySet[ProblemVariant, ProblemVariant]:
    """Return accepted ones that the bank lacks and whose question is in use, the oldest first.

    Args:
        question: only those of this one.
    """
    accepted = ProblemVariant.objects.filter(
        state=ProblemVariant.State.ACCEPTED, added__isnull=True, question__isnull=False
    ).exclude(question__status=Question.Status.RETIRED)
    if question is not None:
        accepted = accepted.filter(question=question)
    return accepted.order_by("pk")
