"""What a training of each capability would learn from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from questionbank.capabilities.catalog import training_of
from questionbank.capabilities.contract import Report
from questionbank.errors import NotFound
from questionbank.models import Question

COUNTED_AT_ONCE = 5_000  # questions of a bank whose report a page may wait for


def training_report(capability: str) -> Report:
    """Return the report that the capability's row names.

    Raises:
        NotFound: it is not trained on the bank.
    """
    training = training_of(capability)
    if training is None:
        raise NotFound(f"“{capability}” is not trained on the bank.")
    return training.report


def report_at_once(*, capability: str, hierarchies: Sequence[str] | None) -> Any:
    """Return the report of a training; None where the bank is too large for a page to wait until it is counted."""
    report = training_report(capability)
    is_small = Question.objects.all()[: COUNTED_AT_ONCE + 1].count() <= COUNTED_AT_ONCE
    return report(hierarchies=hierarchies) if is_small else report.kept(hierarchies=hierarchies)
