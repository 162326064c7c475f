"""Whether the solver makes the same of a question and of its paraphrase: evidence for reviewers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from analytics.expression.evaluate import answers_agree
from analytics.records import ProblemRecord
from analytics.solver.solution import CERTAIN_ENOUGH, Solution
from analytics.text.word_problems import is_word_problem
from questionbank.models import ParaphrasePair
from questionbank.selectors.serving import ServedSolver


def pairs_solved(
    pairs: Sequence[ParaphrasePair], solver_for: Callable[[str], ServedSolver | None]
) -> list[dict[str, Any] | None]:
    """Solve both texts of each pair.

    Args:
        pairs: to be solved.
        solver_for: returns the solver in use for a language, or None.

    Returns:
        For each pair ``{"solver", "original", "paraphrase", "agree"}``: the solver's name, for each text
        ``{"equation", "answer", "probability"}`` or None where it found no equation with a value, and whether the
        answers are equal, None where one of them is too uncertain to tell. None for a pair with a text that is no
        word problem, and where no solver serves.
    """
    evidence: list[dict[str, Any] | None] = [None] * len(pairs)
    for language in {pair.language for pair in pairs}:
        rows = [row for row, pair in enumerate(pairs) if pair.language == language and _is_readable(pair)]
        served = solver_for(language) if rows else None
        if served is None:
            continue
        problems = [
            ProblemRecord("", text, language)
            for row in rows
            for text in (pairs[row].original, pairs[row].paraphrase)
        ]
        solutions = iter(served.solver.solve(problems))
        for row in rows:
            evidence[row] = _evidence(next(solutions), next(solutions), served)
    return evidence


def _is_readable(pair: ParaphrasePair) -> bool:
    return is_word_problem(pair.original) and is_word_problem(pair.paraphrase)


def _evidence(
    original: Sequence[Solution], paraphrase: Sequence[Solution], served: ServedSolver
) -> dict[str, Any]:
    first, second = (solutions[0] if solutions else None for solutions in (original, paraphrase))
    return {
        "solver": served.artifact.name,
        "original": _side(first),
        "paraphrase": _side(second),
        "agree": _agree(first, second),
    }


def _side(solution: Solution | None) -> dict[str, Any] | None:
    if solution is None or solution.value is None:
        return None
    return {
        "equation": solution.equation,
        "answer": solution.answer,
        "probability": round(solution.probability, 4),
    }


def _agree(first: Solution | None, second: Solution | None) -> bool | None:
    if first is None or second is None or first.value is None or second.value is None:
        return None
    if min(first.probability, second.probability) < CERTAIN_ENOUGH:
        return None
    return answers_agree(first.value, second.value)
