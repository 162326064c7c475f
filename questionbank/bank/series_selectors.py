"""Where the current series of responses to each question begins, and what questions asked on an earlier day."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

from django.apps import apps
from django.db.models import Max

from questionbank.models import ResponseSeries


def series_starts(questions: Iterable[int]) -> dict[int, int]:
    """Return the first version of each question's current series, for the questions whose series has begun anew."""
    rows = ResponseSeries.objects.filter(question__in=list(questions))
    return dict(rows.values_list("question_id").annotate(Max("version")))


def questions_on(questions: Iterable[int], day: date) -> dict[int, Any]:
    """Return the questions that changed after a day as they were at its end, as rows of the history by question.

    A question that was not yet in the bank is returned as it was first.
    """
    later = _updates().filter(pgh_obj_id__in=list(questions), pgh_created_at__date__gt=day)
    return {event.pgh_obj_id: event for event in later.order_by("pgh_obj_id", "pk").distinct("pgh_obj_id")}


def question_states(question: int, *, since: int) -> list[Any]:
    """Return the earlier states of a question from a version on, as rows of the history, the oldest first."""
    return list(_updates().filter(pgh_obj_id=question, version__gte=since).order_by("pk"))


def _updates() -> Any:
    """Return the rows of the history of questions; each is a question as it was before a change."""
    return apps.get_model("questionbank", "QuestionEvent")._default_manager.filter(pgh_label="update")
