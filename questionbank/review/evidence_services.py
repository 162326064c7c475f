"""Evidence for reviewers: the score of a changed wording, and whether the solver's answers to both texts agree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.db import transaction

from analytics.expression.evaluate import answers_agree
from analytics.paraphrase.findings.rules import find_changes
from analytics.records import ProblemRecord
from analytics.solver.solution import CERTAIN_ENOUGH, Solution
from analytics.text.word_problems import is_word_problem
from questionbank.core.errors import ServiceUnavailable, ValidationFailed
from questionbank.models import ParaphrasePair, ReviewDecision
from questionbank.registry.serving import ServedScorer, ServedSolver, served_scorer

_MOST_SAID = 3  # findings per sentence


@transaction.atomic
def decided_in_sight(decide: Callable[[], ReviewDecision], *, seen: str) -> ReviewDecision:
    """Decide, but refuse a changed wording once if the scorer or a serious finding speaks against it.

    A reviewer who has seen the objections may decide all the same. If the pair's assessment is hidden, none are shown.

    Args:
        decide: stores the decision.
        seen: the wording that was refused before.

    Raises:
        ValidationFailed: on `text`, with the objections; nothing is decided.
    """
    decision = decide()
    if decision.text and decision.text != seen.strip() and not decision.pair.hides_machine:
        said = _doubts(decision.pair.original, decision.text)
        if said:
            raise ValidationFailed.beside(
                "text", f"{said} Change it, or press “Accept with changes” again to accept it as it is."
            )
    return decision


def _doubts(original: str, text: str) -> str:
    served = _scorer()
    scored = (
        served.scorer.score([(original, text)])[0]
        if served is not None and served.scorer.knows(original, text)
        else None
    )
    findings = find_changes(original, text) if scored is None else scored.findings
    sentences = [finding.sentence for finding in findings if finding.is_serious][:_MOST_SAID]
    if scored is not None and scored.verdict == "invalid":
        sentences.append(f"The probability that it is valid is {scored.probability:.0%}.")
    return "In your wording: " + " ".join(sentences) if sentences else ""


def _scorer() -> ServedScorer | None:
    try:
        return served_scorer()
    except ServiceUnavailable:
        return None


def pairs_solved(
    pairs: Sequence[ParaphrasePair], solver_for: Callable[[str], ServedSolver | None]
) -> list[dict[str, Any] | None]:
    """Solve both texts of each pair.

    Args:
        pairs: the pairs to solve.
        solver_for: returns the solver in use for a language, or None.

    Returns:
        For each pair ``{"solver", "original", "paraphrase", "agree"}``: the solver's name; for each text
        ``{"equation", "answer", "probability"}``, or None if no equation with a value was found; and whether the
        answers are equal, None if one of them is too uncertain to tell. None instead of the dictionary if a text of
        the pair is not a word problem, or if no solver serves its language.
    """
    evidence: list[dict[str, Any] | None] = [None] * len(pairs)
    for language in {pair.language for pair in pairs}:
        rows = [row for row, pair in enumerate(pairs) if pair.language == language and _is_readable(pair)]
        served = solver_for(language) if rows else None
        if served is None:
            continue
        problems = [
            ProblemRecord("", text, language) for row in rows for text in (pairs[row].original, pairs[row].paraphrase)
        ]
        solutions = iter(served.solver.solve(problems))
        for row in rows:
            evidence[row] = _evidence(next(solutions), next(solutions), served)
    return evidence


def _is_readable(pair: ParaphrasePair) -> bool:
    return is_word_problem(pair.original) and is_word_problem(pair.paraphrase)


def _evidence(original: Sequence[Solution], paraphrase: Sequence[Solution], served: ServedSolver) -> dict[str, Any]:
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
    return {"equation": solution.equation, "answer": solution.answer, "probability": round(solution.probability, 4)}


def _agree(first: Solution | None, second: Solution | None) -> bool | None:
    if first is None or second is None or first.value is None or second.value is None:
        return None
    if min(first.probability, second.probability) < CERTAIN_ENOUGH:
        return None
    return answers_agree(first.value, second.value)
