"""Extra negative: two numbers swap their roles, so that every number is still there and says something else."""

from __future__ import annotations

import random
import re
from itertools import combinations

from analytics.paraphrase.words.editing import apply_edits, formula_spans, overlaps
from analytics.text.numbers import NumberMention, find_numbers

__all__ = ["apply"]

_SYMMETRIC = re.compile(
    r"\b(?:in all|total|altogether|together|combined|sum|product|average)\b", re.IGNORECASE
)


def apply(question: str, rng: random.Random) -> str | None:
    """Exchange two numbers of different value; None where there are no two that stand once each.

    Numbers that are joined by "and", "or", "to" or a sign ("3 and 5", "3:5") are no pair, and a question for a sum,
    a product or an average has none: their order may be free there.
    """
    if _SYMMETRIC.search(question):
        return None
    formulas = formula_spans(question)
    mentions = [one for one in find_numbers(question) if not overlaps(one.start, one.end, formulas)]
    once = [one for one in mentions if sum(other.value == one.value for other in mentions) == 1]
    pairs = [
        (one, other)
        for one, other in combinations(once, 2)
        if _same_kind(one, other) and _apart(question, one, other)
    ]
    if not pairs:
        return None
    one, other = rng.choice(pairs)
    return apply_edits(question, [(one.start, one.end, other.text), (other.start, other.end, one.text)])


def _same_kind(one: NumberMention, other: NumberMention) -> bool:
    """Both in digits or both in words, both percent or neither."""
    return one.text[0].isdigit() == other.text[0].isdigit() and ("%" in one.text) == ("%" in other.text)


def _apart(question: str, one: NumberMention, other: NumberMention) -> bool:
    return sum(word.isalpha() for word in question[one.end : other.start].split()) >= 2
