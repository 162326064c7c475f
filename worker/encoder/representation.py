"""Linear probing of a frozen representation on a set: the figures of QuesCo's Table 2, question by question.

Linear probes are fitted on the training part: logistic regression (C = 10) for each level, ridge regression (1.0)
for difficulty, on unit vectors. Outcomes are stored for every test question, so that two representations can be
compared in pairs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.concept_paths import PathTree, drop_common_leading_nodes, kh_distance, retrieval_hits
from analytics.inference.encode import nearest_rows
from analytics.metrics import accuracy, doa, macro_f1, mae, pearson, rmse, spearman
from analytics.probes.fitting import Fit, concept_probe, difficulty_probe
from analytics.question_files import QuestionRow
from analytics.records import ConceptPath

_MOST_CHARACTERS = 1500
_LOGISTIC_PENALTY = 0.1  # 1 / C
_RIDGE_PENALTY = 1.0
_FEWEST_GRADED = 50
_PAIRS = 200_000  # number of random pairs, for the cosine by distance


def plain_text(row: QuestionRow) -> str:
    """Return the text that an encoder reads: whitespace collapsed, at most 1,500 characters."""
    return " ".join(row.text.split())[:_MOST_CHARACTERS]


@dataclass(frozen=True)
class SplitSet:
    """A data set as the probes see it; the lists are parallel.

    Attributes:
        is_test: (questions,) whether the question is tested and excluded from training probes and encoders.
        is_probed: (questions,) whether probes see the question at all.
        may_train: (questions,) whether an encoder may be trained on the question.
        duplicates: exact duplicates that were removed.
    """

    name: str
    texts: list[str]
    paths: list[ConceptPath]
    difficulties: npt.NDArray[np.float64]
    solutions: list[str]
    is_test: npt.NDArray[np.bool_]
    is_probed: npt.NDArray[np.bool_]
    may_train: npt.NDArray[np.bool_]
    levels: int
    duplicates: int

    @classmethod
    def of(
        cls, name: str, rows: Mapping[str, QuestionRow], *, is_test: npt.NDArray[np.bool_], levels: int, duplicates: int
    ) -> SplitSet:
        """Return the set of tagged questions, each with its first path, common leading concepts dropped.

        Probes see, and encoders may be trained on, all of them.

        Args:
            name: name of the set.
            rows: the questions by their `plain_text`.
            is_test: (questions,) whether a question is tested.
            levels: number of concept levels to evaluate; fewer if no path is that long.
            duplicates: exact duplicates that were removed.
        """
        questions = list(rows.values())
        paths = drop_common_leading_nodes([row.paths[0] for row in questions])
        everything = np.ones(len(questions), dtype=bool)
        return cls(
            name=name,
            texts=list(rows),
            paths=paths,
            difficulties=np.array(
                [np.nan if row.difficulty is None else row.difficulty for row in questions], dtype=np.float64
            ),
            solutions=[row.solution for row in questions],
            is_test=is_test,
            is_probed=everything,
            may_train=everything,
            levels=min(levels, max(map(len, paths))),
            duplicates=duplicates,
        )

    def probed(self) -> SplitSet:
        """Return the questions that probes see."""
        rows = np.flatnonzero(self.is_probed)
        return replace(
            self,
            texts=[self.texts[row] for row in rows],
            paths=[self.paths[row] for row in rows],
            solutions=[self.solutions[row] for row in rows],
            difficulties=self.difficulties[rows],
            is_test=self.is_test[rows],
            is_probed=self.is_probed[rows],
            may_train=self.may_train[rows],
        )


Outcomes = dict[str, npt.NDArray[np.float64]]


def measure_set(split_set: SplitSet, vectors: npt.NDArray[np.float32]) -> tuple[dict[str, Any], Outcomes]:
    """Return the figures of a set, and the outcome of each test question.

    Args:
        split_set: the questions with their split.
        vectors: (questions, dimension) of length 1.

    Returns:
        Figures ready for JSON; and arrays over the test questions, NaN for questions that do not count:
        ``accuracy_1 ..``, ``precision_1 ..``, ``difficulty_error``, ``difficulty``, ``difficulty_truth``.
    """
    figures: dict[str, Any] = {
        "questions": len(split_set.texts),
        "test": int(split_set.is_test.sum()),
        "exact_duplicates_removed": split_set.duplicates,
        "levels": {},
    }
    outcomes: Outcomes = {}
    test, train = np.flatnonzero(split_set.is_test), np.flatnonzero(~split_set.is_test)
    nearest = nearest_rows(vectors[test], vectors[train], 10)
    truth = [[split_set.paths[row]] for row in test]
    train_paths = [[split_set.paths[row]] for row in train]
    for level in range(1, split_set.levels + 1):
        hits = retrieval_hits(nearest, truth, train_paths, level)
        if np.isnan(hits).all() or max(len(split_set.paths[row]) for row in train) < level:
            continue  # nothing to test or to learn from
        outcomes[f"precision_{level}"] = hits
        figures["levels"][str(level)] = {
            "precision_at_10": float(np.nanmean(hits)),
            **_classify(split_set, vectors, level, outcomes),
        }
    graded = ~np.isnan(split_set.difficulties)
    if graded.sum() >= _FEWEST_GRADED and min(graded[test].sum(), graded[train].sum()) > 1:
        figures["difficulty"] = _difficulty(split_set, vectors, outcomes)
    if split_set.levels > 1:
        figures["distance"] = _cosine_by_distance(split_set, vectors)
    return figures, outcomes


def _classify(
    split_set: SplitSet, vectors: npt.NDArray[np.float32], level: int, outcomes: Outcomes
) -> Mapping[str, float]:
    deep = np.array([len(path) >= level for path in split_set.paths])
    train, test = np.flatnonzero(deep & ~split_set.is_test), np.flatnonzero(deep & split_set.is_test)
    names = ["\0".join(path[:level]) for path in split_set.paths]
    class_names = sorted({names[row] for row in train})
    tree = PathTree.of([(name,) for name in class_names])
    columns = {path[0]: column for column, path in enumerate(tree.paths)}
    targets = np.zeros((len(train), len(tree.paths)), dtype=np.float32)
    targets[np.arange(len(train)), [columns[names[row]] for row in train]] = 1
    spread = float(np.sqrt(((vectors[train] - vectors[train].mean(axis=0)) ** 2).mean())) or 1.0
    probe = concept_probe(  # it scales its input: the penalty is that of the unscaled weights
        vectors[train], targets, tree, penalty=_LOGISTIC_PENALTY / spread**2, fit=Fit(sharing=0.0, iterations=60)
    )
    best = probe.logits(vectors[test]).argmax(axis=1)
    predicted = [tree.paths[column][0] for column in best]
    test_names = [names[row] for row in test]
    right = np.full(len(split_set.texts), np.nan)
    right[test] = [a == b for a, b in zip(test_names, predicted, strict=True)]
    outcomes[f"accuracy_{level}"] = right[split_set.is_test]
    return {
        "classes": len(class_names),
        "accuracy": accuracy(test_names, predicted),
        "macro_f1": macro_f1(test_names, predicted),
    }


def _difficulty(split_set: SplitSet, vectors: npt.NDArray[np.float32], outcomes: Outcomes) -> dict[str, float | int]:
    graded = ~np.isnan(split_set.difficulties)
    train, test = np.flatnonzero(graded & ~split_set.is_test), np.flatnonzero(graded & split_set.is_test)
    train_difficulties, truth = split_set.difficulties[train], split_set.difficulties[test]
    probe = difficulty_probe(vectors[train], train_difficulties, penalty=_RIDGE_PENALTY)
    values = probe.values(vectors[test])
    by_concept = _concept_means(split_set, train, test)
    for name, array in (("difficulty", values), ("difficulty_truth", truth)):
        spread = np.full(len(split_set.texts), np.nan)
        spread[test] = array
        outcomes[name] = spread[split_set.is_test]
    outcomes["difficulty_error"] = np.abs(outcomes["difficulty"] - outcomes["difficulty_truth"])
    return {
        "test": len(test),
        "mae": mae(truth, values),
        "rmse": rmse(truth, values),
        "pearson": pearson(truth, values),
        "spearman": spearman(truth, values),
        "doa": doa(truth, values),
        "median_mae": mae(truth, np.full(len(truth), np.median(train_difficulties))),
        "true_concept_mae": mae(truth, by_concept),
        "true_concept_pearson": pearson(truth, by_concept),
    }


def _concept_means(
    split_set: SplitSet, train: npt.NDArray[np.int64], test: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Return the mean training difficulty of each test question's true concept, or of its nearest known ancestor."""
    values: dict[ConceptPath, list[float]] = {}
    for row in train:
        for depth in range(len(split_set.paths[row]) + 1):
            values.setdefault(split_set.paths[row][:depth], []).append(float(split_set.difficulties[row]))
    means = {path: float(np.mean(difficulties)) for path, difficulties in values.items()}
    estimates = []
    for row in test:
        path = split_set.paths[row]
        estimates.append(next(means[path[:d]] for d in range(len(path), -1, -1) if path[:d] in means))
    return np.array(estimates)


def _cosine_by_distance(split_set: SplitSet, vectors: npt.NDArray[np.float32]) -> dict[str, Any]:
    """Return the mean cosine of pairs of test questions at each KH-distance, and the rank correlation (Figure 5)."""
    test = np.flatnonzero(split_set.is_test)
    rng = np.random.default_rng(0)
    pairs = rng.integers(len(test), size=(_PAIRS, 2))
    pairs = test[pairs[pairs[:, 0] != pairs[:, 1]]]
    cosines = np.einsum("ij,ij->i", vectors[pairs[:, 0]], vectors[pairs[:, 1]])
    distances = np.array([kh_distance([split_set.paths[a]], [split_set.paths[b]], split_set.levels) for a, b in pairs])
    return {
        "mean_cosine": {
            str(distance): float(cosines[distances == distance].mean()) for distance in np.unique(distances)
        },
        "pairs": {str(distance): int((distances == distance).sum()) for distance in np.unique(distances)},
        "spearman": -spearman(distances.astype(float), cosines.astype(float)),
    }
