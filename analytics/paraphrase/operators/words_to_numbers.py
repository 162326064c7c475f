"""Extra positive: numbers in words are written in digits, f3 the other way round."""

from __future__ import annotations

import random
import re

from analytics.paraphrase.words.editing import apply_edits, formula_spans, overlaps
from analytics.text.numbers import find_numbers

__all__ = ["apply"]

_KEPT = re.compile(r"\b(?:one|half|a half|quarter|a quarter|a dozen|dozen|score)\b", re.IGNORECASE)


def apply(question: str, rng: random.Random) -> str | None:
    """Write whole numbers in digits; None where none stands in words ("one" and "half" stay)."""
    formulas = formula_spans(question)
    edits = [
        (one.start, one.end, str(one.value))
        for one in find_numbers(question)
        if one.text[0].isalpha()
        and one.value.denominator == 1
        and not _KEPT.search(one.text)
        and not overlaps(one.start, one.end, formulas)
    ]
    return apply_edits(question, edits) if edits else None
