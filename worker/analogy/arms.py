"""Retrieval methods compared with each other: random, by meaning, by words, ours, and by true graphs.

Yang et al., "Learning by Analogy", sections 3.2 and 3.3.1; TF-IDF and the solver's help are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from analytics.analogy.examples import AnalogyExample
from analytics.analogy.graphs import readable_text_graph
from analytics.analogy.likely_graphs import CorpusGraphs, LikelyGraphs
from analytics.analogy.measures import GraphSimilarities
from analytics.recalling_solver import likely_graphs

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
