"""How often a solver is right: Pattern-CL's two accuracies, of the equation and of the answer. Torch-free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analytics.expression.evaluate import answers_agree
from analytics.solver.targets import SolverExample, Vocabulary, value_of

__all__ = ["SolverScores", "is_equation_right", "score_solutions"]


@dataclass(frozen=True, slots=True)
class SolverScores:
    """Accuracies over problems with a known equation, in 0..1."""

    equation_accuracy: float
    answer_accuracy: float
    problems: int

    def as_metrics(self, prefix: str = "") -> dict[str, float]:
        """Return both accuracies by name."""
        return {
            f"{prefix}equation_accuracy": self.equation_accuracy,
            f"{prefix}answer_accuracy": self.answer_accuracy,
        }


def is_equation_right(example: SolverExample, tokens: Sequence[str], vocabulary: Vocabulary) -> bool:
    """Return whether an equation is the published one; a value that the text repeats may be any of its slots."""
    if not vocabulary.writes(example) or len(tokens) != len(example.tokens):
        return False
    return all(
        token in {vocabulary.token(candidate) for candidate in vocabulary.candidates(wanted, example)}
        for token, wanted in zip(tokens, example.tokens, strict=True)
    )


def score_solutions(
    examples: Sequence[SolverExample], written: Sequence[Sequence[str]], vocabulary: Vocabulary
) -> SolverScores:
    """Compare written equations with the published ones, and their values with those of the published ones.

    Args:
        examples: problems with equations.
        written: for each the tokens that were written, empty where nothing was.
        vocabulary: of the solver.
    """
    equations = answers = 0
    for example, tokens in zip(examples, written, strict=True):
        equations += is_equation_right(example, tokens, vocabulary)
        wanted = value_of(example.tokens, example.values)
        value = value_of(tokens, example.values) if tokens else None
        answers += wanted is not None and value is not None and answers_agree(wanted, value)
    count = max(1, len(examples))
    return SolverScores(equations / count, answers / count, len(examples))
