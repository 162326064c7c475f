"""What the exam asks of each use of the language model, and how verdicts are computed from its answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar

from analytics.language_model.protocol import LanguageModel
from questionbank.models import LanguageModelUse
from questionbank.registry.language_model_services import ExamOutcome
from worker.bootstrap import middle, resample_counts
from worker.reporting import RunReporter

Array = npt.NDArray[np.float64]
Statistic = Callable[..., float]
Value = TypeVar("Value")

FEWEST_EXAMPLES = 30
"""With fewer examples no use is passed."""

_FEWEST_SETS = 3  # to leave each set out in turn; with fewer, both halves are
_LARGEST_WEIGHT, _SPREAD = 8.0, 3.0  # of a weight; the spread is that of its prior around 0
_NEGLIGIBLE = 0.05


@dataclass(frozen=True, slots=True)
class Example:
    """One example of the exam.

    Attributes:
        source: the set that it belongs to, which one author wrote.
        data: the example, as plain values.
    """

    source: str
    data: Mapping[str, Any]


class UseExam(ABC):
    """The exam of one use.

    Attributes:
        use: one of `LanguageModelUse.Use`.
        measure: what the figures of its arms are, as a heading.
        answer_tokens: typical number of tokens of all answers to one example, for the estimate.
    """

    use: str
    measure: str
    answer_tokens: int

    @abstractmethod
    def examples(self, folder: Path) -> list[Example]:
        """Return all examples in a folder of sets; none if it has no set for this use."""

    @abstractmethod
    def prompt(self, example: Example) -> str:
        """Return the text of all that is sent for an example; answers are kept under it."""

    @abstractmethod
    def ask(self, model: LanguageModel, example: Example) -> dict[str, Any]:
        """Return the checked answer as plain values, with ``unusable``: the share of its answers that were dropped.

        Several threads call it at the same time, so it must not use the database.

        Raises:
            LanguageModelError: the model cannot be reached or rejects the request.
        """

    @abstractmethod
    def outcome(
        self, examples: Sequence[Example], answers: Sequence[Mapping[str, Any]], reporter: RunReporter
    ) -> ExamOutcome:
        """Return the verdict, the figures and the weights; the figures are those of `figures_of`."""


def folds(sources: Sequence[str]) -> list[npt.NDArray[np.bool_]]:
    """Return which examples are measured in each fold; the weights are fitted on the others.

    Each set is left out in turn. With fewer than three sets, both halves of the examples are.
    """
    names = np.asarray(sources)
    if len(set(sources)) >= _FEWEST_SETS:
        return [names == name for name in dict.fromkeys(sources)]
    places = np.arange(len(names))
    return [places % 2 == half for half in (0, 1)]


def arm(name: str, statistic: Statistic, *columns: Array) -> dict[str, Any]:
    """Return a figure with its 95 % bootstrap interval."""
    low, high = middle(_resampled(statistic, *columns))
    return {"name": name, "value": statistic(*columns), "low": low, "high": high}


def difference(name: str, statistic: Statistic, ours: Array, theirs: Array, *truth: Array) -> dict[str, Any]:
    """Return the difference of a figure between two arms on the same examples, with its 95 % bootstrap interval."""

    def gained(one: Array, other: Array, *rest: Array) -> float:
        return statistic(one, *rest) - statistic(other, *rest)

    return arm(name, gained, ours, theirs, *truth)


def compared(statistic: Statistic, alone: Array, kindred: Array, both: Array, *truth: Array) -> list[dict[str, Any]]:
    """Return the figures of the model, of Kindred and of both, and last what both gain over Kindred."""
    columns = {"The model alone": alone, "Kindred alone": kindred, "Both": both}
    arms = [arm(name, statistic, column, *truth) for name, column in columns.items()]
    return [*arms, difference("Both together, minus Kindred alone", statistic, both, kindred, *truth)]


def fitted_weight(loss: Callable[[float], float], *, least: float = 0.0) -> float:
    """Return the weight from `least` on that minimises a loss with the weight's prior; 0 if it is negligible."""

    def with_prior(weight: float) -> float:
        return loss(weight) + (weight / _SPREAD) ** 2 / 2

    weight = float(minimize_scalar(with_prior, bounds=(least, _LARGEST_WEIGHT), method="bounded").x)
    return weight if weight > _NEGLIGIBLE else 0.0


def at(places: npt.NDArray[np.intp], column: Sequence[Value]) -> list[Value]:
    """Return the values of a column in some places."""
    return [column[place] for place in places]


def mean(values: Array) -> float:
    """Return the mean of a column."""
    return float(values.mean())


def _resampled(statistic: Statistic, *columns: Array) -> Array:
    places = np.arange(len(columns[0]))
    draws = (np.repeat(places, counts) for counts in resample_counts(len(places)))
    return np.array([statistic(*(column[rows] for column in columns)) for rows in draws])


def verdict_of(gains: Sequence[Mapping[str, Any]], examples: int, *, worsens: bool = False) -> str:
    """Return the verdict on the gains over Kindred alone.

    Args:
        gains: differences with their intervals; the use passes if all are above 0.
        examples: number of examples.
        worsens: whether something else becomes worse, so that the use cannot pass.
    """
    if any(gain["high"] < 0 for gain in gains):
        return LanguageModelUse.Verdict.WORSE.value
    if all(gain["low"] > 0 for gain in gains) and not worsens and examples >= FEWEST_EXAMPLES:
        return LanguageModelUse.Verdict.PASSED.value
    return LanguageModelUse.Verdict.NOT_BETTER.value


def figures_of(
    exam: UseExam,
    examples: Sequence[Example],
    answers: Sequence[Mapping[str, Any]],
    arms: Sequence[Mapping[str, Any]],
    lines: Sequence[str],
) -> dict[str, Any]:
    """Return the figures of one use, as the page of the language model and the command show them.

    Args:
        arms: results of `arm` and `difference`.
        lines: further figures, each as a sentence.
    """
    count = len(examples)
    tokens, seconds = (100 * sum(float(answer[name]) for answer in answers) / count for name in ("tokens", "seconds"))
    unusable = sum(float(answer["unusable"]) for answer in answers) / count
    cost = f"A hundred examples cost {tokens:,.0f} tokens and {seconds:,.0f} seconds of the model."
    return {
        "measure": exam.measure,
        "examples": count,
        "sets": len({example.source for example in examples}),
        "arms": [{key: _rounded(value) for key, value in each.items()} for each in arms],
        "unusable": round(unusable, 4),
        "tokens_per_hundred": round(tokens),
        "seconds_per_hundred": round(seconds, 1),
        "lines": [*lines, f"{unusable:.1%} of the model’s answers could not be used. {cost}"],
    }


def _rounded(value: Any) -> Any:
    return round(value, 4) if isinstance(value, float) else value
