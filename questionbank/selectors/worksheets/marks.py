"""The mark to expect on a worksheet, from observed difficulties, else published ones, else estimates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from questionbank.errors import ServiceUnavailable, ValidationFailed
from questionbank.models import Question
from questionbank.selectors.questions.difficulty import observed_difficulty, published_difficulty
from questionbank.selectors.serving import serving
from questionbank.selectors.similar.comparison import expected_places
from questionbank.selectors.similar.predictions import QuestionPrediction, predict_many
from questionbank.selectors.worksheets.worksheets import WorksheetRow
from questionbank.worksheets.expected_mark import (
    Basis,
    ExpectedMark,
    KnownDifficulty,
    deviation_of,
    expected_mark,
)

MOST_ESTIMATED = 100  # questions whose texts are read for one page
_OBSERVED_COVERAGE = 0.95  # of Wilson's interval
_TOPIC_DEPTH = 2  # levels of a concept in which two questions must agree to be on one topic
_SPREAD_COVERAGE = 0.8  # of an estimate's interval that is the neighbours' outer tenths


def worksheet_expected_mark(rows: Sequence[WorksheetRow], *, estimates: bool = True) -> ExpectedMark | None:
    """Return the mark to expect on what is printed; None where no difficulty is known.

    Where no question has points, each counts as one; else those without points do not count.

    Args:
        estimates: read the texts of the questions of which nothing is known.
    """
    printed = [
        (row.item.points, row.question)
        for row in rows
        if row.question is not None and not row.reason and row.question.kind != Question.Kind.DESCRIPTION
    ]
    if any(points is not None for points, _question in printed):
        printed = [(points, question) for points, question in printed if points]
    known = {question.pk: _known(question) for _points, question in printed}
    if estimates:
        missing = [question for _points, question in printed if known[question.pk] is None]
        known |= _estimated(missing[:MOST_ESTIMATED])
    return expected_mark(
        (1.0 if points is None else points, known[question.pk]) for points, question in printed
    )


def worksheet_places(rows: Sequence[WorksheetRow]) -> dict[int, float]:
    """Return the places of the questions on a worksheet by their ids, from 0, the easiest, to 1; not all are known."""
    questions = list({row.question.pk: row.question for row in rows if row.question is not None}.values())
    known = {question.pk: _known(question) for question in questions}
    predictions: dict[int, QuestionPrediction] = {}
    if None in known.values():
        predictions = _predictions(questions[:MOST_ESTIMATED])
        known |= _estimates({pk: predictions[pk] for pk in predictions if known[pk] is None})
    return expected_places(
        questions,
        scores={pk: each.order for pk, each in predictions.items() if each.order is not None},
        percents={pk: difficulty.percent for pk, difficulty in known.items() if difficulty is not None},
        topics={
            pk: each.concepts[0].path[:_TOPIC_DEPTH] for pk, each in predictions.items() if each.concepts
        },
    )


def _known(question: Question) -> KnownDifficulty | None:
    observed = observed_difficulty(question)
    if observed is not None and observed.low is not None and observed.high is not None:
        deviation = deviation_of(observed.low, observed.high, _OBSERVED_COVERAGE)
        return KnownDifficulty(observed.percent, Basis.OBSERVED, deviation)
    published = published_difficulty(question)
    return KnownDifficulty(published.percent, Basis.PUBLISHED) if published is not None else None


def _estimated(questions: Sequence[Question]) -> dict[int, KnownDifficulty | None]:
    return _estimates(_predictions(questions))


def _predictions(questions: Sequence[Question]) -> dict[int, QuestionPrediction]:
    if not questions:
        return {}
    try:
        predictions = predict_many(
            texts=[question.analysed_text for question in questions],
            languages=[question.language for question in questions],
            serving=serving(),
        )
    except (ServiceUnavailable, ValidationFailed):  # no vectors yet, or the hierarchy has gone meanwhile
        return {}
    return {question.pk: prediction for question, prediction in zip(questions, predictions, strict=True)}


def _estimates(predictions: Mapping[int, QuestionPrediction]) -> dict[int, KnownDifficulty | None]:
    difficulties: dict[int, KnownDifficulty | None] = {}
    for pk, prediction in predictions.items():
        if (difficulty := prediction.difficulty) is not None:
            coverage = difficulty.coverage or _SPREAD_COVERAGE
            deviation = deviation_of(difficulty.low_percent, difficulty.high_percent, coverage)
            difficulties[pk] = KnownDifficulty(difficulty.percent, Basis.ESTIMATED, deviation)
    return difficulties
