"""The expected mark on a worksheet, from the difficulties that count, and estimates where none is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import sqrt
from statistics import NormalDist

from questionbank.bank.difficulty_selectors import counted_difficulty
from questionbank.core.errors import ServiceUnavailable, ValidationFailed
from questionbank.models import Question
from questionbank.registry.serving import serving
from questionbank.similar.kinship import expected_places
from questionbank.similar.predictions import QuestionPrediction, predict_many
from questionbank.worksheets.selectors import WorksheetRow

COVERAGE = 0.9
"""Share of marks within the interval, for students like those from whom the difficulties come."""


class Basis(StrEnum):
    """The origin of a difficulty."""

    OBSERVED = "observed"
    PUBLISHED = "published"
    ESTIMATED = "estimated"


@dataclass(frozen=True, slots=True)
class KnownDifficulty:
    """A difficulty in per cent.

    Attributes:
        deviation: standard deviation of the figure, in percentage points; 0 if no interval is known.
    """

    percent: float
    basis: Basis
    deviation: float = 0.0


@dataclass(frozen=True, slots=True)
class ExpectedMark:
    """The expected mark in points, with its interval.

    Attributes:
        points: maximum total of the questions with a known difficulty.
        unknown: number of questions without a known difficulty, which are left out.
    """

    mark: float
    low: float
    high: float
    points: float
    bases: Mapping[Basis, int]
    unknown: int = 0

    @property
    def known(self) -> int:
        return sum(self.bases.values())


def deviation_of(low: float, high: float, coverage: float) -> float:
    """Return the standard deviation of a normal distribution with the middle `coverage` between two bounds.

    >>> round(deviation_of(-1.959964, 1.959964, 0.95), 4)
    1.0
    """
    return (high - low) / 2 / NormalDist().inv_cdf(0.5 + coverage / 2)


def expected_mark(questions: Iterable[tuple[float, KnownDifficulty | None]]) -> ExpectedMark | None:
    """Return the expected mark; None if no difficulty is known.

    Args:
        questions: the points and difficulty of each.

    >>> half = KnownDifficulty(50.0, Basis.OBSERVED)
    >>> found = expected_mark([(4.0, half), (4.0, half), (1.0, None)])
    >>> found.mark, round(found.low, 2), found.points, found.unknown
    (4.0, 0.0, 8.0, 1)
    """
    mark = points = chance = independent = common = 0.0
    bases: Counter[Basis] = Counter()
    unknown = 0
    for worth, difficulty in questions:
        if difficulty is None:
            unknown += 1
            continue
        wrong = min(1.0, max(0.0, difficulty.percent / 100))
        mark += worth * (1 - wrong)
        points += worth
        chance += worth**2 * wrong * (1 - wrong)
        if difficulty.basis == Basis.ESTIMATED:
            common += worth * difficulty.deviation / 100
        else:
            independent += (worth * difficulty.deviation / 100) ** 2
        bases[difficulty.basis] += 1
    if not bases:
        return None
    spread = NormalDist().inv_cdf(0.5 + COVERAGE / 2) * sqrt(chance + independent + common**2)
    low, high = max(0.0, mark - spread), min(points, mark + spread)
    return ExpectedMark(mark, low, high, points, dict(bases), unknown)


MOST_ESTIMATED = 100  # most questions whose texts are read for one page
_OBSERVED_COVERAGE = 0.95  # of the interval of what was observed
_TOPIC_DEPTH = 2  # depth to which the concepts of two questions on one topic must agree
_SPREAD_COVERAGE = 0.8  # of an estimate's interval between the neighbours' outer tenths


def worksheet_expected_mark(rows: Sequence[WorksheetRow]) -> ExpectedMark | None:
    """Return the expected mark on the printed questions; None if no difficulty is known.

    If no question has points, each counts as one point; otherwise those without points do not count. Where the
    difficulty is not known, it is estimated from the text.
    """
    printed = [
        (row.item.points, row.question)
        for row in rows
        if row.question is not None and not row.reason and row.question.kind != Question.Kind.DESCRIPTION
    ]
    if any(points is not None for points, _question in printed):
        printed = [(points, question) for points, question in printed if points]
    known = {question.pk: _known(question) for _points, question in printed}
    missing = [question for _points, question in printed if known[question.pk] is None]
    known |= _estimates(_predictions(missing[:MOST_ESTIMATED]))
    return expected_mark((1.0 if points is None else points, known[question.pk]) for points, question in printed)


def worksheet_places(rows: Sequence[WorksheetRow]) -> dict[int, float]:
    """Return the ranks by difficulty of a worksheet's questions by id, from 0 (easiest) to 1, as far as known."""
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
        topics={pk: each.concepts[0].path[:_TOPIC_DEPTH] for pk, each in predictions.items() if each.concepts},
    )


def _known(question: Question) -> KnownDifficulty | None:
    figure = counted_difficulty(question)
    if figure is None:
        return None
    if figure.low is None or figure.high is None:
        return KnownDifficulty(figure.percent, Basis.PUBLISHED)
    deviation = deviation_of(figure.low, figure.high, _OBSERVED_COVERAGE)
    return KnownDifficulty(figure.percent, Basis.OBSERVED, deviation)


def _predictions(questions: Sequence[Question]) -> dict[int, QuestionPrediction]:
    if not questions:
        return {}
    try:
        predictions = predict_many(
            texts=[question.analysed_text for question in questions],
            languages=[question.language for question in questions],
            serving=serving(),
        )
    except (ServiceUnavailable, ValidationFailed):  # no vectors yet, or the hierarchy was deleted meanwhile
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
