"""What a training of each capability would learn from."""

from __future__ import annotations

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


def is_counted_at_once() -> bool:
    """Return whether the bank is small enough for a page to wait for a report."""
    return Question.objects.all()[: COUNTED_AT_ONCE + 1].count() <= COUNTED_AT_ONCE
