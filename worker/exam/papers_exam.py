"""The exam of reading test papers: those of strangers, by the model, by the rules, and by the more coherent reading."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings

from analytics.language_model.papers import read_paper
from analytics.language_model.protocol import LanguageModel
from questionbank.core.errors import DocumentRefused
from questionbank.papers.documents import read_document
from questionbank.papers.paper_lines import Line
from questionbank.papers.question_assembly import Reading, assemble, read_lines
from questionbank.papers.second_reading_services import empty_question, pointed_reading, shown_lines
from questionbank.registry.language_model_use_services import ExamOutcome
from worker.exam.contract import Array, Example, UseExam, at, compared, figures_of, folds, verdict_of
from worker.exam.judged_papers import Truth, faults, matched, truths_of
from worker.reporting import RunReporter

MARGINS = (-1.0, 0.0, 1.0, 2.0, 4.0, 8.0, 1_000.0)
"""How much more coherent the model's reading must be to count before that of the rules."""


@dataclass(frozen=True, slots=True)
class _Marks:
    """How many of a paper's questions are read whole, by the rules and by the model.

    Attributes:
        gain: how much more coherent the model's reading is; minus infinity if it cannot be used.
    """

    total: int
    rules: int
    model: int
    gain: float

    def both(self, margin: float) -> int:
        return self.model if self.gain > margin else self.rules


class PapersExam(UseExam):
    """Reading test papers."""

    use = "papers"
    measure = "Questions read whole: text, options, answer, parts, pictures and points"
    answer_tokens = 800

    def examples(self, folder: Path) -> list[Example]:
        """Return the papers named in ``SET/papers/truth.jsonl``, each with what its author says about its questions."""
        return [
            Example(file.parent.parent.name, {"file": str(file.parent / name), "truths": truths})
            for file in sorted(folder.glob("*/papers/truth.jsonl"))
            for name, truths in truths_of(file.parent).items()
        ]

    def prompt(self, example: Example) -> str:
        lines = shown_lines(_lines(example))
        return json.dumps([settings.LANGUAGE_MODEL_WINDOW, *([line.number, line.text] for line in lines)])

    def ask(self, model: LanguageModel, example: Example) -> dict[str, Any]:
        found = read_paper(model, shown_lines(_lines(example)), window=settings.LANGUAGE_MODEL_WINDOW)
        return {"roles": found.roles, "reason": found.reason, "unusable": float(found.roles is None)}

    def outcome(
        self, examples: Sequence[Example], answers: Sequence[Mapping[str, Any]], reporter: RunReporter
    ) -> ExamOutcome:
        marks = []
        for number, (example, answer) in enumerate(zip(examples, answers, strict=True), 1):
            reporter.check()
            reporter.progress(number, len(examples), f"Kindred reads paper {number:,} of {len(examples):,}")
            marks.append(_marked(_lines(example), example.data["truths"], answer["roles"]))
        both = np.zeros(len(marks))
        for measured in folds([example.source for example in examples]):
            margin = fit_margin(at(np.flatnonzero(~measured), marks))
            for place in np.flatnonzero(measured):
                both[place] = marks[place].both(margin)
        total, rules, model = np.array([(each.total, each.rules, each.model) for each in marks], float).T
        arms = compared(_share, model, rules, both, total)
        lines = [
            f"{total.sum():,.0f} questions: {rules.sum():,.0f} are read whole by the rules, {model.sum():,.0f} by the"
            f" model, {both.sum():,.0f} by the more coherent reading."
        ]
        return ExamOutcome(
            verdict_of(arms[-1:], len(examples)),
            figures_of(self, examples, answers, arms, lines),
            {"margin": fit_margin(marks)},
        )


def whole(lines: Sequence[Line], reading: Reading, truths: Sequence[Truth]) -> int:
    """Return how many of the author's questions a reading has whole."""
    pairs, _left = matched(assemble(lines, reading.roles).questions, truths)
    return sum(question is not None and not faults(truth, question) for truth, question in pairs)


def fit_margin(marks: Sequence[_Marks]) -> float:
    """Return the margin with which most questions are read whole; of equal ones the largest."""
    return max(MARGINS, key=lambda margin: (sum(each.both(margin) for each in marks), margin))


def _marked(lines: Sequence[Line], truths: Sequence[Truth], said: Sequence[str] | None) -> _Marks:
    rules = read_lines(lines)
    ours = whole(lines, rules, truths)
    pointed = None if said is None else pointed_reading(lines, said)
    if pointed is None or empty_question(lines, pointed.roles):
        return _Marks(len(truths), ours, 0, -float("inf"))
    gain = pointed.coherence - rules.coherence
    return _Marks(len(truths), ours, whole(lines, pointed, truths), gain)


def _lines(example: Example) -> tuple[Line, ...]:
    return _read(Path(example.data["file"]))


@lru_cache(maxsize=512)
def _read(file: Path) -> tuple[Line, ...]:
    """Return the lines of a document; none if it cannot be read, so that all of its questions count as not found."""
    try:
        return read_document(file, file.name).lines
    except (DocumentRefused, FileNotFoundError):
        return ()


def _share(found: Array, total: Array) -> float:
    return float(found.sum() / total.sum())
