"""Computing the figures of questions from the stored responses."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from django.db import connection, transaction
from django.db.models import Max, QuerySet

from analytics.responses.table import Responses
from questionbank.bank.series_selectors import series_starts
from questionbank.core.database import advisory_lock
from questionbank.models import ItemStatistics, Question, ResponseSet
from questionbank.responses.disclosure_selectors import is_frozen, nearly_repeated_questions
from questionbank.responses.figures import (
    FEWEST_PUPILS,
    UNKNOWN,
    OptionShown,
    QuestionResult,
    SetResponses,
    bank_results,
    set_results,
)
from questionbank.responses.matching_selectors import marked_question

_FIRST_ATTEMPTS = """
    SELECT DISTINCT ON (question_id, person) question_id, person, score, choice
    FROM questionbank_response
    LEFT JOIN (
        SELECT question_id, max(version) AS since FROM questionbank_responseseries GROUP BY question_id
    ) series USING (question_id)
    WHERE response_set_id = %s AND question_id <> ALL(%s::bigint[]) AND (%s OR version >= coalesce(since, 0))
    ORDER BY question_id, person, attempt
"""

_VARIANTS = """
    SELECT question_id, jsonb_agg(
        jsonb_build_object('name', variant, 'people', people, 'facility', facility) ORDER BY variant
    )
    FROM (
        SELECT question_id, variant, count(*) AS people, avg(score) AS facility FROM questionbank_response
        WHERE response_set_id = %s AND attempt = 1 GROUP BY question_id, variant
    ) counted
    GROUP BY question_id HAVING count(*) > 1 AND min(people) >= %s
"""

Options = Mapping[int, Sequence[OptionShown]]


@transaction.atomic
def set_statistics_compute(*, response_set: ResponseSet) -> None:
    """Compute the figures of one set and store them; earlier ones are replaced, unless the set is frozen.

    Questions that were changed since then have no figures of options: their options may be others now.
    """
    if is_frozen(response_set):
        return
    versions = dict(response_set.responses.values_list("question_id").annotate(Max("version")))
    since = series_starts(versions)
    current = [number for number, version in versions.items() if version >= since.get(number, 0)]
    options = _options_of(current)
    # Once withheld, always withheld: deleting the earlier set must not bring the difference to light.
    response_set.withheld = sorted({*response_set.withheld, *nearly_repeated_questions(response_set=response_set)})
    data = _responses_of(response_set, options, every_series=True)
    response_set.figures, results = set_results(data, options) if data else ({}, {})
    response_set.removed = 0
    response_set.save(update_fields=["figures", "removed", "withheld"])
    _store(response_set, results, versions)
    for question, variants in _variants_of(response_set).items():
        ItemStatistics.objects.filter(response_set=response_set, question=question).update(variants=variants)


@transaction.atomic
def bank_statistics_compute() -> int:
    """Compute the figures over all sets and store them; return the number of questions that have some."""
    advisory_lock("item-statistics")
    sets = [response_set for response_set in ResponseSet.objects.order_by("pk") if not is_frozen(response_set)]
    options = _options_of(
        ItemStatistics.objects.filter(response_set__isnull=False).values_list("question_id", flat=True).distinct()
    )
    found = [data for response_set in sets if (data := _responses_of(response_set, options)) is not None]
    results = bank_results(found, options)
    _store(None, results, series_starts(results))
    return len(results)


def _variants_of(response_set: ResponseSet) -> dict[int, Any]:
    """Return the figures of the variants of each question that has several, if five pupils or more saw each."""
    with connection.cursor() as cursor:
        cursor.execute(_VARIANTS, [response_set.pk, FEWEST_PUPILS])
        return {question: json.loads(variants) for question, variants in cursor.fetchall()}


def _store(
    response_set: ResponseSet | None, results: Mapping[int, QuestionResult], versions: Mapping[int, int]
) -> None:
    ItemStatistics.objects.filter(response_set=response_set).delete()
    ItemStatistics.objects.bulk_create(
        (
            ItemStatistics(
                question_id=question,
                response_set=response_set,
                version=versions.get(question, 0),
                people=result.people,
                figures=result.figures,
                options=result.options,
                flags=result.flags,
            )
            for question, result in results.items()
        ),
        batch_size=1000,
    )


def _options_of(questions: QuerySet[Any, Any] | Sequence[int]) -> Options:
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


def _responses_of(response_set: ResponseSet, options: Options, *, every_series: bool = False) -> SetResponses | None:
    """Return the first attempts of a set, without questions that are withheld; None if it has none.

    Args:
        every_series: whether responses to a question before it was changed are among them.
    """
    with connection.cursor() as cursor:
        cursor.execute(_FIRST_ATTEMPTS, [response_set.pk, response_set.withheld, every_series])
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
