"""What an encoder's vectors capture of labelled questions, and task over story: `manage.py evaluate encoder`."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.catalog import ANALOGY, ENCODER
from analytics.errors import DataError
from analytics.inference.encode import Encode
from analytics.json_lines import TEXT_LIMIT, naming_line, read_objects, string_problem
from analytics.metrics import pearson, spearman
from analytics.question_files import QuestionRow, read_rows
from analytics.splits import KeptOut, is_held_out
from questionbank.core.errors import NotFound
from questionbank.models import ModelArtifact
from questionbank.registry.artifact_selectors import artifact_folder, lens_champion
from worker.encoder.representation import SplitSet, measure_set, plain_text

SUITE = Path(__file__).with_name("triples.jsonl")
"""The gate's suite of triples."""

_TEXTS = ("question", "same_task", "same_story")


@dataclass(frozen=True, slots=True)
class Triple:
    """A question, one with the same task in another story, and one with another task in the same story.

    Attributes:
        kind: kind of task, in words.
    """

    question: str
    same_task: str
    same_story: str
    kind: str
    language: str


def read_triples(path: Path = SUITE, *, language: str = "") -> list[Triple]:
    """Return the triples of a JSON Lines file, or those in one language.

    Raises:
        DataError: a line cannot be read, or there is no triple in the language.
    """
    triples: list[Triple] = []
    for number, body in read_objects(path):
        with naming_line(path, number):
            question, same_task, same_story = (_text(body, name) for name in _TEXTS)
            kind, language_of_texts = str(body.get("kind") or ""), str(body.get("language") or "en")
            triples.append(Triple(question, same_task, same_story, kind, language_of_texts))
    triples = [triple for triple in triples if language in ("", triple.language)]
    if not triples:
        raise DataError(f"{path.name} has no triple in the language {language!r}.")
    return triples


def _text(body: Mapping[str, Any], name: str) -> str:
    text = body.get(name)
    if not isinstance(text, str):
        raise ValueError(f"expected the string {name}")
    if problem := string_problem(text, TEXT_LIMIT):
        raise ValueError(f"{name} {problem}")
    return text


def task_margins(triples: Sequence[Triple], encode: Encode) -> npt.NDArray[np.float64]:
    """Return cosine to the same task minus cosine to the same story, (triples,); correct if positive."""
    asked, task, story = (encode([getattr(triple, name) for triple in triples]) for name in _TEXTS)
    margins: npt.NDArray[np.float64] = np.einsum("ij,ij->i", asked, task - story).astype(np.float64)
    return margins


def triple_figures(triples: Sequence[Triple], encode: Encode) -> dict[str, Any]:
    """Return the share of correctly ranked triples and the mean margin, overall and per kind."""
    margins = task_margins(triples, encode)
    kinds: defaultdict[str, list[float]] = defaultdict(list)
    for triple, margin in zip(triples, margins, strict=True):
        kinds[triple.kind].append(float(margin))
    return {**_figures(margins), "kinds": {kind: _figures(np.array(kinds[kind])) for kind in sorted(kinds)}}


def _figures(margins: npt.NDArray[np.float64]) -> dict[str, float | int]:
    return {
        "triples": len(margins),
        "ranked_rightly": float((margins > 0).mean()),
        "mean_difference": float(margins.mean()),
    }


_DEEPEST = 4


def evaluate_encoder(
    data: Path, encode: Encode, *, name: str, language: str = "", pairs: Path | None = None
) -> dict[str, Any]:
    """Measure an encoder on the data sets of a folder.

    Args:
        data: a question file, a folder of them (one data set), or a folder of such folders.
        encode: maps texts to unit vectors.
        name: name of the encoder, for the report.
        language: use the questions of this language only.
        pairs: JSON Lines of ``{"text", "other", "score"}``: similarities judged by people.

    Returns:
        Figures per data set: concepts by level, difficulty, cosine by KH-distance; and figures for the pairs.

    Raises:
        DataError: there is no tagged question, or a pair cannot be read.
    """
    folders = sorted(folder for folder in data.iterdir() if folder.is_dir()) if data.is_dir() else []
    figures: dict[str, Any] = {"data": data.name, "encoder": name, "sets": {}, "too_few_tagged": []}
    for source in folders or [data]:
        split_set = read_set(source, language=language)
        if split_set is None:
            figures["too_few_tagged"].append(source.name)
        else:
            figures["sets"][split_set.name] = measure_set(split_set, encode(split_set.texts))[0]
    if not figures["sets"] and pairs is None:
        raise DataError(f"No set in {data} has tagged questions to train and to test with.")
    if pairs is not None:
        figures["similarity"] = similarity_figures(pairs, encode)
    return figures


