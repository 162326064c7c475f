"""What the log of a training says of its questions."""

from __future__ import annotations

from questionbank.training.questions import Parts
from worker.candidates import parts_text


def test_what_left_nothing_out_is_not_named() -> None:
    divided = "1,200 to learn from, 2 to validate with, 1 held out for comparison."
    parts = Parts(tuple(range(1200)), (1, 2), (3,), left_out=0)
    assert parts_text(parts, [(0, "unreadable")]) == divided
    reasons = "4 unreadable, 1,000 near-duplicates of validation, held-out or test questions"
    some = Parts(parts.learned, parts.validation, parts.held_out, left_out=1000)
    assert parts_text(some, [(0, "repeated"), (4, "unreadable")]) == f"{divided} Left out: {reasons}."
