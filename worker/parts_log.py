"""What the log of a training says of the parts that its questions are divided into."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from questionbank.selectors.training.training_parts import Parts


def parts_text(parts: Parts[Any], left_out: Sequence[tuple[int, str]]) -> str:
    """Say what becomes of how many questions; a reason that left none out is not named.

    Args:
        parts: the questions.
        left_out: how many are in none of the parts, and what they are, such as ``(3, "unreadable")``.
    """
    near = (parts.left_out, "near-duplicates of validation, held-out or test questions")
    reasons = ", ".join(f"{count:,} {what}" for count, what in (*left_out, near) if count)
    divided = (
        f"{len(parts.learned):,} to learn from, {len(parts.validation):,} to validate with,"
        f" {len(parts.held_out):,} held out for comparison."
    )
    return f"{divided} Left out: {reasons}." if reasons else divided
