"""Comparing a candidate retriever with the champion on the bank's held-out questions with an equation.

No training ever uses them (`questionbank.training.questions`). Both models search their exemplars among the
other questions with an equation. Measured are the share of the eight nearest with the same graph, and the
normalised discounted gain of their graphs' similarities (`analytics.analogy.graphs`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analytics.analogy.graphs import GraphSimilarities, ndcg
from analytics.retrieval import nearest_rows
from analytics.splits import split_place
from questionbank.core.capability_figures import AnalogyFigures, Metric
from questionbank.models import EmbeddingSet, ModelArtifact
from questionbank.registry.model_selectors import SMALLEST_SUITE
from questionbank.training.analogy import GraphProblem, analogy_material
from worker.comparison import ROLES, SEED, Vectors, changed_neighbours, compared_sets, paired_metric, unreadable
from worker.embedding import set_vectors
from worker.reporting import RunReporter

K = 8
LARGEST_SUITE, LARGEST_CORPUS = 2_000, 20_000
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Problem:
    """A problem of the bank: its question and its computation."""

    id: int
    language: str
    place: float
    graph_key: str

    @classmethod
    def of(cls, entry: GraphProblem) -> _Problem:
        problem = entry.problem
        return cls(int(problem.id), problem.language, split_place(problem.text), entry.graph_key)


def analogy_comparison_figures(
    reporter: RunReporter, *, candidate: ModelArtifact, champion: ModelArtifact
) -> AnalogyFigures:
    """Evaluate two retrievers, computing missing vectors, which a later promotion reuses."""
    return retriever_figures(reporter, **compared_sets(reporter, candidate=candidate, champion=champion))


def retriever_figures(reporter: RunReporter, *, candidate: EmbeddingSet, champion: EmbeddingSet) -> AnalogyFigures:
    """Evaluate both sets of vectors."""
    reporter.progress(0, 0, "Reading the fixed problems")
    parts = analogy_material().problems
    suite = [_Problem.of(entry) for entry in parts.held_out]
    vectors = {"candidate": set_vectors(candidate), "champion": set_vectors(champion)}
    common = vectors["candidate"].keys() & vectors["champion"].keys()
    asked = _sample([row for row in suite if row.id in common], LARGEST_SUITE)
    corpus = _sample(
        [row for row in map(_Problem.of, (*parts.learned, *parts.validation)) if row.id in common], LARGEST_CORPUS
    )
    metrics: list[Metric] = []
    if len(asked) >= SMALLEST_SUITE and len(corpus) >= K:
        columns = {}
        for role, by_id in vectors.items():
            reporter.check()
            reporter.progress(0, 0, f"Measuring the {role}")
            columns[role] = _columns(asked, corpus, by_id)
        metrics = _metrics([row.id for row in asked], columns)
    reporter.progress(0, 0, "Comparing")
    ids = {row.id for row in suite}
    return {
        "suite": {
            "questions": len(asked),
            "fewest": SMALLEST_SUITE,
            "train_questions": len(corpus),
            "left_out": len(ids - vectors["candidate"].keys() - vectors["champion"].keys()),
            "lost": unreadable(suite, vectors["champion"].keys() - vectors["candidate"].keys(), candidate),
            "gained": unreadable(suite, vectors["candidate"].keys() - vectors["champion"].keys(), champion),
            "seed": SEED,
        },
        "metrics": metrics,
        "changed": changed_neighbours(vectors, sorted(row.id for row in asked), sorted(common), k=K),
    }


def _sample(problems: Sequence[_Problem], size: int) -> list[_Problem]:
    """Return at most `size` problems, always the same ones: chosen by their text."""
    return sorted(problems, key=lambda row: (row.place, row.id))[:size]


def _columns(asked: Sequence[_Problem], corpus: Sequence[_Problem], vectors: Vectors) -> dict[str, Floats]:
    """Return every figure of each query question, (questions,), by name."""
    near = nearest_rows(np.stack([vectors[row.id] for row in asked]), np.stack([vectors[row.id] for row in corpus]), K)
    keys = [row.graph_key for row in corpus]
    graph_similarities = GraphSimilarities(keys)
    same, order = np.zeros(len(asked)), np.zeros(len(asked))
    for place, (question, rows) in enumerate(zip(asked, near, strict=True)):
        gains = graph_similarities.of(question.graph_key)
        same[place] = np.mean([keys[row] == question.graph_key for row in rows])
        order[place] = ndcg(gains[rows], gains)
    return {"same_graph_at_8": same, "ndcg_at_8": order}


def _metrics(questions: Sequence[int], columns: Mapping[str, Mapping[str, Floats]]) -> list[Metric]:
    rng = np.random.default_rng(SEED)
    names = columns["candidate"]
    return [paired_metric(name, questions, [columns[role][name].tolist() for role in ROLES], rng) for name in names]
