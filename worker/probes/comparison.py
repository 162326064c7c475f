"""Comparing candidate probes with the champion of their hierarchy.

The suite consists of the hierarchy's ready questions that no probes are trained on (`analytics.probes.data.kept_out`).
Both models predict them as they are; nothing is fitted. Champions of earlier versions were trained on the suite too:
the comparison reports that, and can only err in their favour. The difficulties that probes learn and are compared by
are published ones, and what responses say where that tells more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analytics.concept_paths import PathTree, common_leading_nodes, without_leading
from analytics.errors import DataError
from analytics.inference.heads import ConceptHead, Prediction, ProbeHeads, load_heads
from analytics.probes.data import kept_out
from analytics.records import ConceptPath
from questionbank.bank.difficulty_selectors import Z_95, answered_difficulty
from questionbank.bank.question_selectors import concept_paths
from questionbank.core.capability_figures import ChangedConcept, Metric, ProbesFigures
from questionbank.formats.scales import SCALES, scale_percent, scale_value
from questionbank.models import EmbeddingSet, KnowledgeHierarchy, ModelArtifact, Question
from questionbank.registry.artifact_selectors import artifact_folder
from questionbank.responses.figures import guess_chances
from questionbank.responses.statistics_services import options_of
from questionbank.training.questions import TrainingQuestion, training_questions
from worker.comparison import ROLES, SEED, paired_metric
from worker.embedding import set_vectors
from worker.reporting import RunReporter

_FEWEST_BOTH = 50  # questions with a published difficulty and responses, from which responses are learned from

FIELDS = ("difficulty", "difficulty_scale", "combined", "facility", "responses")
"""What is read of a question."""


@dataclass(frozen=True)
class DifficultyLabels:
    """The difficulties of questions, in their order.

    Attributes:
        published: on the scale; None without one.
        learned: the same with responses where they tell more.
        errors: standard errors of those learned, 0 where published; None if no responses are used.
        scale: the most frequent scale of the published difficulties; empty without any.
        answered: what responses say (`answered_shares`); None without any.
    """

    published: list[float | None]
    learned: list[float | None]
    errors: np.ndarray | None
    scale: str
    answered: list[Mapping[str, float] | None]


def difficulty_labels(rows: Sequence[Question]) -> DifficultyLabels:
    """Return what probes learn of questions; published difficulties on any other scale are left out."""
    scales = Counter(row.difficulty_scale for row in rows if row.difficulty is not None)
    scale = scales.most_common(1)[0][0] if scales else ""
    published = [row.difficulty if row.difficulty_scale == scale else None for row in rows]
    answered = answered_shares(rows)
    learned, errors = with_responses(published, answered, scale)
    return DifficultyLabels(published, learned, errors, scale, answered)


def answered_shares(rows: Sequence[Question]) -> list[Mapping[str, float] | None]:
    """Return the share of wrong answers without lucky guesses, in per cent; None for a question without responses.

    A text does not say whether options are offered, and a probe that learned shares with guesses would make the prior
    of a difficulty too easy, where the model of the responses counts guessing again.

    Returns:
        ``{"percent", "low", "high", "responses"}`` of each question, with the 95 % interval.
    """
    figures = [answered_difficulty(row) for row in rows]
    ids = [row.pk for row, figure in zip(rows, figures, strict=True) if figure is not None]
    chances = dict(zip(ids, guess_chances(np.array(ids, dtype=np.int64), options_of(ids)).tolist(), strict=True))
    shares: list[Mapping[str, float] | None] = []
    for row, figure in zip(rows, figures, strict=True):
        if figure is None or figure.low is None or figure.high is None:
            shares.append(None)
            continue
        known = 1 - chances[row.pk]
        percent, low, high = (min(value / known, 100.0) for value in (figure.percent, figure.low, figure.high))
        responses = row.combined["responses"] if row.combined else row.responses
        shares.append({"percent": percent, "low": low, "high": high, "responses": responses})
    return shares


def with_responses(
    published: Sequence[float | None], answered: Sequence[Mapping[str, float] | None], scale: str
) -> tuple[list[float | None], np.ndarray | None]:
    """Return difficulties to learn from, with their standard errors; without errors if no responses are used.

    What a share of wrong answers means on the scale of the published difficulties is learned from the questions that
    have both. A question's responses are used if they tell its difficulty more exactly than the published ones follow
    from responses.

    Args:
        published: on the scale, in the order of the questions.
        answered: what responses say of each (`answered_shares`).
        scale: name of the scale.
    """
    pairs = enumerate(zip(published, answered, strict=True))
    rows = [(place, value, answers) for place, (value, answers) in pairs if answers]
    both = [(scale_percent(value, scale), answers["percent"]) for _place, value, answers in rows if value is not None]
    if scale not in SCALES or len(both) < _FEWEST_BOTH:
        return list(published), None
    truth, shares = np.array(both, dtype=float).T
    if np.ptp(shares) == 0:
        return list(published), None
    slope, intercept = np.polyfit(shares, truth, 1)
    spread = float(np.std(truth - slope * shares - intercept))
    difficulties, errors = list(published), np.zeros(len(published))
    width = abs((scale_value(100, scale) or 0) - (scale_value(0, scale) or 0)) / 100
    for place, value, answers in rows:
        error = abs(slope) * (answers["high"] - answers["low"]) / 2 / Z_95
        if value is None or error < spread:
            percent = float(np.clip(slope * answers["percent"] + intercept, 0, 100))
            difficulties[place], errors[place] = scale_value(percent, scale), error * width
    return difficulties, errors


Vectors = Mapping[int, npt.NDArray[np.float32]]
Floats = npt.NDArray[np.float64]

CHANGED_SHOWN = 12


def probes_comparison_figures(
    reporter: RunReporter, *, candidate: ModelArtifact, champion: ModelArtifact
) -> ProbesFigures:
    """Evaluate both.

    Raises:
        DataError: one of them reads vectors that are not in use.
    """
    reporter.progress(0, 0, "Comparing with the model in use")
    artifacts = dict(zip(ROLES, (candidate, champion), strict=True))
    heads = {role: load_heads(artifact_folder(artifact)) for role, artifact in artifacts.items()}
    vectors = {role: _vectors(model) for role, model in heads.items()}
    rows = [row for row in training_questions(hierarchies=[candidate.scope]) if row.paths]
    fixed = kept_out([row.text for row in rows], [row.paths for row in rows])
    suite = [row for row, keep in zip(rows, fixed, strict=True) if keep]
    measured = [row for row in suite if all(row.id in vectors[role] for role in ROLES)]
    predictions = {role: _predict(heads[role], vectors[role], measured) for role in ROLES}
    truth = _true_paths(candidate.scope, measured)
    metrics: list[Metric] = []
    graded = 0
    if measured:
        rng = np.random.default_rng(SEED)
        metrics = _concept_metrics(heads, vectors, measured, truth, rng)
        difficulty = _difficulty_metric(predictions, measured, _grades(rows), rng)
        graded = difficulty["questions"] if difficulty else 0
        metrics += [difficulty] if difficulty else []
    ids = {role: {row.id for row in suite if row.id in vectors[role]} for role in ROLES}
    return {
        "suite": {
            "questions": len(measured),
            "train_questions": candidate.manifest["extra"]["questions"],
            "left_out": len(suite) - len(ids["candidate"] | ids["champion"]),
            "lost": len(ids["champion"] - ids["candidate"]),
            "gained": len(ids["candidate"] - ids["champion"]),
            "difficulties": graded,
            "loses_concepts": heads["champion"].concepts is not None and heads["candidate"].concepts is None,
            "loses_difficulty": _has_difficulty(heads["champion"]) and not _has_difficulty(heads["candidate"]),
            "seen_by_champion": "questions_held_out" not in champion.manifest["extra"],
            "seed": SEED,
        },
        "metrics": metrics,
        "changed_concepts": _changed(predictions, measured, truth),
    }


def _vectors(heads: ProbeHeads) -> Vectors:
    embedding_set = EmbeddingSet.objects.filter(
        is_current=True, encoder_name=heads.encoder, dimension=heads.dimension
    ).first()
    if embedding_set is None:
        raise DataError(f"The vectors by {heads.encoder!r}, which one of the models reads, are not in use.")
    return set_vectors(embedding_set)


def _predict(heads: ProbeHeads, vectors: Vectors, rows: Sequence[TrainingQuestion]) -> list[Prediction]:
    if not rows:
        return []
    return heads.predict(np.stack([vectors[row.id] for row in rows]), top=1, texts=[row.text for row in rows])


def _true_paths(hierarchy: str, rows: Sequence[TrainingQuestion]) -> list[set[ConceptPath]]:
    """Return the full paths of each question."""
    owner = KnowledgeHierarchy.objects.get(name=hierarchy)
    paths = concept_paths([row.id for row in rows], hierarchy=owner)
    return [set(paths.get(row.id, ())) for row in rows]


def _concept_metrics(
    heads: Mapping[str, ProbeHeads],
    vectors: Mapping[str, Vectors],
    rows: Sequence[TrainingQuestion],
    truth: Sequence[set[ConceptPath]],
    rng: np.random.Generator,
) -> list[Metric]:
    """Return metrics of full paths, and of each level below the leading nodes that nearly all true paths share."""
    concepts = {role: model.concepts for role, model in heads.items() if model.concepts is not None}
    if len(concepts) < len(ROLES):
        return []
    leading = common_leading_nodes([path for paths in truth for path in paths], 0.9)
    true_paths = [{without_leading(path, leading) for path in paths} for paths in truth]
    deepest = max(len(path) for paths in true_paths for path in paths)
    ids = [row.id for row in rows]
    right: dict[str, dict[int, Floats]] = {
        role: _right(concepts[role], np.stack([vectors[role][row.id] for row in rows]), leading, true_paths, deepest)
        for role in ROLES
    }
    metrics = []
    for level in range(deepest + 1):
        columns = [right[role][level] for role in ROLES]
        present = ~np.isnan(columns[0])
        if not present.any():
            continue
        questions = [pk for pk, keep in zip(ids, present, strict=True) if keep]
        name = f"concept_accuracy_level_{level}" if level else "path_accuracy"
        known = [column[present].tolist() for column in columns]
        metrics.append(paired_metric(name, questions, known, rng))
    return metrics


def _right(
    head: ConceptHead,
    vectors: npt.NDArray[np.float32],
    leading: ConceptPath,
    wanted: Sequence[set[ConceptPath]],
    deepest: int,
) -> dict[int, Floats]:
    """Return hits by level: 1 if the most probable node is a true one, NaN without one; level 0 is the full path."""
    probabilities = head.probabilities(vectors)
    short = [without_leading(path, leading) for path in head.paths]
    tree = PathTree.of(short)
    column = {path: place for place, path in enumerate(tree.paths)}
    by_path = np.zeros((len(vectors), len(tree.paths)), dtype=np.float32)
    for place, path in enumerate(short):  # two full paths may differ only in their leading nodes
        by_path[:, column[path]] += probabilities[:, place]
    best = by_path.argmax(axis=1)
    hits = {
        0: np.array([tree.paths[node] in paths for node, paths in zip(best, wanted, strict=True)], dtype=np.float64)
    }
    return hits | {level: tree.hits(by_path, wanted, level) for level in range(1, deepest + 1)}


def _has_difficulty(heads: ProbeHeads) -> bool:
    return heads.difficulty_head(with_texts=True) is not None


def _difficulty_metric(
    predictions: Mapping[str, Sequence[Prediction]],
    rows: Sequence[TrainingQuestion],
    grades: Mapping[int, float],
    rng: np.random.Generator,
) -> Metric | None:
    """Return the mean absolute error as a share of the scale, if both models estimate the questions' difficulty."""
    ids: list[int] = []
    errors: tuple[list[float], list[float]] = ([], [])
    for row, *both in zip(rows, *(predictions[role] for role in ROLES), strict=True):
        percents = [
            scale_percent(prediction.difficulty.value, prediction.difficulty.scale) if prediction.difficulty else None
            for prediction in both
        ]
        grade = grades.get(row.id, row.difficulty)
        if grade is None or None in percents:
            continue
        ids.append(row.id)
        for column, percent in zip(errors, percents, strict=True):
            column.append(abs((percent or 0.0) / 100 - grade))
    if not ids:
        return None
    return paired_metric("difficulty_mae", ids, errors, rng)


