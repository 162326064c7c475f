"""What is known about a question, stored or just pasted: predictions and the similar ones under each lens."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from questionbank.errors import ServiceUnavailable, ValidationFailed
from questionbank.models import Lens, Question
from questionbank.selectors.difficulty import DifficultyFigure, observed_difficulty, published_difficulty
from questionbank.selectors.predictions import QuestionPrediction, predict
from questionbank.selectors.serving import Serving
from questionbank.selectors.similarity import SimilarResult, similar_questions, similar_to_text
from questionbank.selectors.tags import TagView

__all__ = [
    "LENS_EXPLANATIONS",
    "LensColumn",
    "difficulty_figures",
    "lens_column",
    "lens_columns",
    "lens_columns_of_text",
    "predict_or_none",
    "tagged_hierarchies",
]

SIMILAR_SHOWN = 5

LENS_EXPLANATIONS: dict[str, Promise] = {
    Lens.PURPOSE: gettext_lazy("Asks for the same thing, whatever the words and numbers."),
    Lens.WORDING: gettext_lazy("Reads alike, whether or not it is solved alike."),
}


@dataclass(frozen=True, slots=True)
class LensColumn:
    """The similar questions under one lens; `notice` says why there are none, or none of the usual kind."""

    lens: str
    name: str
    explanation: str
    hits: tuple[Any, ...]
    notice: str


def lens_column(question: Question, lens: str, serving: Serving, k: int = SIMILAR_SHOWN) -> LensColumn:
    """The similar questions of a stored question under one lens."""
    return _column(lens, lambda: similar_questions(question=question, lens=lens, serving=serving, k=k))


def lens_columns(question: Question, serving: Serving, k: int = SIMILAR_SHOWN) -> list[LensColumn]:
    """The similar questions of a stored question, a column a lens."""
    return [lens_column(question, lens, serving, k) for lens in Lens.values]


def lens_columns_of_text(
    text: str, serving: Serving, language: str = "", k: int = SIMILAR_SHOWN
) -> list[LensColumn]:
    """The same for a text that is not in the bank."""
    return [
        _column(
            lens,
            lambda lens=lens: similar_to_text(text=text, lens=lens, serving=serving, language=language, k=k),
        )
        for lens in Lens.values
    ]


def _column(lens: str, find: Any) -> LensColumn:
    notice, hits = "", ()
    try:
        result: SimilarResult = find()
        notice, hits = result.notice, tuple(result.hits)
    except ServiceUnavailable as error:
        notice = str(error)
    return LensColumn(
        lens=lens,
        name=str(Lens(lens).label),
        explanation=str(LENS_EXPLANATIONS.get(lens, "")),
        hits=hits,
        notice=notice,
    )


def predict_or_none(
    text: str, serving: Serving, language: str = "", hierarchy: str = ""
) -> tuple[QuestionPrediction | None, str]:
    """The prediction in a hierarchy, or None and the sentence that says why there is none."""
    try:
        return predict(text=text, serving=serving, language=language, hierarchy=hierarchy or None), ""
    except (ServiceUnavailable, ValidationFailed) as error:  # the hierarchy may be deleted meanwhile
        return None, str(error)


def tagged_hierarchies(tags: Iterable[TagView], serving: Serving) -> list[str]:
    """The hierarchies in which a question is tagged, those with a model first."""
    names = dict.fromkeys(tag.hierarchy for tag in tags)
    return sorted(names, key=lambda name: name not in serving.probe_artifacts)


def difficulty_figures(
    question: Question | None, prediction: QuestionPrediction | None
) -> list[DifficultyFigure]:
    """Observed, estimated and published difficulty, as far as each is known: evidence before labels."""
    observed = observed_difficulty(question) if question else None
    published = published_difficulty(question) if question else None
    return [figure for figure in (observed, _estimated(prediction), published) if figure is not None]


def _estimated(prediction: QuestionPrediction | None) -> DifficultyFigure | None:
    estimate = prediction.difficulty if prediction else None
    if prediction is None or estimate is None:
        return None
    return DifficultyFigure(
        label=_("Estimated"),
        percent=estimate.percent,
        low=estimate.low_percent,
        high=estimate.high_percent,
        basis=prediction.basis,
        is_estimate=True,
    )