def read_set(source: Path, *, language: str = "") -> SplitSet | None:
    """Return the tagged questions of a file or folder, split; None if too few are tagged.

    Only the first path of each question counts. Training questions that differ from a test question only in numbers are
    left out.
    """
    tests, others = _read_parts(source)
    usable = [
        (row, is_test)
        for part, is_test in ((tests, True), (others, False))
        for row in part
        if row.text.strip() and row.paths and language in ("", row.language)
    ]
    rows_by_text: dict[str, tuple[QuestionRow, bool]] = {}
    for row, is_test in usable:
        rows_by_text.setdefault(plain_text(row), (row, is_test))
    texts = list(rows_by_text)
    tested = np.array(  # the split depends on the whole text, as in encoder training
        [is_test if tests else is_held_out(row.text) for row, is_test in rows_by_text.values()], dtype=bool
    )
    kept_out = KeptOut.of(text for text, is_test in zip(texts, tested, strict=True) if is_test)
    rows = [index for index, text in enumerate(texts) if tested[index] or not kept_out.holds(text)]
    is_tested = tested[np.array(rows, dtype=np.int64)]
    if is_tested.sum() < 5 or (~is_tested).sum() < 20:
        return None
    return SplitSet.of(
        source.name.partition(".")[0],
        {texts[row]: rows_by_text[texts[row]][0] for row in rows},
        is_test=is_tested,
        levels=_DEEPEST,
        duplicates=len(usable) - len(texts),
    )


def _read_parts(source: Path) -> tuple[list[QuestionRow], list[QuestionRow]]:
    """Return the test questions of a file or folder, and the others; if there are only test files, all are others."""
    files = sorted(source.glob("test*.jsonl*")) if source.is_dir() else []
    try:
        others = read_rows(source)
    except DataError:
        if not files:
            raise
        others = []
    tests = [row for file in files for row in read_rows(file)]
    return (tests, others) if others else ([], tests)


def similarity_figures(pairs: Path, encode: Encode) -> dict[str, float | int]:
    """Return Pearson and Spearman correlation of cosines with human scores (zero-shot, QuesCo section 4.3).

    Raises:
        DataError: a line cannot be read, or there are fewer than three pairs.
    """
    rows: list[tuple[str, str, float]] = []
    for number, body in read_objects(pairs):
        with naming_line(pairs, number):
            rows.append(_judged(body))
    if len(rows) < 3:
        raise DataError(f"{pairs.name} has fewer than three pairs.")
    texts, others, scores = zip(*rows, strict=True)
    cosines = np.einsum("ij,ij->i", encode(texts), encode(others)).astype(np.float64)
    truth = np.array(scores)
    return {"pairs": len(rows), "pearson": pearson(truth, cosines), "spearman": spearman(truth, cosines)}


def _judged(body: Mapping[str, Any]) -> tuple[str, str, float]:
    """Return both texts of a pair and their similarity as judged by people.

    Raises:
        ValueError: a value is missing or invalid.
    """
    text, other, score = (body.get(name) for name in ("text", "other", "score"))
    if not (isinstance(text, str) and isinstance(other, str)):
        raise ValueError("expected strings “text” and “other”")
    if problem := string_problem(text, TEXT_LIMIT) or string_problem(other, TEXT_LIMIT):
        raise ValueError(f"a text {problem}")
    if isinstance(score, bool) or not isinstance(score, int | float) or abs(score) > sys.float_info.max:
        raise ValueError("expected a finite number as score")
    return text, other, float(score)


def evaluate_encoder_model(options: Mapping[str, Any]) -> dict[str, Any]:
    """Measure the encoder in use for a language, or the one with the id ``model``, on ``data``.

    Raises:
        NotFound: there is no such encoder.
    """
    language = options["language"]
    artifact = _encoder_artifact(options["model"], language)
    encode = ENCODER.encode_many(artifact_folder(artifact))
    figures = evaluate_encoder(options["data"], encode, name=artifact.name, language=language, pairs=options["pairs"])
    if options["triples"] is not None:
        triples = read_triples(options["triples"], language=language)
        figures["task_over_story"] = {"purpose": triple_figures(triples, encode)}
        if retriever := lens_champion(capability="analogy", language=language):
            structure = ANALOGY.load(artifact_folder(retriever)).encode
            figures["task_over_story"]["structure"] = triple_figures(triples, structure)
    return figures


def _encoder_artifact(model: str, language: str) -> ModelArtifact:
    if model == "default":
        artifact = lens_champion(capability="encoder", language=language)
    else:
        artifact = ModelArtifact.objects.filter(capability="encoder", pk=model if model.isdecimal() else 0).first()
    if artifact is None:
        raise NotFound(f"There is no encoder with the id {model}.")
    return artifact
