"""Series of responses: an edit that changes what a question asks begins a new one, a corrected misprint does not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any

from rapidfuzz.distance import OSA

from questionbank.bank.difficulty_selectors import counted_percent
from questionbank.bank.history_selectors import question_states, series_starts
from questionbank.models import ItemStatistics, Question, Response, ResponseSeries

_EXACT = re.compile(r"\$[^$]*\$|\\\(.*?\\\)|\\\[.*?\\\]|\d+(?:[.,:/]\d+)*", re.DOTALL)
_WORD = re.compile(r"[^\W\d_]+")
_MOST_MISSPELT = 2  # words that differ by one letter
_GRADED = ("accepted", "pairs", "blanks", "parts", "settings", "pictures")  # of `QuestionContent`


class SeriesChoice(StrEnum):
    """What an edit does to the figures from earlier responses."""

    AUTOMATIC = "automatic"
    KEEP = "keep"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Asked:
    """What pupils see of a question and how they are marked.

    Attributes:
        options: label, text and weight of each option.
    """

    kind: str
    text: str
    answer: str
    options: tuple[tuple[Any, ...], ...]
    grading: tuple[Any, ...]

    @classmethod
    def of(cls, question: Any) -> Asked:
        """Return what a question, or a row of its history, asks; spaces do not count."""
        options = tuple((option["label"], _plain(option["text"]), option.get("weight")) for option in question.options)
        grading = tuple(question.content.get(name) for name in _GRADED)
        return cls(question.kind, _plain(question.text), _plain(question.answer), options, grading)


def differs(before: Asked, after: Asked) -> bool:
    """Return whether pupils would answer another question.

    Options, answer, grading, numbers and formulas count as they are. Of the other words, up to two may differ by one
    letter: a typing mistake.
    """
    if before == after:
        return False
    if (before.kind, before.answer, before.options, before.grading) != (
        after.kind,
        after.answer,
        after.options,
        after.grading,
    ):
        return True
    if _EXACT.findall(before.text) != _EXACT.findall(after.text):
        return True
    words = [_WORD.findall(_EXACT.sub(" ", asked.text).casefold()) for asked in (before, after)]
    if len(words[0]) != len(words[1]):
        return True
    distances = [OSA.distance(first, second) for first, second in zip(*words, strict=True) if first != second]
    return len(distances) > _MOST_MISSPELT or any(distance > 1 for distance in distances)


def series_continue(*, question: Question, before: Asked, choice: SeriesChoice = SeriesChoice.AUTOMATIC) -> bool:
    """Begin a new series at the question's version if its edit calls for one; return whether it did.

    The figures of all sets are deleted then, because they are about the question as it was; those of each set stay.

    Args:
        question: after the edit, with its new version.
        before: what it asked before.
    """
    is_new = differs(before, Asked.of(question)) if choice is SeriesChoice.AUTOMATIC else choice is SeriesChoice.NEW
    if not is_new or not Response.objects.filter(question=question).exists():
        return False
    ResponseSeries.objects.get_or_create(question=question, version=question.version)
    ItemStatistics.objects.filter(question=question, response_set=None).delete()
    question.combined, question.difficulty_percent = None, counted_percent(question)
    Question.objects.filter(pk=question.pk).update(combined=None, difficulty_percent=question.difficulty_percent)
    return True


def series_divide(*, versions: Mapping[int, int]) -> None:
    """Begin the series of questions that were changed after the versions that responses now come for.

    Without responses an edit begins no series, so these would count for what the question asks today. Where earlier
    versions have responses already, the edit has been decided about.

    Args:
        versions: version that the pupils saw, by id of the question.
    """
    since = series_starts(versions)
    for question in Question.objects.filter(pk__in=versions).defer("search_vector"):
        version = versions[question.pk]
        if not since.get(question.pk, 0) <= version < question.version:
            continue
        states = [*question_states(question.pk, since=version), question]
        changed = [after.version for before, after in pairwise(states) if differs(Asked.of(before), Asked.of(after))]
        if changed and not Response.objects.filter(question=question, version__lt=changed[-1]).exists():
            ResponseSeries.objects.get_or_create(question=question, version=changed[-1])


def _plain(text: str) -> str:
    return " ".join(text.split())
