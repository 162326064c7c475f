"""Whether an answer of unknown worth is what the solver, the question's own equation and its source say."""

from __future__ import annotations

from dataclasses import dataclass

from analytics.solver.solution import decimal_text
from questionbank.models import Question
from questionbank.selectors.solving.solutions import SolvedText, gives, published_number


@dataclass(frozen=True, slots=True)
class AnswerCheck:
    """One comparison, in a sentence.

    Attributes:
        is_certain: whether it is with what the source or a person gave, not with what the solver found.
    """

    sentence: str
    agrees: bool
    is_certain: bool = True


def answer_shown(value: float) -> str:
    """Return a value as pages show it.

    >>> answer_shown(-12345.0), answer_shown(1e16), answer_shown(12345.67)
    ('-12,345', '10,000,000,000,000,000', '12345.67')
    """
    whole = round(value)
    return f"{whole:,}" if abs(value - whole) < 1e-9 * max(1.0, abs(value)) else decimal_text(value)


def answer_checks(
    value: float, *, solved: SolvedText | None, question: Question | None = None
) -> list[AnswerCheck]:
    """Compare an answer with everything that is known.

    Args:
        value: the answer.
        solved: how the question is solved, by `question_solved` or `text_solved`.
        question: None for a text that is not in the bank.

    Returns:
        Nothing where there is nothing to compare with.
    """
    checks = []
    if (
        solved is not None
        and not solved.is_contradicted
        and solved.best is not None
        and solved.best.value is not None
    ):
        checks.append(_by_solver(value, solved))
    if solved is not None and solved.known is not None and solved.known.value is not None:
        checks.append(_by_equation(value, solved))
    elif question is not None and (published := published_number(question)) is not None:
        agrees = published.agrees_with(value)
        sentence = "The published answer is the same." if agrees else "The published answer is %(answer)s."
        checks.append(AnswerCheck(sentence % {"answer": answer_shown(published.value)}, agrees))
    return checks


def _by_solver(value: float, solved: SolvedText) -> AnswerCheck:
    best = solved.best
    assert best is not None and best.value is not None  # noqa: S101, PT018 - the caller has looked
    agrees = gives(best, value)
    sentence = (
        "The solver agrees (%(probability)s likely to be right)."
        if agrees
        else "The solver disagrees: it finds %(equation)s = %(answer)s (%(probability)s likely to be right)."
    )
    words = {"equation": best.equation, "answer": best.answer, "probability": f"{best.probability:.0%}"}
    return AnswerCheck(sentence % words, agrees, is_certain=False)


def _by_equation(value: float, solved: SolvedText) -> AnswerCheck:
    alternative = solved.known
    assert alternative is not None and alternative.value is not None  # noqa: S101, PT018 - likewise
    agrees = gives(alternative, value)
    sentence = (
        "The question's own equation gives the same answer."
        if agrees
        else "The question's own equation gives another answer: %(equation)s = %(answer)s."
    )
    return AnswerCheck(sentence % {"equation": alternative.equation, "answer": alternative.answer}, agrees)
