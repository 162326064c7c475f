"""Checks of an answer, and whether a job could add to what the page shows about a typed text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from analytics.expression.evaluate import answers_agree
from analytics.languages import primary_language
from analytics.solver.solution import SIGNED_REASON, Solution, decimal_text
from questionbank.models import Question
from questionbank.registry.language_model_selectors import packaged_model_is_ready
from questionbank.solving.solutions import SolvedText, gives, published_number, solution_from_json


@dataclass(frozen=True, slots=True)
class AnswerCheck:
    """One comparison, in a sentence.

    Attributes:
        is_certain: whether the comparison is with what the source or a person provided rather than with the solver.
    """

    sentence: str
    agrees: bool
    is_certain: bool = True


def answer_shown(value: float) -> str:
    """Return a value as pages display it.

    >>> answer_shown(-12345.0), answer_shown(1e16), answer_shown(12345.67)
    ('-12,345', '10,000,000,000,000,000', '12345.67')
    """
    whole = round(value)
    return f"{whole:,}" if abs(value - whole) < 1e-9 * max(1.0, abs(value)) else decimal_text(value)


def answer_checks(value: float, *, solved: SolvedText | None, question: Question | None = None) -> list[AnswerCheck]:
    """Compare an answer with everything that is known.

    Args:
        solved: how the question is solved, from `question_solved` or `text_solved`.
        question: None for a text that is not in the bank.

    Returns:
        One check per comparison; empty if there is nothing to compare with.
    """
    checks = []
    best = None if solved is None or solved.is_contradicted else solved.best
    if best is not None and best.value is not None:
        agrees = gives(best, value)
        verdict = "agrees" if agrees else f"disagrees: it finds {best.equation} = {best.answer}"
        sentence = f"The solver {verdict} ({best.probability:.0%} likely to be right)."
        checks.append(AnswerCheck(sentence, agrees, is_certain=False))
    known = solved.known if solved is not None else None
    if known is not None and known.value is not None:
        agrees = gives(known, value)
        said = "the same answer" if agrees else f"another answer: {known.equation} = {known.answer}"
        checks.append(AnswerCheck(f"The question's own equation gives {said}.", agrees))
    elif question is not None and (published := published_number(question)) is not None:
        agrees = published.agrees_with(value)
        said = "the same" if agrees else answer_shown(published.value)
        checks.append(AnswerCheck(f"The published answer is {said}.", agrees))
    return checks


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """The separate answers of a job's language model and solver; None if it found no answer."""

    own: Solution | None
    written: Solution | None

    @property
    def agree(self) -> bool:
        return self.own is not None and self.written is not None and answers_agree(self.own.value, self.written.value)


def second_opinion_kept(result: Mapping[str, Any]) -> SecondOpinion | None:
    """Return both opinions from a finished job's result; None for a job of an earlier version."""
    if "opinions" not in result:
        return None
    pooled = [solution_from_json(row) for row in result["alternatives"]]
    opinions: dict[str, Solution | None] = {"own": None, "written": None}
    for name, row in result["opinions"].items():
        solution = solution_from_json(row)
        same = (each.written for each in pooled if answers_agree(each.value, solution.value))
        opinions[name] = replace(solution, written=solution.written or next(same, ""))  # such as "25%"
    return SecondOpinion(**opinions)


def may_have_second_opinion(solved: SolvedText | None, language: str) -> bool:
    """Return whether the language model can be queried about a text, and whether its answer would count."""
    if solved is None or solved.known is not None or primary_language(language) != "en":
        return False
    best = solved.best
    is_open = solved.reason == SIGNED_REASON if best is None else not best.rule and best.twin is None
    return is_open and packaged_model_is_ready()
