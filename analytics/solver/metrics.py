"""Solver accuracy: Pattern-CL's two accuracies, of the equation and of the answer. Torch-free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analytics.expression.evaluate import answers_agree
from analytics.solver.targets import SolverExample, value_of


@dataclass(frozen=True, slots=True)
class SolverScores:
    """Accuracies over problems with a known equation, in 0..1."""

    equation_accuracy: float
    answer_accuracy: float
    problems: int

    def as_metrics(self, prefix: str = "") -> dict[str, float]:
        """Return both accuracies by name."""
        return {f"{prefix}equation_accuracy": self.equation_accuracy, f"{prefix}answer_accuracy": self.answer_accuracy}


def is_equation_right(example: SolverExample, tokens: Sequence[str]) -> bool:
    """Return whether an equation matches the published one; a repeated value may be any of its slots."""
    values = {f"N{slot}": value for slot, value in enumerate(example.values)}
    published = [values.get(token, token) for token in example.tokens]
    return published == [values.get(token, token) for token in tokens]


def score_solutions(examples: Sequence[SolverExample], written: Sequence[Sequence[str]]) -> SolverScores:
    """Compare written equations with the published ones, and their values with those of the published ones.

    Args:
        examples: problems with equations.
        written: the generated tokens for each, empty if there are none.
    """
    equations = answers = 0
    for example, tokens in zip(examples, written, strict=True):
        equations += is_equation_right(example, tokens)
        wanted = value_of(example.tokens, example.values)
        value = value_of(tokens, example.values) if tokens else None
        answers += answers_agree(wanted, value)
    count = max(1, len(examples))
    return SolverScores(equations / count, answers / count, len(examples))
