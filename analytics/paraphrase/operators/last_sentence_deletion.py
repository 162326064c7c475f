"""f6: the last sentence is dropped; where there is one sentence only, its last three tokens.

ParaQD (Gupta et al., 2022), section 3.3.
"""

from __future__ import annotations

import random

from analytics.text.clauses import split_sentences

_TOKENS = 3


def apply(question: str, _rng: random.Random) -> str | None:
    """Drop the end; None where nothing would be left."""
    sentences = split_sentences(question)
    if len(sentences) > 1:
        return question[: sentences[-1].start].rstrip() or None
    tokens = question.split()
    if len(tokens) <= _TOKENS:
        return None
    kept = question.rstrip()
    for token in reversed(tokens[-_TOKENS:]):
        kept = kept[: kept.rindex(token)].rstrip()
    return kept
