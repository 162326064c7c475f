"""What the home page says about the bank as a whole."""

from __future__ import annotations

from dataclasses import dataclass

from analytics.languages import UNDETERMINED
from questionbank.models import KnowledgeConcept, Question, Run, User
from questionbank.selectors.questions.facet_cube import facet_cube

_SHOWN = 5


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
    """Return the counts of what is in the bank and not retired, from those that triggers keep (`FacetCount`)."""
    cube = facet_cube()
    present = cube.everything() & ~cube.equal("status", Question.Status.RETIRED)
    observed = Question.objects.filter(responses__gt=0).exclude(status=Question.Status.RETIRED)
    return BankOverview(
        questions=cube.total(present),
        concepts=KnowledgeConcept.objects.count(),
        observed=observed.count(),
        languages=sum(
            count > 0 for code, count in cube.by_value("language", present) if code != UNDETERMINED
        ),
    )


def recent_questions() -> list[Question]:
    """Return the questions that came into the bank last."""
    return list(Question.objects.filter(status=Question.Status.READY).order_by("-pk")[:_SHOWN])


def drafts_of(*, user: User) -> list[Question]:
    """Return the person's own unfinished questions, the one last touched first."""
    drafts = Question.objects.filter(created_by=user, status=Question.Status.DRAFT)
    return list(drafts.order_by("-updated_at")[:_SHOWN])


def running_jobs() -> list[Run]:
    """Return jobs that wait or run now."""
    return list(Run.objects.filter(state__in=[Run.State.QUEUED, Run.State.RUNNING])[:3])
