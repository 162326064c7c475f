"""Extra negative: a comparison is turned round: "more" and "fewer", "at least" and "at most", "older" and "younger"."""

from __future__ import annotations

import random
import re

from analytics.paraphrase.words.editing import formula_spans, overlaps, upper_first
from analytics.paraphrase.words.tables import rows_of

OPPOSITES = {first: others for first, *others in rows_of("opposites")}
"""A comparison -> what turns it round."""

_PATTERN = re.compile(rf"\b(?:{'|'.join(sorted(OPPOSITES, key=len, reverse=True))})\b", re.IGNORECASE)
_TIMES = re.compile(r"(?:times|twice|half|thrice)\s$", re.IGNORECASE)


def apply(question: str, rng: random.Random) -> str | None:
    """Turn one comparison round; None where there is none outside formulas."""
    formulas = formula_spans(question)
    comparisons = [
        match
        for match in _PATTERN.finditer(question)
        if not overlaps(match.start(), match.end(), formulas) and not _is_part(match)
    ]
    if not comparisons:
        return None
    match = rng.choice(comparisons)
    new = rng.choice(OPPOSITES[match[0].lower()])
    return (
        question[: match.start()]
        + (upper_first(new) if match[0][0].isupper() else new)
        + question[match.end() :]
    )


def _is_part(match: re.Match[str]) -> bool:
    """Return whether the words belong to another expression: "twice as many", "after that", "half as much"."""
    text, word = match.string, match[0].lower()
    behind = text[match.end() : match.end() + 8].lower()
    if word == "as many":
        return _TIMES.search(text[: match.start()]) is not None
    if word in {"before", "after"}:
        return behind.startswith((" that", ",", ".", " this"))
    return word in {"twice", "double"} and not behind.startswith((" as ", " the "))
