"""Agreement of annotators. Plain Python: the web process shows it, and scikit-learn takes a second to import."""

from __future__ import annotations

from collections.abc import Sequence

from analytics.errors import DataError


def cohen_kappa(first: Sequence[int], second: Sequence[int]) -> float:
    """Return the agreement of two annotators beyond chance; 1 where both always give one same label.

    >>> round(cohen_kappa([1, 1, 0, 0], [1, 0, 0, 0]), 3)
    0.5

    Raises:
        DataError: lengths differ, or there is nothing to compare.
    """
    if len(first) != len(second) or not first:
        raise DataError("Two annotators must have labelled the same items, and at least one.")
    observed = sum(
        first_label == second_label for first_label, second_label in zip(first, second, strict=True)
    ) / len(first)
    labels = set(first) | set(second)
    expected = sum(list(first).count(label) * list(second).count(label) for label in labels) / len(first) ** 2
    return 1.0 if expected == 1 else (observed - expected) / (1 - expected)
