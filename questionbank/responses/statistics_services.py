"""Computing the figures of questions from the stored responses.

A request computes the classical figures of the set that it imports. A job does all else: the model over all sets, the
difficulty of each question by responses and text, and whether the model suits each set. Figures whose comparison would
tell something about single pupils are withheld.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from django.db import connection, transaction
from django.db.models import Max, Q, QuerySet

from analytics.responses.table import Responses
from questionbank.bank.difficulty_selectors import counted_percent
from questionbank.bank.history_selectors import series_starts
from questionbank.core.database import advisory_lock
from questionbank.jobs.progress import JobReporter
from questionbank.jobs.run_services import run_create
from questionbank.models import ItemStatistics, Question, ResponseSet, Run
from questionbank.responses.figures import (
    FEWEST_PUPILS,
    UNKNOWN,
    Expected,
    OptionShown,
    QuestionResult,
    SetResponses,
    bank_results,
    set_fit_flags,
    set_results,
)
from questionbank.responses.matching_selectors import marked_question

_NEARLY_SAME = """
    WITH mine AS (
        SELECT question_id, person, score, choice FROM questionbank_response
        WHERE response_set_id = %(set)s AND attempt = 1
    ), theirs AS (
        SELECT response_set_id, question_id, person, score, choice FROM questionbank_response
        WHERE response_set_id < %(set)s AND attempt = 1 AND question_id IN (SELECT question_id FROM mine)
    ), compared AS (
        SELECT theirs.response_set_id, question_id, count(*) AS size, count(mine.person) AS same
        FROM theirs LEFT JOIN mine USING (question_id, person, score, choice) GROUP BY 1, 2
    )
    SELECT DISTINCT question_id FROM compared
    JOIN questionbank_responseset earlier ON earlier.id = response_set_id
    JOIN (SELECT question_id, count(*) AS own_size FROM mine GROUP BY 1) counted USING (question_id)
    WHERE same > 0 AND earlier.removed + size + own_size - 2 * same BETWEEN 1 AND %(fewest)s - 1
