"""Extra negative: two numbers swap their roles, so that every number is still there and says something else."""

from __future__ import annotations

import random
import re
from itertools import combinations

from analytics.language.mentions import NumberMention
from analytics.paraphrase.words.editing import apply_edits, formula_spans, overlaps
from analytics.text.numbers import find_numbers

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
    mentions = [
        mention for mention in find_numbers(question) if not overlaps(mention.start, mention.end, formulas)
    ]
    once = [mention for mention in mentions if sum(peer.value == mention.value for peer in mentions) == 1]
    pairs = [
        (first, second)
        for first, second in combinations(once, 2)
        if _same_kind(first, second) and _apart(question, first, second)
    ]
    if not pairs:
        return None
    first, second = rng.choice(pairs)
    return apply_edits(
        question, [(first.start, first.end, second.text), (second.start, second.end, first.text)]
    )


def _same_kind(first: NumberMention, second: NumberMention) -> bool:
    """Return whether both are in digits or both in words, and both percent or neither."""
    return first.text[0].isdigit() == second.text[0].isdigit() and ("%" in first.text) == ("%" in second.text)


def _apart(question: str, first: NumberMention, second: NumberMention) -> bool:
    return sum(word.isalpha() for word in question[first.end : second.start].split()) >= 2
