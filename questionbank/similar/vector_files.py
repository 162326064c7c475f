"""The output of the file-to-file commands: vectors, predictions and similar questions as plain values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.utils.text import Truncator

from analytics.catalog import lenses, main_lens
from questionbank.core.errors import ValidationFailed
from questionbank.formats.answer_files import InputQuestion
from questionbank.registry.serving import Serving
from questionbank.similar.predictions import PredictedDifficulty, QuestionPrediction, predict_many
from questionbank.similar.similarity import SimilarHit

_DIGITS = 6
_SOME_NOT_MATHEMATICS = "Some texts do not look like mathematics questions: they get no concept and no difficulty."
_SHOWN = 100  # characters of a question in a table


def lens_help() -> str:
    """Return the help text for a command's option ``--lens``: “purpose (by default), structure or wording”."""
    main = main_lens().word
    *others, last = (word for word in lenses() if word != main)
    return f"{', '.join([f'{main} (by default)', *others])} or {last}"


def check_lens(name: str) -> str:
    """Return the name if it is that of a lens.

    Raises:
        ValidationFailed: there is no such lens.
    """
    if name in lenses():
        return name
    lens_names = ", ".join(lenses())
    raise ValidationFailed(f"There is no lens “{name}”; use one of {lens_names}.")


def question_vectors(
    questions: Sequence[InputQuestion], *, lens: str, serving: Serving, notices: set[str]
) -> list[dict[str, Any]]:
    """Return ``{id, vector}`` per question; if another lens replaced it, ``lens`` names that lens.

    The vector is None if the lens does not support such a text, or no model knows its language. Messages for the
    user are added to `notices`.
    """
    row = lenses()[lens]
    rows: dict[int, dict[str, Any]] = {}
    by_language: dict[str, list[int]] = {}
    for index, question in enumerate(questions):
        if not row.takes(question.text):
            rows[index] = {"id": question.id, "vector": None}
            notices.add("Some texts have no vector: under this lens only word problems are compared.")
            continue
        by_language.setdefault(question.language, []).append(index)
    for language, indices in by_language.items():
        texts = [questions[index].text for index in indices]
        served = serving.for_language(language)
        if lens in served.sets and not (row.stand_in or served.serves(lens, language, texts)):
            rows |= {index: {"id": questions[index].id, "vector": None} for index in indices}
            notices.add("Some texts have no vector: the model does not know their language.")
            continue
        embedding_set, encoder, notice = served.lens_for(lens, language, texts)
        for index, vector in zip(indices, encoder.encode(texts), strict=True):
            values = [round(float(value), _DIGITS) for value in vector]
            rows[index] = {"id": questions[index].id, "vector": values}
            if notice:
                rows[index]["lens"] = embedding_set.lens
        notices.update({notice} - {""})
    return [rows[index] for index in range(len(questions))]


def question_predictions(
    questions: Sequence[InputQuestion], *, hierarchy: str | None, serving: Serving, notices: set[str]
) -> list[dict[str, Any]]:
    """Return ``{id, concepts, difficulty}`` per question, and add messages for the user to `notices`.

    A text that does not look like mathematics has no concepts, no difficulty, and a ``notice`` that says so.
    """
    predictions = predict_many(
        texts=[question.text for question in questions],
        languages=[question.language for question in questions],
        serving=serving,
        hierarchy=hierarchy,
    )
    notices.update(
        prediction.notice if prediction.is_mathematics else _SOME_NOT_MATHEMATICS
        for prediction in predictions
        if prediction.notice
    )
    return [
        {"id": question.id, **prediction_fields(prediction)}
        for question, prediction in zip(questions, predictions, strict=True)
    ]


def prediction_fields(prediction: QuestionPrediction) -> dict[str, Any]:
    """Return ``{concepts, difficulty}`` of a text, and a ``notice`` if it does not look like mathematics."""
    return {
        "concepts": [
            {"path": list(concept.path), "probability": round(concept.probability, _DIGITS)}
            for concept in prediction.concepts
        ],
        "difficulty": _difficulty(prediction.difficulty),
        **({} if prediction.is_mathematics else {"notice": prediction.notice}),
    }


def _difficulty(estimate: PredictedDifficulty | None) -> dict[str, Any] | None:
    if estimate is None:
        return None
    figures = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
    return {name: round(value, _DIGITS) for name, value in figures.items()} | {"scale": estimate.scale}


def hit_fields(hit: SimilarHit) -> dict[str, Any]:
    """Return ``{id, text, concepts, score, reason, copies}`` of a similar question; copies are ids."""
    return {
        "id": hit.question.pk,
        "text": hit.question.analysed_text,
        "concepts": [list(path) for path in hit.concepts],
        "score": hit.score,
        "reason": hit.reason,
        "copies": [copy.question.pk for copy in hit.copies],
    }


def hit_lines(hits: Sequence[SimilarHit]) -> Iterator[str]:
    """Yield similar questions as a table for a terminal."""
    for hit in hits:
        text = Truncator(" ".join(hit.question.analysed_text.split())).chars(_SHOWN)
        yield f"{hit.score:6.3f}  {hit.question.pk:>8}  {text}"
        copies = f" (and {len(hit.copies)} with other numbers)" if hit.copies else ""
        if hit.reason or copies:
            yield f"{'':18}{hit.reason}{copies}"
