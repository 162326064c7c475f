"""Figures of a retrieval method on one set, per question, and their bootstrap intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from analytics.analogy.examples import AnalogyExample
from analytics.analogy.exemplars import CorpusGraphs, LikelyGraphs
from analytics.analogy.graphs import (
    ComputationalGraph,
    GraphSimilarities,
    edit_similarity,
    integer_codes,
    ndcg,
    problem_numbers,
    readable_text_graph,
)
from analytics.analogy.retrieve_and_apply import Filled, Neighbour, apply_graphs
from analytics.expression.evaluate import answers_agree
from analytics.metrics import pearson
from analytics.recalling_solver import likely_graphs
from analytics.text.copies import story_key
from worker.bootstrap import middle, resample_counts

if TYPE_CHECKING:
    from questionbank.similar.exemplar_files import SolverWith  # imports Django


Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

Arm = Callable[[Rows, Rows], Floats]
"""Maps rows of questions and rows of their corpus to similarities (questions, corpus)."""


def random_arm() -> Arm:
    """Return an arm with random similarities."""

    def similarities(questions: Rows, corpus: Rows) -> Floats:
        return np.random.default_rng(0).random((len(questions), len(corpus)))

    return similarities


def vector_arm(vectors: npt.NDArray[np.float32]) -> Arm:
    """Return an arm with the cosines of unit vectors (examples, dimension)."""

    def similarities(questions: Rows, corpus: Rows) -> Floats:
        return (vectors[questions] @ vectors[corpus].T).astype(np.float64)

    return similarities


def solver_arm(
    examples: Sequence[AnalogyExample], stories: Rows, vectors: npt.NDArray[np.float32], solver_with: SolverWith
) -> Arm:
    """Return an arm that combines cosines with the graphs a solver predicts for the questions (`CorpusGraphs`).

    Args:
        examples, vectors: those of all problems.
        stories: story number of each problem, equal for problems that differ only in numbers; such copies of a question
            are not recalled.
        solver_with: returns the solver, which recalls the rest of the corpus.
    """
    by_cosine = vector_arm(vectors)
    text_graphs = [readable_text_graph(example.problem) for example in examples]
    # An arm is called twice: with and without copies as exemplars.
    graphs_by_questions: dict[bytes, list[LikelyGraphs]] = {}

    def solved(questions: Rows, corpus: Rows) -> list[LikelyGraphs]:
        key = questions.tobytes()
        if key not in graphs_by_questions:
            recalled = corpus[~np.isin(stories[corpus], stories[questions])]
            solver = solver_with([examples[row].problem for row in recalled])
            graphs_by_questions[key] = likely_graphs(solver, [examples[row].problem for row in questions])
        return graphs_by_questions[key]

    def similarities(questions: Rows, corpus: Rows) -> Floats:
        likely = solved(questions, corpus)
        graphs = CorpusGraphs([text_graphs[row] for row in corpus])
        cosines = by_cosine(questions, corpus)
        return np.stack([graphs.scores(row, row_graphs) for row, row_graphs in zip(cosines, likely, strict=True)])

    return similarities


def tfidf_arm(texts: Sequence[str]) -> Arm:
    """Return an arm with cosines of TF-IDF vectors of words and word pairs, fitted on all texts without labels."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = r"(?u)\b\w+\b"
    weights = TfidfVectorizer(ngram_range=(1, 2), token_pattern=words).fit_transform(texts)

    def similarities(questions: Rows, corpus: Rows) -> Floats:
        cosines: Floats = np.asarray((weights[questions] @ weights[corpus].T).todense(), dtype=np.float64)
        return cosines

    return similarities


