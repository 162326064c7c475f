"""Computing the figures of questions from the stored responses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from django.db import connection, transaction
from django.db.models import QuerySet

from analytics.responses.table import Responses
from questionbank.core.database import advisory_lock
from questionbank.models import ItemStatistics, Question, ResponseSet
from questionbank.responses.figures import UNKNOWN, OptionShown, QuestionResult, SetResponses, bank_results, set_results
from questionbank.responses.matching_selectors import marked_question

_FIRST_ATTEMPTS = """
    SELECT DISTINCT ON (question_id, person) question_id, person, score, choice
    FROM questionbank_response WHERE response_set_id = %s ORDER BY question_id, person, attempt
"""

Options = Mapping[int, Sequence[OptionShown]]


@transaction.atomic
def set_statistics_compute(*, response_set: ResponseSet) -> None:
    """Compute the figures of one set and store them; earlier ones are replaced."""
    options = _options_of(response_set.responses.values_list("question_id", flat=True).distinct())
    data = _responses_of(response_set, options)
    response_set.figures, results = set_results(data, options) if data else ({}, {})
    response_set.save(update_fields=["figures"])
    _store(response_set, results)


@transaction.atomic
def bank_statistics_compute() -> int:
    """Compute the figures over all sets and store them; return the number of questions that have some."""
    advisory_lock("item-statistics")
    sets = list(ResponseSet.objects.order_by("pk"))
    options = _options_of(
        ItemStatistics.objects.filter(response_set__isnull=False).values_list("question_id", flat=True).distinct()
    )
    found = [data for response_set in sets if (data := _responses_of(response_set, options)) is not None]
    results = bank_results(found, options)
    _store(None, results)
    return len(results)


def _store(response_set: ResponseSet | None, results: Mapping[int, QuestionResult]) -> None:
    ItemStatistics.objects.filter(response_set=response_set).delete()
    ItemStatistics.objects.bulk_create(
        (
            ItemStatistics(
                question_id=question,
                response_set=response_set,
                people=result.people,
                figures=result.figures,
                options=result.options,
                flags=result.flags,
            )
            for question, result in results.items()
        ),
        batch_size=1000,
    )


def _options_of(questions: QuerySet[Any, Any]) -> Options:
    """Return the options of each question with a single right one; several right ones are chosen together."""
    rows = Question.objects.filter(pk__in=questions).only("version", "kind", "options", "answer")
    found = {}
    for question in map(marked_question, rows):
        weights = question.weights
        if sum(weight > 0 for weight in weights) == 1:
            found[question.id] = [
                OptionShown(option.label, max(weight, 0.0))
                for option, weight in zip(question.options, weights, strict=True)
            ]
    return found


def _responses_of(response_set: ResponseSet, options: Options) -> SetResponses | None:
    """Return the first attempts of a set; None if it has no responses."""
    with connection.cursor() as cursor:
        cursor.execute(_FIRST_ATTEMPTS, [response_set.pk])
        rows = cursor.fetchall()
    if not rows:
        return None
    ids, question = np.unique(np.array([row[0] for row in rows]), return_inverse=True)
    _people, person = np.unique(np.array([bytes(row[1]).hex() for row in rows]), return_inverse=True)
    places = {number: {option.label: at for at, option in enumerate(shown)} for number, shown in options.items()}
    choices = [places.get(row[0], {}).get(row[3], UNKNOWN) if row[3] else UNKNOWN for row in rows]
    marks = np.array([response_set.maximum_marks.get(str(number), 1.0) for number in ids])
    responses = Responses(person, question, np.array([row[2] for row in rows], dtype=float), marks)
    return SetResponses(ids, responses, np.array(choices, dtype=np.int64), response_set.counts_unreached)
