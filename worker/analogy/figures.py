"""Figures of a way of finding exemplars on one set, question by question, and their bootstrap intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from analytics.analogy.examples import AnalogyExample
from analytics.analogy.exemplars import story_key
from analytics.analogy.graphs import problem_numbers
from analytics.analogy.measures import GraphSimilarities, ndcg, pearson
from analytics.analogy.retrieve_and_apply import Filled, Neighbour, apply_graphs
from analytics.expression.evaluate import EvaluationError, answers_agree, evaluate_float
from analytics.expression.slots import fill_slots
from analytics.integer_codes import integer_codes
from worker.analogy.arms import Arm, Rows
from worker.bootstrap import middle, resample_counts

__all__ = ["COLUMNS", "Columns", "QuestionSet", "figures_of", "measure_arm"]

Floats = npt.NDArray[np.float64]

COLUMNS = ("same_equation", "same_graph", "ndcg", "apply_nearest", "apply_vote")
"""Means over questions; `pearson` is over the pairs of a question with each of its exemplars."""

_RESAMPLES = 1_000


@dataclass(frozen=True)
class QuestionSet:
    """Questions with the corpus of each: a published fold against the others, or a test file against the rest.

    Attributes:
        examples: all of them.
        parts: (rows of questions, rows of their corpus).
    """

    examples: tuple[AnalogyExample, ...]
    parts: tuple[tuple[Rows, Rows], ...]

    @classmethod
    def of(cls, asked: Sequence[AnalogyExample], corpus: Sequence[AnalogyExample]) -> QuestionSet:
        """Return every question asked of one corpus."""
        rows = np.arange(len(asked) + len(corpus))
        return cls((*asked, *corpus), ((rows[: len(asked)], rows[len(asked) :]),))

    @cached_property
    def stories(self) -> Rows:
        """A number for each text, equal for copies but for numbers."""
        return integer_codes(story_key(example.problem.text) for example in self.examples)

    @cached_property
    def graph_similarities(self) -> tuple[GraphSimilarities, ...]:
        """Those of each part's corpus."""
        graphs = [example.graph.graph for example in self.examples]
        return tuple(GraphSimilarities([graphs[row] for row in corpus]) for _rows, corpus in self.parts)

    @property
    def twin_share(self) -> float:
        """The share of the questions whose corpus has a copy of them but for numbers."""
        stories = self.stories
        twinned = [np.isin(stories[rows], stories[corpus]) for rows, corpus in self.parts]
        return float(np.concatenate(twinned).mean())


@dataclass(frozen=True, slots=True)
class Columns:
    """What was measured, a row a question.

    Attributes:
        values: by name of `COLUMNS`.
        similarities: (questions, k) of the exemplars, NaN where there are fewer.
        graph_similarities: (questions, k) of their graphs.
    """

    values: Mapping[str, Floats]
    similarities: Floats
    graph_similarities: Floats


def measure_arm(
    questions: QuestionSet, arm: Arm, k: int, filled: dict[int, Filled], *, twins: bool
) -> Columns:
    """Measure one way of finding exemplars.

    Args:
        questions: with their corpora.
        arm: gives similarities.
        k: exemplars of a question; twice as many vote.
        filled: by row of the question what retrieve-and-apply filled already; is added to.
        twins: whether problems that differ from the question in numbers alone may be exemplars.
    """
    values: dict[str, list[float]] = {name: [] for name in COLUMNS}
    similarities, alike = [], []
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
            similarities.append(_padded(row_scores[order[:k]], k))
            alike.append(_padded(gains[order[:k]], k))
    columns = {name: np.array(column) for name, column in values.items()}
    return Columns(columns, np.array(similarities).reshape(-1, k), np.array(alike).reshape(-1, k))


def _padded(values: Floats, k: int) -> Floats:
    return np.concatenate([values, np.full(k - len(values), np.nan)])


def _question_figures(
    examples: Sequence[AnalogyExample],
    row: int,
    near: Rows,
    similarities: Floats,
    k: int,
    filled: dict[int, Filled],
) -> dict[str, float]:
    question = examples[row]
    hits = [examples[neighbour].graph for neighbour in near[:k]]
    figures = {
        "same_equation": sum(graph.prototype == question.graph.prototype for graph in hits) / k,
        "same_graph": sum(graph.graph == question.graph.graph for graph in hits) / k,
    }
    numbers = problem_numbers(question.problem)
    neighbours = [
        Neighbour(examples[neighbour].graph, float(similarity), int(neighbour))
        for neighbour, similarity in zip(near, similarities, strict=True)
    ]
    kept = filled.setdefault(row, {})
    try:
        wanted = evaluate_float(fill_slots(question.graph.tree, numbers.values))
    except EvaluationError:
        wanted = None
    for name, voters in (("apply_nearest", neighbours[:1]), ("apply_vote", neighbours)):
        answers = apply_graphs(voters, numbers, filled=kept, most=1)
        figures[name] = float(bool(answers) and answers_agree(answers[0].value, wanted))
    return figures


def figures_of(columns: Columns, baseline: Columns | None = None) -> dict[str, list[float]]:
    """Return each figure with the bounds of its 95 % bootstrap interval over questions.

    Args:
        columns: of an arm.
        baseline: of another on the same questions; then it is the differences that are returned.
    """
    count = len(next(iter(columns.values.values())))
    weights = np.array(list(resample_counts(count, resamples=_RESAMPLES)), dtype=np.float64)
    drawn = {name: weights @ column / count for name, column in columns.values.items()}
    whole = {name: float(column.mean()) for name, column in columns.values.items()}
    if baseline is None:
        drawn["pearson"] = np.array([_correlation(columns, row) for row in weights])
        whole["pearson"] = _correlation(columns, np.ones(count))
        return {name: [value, *middle(drawn[name])] for name, value in whole.items()}
    others = {name: weights @ column / count for name, column in baseline.values.items()}
    return {
        name: [whole[name] - float(column.mean()), *middle(drawn[name] - others[name])]
        for name, column in baseline.values.items()
    }


def _correlation(columns: Columns, weights: Floats) -> float:
    present = np.isfinite(columns.similarities)
    each = np.repeat(weights[:, None], columns.similarities.shape[1], axis=1)[present]
    return pearson(columns.similarities[present], columns.graph_similarities[present], each)
