"""Jobs that train, compare and promote models, while they are under way."""

from __future__ import annotations

from django.db.models import Q

from questionbank.models import ModelArtifact, Run

KINDS = (Run.Kind.TRAIN, Run.Kind.EVALUATE, Run.Kind.PROMOTE)


def model_jobs(*, artifact: ModelArtifact | None = None, kind: str = "") -> list[Run]:
    """Return unfinished jobs about models, the oldest first.

    Args:
        artifact: only those that use this model.
        kind: only those of this kind.
    """
    jobs = Run.objects.exclude(state__in=Run.FINISHED).filter(kind__in=[kind] if kind else KINDS)
    if artifact is not None:
        jobs = jobs.filter(
            Q(parameters__model=artifact.pk)
            | Q(parameters__candidate=artifact.pk)
            | Q(parameters__champion=artifact.pk)
        )
    return list(jobs.select_related("requested_by").order_by("created_at", "pk"))
