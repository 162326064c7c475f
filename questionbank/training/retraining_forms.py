"""The form of a schedule by which a model is retrained."""

from __future__ import annotations

from typing import Any

from django import forms

from questionbank.core.forms import ServiceForm
from questionbank.models import RetrainingSchedule

MOST_WEEKS, MOST_LABELS = 52, 10_000_000
FIELDS = ("is_on", "every_weeks", "after_labels", "begins_at", "ends_at", "promotes")


class ScheduleForm(ServiceForm):
    """When a model is retrained, and whether the new one may be put into use."""

    is_on = forms.BooleanField(label="Retrain this model by itself", required=False)
    every_weeks = forms.IntegerField(
        label="Every so many weeks",
        required=False,
        min_value=1,
        max_value=MOST_WEEKS,
        help_text="Leave it empty to go by new labels alone.",
    )
    after_labels = forms.IntegerField(
        label="After so many new labels or responses",
        required=False,
        min_value=1,
        max_value=MOST_LABELS,
        help_text="Counted since the last training. With both, whichever comes first.",
    )
    begins_at = forms.TimeField(label="From", widget=forms.TimeInput({"type": "time"}, format="%H:%M"))
    ends_at = forms.TimeField(
        label="Until",
        widget=forms.TimeInput({"type": "time"}, format="%H:%M"),
        help_text="A training begins in these hours; it may end later.",
    )
    promotes = forms.BooleanField(
        label="Put the new model into use if it passes the gate",
        required=False,
        help_text="Otherwise it stays a candidate until an admin promotes it.",
    )

    def __init__(self, *args: Any, schedule: RetrainingSchedule, **kwargs: Any) -> None:
        super().__init__(*args, initial={name: getattr(schedule, name) for name in FIELDS}, **kwargs)
