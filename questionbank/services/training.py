"""Asking for models to be trained."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction
from django.db.models import Count

from questionbank.models import KnowledgeHierarchy, ModelArtifact, Question, Run, User
from questionbank.services.runs import run_create

__all__ = ["FEWEST_TAGGED", "probes_request", "probes_request_missing"]

FEWEST_TAGGED = 100  # below it a new hierarchy waits: neighbours vote instead
GROWTH = 2  # a hierarchy is trained anew when it has so many times the questions of its last training


@transaction.atomic
def probes_request(
    *, hierarchy: KnowledgeHierarchy, settings: Mapping[str, str] | None = None, user: User | None = None
) -> Run | None:
    """Ask for a hierarchy's probes to be trained; None where that is asked for already."""
    KnowledgeHierarchy.objects.select_for_update().get(pk=hierarchy.pk)
    unfinished = Run.objects.exclude(state__in=Run.FINISHED).filter(
        kind=Run.Kind.TRAIN, capability="probes", parameters__hierarchy=hierarchy.name
    )
    if unfinished.exists():
        return None
    return run_create(
        kind=Run.Kind.TRAIN,
        capability="probes",
        title=f"Train probes: {hierarchy.name}"[:200],
        parameters={"hierarchy": hierarchy.name, "set": dict(settings or {})},
        queue="train",
        requested_by=user,
    )


def probes_request_missing() -> list[Run]:
    """Ask for probes where a hierarchy has none yet, or has outgrown those it has."""
    trained = {
        one.scope: one.manifest.get("extra", {}).get("questions", 0)
        for one in ModelArtifact.objects.filter(capability="probes", state=ModelArtifact.State.CHAMPION)
    }
    tagged = KnowledgeHierarchy.objects.filter(
        concepts__question_tags__question__status=Question.Status.READY
    ).annotate(tagged=Count("concepts__question_tags__question", distinct=True))
    requested = []
    for hierarchy in tagged:
        enough = max(FEWEST_TAGGED, GROWTH * trained.get(hierarchy.name, 0))
        if hierarchy.tagged >= enough and (run := probes_request(hierarchy=hierarchy)):
            requested.append(run)
    return requested
