"""Training the probes: which questions are used for selection, calibration and evaluation.

The fixed held-out part of the questions (`analytics.probes.data.kept_out`) is removed first, so that any two
probes of a hierarchy can be compared on questions that neither was trained on. The remaining questions are
split by groups: equal except for their numbers and, if sources are known, from the same source. A test part
is for evaluation; of the rest, a validation part selects the penalty of the concept layer and calibrates the
difficulty's interval; the concept probabilities that the difficulty head reads, and those that set the
temperature, come from layers that did not see the question (cross-fitting). The final heads are then trained
in the same way on all remaining questions. The order of two questions is learned from our own ladders
(`analytics.probes.order`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from analytics.artifacts import Manifest, artifact_write
from analytics.concept_paths import PathTree, common_leading_nodes, without_leading
from analytics.configuration import config_to_dict
from analytics.errors import DataError
from analytics.inference.demands import surface_counts
from analytics.inference.heads import MIDDLE, ConceptHead, DifficultyHead, ProbeHeads, save_heads
from analytics.metrics import rounded
from analytics.probes.data import DifficultyScale, ProbeData, ProbesConfig, kept_out
from analytics.probes.fitting import (
    ConceptProbe,
    Fit,
    choose_penalty,
    choose_ridge_penalty,
    choose_temperature,
    concept_probe,
    conformal_radius,
    difficulty_probe,
    information,
)
from analytics.probes.measure import measure_probes
from analytics.probes.order import fit_order
from analytics.records import ConceptPath
from analytics.splits import crossing_fold, grouped_folds, grouped_split
from analytics.training.context import DEFAULT_CONTEXT, TrainingContext

_FEWEST_TAGGED, _FEWEST_GRADED = 20, 50  # questions
_VALIDATION_SHARE = 0.2  # of the questions: they select the regularisation and calibrate the intervals
_FOLDS = 3  # of cross-fitting
_FOLDS_APART = 5  # without each of which a head of its own learns
_STEPS = 4  # per fit, for progress reports


def train_probes(
    data: ProbeData,
    config: ProbesConfig,
    output: Path,
    context: TrainingContext = DEFAULT_CONTEXT,
    *,
    encoder: str = "",
    hierarchy: str = "",
) -> Manifest:
    """Train concept and difficulty heads and write them as an artifact; `load_heads` loads it.

    Args:
        data: questions with the vectors of a frozen encoder. Their texts define the split groups and the
            held-out part, and provide surface counts for the difficulty. With vectors of the ladders, the
            order is learned too.
        config: the settings.
        output: the artifact's folder, written atomically.
        context: name (by default from the hierarchy), provenance, progress and cancellation, polled between
            steps.
        encoder: name of the encoder that made the vectors.
        hierarchy: name of the concept hierarchy.

    Returns:
        The manifest, with the held-out metrics.

    Raises:
        DataError: too few questions have labels.
        Cancelled: the context requested it; nothing was written.
        ArtifactError: the folder cannot be written.
    """
    held_out = np.zeros(len(data), dtype=bool) if data.texts is None else kept_out(data.texts, data.paths)
    data = data.take(~held_out)
    by_source = data.apart_by_source()
    fits = 2 if by_source is None else 3
    steps = _Steps(fits * _STEPS + (data.ladders is not None), context)
    metrics = measured_both_ways(data, config, encoder=encoder, steps=steps)
    data = data if by_source is None else by_source
    heads = _fit(data, config, _parts(data), encoder, steps)
    if data.ladders is not None:
        steps.next("Which of two questions is harder")
        order, metrics["order"] = fit_order(heads, data.ladders, config.seed)
        heads = replace(heads, order=order)
    scale = data.scale if heads.difficulty_of_vector is not None else None
    manifest = Manifest(
        capability="probes",
        name=context.name or f"probes-{hierarchy or 'concepts'}",
        config=config_to_dict(config),
        metrics=rounded(metrics),
        seed=config.seed,
        data_hash=data.sha256(),
        license_note=context.license_note,
        parent=context.parent,
        extra={
            "encoder": encoder,
            "dimension": heads.dimension,
            "hierarchy": hierarchy,
            "questions": len(data),
            "questions_held_out": int(held_out.sum()),
            "paths": len(heads.concepts.paths) if heads.concepts else 0,
            "leading": list(heads.concepts.leading) if heads.concepts else [],
            "difficulty_scale": scale.name if scale else "",
            "command": context.command,
        },
    )
    return artifact_write(output, manifest, lambda folder: save_heads(heads, folder))


def measured_both_ways(
    data: ProbeData, config: ProbesConfig, *, encoder: str = "", steps: _Steps | None = None
) -> dict[str, Any]:
    """Return `split_and_measure`, and under ``other_sources`` the same with whole sources held out.

    The second is missing if there are too few sources. It shows what to expect for questions from elsewhere;
    the first is higher if sources have their own style or grading.

    Raises:
        DataError: too few questions have labels.
    """
    metrics = split_and_measure(data, config, encoder=encoder, steps=steps)
    by_source = data.apart_by_source()
    if by_source is not None:
        metrics["other_sources"] = split_and_measure(by_source, config, encoder=encoder, steps=steps)
    return metrics


def split_and_measure(
    data: ProbeData, config: ProbesConfig, *, encoder: str = "", steps: _Steps | None = None
) -> dict[str, Any]:
    """Fit on all questions except a test part, and evaluate on that.

    Raises:
        DataError: too few questions have labels.
    """
    held = grouped_split(data.groups, config.test_share, np.random.default_rng(config.seed))
    train, test = data.take(~held), data.take(held)
    heads = _fit(train, config, _parts(data), encoder, steps or _Steps(_STEPS, DEFAULT_CONTEXT))
    return measure_probes(heads, test, train)


def difficulties_apart(data: ProbeData, held: np.ndarray, config: ProbesConfig) -> np.ndarray:
    """Return the difficulties of some questions, as shares of the scale, by heads that were fitted on all others.

    Args:
        data: questions with texts.
        held: mask of the questions that are kept back.
        config: the settings; its seed draws what selects and calibrates.

    Raises:
        DataError: the others have too few difficulties.
    """
    train, test = data.take(~held), data.take(held)
    heads = _fit(train, config, _parts(train), "", _Steps(_STEPS, DEFAULT_CONTEXT))
    if heads.difficulty is None:
        raise DataError(f"Difficulty needs at least {_FEWEST_GRADED} questions with a text and a difficulty.")
    return heads.difficulty_shares(test.vectors, test.texts or ())


def _parts(data: ProbeData) -> tuple[bool, bool]:
    """Return whether there are enough labels to learn concepts, and difficulty.

    Raises:
        DataError: there are enough for neither.
    """
    tagged, grades = int(data.tagged.sum()), data.difficulties[data.graded]
    parts = tagged >= _FEWEST_TAGGED, len(grades) >= _FEWEST_GRADED and bool(np.ptp(grades) > 0)
    if not any(parts):
        raise DataError(
            f"Training needs at least {_FEWEST_TAGGED} questions with a concept or {_FEWEST_GRADED} with different"
            f" difficulties; there are {tagged} and {len(grades)}."
        )
    return parts


def _fit(data: ProbeData, config: ProbesConfig, parts: tuple[bool, bool], encoder: str, steps: _Steps) -> ProbeHeads:
    """Fit the heads on all given questions."""
    fitting = _Fitting.of(_at_most(data, config), config, steps)
    data = fitting.data
    has_concepts, has_difficulty = parts
    concepts, probabilities = None, np.zeros((len(data), 0), dtype=np.float32)
    if has_concepts:
        concepts, probabilities = fitting.concepts()
    else:
        steps.skip(_STEPS - 1)
    with_text = of_vector = None
    by_fold: tuple[DifficultyHead, ...] = ()
    steps.next("Difficulty")
    if has_difficulty and data.scale is not None:
        of_vector = fitting.difficulty(data.scale, concepts, probabilities, with_text=False)
        if data.texts is not None:
            with_text = fitting.difficulty(data.scale, concepts, probabilities, with_text=True)
            if data.errors is not None:
                by_fold = fitting.difficulty_by_fold(data.scale, concepts, probabilities)
    return ProbeHeads(
        encoder=encoder,
        dimension=data.vectors.shape[1],
        concepts=concepts,
        difficulty=with_text,
        difficulty_of_vector=of_vector,
        by_fold=by_fold,
    )


@dataclass(frozen=True, slots=True)
class _Fitting:
    """One fit of the heads: the questions, which of them select and calibrate, and the random draws.

    Attributes:
        left_out: mask of questions from which no difficulty is learned, beside those of the validation part.
    """

    data: ProbeData
    validation: np.ndarray
    config: ProbesConfig
    rng: np.random.Generator
    steps: _Steps
    left_out: np.ndarray | None = None

    @classmethod
    def of(cls, data: ProbeData, config: ProbesConfig, steps: _Steps) -> _Fitting:
        rng = np.random.default_rng(config.seed + 1)
        return cls(data, grouped_split(data.groups, _VALIDATION_SHARE, rng), config, rng, steps)

    def concepts(self) -> tuple[ConceptHead, np.ndarray]:
        """Return the head on all tagged questions, and cross-fitted probabilities for every question."""
        data, config, steps = self.data, self.config, self.steps
        leading = common_leading_nodes(path for question_paths in data.paths for path in question_paths)
        labels = [[without_leading(path, leading) for path in question_paths] for question_paths in data.paths]
        tree = PathTree.of(path for question_paths in labels for path in question_paths)
        targets = tree.targets(labels)
        tagged = data.tagged

        steps.next("Choosing the regularisation")
        how = Fit(iterations=config.iterations)
        penalty = choose_penalty(
            data.vectors[tagged], targets[tagged], self.validation[tagged], tree,
            fit=how, cancel=steps.context.cancel,
        )  # fmt: skip

        def fit(rows: np.ndarray, start: ConceptProbe | None = None) -> ConceptProbe:
            return concept_probe(data.vectors[rows], targets[rows], tree, penalty=penalty, fit=how, start=start)

        steps.next("Calibrating the probabilities")
        logits = np.zeros((len(data), len(tree.paths)), dtype=np.float32)
        folds = grouped_folds(data.groups, _FOLDS, self.rng)
        for fold in range(_FOLDS):
            steps.check()
            if (tagged & (folds != fold)).any():
                logits[folds == fold] = fit(tagged & (folds != fold)).logits(data.vectors[folds == fold])
        temperature = choose_temperature(logits[tagged], targets[tagged])

        steps.next("Concepts")
        probe = fit(tagged)
        head = ConceptHead(
            paths=_whole_paths(tree, data.paths, leading),
            leading=leading,
            # Rounded to storage precision, so that a head predicts the same before and after it is saved.
            weights=(probe.weights / temperature).astype(np.float16).astype(np.float32),
            bias=(probe.bias / temperature).astype(np.float32),
        )
        return head, _softmax(logits / temperature)

    def difficulty(
        self, scale: DifficultyScale, concepts: ConceptHead | None, probabilities: np.ndarray, *, with_text: bool
    ) -> DifficultyHead:
        """Fit ridge regression on the graded questions outside the validation part, and the radii on those inside."""
        data, config = self.data, self.config
        dimension = data.vectors.shape[1]
        # Scaled so that a single penalty suits all: a vector's entries are about 1 / sqrt(dimension).
        vector_scale, node_scale, count_scale = math.sqrt(dimension), 20.0, 3.0
        membership = np.zeros((0, 0), dtype=np.float32)
        if concepts is not None:
            tree = PathTree.of(without_leading(path, concepts.leading) for path in concepts.paths)
            membership = tree.membership
        blocks: list[np.ndarray] = [data.vectors * vector_scale]
        if concepts is not None:
            blocks.append(probabilities @ membership.T * node_scale)
        spread = np.ones(0)
        if with_text:
            counts = surface_counts(data.texts or ())
            spread = count_scale / np.maximum(counts.std(axis=0), 1e-3)
            blocks.append(counts * spread)
        features = np.concatenate(blocks, axis=1)
        fitted, held = data.graded & ~self.validation, data.graded & self.validation
        if self.left_out is not None:
            fitted = fitted & ~self.left_out
        penalty = choose_ridge_penalty(features[fitted], data.difficulties[fitted], data.groups[fitted], self.rng)
        probe = difficulty_probe(features[fitted], data.difficulties[fitted], penalty=penalty)
        if data.errors is not None:
            weights = information(data.errors[fitted], data.difficulties[fitted] - probe.values(features[fitted]))
            probe = difficulty_probe(features[fitted], data.difficulties[fitted], penalty=penalty, weights=weights)
        estimates = np.clip(probe.values(features[held]), scale.low, scale.high)
        width = scale.high - scale.low
        residuals = data.difficulties[held] - estimates
        nodes = slice(dimension, dimension + len(membership))
        return DifficultyHead(
            vector_weights=(probe.weights[:dimension] * vector_scale).astype(np.float32),
            path_weights=(probe.weights[nodes] * node_scale @ membership).astype(np.float32)
            if concepts is not None
            else np.zeros(0, dtype=np.float32),
            surface_weights=(probe.weights[nodes.stop :] * spread).astype(np.float32),
            intercept=probe.intercept,
            radius=conformal_radius(residuals, config.coverage, width),
            middle_radius=conformal_radius(residuals, MIDDLE, width),
            scale=scale.name,
            lowest=scale.low,
            highest=scale.high,
            coverage=config.coverage,
        )

    def difficulty_by_fold(
        self, scale: DifficultyScale, concepts: ConceptHead | None, probabilities: np.ndarray
    ) -> tuple[DifficultyHead, ...]:
        """Return heads that each learned without one fold of the questions; none if too few would be left."""
        folds = np.array([crossing_fold(text, _FOLDS_APART) for text in self.data.texts or ()])
        learned = self.data.graded & ~self.validation
        if min(int((learned & (folds != fold)).sum()) for fold in range(_FOLDS_APART)) < _FEWEST_GRADED // 2:
            return ()
        return tuple(
            replace(self, left_out=folds == fold).difficulty(scale, concepts, probabilities, with_text=True)
            for fold in range(_FOLDS_APART)
        )


def _whole_paths(
    tree: PathTree, paths: Sequence[Sequence[ConceptPath]], leading: ConceptPath
) -> tuple[ConceptPath, ...]:
    """Return for each path of the tree the full path that it stands for: the most frequent if there are several."""
    counts: dict[ConceptPath, Counter[ConceptPath]] = {}
    for question_paths in paths:
        for path in question_paths:
            counts.setdefault(without_leading(path, leading), Counter())[path] += 1
    return tuple(counts[path].most_common(1)[0][0] for path in tree.paths)


def _at_most(data: ProbeData, config: ProbesConfig) -> ProbeData:
    if len(data) <= config.maximum_questions:
        return data
    share = config.maximum_questions / len(data)
    return data.take(grouped_split(data.groups, share, np.random.default_rng(config.seed + 2)))


def _softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    probabilities: np.ndarray = powers / powers.sum(axis=1, keepdims=True)
    return probabilities


@dataclass
class _Steps:
    """Counts the steps of a training run, and checks between them whether to stop."""

    total: int
    context: TrainingContext
    done: int = 0

    def next(self, what: str) -> None:
        self.check()
        self.context.progress(self.done, self.total, what)
        self.done += 1

    def skip(self, steps: int) -> None:
        self.done += steps

    def check(self) -> None:
        self.context.check("The training was stopped; nothing was written.")
