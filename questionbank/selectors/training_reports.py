"""What a training of each capability would learn from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from questionbank.models import Question
from questionbank.selectors.data_report import KeptReport, encoder_data_report
from questionbank.selectors.probes_report import probes_data_report
from questionbank.selectors.scorer_report import scorer_data_report

__all__ = ["COUNTED_AT_ONCE", "TRAINING_REPORTS", "is_counted_at_once"]

COUNTED_AT_ONCE = 5_000  # questions of a bank whose report a page may wait for

TRAINING_REPORTS: Mapping[str, KeptReport[Any]] = {  # capability -> its report; a literal table
    "encoder": encoder_data_report,
    "paraphrase": scorer_data_report,
    "probes": probes_data_report,
}


def is_counted_at_once() -> bool:
    """Whether the bank is small enough for a page to wait for a report."""
    return Question.objects.all()[: COUNTED_AT_ONCE + 1].count() <= COUNTED_AT_ONCE
