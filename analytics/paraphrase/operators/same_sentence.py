"""f2: the question itself. Dropout makes the two vectors differ in training (after SimCSE).

ParaQD (Gupta et al., 2022), section 3.2. The one operator that gives back what it gets, and means to.
"""

from __future__ import annotations

import random


def apply(question: str, _rng: random.Random) -> str | None:
    """Return the question unchanged; None where it is blank."""
    return question if question.strip() else None