def bound_arm(examples: Sequence[AnalogyExample]) -> Arm:
    """Return the upper bound by true graphs: same equation first, then same graph, then similar graphs."""
    graphs = [example.graph.graph for example in examples]
    equations = np.array([example.graph.prototype for example in examples], dtype=object)

    def similarities(questions: Rows, corpus: Rows) -> Floats:
        graph_similarities = GraphSimilarities([graphs[row] for row in corpus])
        alike = np.stack([graph_similarities.of(graphs[row]) for row in questions])
        same = equations[questions][:, None] == equations[corpus][None, :]
        return (alike + same) / 2

    return similarities


COLUMNS = ("same_equation", "same_graph", "edit_similarity", "ndcg", "apply_nearest", "apply_vote")
"""Means over questions; `pearson` is over the pairs of a question with each of its exemplars.

In nDCG and `pearson`, graph similarity is the paper's, by Levenshtein distance; `edit_similarity` is by tree edit
distance.
"""

_RESAMPLES = 1_000


@dataclass(frozen=True)
class QuestionSet:
    """Questions with the corpus of each: a published fold against the others, or a test file against the rest.

    Attributes:
        examples: all examples.
        parts: (rows of questions, rows of their corpus).
    """

    examples: tuple[AnalogyExample, ...]
    parts: tuple[tuple[Rows, Rows], ...]

    @classmethod
    def of(cls, asked: Sequence[AnalogyExample], corpus: Sequence[AnalogyExample]) -> QuestionSet:
        """Return a set in which all questions share one corpus."""
        rows = np.arange(len(asked) + len(corpus))
        return cls((*asked, *corpus), ((rows[: len(asked)], rows[len(asked) :]),))

    @cached_property
    def stories(self) -> Rows:
        """A number for each text, equal for texts that differ only in numbers."""
        return integer_codes(story_key(example.problem.text) for example in self.examples)

    @cached_property
    def graph_similarities(self) -> tuple[GraphSimilarities, ...]:
        """The graph similarities of each part's corpus."""
        graphs = [example.graph.graph for example in self.examples]
        return tuple(GraphSimilarities([graphs[row] for row in corpus]) for _rows, corpus in self.parts)

    @property
    def twin_share(self) -> float:
        """The share of the questions with a copy in their corpus that differs only in numbers."""
        stories = self.stories
        twinned = [np.isin(stories[rows], stories[corpus]) for rows, corpus in self.parts]
        return float(np.concatenate(twinned).mean())


@dataclass(frozen=True, slots=True)
class Columns:
    """Measurements, one row per question.

    Attributes:
        values: by name from `COLUMNS` or `worker.analogy.generator.ANSWER_COLUMNS`; NaN where not measured.
        exemplars: (questions, k) rows of the exemplars, nearest first, padded with -1.
        similarities: (questions, k) similarities to them, padded with NaN.
        graph_similarities: (questions, k) similarities of their graphs.
    """

    values: Mapping[str, Floats]
    exemplars: Rows
    similarities: Floats
    graph_similarities: Floats


def measure_arm(questions: QuestionSet, arm: Arm, k: int, filled: dict[int, Filled], *, twins: bool) -> Columns:
    """Evaluate one retrieval method.

    Args:
        questions: questions with their corpora.
        arm: returns similarities.
        k: exemplars per question; twice as many vote.
        filled: results of retrieve-and-apply by question row, reused and added to.
        twins: whether problems that differ from the question only in numbers may be exemplars.
    """
    values: dict[str, list[float]] = {name: [] for name in COLUMNS}
    exemplars, similarities, alike = [], [], []
    stories = questions.stories
    for (rows, corpus), graph_similarities in zip(questions.parts, questions.graph_similarities, strict=True):
        scores = arm(rows, corpus)
        if not twins:
            scores = np.where(stories[rows][:, None] == stories[corpus][None, :], -np.inf, scores)
        for row, row_scores in zip(rows.tolist(), scores, strict=True):
            possible = np.isfinite(row_scores)
            order = np.argsort(-row_scores, kind="stable")[: 2 * k]
            order = order[possible[order]]
            gains = graph_similarities.of(questions.examples[row].graph.graph)
            figures = _question_figures(questions.examples, row, corpus[order], row_scores[order], k, filled)
            figures["ndcg"] = ndcg(gains[order[:k]], gains[possible])
            for name in COLUMNS:
                values[name].append(figures[name])
            exemplars.append(_padded(corpus[order[:k]], k, -1))
            similarities.append(_padded(row_scores[order[:k]], k, np.nan))
            alike.append(_padded(gains[order[:k]], k, np.nan))
    return Columns(
        {name: np.array(column) for name, column in values.items()},
        np.array(exemplars).reshape(-1, k),
        np.array(similarities).reshape(-1, k),
        np.array(alike).reshape(-1, k),
    )


