"""Why a hierarchy has no probes to predict with: training is under way, or labelled questions are missing."""

from __future__ import annotations

from django.db.models import Q

from questionbank.models import Question, Run
from questionbank.numbers import counted

FEWEST_TAGGED = 100  # ready tagged questions below which no probes are trained: neighbours vote instead


def why_no_probes(hierarchy: str) -> str:
    """Return a sentence that says what is missing before a model names concepts of this hierarchy."""
    unfinished = Run.objects.exclude(state__in=Run.FINISHED)
    trainings = unfinished.filter(kind=Run.Kind.TRAIN, parameters__hierarchy=hierarchy)
    if (run := trainings.order_by("pk").first()) is not None:
        return f"The model for “{hierarchy}” is being trained (job {run.pk})."
    ready = Question.objects.filter(
        status=Question.Status.READY, paraphrase_of__isnull=True, tags__concept__hierarchy__name=hierarchy
    )
    tagged = ready.order_by().values("pk").distinct()[:FEWEST_TAGGED].count()
    if tagged < FEWEST_TAGGED:
        missing = FEWEST_TAGGED - tagged
        has = f"“{hierarchy}” has {tagged} of the {FEWEST_TAGGED} labelled questions a model needs"
        return f"{has}; {counted(missing, 'is', 'are')} missing."
    if unfinished.filter(Q(kind=Run.Kind.EMBED) | Q(kind=Run.Kind.PROMOTE)).exists():
        return f"The model for “{hierarchy}” is trained once the vectors of its questions are computed."
    return f"No model is in use for “{hierarchy}”; an admin can train it under Models."
