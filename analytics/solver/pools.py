"""Candidate pools: the problems that are learned from, and what is made of them by machine.

Textual-CL (2022), section 3.1. Torch-free.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analytics.errors import DataError
from analytics.records import ProblemRecord
from analytics.solver.reordering import reorder_question
from analytics.solver.reversing import reverse_operation
from analytics.solver.targets import SolverExample, solver_example


def candidate_pool(
    examples: Sequence[SolverExample], pool: str, *, most_tokens: int = 45
) -> list[SolverExample]:
    """Return the problems, followed by what is made of them.

    Args:
        examples: with equations.
        pool: one of `analytics.solver.config.Pool`.
        most_tokens: longer equations are left out.
    """
    made = []
    for problem in made_problems([example.problem for example in examples], pool):
        try:
            example = solver_example(problem)
        except DataError:
            continue
        if 0 < len(example.tokens) <= most_tokens:
            made.append(example)
    return [*examples, *made]


def made_problems(problems: Sequence[ProblemRecord], pool: str) -> Iterator[ProblemRecord]:
    """Yield the reversed and reordered variants of problems, as the pool says."""
    for problem in problems:
        if "roda" in pool:
            yield from reverse_operation(problem)
        if "qr" in pool and (reordered := reorder_question(problem)) is not None:
            yield reordered
