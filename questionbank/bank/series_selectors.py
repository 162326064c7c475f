"""Where the current series of responses to each question begins."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Max

from questionbank.models import ResponseSeries


def series_starts(questions: Iterable[int]) -> dict[int, int]:
    """Return the first version of each question's current series, for the questions whose series has begun anew."""
    rows = ResponseSeries.objects.filter(question__in=list(questions))
    return dict(rows.values_list("question_id").annotate(Max("version")))
