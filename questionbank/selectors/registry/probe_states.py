"""Why a hierarchy has no probes to predict with: training is under way, or labelled questions are missing."""

from __future__ import annotations

from django.db.models import Q
from django.utils.translation import ngettext

from questionbank.models import Question, Run

FEWEST_TAGGED = 100  # ready tagged questions below which no probes are trained: neighbours vote instead


def why_no_probes(hierarchy: str) -> str:
    """Return a sentence that says what is missing before a model names concepts of this hierarchy."""
    unfinished = Run.objects.exclude(state__in=Run.FINISHED)
    trainings = unfinished.filter(kind=Run.Kind.TRAIN, parameters__hierarchy=hierarchy)
    names = {"name": hierarchy}
    if (run := trainings.order_by("pk").first()) is not None:
        return f"The model for “{hierarchy}” is being trained (job {run.pk})."
    tagged = _tagged(hierarchy)
    if tagged < FEWEST_TAGGED:
        missing = FEWEST_TAGGED - tagged
        return ngettext(
            "“%(name)s” has %(tagged)d of the %(needed)d labelled questions a model needs; %(missing)d is missing.",
            "“%(name)s” has %(tagged)d of the %(needed)d labelled questions a model needs; %(missing)d are missing.",
            missing,
        ) % (names | {"tagged": tagged, "needed": FEWEST_TAGGED, "missing": missing})
    if unfinished.filter(Q(kind=Run.Kind.EMBED) | Q(kind=Run.Kind.PROMOTE)).exists():
        return "The model for “{name}” is trained once the vectors of its questions are computed.".format(
            **names
        )
    return "No model is in use for “{name}”; an admin can train it under Models.".format(**names)


def _tagged(hierarchy: str) -> int:
    """Return ready questions tagged in the hierarchy, counted up to the number that a model needs."""
    ready = Question.objects.filter(
        status=Question.Status.READY, paraphrase_of__isnull=True, tags__concept__hierarchy__name=hierarchy
    )
    return ready.order_by().values("pk").distinct()[:FEWEST_TAGGED].count()