def _padded(values: npt.NDArray[Any], k: int, fill: float) -> npt.NDArray[Any]:
    return np.pad(values, (0, k - len(values)), constant_values=fill)


def _question_figures(
    examples: Sequence[AnalogyExample], row: int, near: Rows, similarities: Floats, k: int, filled: dict[int, Filled]
) -> dict[str, float]:
    question = examples[row]
    hits = [examples[neighbour].graph for neighbour in near[:k]]
    figures = {
        "same_equation": sum(graph.prototype == question.graph.prototype for graph in hits) / k,
        "same_graph": sum(graph.graph == question.graph.graph for graph in hits) / k,
        "edit_similarity": sum(_edit_similarity(question.graph, graph) for graph in hits) / k,
    }
    numbers = problem_numbers(question.problem)
    neighbours = [
        Neighbour(examples[neighbour].graph, float(similarity), int(neighbour))
        for neighbour, similarity in zip(near, similarities, strict=True)
    ]
    kept = filled.setdefault(row, {})
    value = question.value
    for name, voters in (("apply_nearest", neighbours[:1]), ("apply_vote", neighbours)):
        answers = apply_graphs(voters, numbers, filled=kept, most=1)
        figures[name] = float(bool(answers) and answers_agree(answers[0].value, value))
    return figures


@lru_cache(maxsize=100_000)
def _edit_similarity(first: ComputationalGraph, second: ComputationalGraph) -> float:
    """Cache `edit_similarity` per pair: several methods find the same exemplars."""
    return edit_similarity(first, second)


def figures_of(columns: Columns, baseline: Columns | None = None) -> dict[str, list[float]]:
    """Return each figure with the bounds of its 95 % bootstrap interval over questions.

    Args:
        columns: those of an arm.
        baseline: those of another arm on the same questions; if given, differences from it are returned.
    """
    count = len(columns.similarities)
    # The first row weights every question once: it gives the figure itself.
    drawn = resample_counts(count, resamples=_RESAMPLES)
    weights = np.array([np.ones(count), *drawn], dtype=np.float64)
    if baseline is None:
        figures = {name: _means(column, weights) for name, column in columns.values.items()}
        figures["pearson"] = np.array([_correlation(columns, row) for row in weights])
    else:
        figures = {
            name: _means(column, weights) - _means(baseline.values[name], weights)
            for name, column in columns.values.items()
            if name in baseline.values
        }
    return {name: [float(values[0]), *middle(values[1:])] for name, values in figures.items()}


def _means(column: Floats, weights: Floats) -> Floats:
    """Return the mean of the measured values, for each row of weights; NaN if all of them have weight 0."""
    measured = np.isfinite(column)
    counts = weights[:, measured].sum(axis=1)
    means = np.full(len(weights), np.nan)
    return np.divide(weights[:, measured] @ column[measured], counts, out=means, where=counts > 0)


def _correlation(columns: Columns, weights: Floats) -> float:
    present = np.isfinite(columns.similarities)
    each = np.repeat(weights[:, None], columns.similarities.shape[1], axis=1)[present]
    return pearson(columns.similarities[present], columns.graph_similarities[present], each)
