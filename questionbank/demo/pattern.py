"""What a question pattern is: a function that draws one question, and the line that registers it.

A strand module holds plain functions ``(Draw) -> Item`` and one literal table of `Pattern` at its end. The function
draws its numbers, computes the answer from them, and returns every phrasing that fits; the bank picks one. A phrasing
with ``____`` makes a fill-in-the-blank question; an item with `wrong` answers can become a choice question.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from questionbank.demo.wording import Draw

__all__ = ["Item", "Pattern"]


@dataclass(frozen=True, slots=True)
class Item:
    """One drawn question.

    Attributes:
        ask: phrasings with the same meaning and the same answer.
        answer: the answer as it is shown; a plain number where there is an `equation`.
        steps: the worked solution, a line each; the last one states the answer.
        wrong: wrong answers, each with the misconception that leads to it, most telling first. The bank keeps the
            first three that differ from the answer and from one another, and draws again where there are fewer.
        choice: probability that an item with `wrong` answers becomes a choice question.
        equation: infix arithmetic that evaluates to the answer, for a word problem.
        effort: logits by which this draw is harder than its pattern, beyond what `feature_effect` sees.
    """

    ask: tuple[str, ...]
    answer: str
    steps: tuple[str, ...]
    wrong: tuple[tuple[str, str], ...] = ()
    choice: float = 0.5
    equation: str = ""
    effort: float = 0.0


@dataclass(frozen=True, slots=True)
class Pattern:
    """A question pattern.

    Attributes:
        slug: its name in question ids; never changed once published.
        concept: the leaf of the hierarchy that it tests.
        grade: school year for which it is meant, 1 to 12.
        logit: intended difficulty for students of that year, 0 where an average one succeeds half of the time.
        make: draws one item.
    """

    slug: str
    concept: str
    grade: int
    logit: float
    make: Callable[[Draw], Item]
