r"""Telling word problems from other questions: prose with numbers, without formulas that have to be worked on."""

from __future__ import annotations

import re

from analytics.text.formulas import segment_text
from analytics.text.number_slots import number_slots

__all__ = ["is_word_problem"]

FEWEST_WORDS = 6
FEWEST_CHARACTERS = 10  # of Chinese
LONGEST = 4_000  # characters; no word problem is as long

_NUMBER_AS_FORMULA = re.compile(
    r"(?:[\d.,:/%\s{}]|\\[dt]?frac|\\[%$,! ;]|\\(?:text|mathrm)\{[^{}]*\}|\^\{?\\circ\}?|\^\{?[23]\}?)*"
)
_WORD = re.compile(r"[A-Za-zÀ-ÿ]{2,}")
_CHINESE = re.compile(r"[\u3400-\u9fff]")


def is_word_problem(text: str) -> bool:
    r"""Return whether a question tells a story with numbers, from which an answer can be computed.

    A formula may stand for a number with its unit, as in ``$\frac{1}{2}$ kg``; one with a variable or an operation
    belongs to a question of another kind.

    >>> is_word_problem("Ann has 3 bags of $5$ apples each. How many apples has she?")
    True
    >>> is_word_problem("Solve $2x + 3 = 11$ for the number $x$ with 3 steps."), is_word_problem("What is 3 + 4?")
    (False, False)
    """
    if len(text) > LONGEST:
        return False
    segments = segment_text(text)
    formulas = [segment.body for segment in segments if segment.kind == "formula"]
    if not all(_NUMBER_AS_FORMULA.fullmatch(formula) for formula in formulas):
        return False
    prose = " ".join(segment.source for segment in segments if segment.kind == "text")
    has_story = len(_WORD.findall(prose)) >= FEWEST_WORDS or len(_CHINESE.findall(prose)) >= FEWEST_CHARACTERS
    return has_story and bool(number_slots(text))
