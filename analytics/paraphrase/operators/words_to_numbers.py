"""Extra positive: numbers in words are written in digits, f3 the other way round."""

from __future__ import annotations

import random
import re

from analytics.paraphrase.words.editing import apply_edits, formula_spans, overlaps
from analytics.text.numbers import find_numbers

_KEPT = re.compile(r"\b(?:one|half|a half|quarter|a quarter|a dozen|dozen|score)\b", re.IGNORECASE)


def apply(question: str, _rng: random.Random) -> str | None:
    """Write whole numbers in digits; None where none stands in words ("one" and "half" stay)."""
    formulas = formula_spans(question)
    edits = [
        (mention.start, mention.end, str(mention.value))
        for mention in find_numbers(question)
        if mention.text[0].isalpha()
        and mention.value.denominator == 1
        and not _KEPT.search(mention.text)
        and not overlaps(mention.start, mention.end, formulas)
    ]
    return apply_edits(question, edits) if edits else None
