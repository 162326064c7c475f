"""Evaluate probes on unseen questions, with simple baselines next to every metric."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from analytics.concept_paths import PathTree, without_leading
from analytics.inference.demands import surface_counts
from analytics.inference.heads import ConceptHead, DifficultyHead, ProbeHeads
from analytics.metrics import (
    accuracy,
    doa,
    expected_calibration_error,
    interval_coverage,
    macro_f1,
    mae,
    mean_interval_width,
    pearson,
    rmse,
    spearman,
)
from analytics.probes.data import ProbeData
from analytics.records import ConceptPath


def measure_probes(heads: ProbeHeads, test: ProbeData, train: ProbeData) -> dict[str, Any]:
    """Evaluate heads on held-out questions.

    Args:
        heads: trained on `train`.
        test: the held-out questions.
        train: data for the baselines (majority, median, mean of the concept).

    Returns:
        Metrics under ``concepts`` (one part per level, and whole paths) and ``difficulty``; a part is missing
        if there is nothing to measure.
    """
    metrics: dict[str, Any] = {"questions": len(test), "training_questions": len(train)}
    tagged = test.take(test.tagged)
    if heads.concepts is not None and len(tagged):
        metrics["concepts"] = _measure_concepts(heads.concepts, tagged, train)
    graded = test.take(test.graded)
    if heads.difficulty_of_vector is not None and len(graded):
        metrics["difficulty"] = _measure_difficulty(heads, graded, train)
    return metrics


def _measure_concepts(head: ConceptHead, test: ProbeData, train: ProbeData) -> dict[str, Any]:
    truth = [_short(paths, head.leading) for paths in test.paths]
    seen = [_short(paths, head.leading) for paths in train.paths]
    short = [without_leading(path, head.leading) for path in head.paths]
    tree = PathTree.of(short)
    column = {path: index for index, path in enumerate(short)}
    probabilities = head.probabilities(test.vectors)[:, [column[path] for path in tree.paths]]
    order = np.argsort(-probabilities, axis=1, kind="stable")[:, :5]
    best = [tree.paths[row[0]] for row in order]
    correct = np.array([path in paths for path, paths in zip(best, truth, strict=True)])
    frequent = [path for path, _ in Counter(path for paths in seen for path in paths).most_common(5)]
    majority = np.array([frequent[0] in paths for paths in truth])
    return {
        "questions": len(test),
        "paths": len(tree.paths),
        "path_accuracy": float(correct.mean()),
        "path_top5_accuracy": float(
            np.mean(
                [
                    any(tree.paths[position] in paths for position in row)
                    for row, paths in zip(order, truth, strict=True)
                ]
            )
        ),
        "path_majority_accuracy": float(majority.mean()),
        "path_gain_low": _lower_bound(correct.astype(np.float64) - majority),
        "path_majority_top5_accuracy": float(np.mean([bool(paths & {*frequent}) for paths in truth])),
        "expected_calibration_error": expected_calibration_error(probabilities.max(axis=1), correct),
        "levels": {
            str(depth): level
            for depth in range(1, tree.depth() + 1)
            if (level := _measure_level(tree, probabilities, truth, seen, depth))
        },
    }


def _lower_bound(gains: np.ndarray) -> float:
    """Return the one-sided 95 % lower bound of the mean of paired gains, by the normal approximation."""
    return float(gains.mean() - 1.645 * gains.std() / np.sqrt(len(gains)))


def _measure_level(
    tree: PathTree, probabilities: np.ndarray, truth: list[set[ConceptPath]], seen: list[set[ConceptPath]], depth: int
) -> dict[str, Any] | None:
    """Return accuracy and macro-F1 over the questions that have a concept at this level.

    A question with several concepts counts as correct if any of them is predicted; F1 then uses that one,
    otherwise the question's first.
    """
    true_nodes, predicted = [], []
    for node, paths in zip(tree.likeliest(probabilities, depth), truth, strict=True):
        nodes = _at_level(paths, depth)
        if nodes:
            predicted.append(node)
            true_nodes.append(node if node in nodes else min(nodes))
    if not true_nodes:
        return None
    counts = Counter(node for paths in seen for node in _at_level(paths, depth))
    majority = counts.most_common(1)[0][0]
    return {
        "questions": len(true_nodes),
        "classes": len(tree.level(depth)),
        "accuracy": accuracy(true_nodes, predicted),
        "macro_f1": macro_f1(true_nodes, predicted),
        "majority_accuracy": float(
            np.mean([majority in _at_level(paths, depth) for paths in truth if _at_level(paths, depth)])
        ),
    }


def _measure_difficulty(heads: ProbeHeads, test: ProbeData, train: ProbeData) -> dict[str, Any]:
    head = heads.difficulty_head(with_texts=test.texts is not None)
    if head is None:
        return {}
    truth = test.difficulties
    probabilities = None if heads.concepts is None else heads.concepts.probabilities(test.vectors)
    counts = surface_counts(test.texts or [""] * len(test))
    values = head.values(test.vectors, probabilities, counts).astype(np.float64)
    low, high = head.interval(values, head.radius)
    graded = train.difficulties[train.graded]
    node_means = _concept_means(train)
    by_concept = np.array([_concept_mean(paths, node_means, float(graded.mean())) for paths in test.paths])
    return {
        "questions": len(test),
        "scale": head.scale,
        "mae": mae(truth, values),
        "rmse": rmse(truth, values),
        "pearson": pearson(truth, values),
        "spearman": spearman(truth, values),
        "doa": doa(truth, values),
        "coverage": interval_coverage(truth, low, high),
        "interval_width": mean_interval_width(low, high),
        **_measure_middle(head, truth, values),
        "median_mae": mae(truth, np.full(len(truth), np.median(graded))),
        "mean_rmse": rmse(truth, np.full(len(truth), graded.mean())),
        "true_concept_mae": mae(truth, by_concept),
        "true_concept_rmse": rmse(truth, by_concept),
        "true_concept_pearson": pearson(truth, by_concept),
        "true_concept_doa": doa(truth, by_concept),
    }


def _measure_middle(head: DifficultyHead, truth: np.ndarray, values: np.ndarray) -> dict[str, float]:
    if head.middle_radius is None:
        return {}
    low, high = head.interval(values, head.middle_radius)
    return {"middle_coverage": interval_coverage(truth, low, high), "middle_width": mean_interval_width(low, high)}


def _concept_means(train: ProbeData) -> dict[ConceptPath, float]:
    values: dict[ConceptPath, list[float]] = {}
    for paths, difficulty in zip(train.paths, train.difficulties, strict=True):
        for node in {path[:depth] for path in paths for depth in range(1, len(path) + 1)}:
            if not np.isnan(difficulty):
                values.setdefault(node, []).append(float(difficulty))
    return {node: float(np.mean(each)) for node, each in values.items()}


def _concept_mean(paths: tuple[ConceptPath, ...], node_means: dict[ConceptPath, float], default: float) -> float:
    """Return the mean training difficulty of the question's concepts, or of the nearest ancestor that has one."""
    difficulties = []
    for path in paths:
        nodes = [path[:depth] for depth in range(len(path), 0, -1) if path[:depth] in node_means]
        if nodes:
            difficulties.append(node_means[nodes[0]])
    return float(np.mean(difficulties)) if difficulties else default


def _short(paths: tuple[ConceptPath, ...], leading: ConceptPath) -> set[ConceptPath]:
    return {without_leading(path, leading) for path in paths}


def _at_level(paths: set[ConceptPath], depth: int) -> set[ConceptPath]:
    return {path[:depth] for path in paths if len(path) >= depth}
