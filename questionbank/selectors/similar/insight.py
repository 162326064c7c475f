"""What is known about a question, stored or just pasted: its prediction and its difficulty."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _

from questionbank.errors import ServiceUnavailable, ValidationFailed
from questionbank.models import Question
from questionbank.selectors.questions.difficulty import (
    DifficultyFigure,
    observed_difficulty,
    published_difficulty,
)
from questionbank.selectors.questions.tags import TagView
from questionbank.selectors.serving import Serving
from questionbank.selectors.similar.predictions import QuestionPrediction, predict


def predict_or_none(
    text: str, serving: Serving, language: str = "", hierarchy: str = ""
) -> tuple[QuestionPrediction | None, str]:
    """Return the prediction in a hierarchy, or None and the sentence that says why there is none."""
    try:
        return predict(text=text, serving=serving, language=language, hierarchy=hierarchy or None), ""
    except (ServiceUnavailable, ValidationFailed) as error:  # the hierarchy may be deleted meanwhile
        return None, str(error)


def tagged_hierarchies(tags: Iterable[TagView], serving: Serving) -> list[str]:
    """Return the hierarchies in which a question is tagged, those with a model first."""
    names = dict.fromkeys(tag.hierarchy for tag in tags)
    return sorted(names, key=lambda name: name not in serving.probe_artifacts)


def difficulty_figures(
    question: Question | None, prediction: QuestionPrediction | None
) -> list[DifficultyFigure]:
    """Return observed, estimated and published difficulty, as far as each is known: evidence before labels."""
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
