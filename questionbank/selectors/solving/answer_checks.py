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
        solved: how the question is solved, by `question_solved` or `text_solved`.
        question: None for a text that is not in the bank.

    Returns:
        Nothing where there is nothing to compare with.
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
