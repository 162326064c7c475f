"""Divisions with a remainder: six cars for 28 children, where five fit in each, not 5.6. Torch-free.

Ours: the papers' equations end with the quotient. How it is rounded depends on what the question asks, which the
words after "how many" tell in English, and "at least" or "at most" in Chinese; decision 67 has the measurements.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace

from analytics.solver.solution import Solution

_QUESTION = re.compile(r"(\w*)\W+how many\b([^.?!]*)", re.IGNORECASE)
_ABOUT = re.compile(r"about|around|approximately|roughly", re.IGNORECASE)
_REMAINDER = re.compile(r"\b(left|leftovers?|over|remain\w*|extra|unused)\b", re.IGNORECASE)
_FULL = re.compile(r"\b(full|fully|complete|completely|whole)\b", re.IGNORECASE)
_ENOUGH = re.compile(
    r"\b(needs?|needed|must|should|required?|necessary|have to|has to|uses?)\b", re.IGNORECASE
)
_CHINESE_QUESTION = re.compile(
    r"[^。！？?，,；]*(?:，\s*)?[^。！？?，,；]*(?:几|多少)[^。！？?]*[。！？?]?\s*$"
)
_AT_LEAST, _AT_MOST = re.compile("至少|最少"), re.compile("最多|至多|够|能|可以")


def rounding_of(text: str) -> str:
    """Return how a quotient is rounded that answers a question for a number of things.

    >>> rounding_of("28 children go by car. How many cars are needed?"), rounding_of("How many can she buy?")
    ('up', 'down')

    Returns:
        ``"up"``, ``"down"`` or ``"nearest"``; empty where the question asks for the remainder, or does not say.
    """
    if chinese := _CHINESE_QUESTION.search(text):
        asked = chinese[0]
        if "还剩" in asked or "余" in asked:
            return ""
        return "up" if _AT_LEAST.search(asked) else "down" if _AT_MOST.search(asked) else ""
    questions = _QUESTION.findall(f" {text}")
    if not questions:
        return ""
    before, asked = questions[-1]
    if _REMAINDER.search(asked):
        return ""
    if _ABOUT.fullmatch(before):
        return "nearest"
    return "up" if _ENOUGH.search(asked) and not _FULL.search(asked) else "down"


def rounded_solution(text: str, solution: Solution) -> Solution | None:
    """Return a solution whose last operation is a division, rounded as the question asks for it.

    Args:
        text: of a problem that asks for a number of things.
        solution: whose value is no whole number.

    Returns:
        None where the value is no quotient of at least 1, or nothing says how to round it.
    """
    rounding = rounding_of(text)
    if not rounding or solution.tokens[0] != "/" or solution.value is None or solution.value < 1:
        return None
    added = {"up": 1.0, "down": 0.0, "nearest": 0.5}[rounding]  # the value is no whole number
    whole = math.floor(solution.value + added)
    return replace(solution, value=float(whole), exact=str(whole), rounding=rounding)