def _grades(rows: Sequence[TrainingQuestion]) -> dict[int, float]:
    """Return by id the difficulties that probes learn now, as shares of the scale; a champion may know only others."""
    questions = list(Question.objects.filter(pk__in=[row.id for row in rows]).only(*FIELDS))
    labels = difficulty_labels(questions)
    percents = (scale_percent(value, labels.scale) for value in labels.learned)
    return {row.pk: percent / 100 for row, percent in zip(questions, percents, strict=True) if percent is not None}


def _changed(
    predictions: Mapping[str, Sequence[Prediction]], rows: Sequence[TrainingQuestion], truth: Sequence[set[ConceptPath]]
) -> list[ChangedConcept]:
    """Return the questions whose most probable concept differs, sorted by the candidate's probability."""
    changed: list[ChangedConcept] = []
    for row, paths, new, old in zip(rows, truth, predictions["candidate"], predictions["champion"], strict=True):
        if not new.concepts or not old.concepts or new.concepts[0].path == old.concepts[0].path:
            continue
        changed.append(
            {
                "question": row.id,
                "tagged": sorted(list(path) for path in paths),
                "candidate": {
                    "path": list(new.concepts[0].path),
                    "probability": round(new.concepts[0].probability, 4),
                    "right": new.concepts[0].path in paths,
                },
                "champion": {
                    "path": list(old.concepts[0].path),
                    "probability": round(old.concepts[0].probability, 4),
                    "right": old.concepts[0].path in paths,
                },
            }
        )
    return sorted(changed, key=lambda row: -row["candidate"]["probability"])[:CHANGED_SHOWN]