"""

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
TextEstimates = Callable[[Sequence[int]], Mapping[int, Expected]]
"""Returns the difficulty of questions by their texts, by id, as far as a model reads them."""
_COMBINED = {"percent": "percent", "low": "percent_low", "high": "percent_high"}
_AT_ONCE = 1000
_ROWS_AT_ONCE = 50_000
_SCHOOL_YEAR = 8  # month in which a school year begins


@transaction.atomic
def set_statistics_compute(*, response_set: ResponseSet) -> None:
    """Compute the figures of one set and store them; earlier ones are replaced, unless the set is frozen.

    Questions that were changed since then have no figures of options: their options may be others now.
    """
    if is_frozen(response_set):
        return
    if not response_set.responses.exists():  # another system has computed its figures
        return
    versions = dict(response_set.responses.values_list("question_id").annotate(Max("version")))
    since = series_starts(versions)
    current = [number for number, version in versions.items() if version >= since.get(number, 0)]
    options = options_of(current)
    # Once withheld, always withheld: deleting the earlier set must not bring the difference to light.
    response_set.withheld = sorted({*response_set.withheld, *nearly_repeated_questions(response_set=response_set)})
    data = _responses_of(response_set, options, every_series=True)
    response_set.figures, results = set_results(data, options) if data else ({}, {})
    response_set.removed, response_set.is_modelled = 0, False
    response_set.save(update_fields=["figures", "removed", "withheld", "is_modelled"])
    _store(response_set, results, versions)
    for question, variants in _variants_of(response_set).items():
        ItemStatistics.objects.filter(response_set=response_set, question=question).update(variants=variants)


@transaction.atomic
def bank_statistics_request(*, outdated: Iterable[int] = ()) -> Run | None:
    """Request the figures over all sets; at most one run waits, however often this is called.

    Args:
        outdated: ids of questions whose figures over all sets must not be shown any more.
    """
    questions = sorted(set(outdated))
    ItemStatistics.objects.filter(response_set=None, question__in=questions).delete()
    _combined_store({}, Question.unrestricted.filter(pk__in=questions))
    # The waiting run is locked until our transaction commits, so it cannot start without seeing our rows.
    if Run.objects.select_for_update().filter(kind=Run.Kind.FIGURES, state=Run.State.QUEUED).exists():
        return None
    return run_create(kind=Run.Kind.FIGURES, title="Compute the figures of all responses", queue="light")


def nearly_repeated_questions(*, response_set: ResponseSet) -> set[int]:
    """Return the questions whose responses an earlier set has too, but for fewer than five pupils.

    Their figures in the two sets would differ by what these pupils answered. Pupils who were deleted from the earlier
    set are still in its figures.
    """
    with connection.cursor() as cursor:
        cursor.execute(_NEARLY_SAME, {"set": response_set.pk, "fewest": FEWEST_PUPILS})
        return {row[0] for row in cursor.fetchall()}


def is_frozen(response_set: ResponseSet) -> bool:
    """Return whether a set keeps its figures although pupils were deleted: new ones would tell what these answered."""
    return 0 < response_set.removed < FEWEST_PUPILS


def run_statistics(reporter: JobReporter, *, text_estimates: TextEstimates) -> dict[str, Any]:
    """Execute a run that computes what a request does not."""
    reporter.progress(0, 0, "Fitting the model to each new set")
    sets = sets_model()
    reporter.progress(0, 0, "Fitting the model to all sets")
    questions = bank_statistics_compute(text_estimates=text_estimates)
    return {"sets": sets, "questions": questions}


def sets_model() -> int:
    """Fit a model to each set that has none yet, flag questions that do not suit it, and return the number of sets."""
    done = 0
    for response_set in ResponseSet.objects.filter(is_modelled=False).order_by("pk"):
        with transaction.atomic():
            _set_model(response_set)
        done += 1
    return done


def _set_model(response_set: ResponseSet) -> None:
    rows = {row.question_id: row for row in ItemStatistics.objects.filter(response_set=response_set)}
    options = options_of(list(rows))
    data = None if is_frozen(response_set) else _responses_of(response_set, options, every_series=True)
    flags = set_fit_flags(data, options) if data else {}
    for number in flags.keys() & rows.keys():
        rows[number].flags = [*rows[number].flags, *flags[number]]
        rows[number].save(update_fields=["flags"])
    ResponseSet.objects.filter(pk=response_set.pk).update(is_modelled=True)


@transaction.atomic
def bank_statistics_compute(*, text_estimates: TextEstimates) -> int:
    """Compute the figures over all sets and store them; return the number of questions that have some.

    Args:
        text_estimates: estimates difficulties from the texts of questions.
    """
    advisory_lock("item-statistics")
    sets = [response_set for response_set in ResponseSet.objects.order_by("pk") if not is_frozen(response_set)]
    options = options_of(
        ItemStatistics.objects.filter(response_set__isnull=False).values_list("question_id", flat=True).distinct()
    )
    found = [data for response_set in sets if (data := _responses_of(response_set, options)) is not None]
    asked = sorted({int(number) for data in found for number in data.questions})
    results = bank_results(found, options, _expected(asked, text_estimates))
    _store(None, results, series_starts(results))
    combined = {
        number: {name: round(result.figures[figure], 2) for name, figure in _COMBINED.items()}
        | {"responses": result.people}
        for number, result in results.items()
        if _COMBINED["high"] in result.figures
    }
    _combined_store(combined, Question.objects.filter(Q(pk__in=combined) | Q(combined__isnull=False)))
    return len(results)


def _expected(questions: Sequence[int], text_estimates: TextEstimates) -> dict[int, Expected]:
    """Return what texts and sources say about the difficulty of questions."""
    rows = Question.objects.filter(pk__in=questions, facility__isnull=False, responses__gt=0)
    expected = dict(text_estimates(questions))
    for pk, facility, responses in rows.values_list("pk", "facility", "responses"):
        if facility is not None:
            expected[pk] = replace(expected.get(pk, Expected()), facility=(facility, responses))
    return expected


def _combined_store(combined: Mapping[int, Mapping[str, float]], among: QuerySet[Question]) -> None:
    """Store the combined difficulties of some questions, and the difficulties that count then.

    Whoever deletes responses: figures count for everybody who sees the questions.
    """
    names = ("difficulty", "difficulty_scale", "facility", "responses", "combined", "difficulty_percent")
    changed = [row for row in among.only(*names).iterator() if row.combined != combined.get(row.pk)]
    for row in changed:
        row.combined = combined.get(row.pk)
        row.difficulty_percent = counted_percent(row, row.combined)
    Question.unrestricted.bulk_update(changed, ["combined", "difficulty_percent"], batch_size=_AT_ONCE)


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
                years=result.years,
            )
            for question, result in results.items()
        ),
        batch_size=1000,
    )


def options_of(questions: QuerySet[Any, Any] | Sequence[int]) -> Options:
    """Return the options of each question with a single right one; several right ones are chosen together.

    Also of questions that whoever deletes responses no longer sees: the figures that remain are for others.
    """
    rows = Question.unrestricted.filter(pk__in=questions).only("version", "kind", "options", "answer")
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
        places = {number: {option.label: at for at, option in enumerate(shown)} for number, shown in options.items()}
        numbers, hashes, scores, chosen = array("q"), bytearray(), array("d"), array("q")
        while rows := cursor.fetchmany(_ROWS_AT_ONCE):
            numbers.extend(row[0] for row in rows)
            hashes += b"".join(row[1] for row in rows)
            scores.extend(row[2] for row in rows)
            chosen.extend(places.get(row[0], {}).get(row[3], UNKNOWN) if row[3] else UNKNOWN for row in rows)
    if not numbers:
        return None
    ids, question = np.unique(np.array(numbers), return_inverse=True)
    _people, person = np.unique(np.frombuffer(hashes, dtype="<u8")[::2], return_inverse=True)  # half a hash tells apart
    marks = np.array([response_set.maximum_marks.get(str(number), 1.0) for number in ids])
    responses = Responses(person, question, np.array(scores), marks)
    day = response_set.day
    year = None if day is None else day.year - (day.month < _SCHOOL_YEAR)
    return SetResponses(ids, responses, np.array(chosen), response_set.counts_unreached, year)
