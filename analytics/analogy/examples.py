"""Training examples of the retriever: questions with graphs, and which of them compute the same. Torch-free.

Yang et al., "Learning by Analogy", section 2.2: a positive has the same graph; examples without one are
discarded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analytics.analogy.graphs import ComputationalGraph, integer_codes, problem_graph, problem_numbers, slot_text
from analytics.errors import DataError
from analytics.expression.evaluate import EvaluationError, evaluate_float, fill_slots
from analytics.records import ProblemRecord


@dataclass(frozen=True, slots=True)
class AnalogyExample:
    """A problem with a known graph."""

    problem: ProblemRecord
    graph: ComputationalGraph

    @property
    def is_labelled(self) -> bool:
        """Whether its computation is known, rather than only that another problem shares it."""
        return self.graph.source != "pair"

    @property
    def value(self) -> float | None:
        """The value of the graph with the problem's numbers; None if it is not a number."""
        try:
            return evaluate_float(fill_slots(self.graph.tree, problem_numbers(self.problem).values))
        except EvaluationError:
            return None


def retriever_text(text: str, *, slots: bool) -> str:
    """Return a text as the retriever reads it, with its numbers or with their slots."""
    return slot_text(text) if slots else text


def read_graphs(problems: Iterable[ProblemRecord]) -> tuple[list[AnalogyExample], int]:
    """Return the problems that have a graph, and the number of those whose graph is missing or unreadable.

    A problem that names a pair gets the pair's placeholder graph, whatever else is known about it.
    """
    examples: list[AnalogyExample] = []
    without = 0
    for problem in problems:
        try:
            graph = ComputationalGraph.of_pair(problem.pair) if problem.pair else problem_graph(problem)
        except DataError:
            graph = None
        if graph is None:
            without += 1
        else:
            examples.append(AnalogyExample(problem, graph))
    return examples, without


def with_positive(examples: Sequence[AnalogyExample]) -> list[AnalogyExample]:
    """Return the examples that share their graph with another."""
    counts = Counter(example.graph.graph for example in examples)
    return [example for example in examples if counts[example.graph.graph] > 1]


class Positives:
    """Draws a positive for each example.

    Args:
        keys: keys of the examples; each occurs at least twice.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        self.codes = integer_codes(keys)
        self._order = np.argsort(self.codes, kind="stable")
        ordered = self.codes[self._order]
        self._first = np.searchsorted(ordered, self.codes)
        self._count = np.searchsorted(ordered, self.codes, side="right") - self._first
        self._place = np.empty(len(keys), dtype=np.int64)
        self._place[self._order] = np.arange(len(keys))

    def draw(self, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Draw for each example, uniformly, the row of another one with the same key."""
        step = 1 + (rng.random(len(self.codes)) * (self._count - 1)).astype(np.int64)
        place = self._first + (self._place - self._first + step) % self._count
        rows: npt.NDArray[np.int64] = self._order[place]
        return rows
