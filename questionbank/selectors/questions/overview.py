"""What the home page says about the bank as a whole."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import Count, Q

from questionbank.models import KnowledgeConcept, Question, Run, User

KEPT_SECONDS = 60  # counting 100,000 rows on every visit of the home page would be waste
CACHE_KEY = "bank-overview"


@dataclass(frozen=True, slots=True)
class BankOverview:
    """Counts of the whole bank."""

    questions: int
    concepts: int
    observed: int
    languages: int

    @property
    def is_empty(self) -> bool:
        return self.questions == 0


def bank_overview() -> BankOverview:
    """Count what is in the bank; kept for a minute, except that an empty bank is counted anew."""
    kept: BankOverview | None = cache.get(CACHE_KEY)
    if kept is not None:
        return kept
    counts = Question.objects.exclude(status=Question.Status.RETIRED).aggregate(
        questions=Count("pk"),
        observed=Count("pk", filter=Q(responses__gt=0)),
        languages=Count("language", distinct=True),
    )
    overview = BankOverview(concepts=KnowledgeConcept.objects.count(), **counts)
    if not overview.is_empty:
        cache.set(CACHE_KEY, overview, KEPT_SECONDS)
    return overview


def recent_questions(*, limit: int = 5) -> list[Question]:
    """Return the questions that came into the bank last."""
    return list(Question.objects.filter(status=Question.Status.READY).order_by("-pk")[:limit])


def drafts_of(*, user: User, limit: int = 5) -> list[Question]:
    """Return the person's own unfinished questions, the one last touched first."""
    return list(
        Question.objects.filter(created_by=user, status=Question.Status.DRAFT).order_by("-updated_at")[:limit]
    )


def running_jobs() -> list[Run]:
    """Return jobs that wait or run now."""
    return list(Run.objects.filter(state__in=[Run.State.QUEUED, Run.State.RUNNING])[:3])
