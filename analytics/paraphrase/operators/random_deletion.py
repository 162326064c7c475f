"""f_d, a test operator: tokens are left out at random (after EDA). ParaQD (Gupta et al., 2022), section 4.2."""

from __future__ import annotations

import random

_SHARE = 0.15


def apply(question: str, rng: random.Random) -> str | None:
    """Leave out each token with probability 0.15, at least one; None where fewer than three stand there."""
    tokens = question.split()
    if len(tokens) < 3:
        return None
    kept = [token for token in tokens if rng.random() >= _SHARE]
    if len(kept) == len(tokens):
        kept.pop(rng.randrange(len(kept)))
    if not kept:
        kept = [rng.choice(tokens)]
    return " ".join(kept)
