"""`manage.py evaluate probes`: registered probes on a file's labelled questions, and what probes gain from responses.

The gain is measured by training on published difficulties alone, and on those with responses. Both estimate the same
kept-back questions, whose difficulty at least 200 responses tell. All questions on a concept are kept back together, so
that no copy of one is learned from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.errors import DataError
from analytics.inference.heads import ProbeHeads, load_heads
from analytics.metrics import rounded, spearman
from analytics.probes.data import ProbeData, ProbesConfig
from analytics.probes.from_files import probe_data
from analytics.probes.measure import measure_probes
from analytics.probes.train import difficulties_apart
from analytics.question_files import QuestionRow, read_rows
from analytics.splits import KeptOut, grouped_split
from questionbank.bank.difficulty_selectors import answered_difficulty
from questionbank.bank.question_selectors import concept_paths
from questionbank.core.errors import NotFound
from questionbank.models import KnowledgeHierarchy, Question, QuestionTag
from questionbank.registry.artifact_selectors import artifact_folder, artifact_numbered
from questionbank.registry.serving import Serving, serving
from worker.bootstrap import paired_interval
from worker.probes.comparison import difficulty_labels
from worker.probes.jobs import probe_questions, probe_set


def evaluate_probes(*, data: Path, serving: Serving, model: str = "default") -> dict[str, Any]:
    """Evaluate probes on all labelled questions of a file, or of a folder's test files if it has any.

    Nothing is trained. Questions in the bank's hierarchy that the probes were trained on, or that differ from such a
    question only in numbers, are left out and counted. The baselines (majority, median ...) use the evaluated
    questions' own labels.

    Raises:
        NotFound: there is no such model, or no set in use has the vectors that it reads.
        DataError: the data cannot be used, or the probes were trained on all of it.
    """
    heads, name, hierarchy = _heads(model, serving)
    encoder = next(
        (
            serving.encoder(lens)
            for lens, embedding_set in serving.sets.items()
            if embedding_set.encoder_name == heads.encoder
        ),
        None,
    )
    if encoder is None:
        raise NotFound(f"No set in use has the vectors of {heads.encoder}, which these probes read.")
    labelled_rows = _rows(data)
    seen = _seen(hierarchy)
    rows = [row for row in labelled_rows if not seen.holds(row.text)]
    if labelled_rows and not rows:
        raise DataError(f"The probes {name!r} were trained on every question of {data.name}.")
    questions = probe_data(rows, encoder.encode([row.text for row in rows]))
    figures = measure_probes(heads, questions, questions)
    del figures["training_questions"]  # here these are the baselines' own questions, the evaluated ones
    return {
        "data": data.name,
        "model": name,
        "encoder": heads.encoder,
        "left_out_as_seen_in_training": len(labelled_rows) - len(rows),
    } | figures


def _seen(hierarchy: str) -> KeptOut:
    """Return the questions that the bank tags in a hierarchy."""
    tagged = QuestionTag.objects.filter(concept__hierarchy__name=hierarchy).values("question_id")
    questions = Question.objects.filter(pk__in=tagged).only("text", "options", "content")
    return KeptOut.of(question.analysed_text for question in questions.iterator())


def _heads(model: str, serving: Serving) -> tuple[ProbeHeads, str, str]:
    if model == "default":
        served = serving.probes_for()
        if served is None:
            raise NotFound("The bank has no probes yet; train them with: manage.py train probes")
        return served.heads, serving.probe_artifacts[served.hierarchy].name, served.hierarchy
    artifact = artifact_numbered(capability="probes", number=model)
    return load_heads(artifact_folder(artifact)), artifact.name, artifact.scope


def _rows(data: Path) -> list[QuestionRow]:
    tests = sorted(data.glob("test*.jsonl*")) if data.is_dir() else []
    return [row for file in tests or [data] for row in read_rows(file)]


def evaluate_probe_model(options: Mapping[str, Any]) -> dict[str, Any]:
    """Evaluate the probes in use, or those with the id ``model``, on ``data``.

    Raises:
        NotFound: there are no such probes.
    """
    return evaluate_probes(data=options["data"], serving=serving(), model=options["model"])


Floats = npt.NDArray[np.float64]

FEWEST_RESPONSES = 200
_FEWEST_QUESTIONS = 30
_SPLITS = 3
_NO_QUESTIONS = "The bank has no tagged questions with vectors; give questions of a file with --data."


@dataclass(frozen=True)
class GainData:
    """Questions with two kinds of labels and what responses say.

    Attributes:
        published: with published difficulties alone.
        learned: the same questions with responses where they tell more.
        unguessed: share of wrong answers without lucky guesses, (questions,).
        counted: share of wrong answers as they are counted, (questions,).
        responses: number of responses, (questions,).
    """

    published: ProbeData
    learned: ProbeData
    unguessed: Floats
    counted: Floats
    responses: Floats


def bank_response_gain(*, seed: int = 0) -> dict[str, Any]:
    """Measure the gain in the bank's default hierarchy; see `response_gain`.

    Raises:
        NotFound: the bank has no hierarchy with vectors.
        DataError: too few questions have responses.
    """
    hierarchy = KnowledgeHierarchy.objects.filter(name=serving().hierarchy(None)).first()
    embedding_set = probe_set(hierarchy=hierarchy) if hierarchy else None
    if hierarchy is None or embedding_set is None:
        raise NotFound(_NO_QUESTIONS)
    rows, vectors = probe_questions(hierarchy=hierarchy, embedding_set=embedding_set)
    if not rows:
        raise NotFound(_NO_QUESTIONS)
    labels = difficulty_labels(rows)
    if labels.errors is None:
        raise DataError(
            f"Too few questions of “{hierarchy.name}” have both responses and a difficulty on a known scale to learn"
            " from responses; import responses first, or give questions of a file with --data."
        )
    paths = concept_paths([row.pk for row in rows], hierarchy=hierarchy)
    named = [paths.get(row.pk, []) for row in rows]
    texts = [row.analysed_text for row in rows]
    concepts = [" > ".join(each[0]) if each else "" for each in named]
    published, learned = (
        ProbeData.of(
            vectors, named, values, texts=texts, sources=concepts,
            scales=[labels.scale if value is not None else "" for value in values],
        )
        for values in (labels.published, labels.learned)
    )  # fmt: skip
    figures = [answered_difficulty(row) for row in rows]
    data = GainData(
        published,
        replace(learned, errors=labels.errors),
        np.array([np.nan if share is None else share["percent"] for share in labels.answered]),
        np.array([np.nan if figure is None else figure.percent for figure in figures]),
        np.array([0 if share is None else share["responses"] for share in labels.answered]),
    )
    return {"hierarchy": hierarchy.name, "encoder": embedding_set.encoder_name} | response_gain(data, seed=seed)


def response_gain(data: GainData, *, seed: int = 0) -> dict[str, Any]:
    """Return the rank correlation of both estimates with the difficulty of kept-back questions by responses.

    Returns:
        Under ``spearman`` the mean over three splits with ``published`` and with ``responses`` learned, and their
        difference with its 95 % bootstrap interval, in which questions of a concept are drawn together; the
        difficulty there is the share of wrong answers without lucky guesses, under ``spearman_with_guesses`` with them.

    Raises:
        DataError: too few of the kept-back questions have enough responses.
    """
    groups = data.published.groups if data.published.sources is None else data.published.sources
    splits, runs = [], []
    for number in range(seed, seed + _SPLITS):
        held = grouped_split(groups, 0.2, np.random.default_rng(number))
        rows = np.flatnonzero(held & (data.responses >= FEWEST_RESPONSES))
        if len(rows) < _FEWEST_QUESTIONS:
            raise DataError(
                f"Only {len(rows)} of the questions kept back have {FEWEST_RESPONSES} responses or more; the gain is"
                f" measured on {_FEWEST_QUESTIONS} or more."
            )
        among = np.searchsorted(np.flatnonzero(held), rows)
        config = ProbesConfig(seed=number)
        before, after = (
            difficulties_apart(replace(version, groups=groups), held, config)[among].astype(np.float64)
            for version in (data.published, data.learned)
        )
        split = _Split(before, after, np.full(len(rows), float(number)), rows)
        splits.append(split)
        runs.append({"seed": number, "questions": len(rows), **_compared([split], data.unguessed, groups)})
    return {
        "questions": len(data.responses),
        "learned_from_responses": int((data.learned.errors > 0).sum()) if data.learned.errors is not None else 0,
        "fewest_responses": FEWEST_RESPONSES,
        "spearman": _compared(splits, data.unguessed, groups),
        "spearman_with_guesses": _compared(splits, data.counted, groups),
        "runs": runs,
    }


@dataclass(frozen=True)
class _Split:
    """Estimates of the kept-back questions of one split; `rows` are their places among all questions."""

    before: Floats
    after: Floats
    number: Floats
    rows: npt.NDArray[np.int64]


def _compared(splits: Sequence[_Split], truth: Floats, groups: npt.NDArray[np.int64]) -> dict[str, float]:
    before, after, number, rows = (
        np.concatenate([getattr(split, name) for split in splits]) for name in ("before", "after", "number", "rows")
    )
    columns = (truth[rows], number)
    difference, low, high = paired_interval(
        _mean_spearman, (after, *columns), (before, *columns), questions=groups[rows]
    )
    figures: dict[str, float] = rounded(
        {
            "published": _mean_spearman(before, *columns),
            "responses": _mean_spearman(after, *columns),
            "difference": difference,
            "low": low,
            "high": high,
        }
    )
    return figures


def _mean_spearman(estimates: Floats, truth: Floats, split: Floats) -> float:
    """Return the mean over the splits of the rank correlation."""
    return float(np.mean([spearman(truth[split == number], estimates[split == number]) for number in np.unique(split)]))
