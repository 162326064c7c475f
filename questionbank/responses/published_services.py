"""Figures that another system computed: stored with a set, and counted as so many responses to its questions."""

from __future__ import annotations

from collections.abc import Iterable

from questionbank.bank.difficulty_selectors import counted_percent
from questionbank.models import ItemStatistics, Question, ResponseSet
from questionbank.responses.response_table import PublishedFigures


def published_add(*, response_set: ResponseSet, figures: Iterable[tuple[int, int, PublishedFigures]]) -> None:
    """Store the figures of a set that has no responses.

    Args:
        figures: id and version of a question, and its figures.
    """
    ItemStatistics.objects.bulk_create(
        ItemStatistics(
            question_id=question,
            response_set=response_set,
            version=version,
            people=published.people or 0,
            figures=published.figures,
        )
        for question, version, published in figures
    )
    _count(response_set, 1)


def published_remove(*, response_set: ResponseSet) -> None:
    """Take the figures of a set back before it is deleted; one with responses counted for nothing here."""
    if not response_set.responses.exists():
        _count(response_set, -1)


def _count(response_set: ResponseSet, sign: int) -> None:
    """Add a set's figures to what was observed elsewhere, weighted by the number of pupils, or take them away.

    Also for questions that the person who deletes the set no longer sees.
    """
    figures = {row.question_id: row for row in response_set.item_statistics.filter(people__gt=0)}
    questions = list(Question.unrestricted.select_for_update().filter(pk__in=figures).defer("search_vector"))
    for question in questions:
        added = figures[question.pk]
        responses = max(question.responses + sign * added.people, 0)
        right = (question.facility or 0.0) * question.responses + sign * added.people * added.figures["facility"]
        question.facility = min(max(right / responses, 0.0), 1.0) if responses else None
        question.responses = responses
        question.difficulty_percent = counted_percent(question, question.combined)
    Question.unrestricted.bulk_update(questions, ["facility", "responses", "difficulty_percent"], batch_size=200)
