"""Ten questions and the marks of a class."""

from __future__ import annotations

from pathlib import Path

import pytest

from questionbank.models import Question, Run
from questionbank.responses.statistics_services import bank_statistics_compute, sets_model
from tests.factories import QuestionFactory

PUPILS = ("Ada Lovelace", "Ben Carr", "Cem Dent", "Dora Eck", "Emil Frost", "Fay Gold", "Gus Hall")
LETTERS = ("BACA", "BBCA", "BACB", "ABCA", "BACA", "ABBB", "BACC")


def waiting_figures_compute() -> None:
    """Do what the waiting job does, without a model that reads texts."""
    assert Run.objects.filter(kind=Run.Kind.FIGURES, state=Run.State.QUEUED).update(state=Run.State.SUCCEEDED) == 1
    sets_model()
    bank_statistics_compute(text_estimates=lambda _questions: {})


@pytest.fixture
def questions(db) -> list[Question]:
    """Four questions with options A to C and the key B, A, C, A."""
    options = [{"label": label, "text": f"the option {label}"} for label in "ABC"]
    return [
        QuestionFactory(
            text=f"What is the area of triangle number {number}?",
            kind="choice",
            options=options,
            answer=key,
            source="Tests",
            source_id=f"t-{number}",
        )
        for number, key in enumerate("BACA", start=1)
    ]


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    """A table of letters, a row per pupil, whose columns are the questions' identifiers."""
    lines = ["Name,t-1,t-2,t-3,t-4", *(f"{pupil},{','.join(row)}" for pupil, row in zip(PUPILS, LETTERS, strict=True))]
    path = tmp_path / "Test 3.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
