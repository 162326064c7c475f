"""What the retriever learns from: questions with graphs, which of them share a computation, and settings. Torch-free.

Yang et al., "Learning by Analogy", section 2.2: a positive has the same graph; examples without one are
discarded. The settings' defaults are those of section 3.1, where given; docs/papers/analogy.md describes the
differences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from pydantic import Field

from analytics.analogy.graphs import ComputationalGraph, integer_codes, problem_graph, problem_numbers, slot_text
from analytics.configuration import (
    ClippingNorm,
    Epochs,
    Fold,
    LearningRate,
    MaximumTokens,
    Measured,
    Schedule,
    Temperature,
    TrainingConfig,
    configuration,
)
from analytics.errors import DataError
from analytics.expression.evaluate import EvaluationError, evaluate_float, fill_slots
from analytics.records import ProblemRecord


@configuration
class AnalogyConfig(TrainingConfig):
    """How a retriever is trained; docs/papers/analogy.md gives the source of each value."""

    slot_text: bool = Field(
        default=False,
        title="Replace numbers with placeholders",
        description="replace each number in a text with a placeholder: n1, n2, ... (not from the paper)",
    )
    all_positives: bool = Field(
        default=False,
        description=(
            "use every question in the batch with the same graph as a positive, not only the paired one (not "
            "from the paper)"
        ),
    )
    temperature: Temperature = Field(default=0.05, description="temperature of the contrastive loss (tau)")
    share: float = Field(
        default=1.0,
        ge=0.001,
        le=1,
        title="Share of the training data",
        description="share of the training data to use, drawn at random",
    )
    fold: Fold = -1
    freeze_embeddings: bool = Field(default=True, description="do not train the token embeddings (not from the paper)")
    learning_rate: LearningRate = 3e-5
    schedule: Schedule = "linear"
    clip_norm: ClippingNorm = 0.0
    epochs: Epochs = Field(default=5, description="number of passes over the questions that have a positive")
    batch_size: int = Field(
        default=16, ge=2, le=4096, description="number of questions per batch, each with a positive"
    )
    max_tokens: MaximumTokens = Field(default=128, description="questions longer than this are truncated")
    measured: Measured = Field(
        default=300, description="number of validation problems used to measure retrieval during training (0 = none)"
    )


@dataclass(frozen=True, slots=True)
class AnalogyExample:
    """A problem with a known graph."""

    problem: ProblemRecord
    graph: ComputationalGraph

    @property
    def is_labelled(self) -> bool:
        """Whether its computation is known; if not, it is only known that another problem shares it."""
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
        """For each example, draw the row of another one with the same key, uniformly at random."""
        step = 1 + (rng.random(len(self.codes)) * (self._count - 1)).astype(np.int64)
        place = self._first + (self._place - self._first + step) % self._count
        rows: npt.NDArray[np.int64] = self._order[place]
        return rows
