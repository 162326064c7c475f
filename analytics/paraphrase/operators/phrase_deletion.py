"""f5: of the key phrases, the one whose loss takes the question farthest from itself is deleted.

ParaQD (Gupta et al., 2022), section 3.3: argmin over key phrases p of cos(Q, Q without p). The cosine comes from any
encoder; without one it is that of hashed character n-grams, which need no weights.
"""

from __future__ import annotations

import random
from functools import lru_cache

import numpy as np

from analytics.inference.ngrams import HashedNgramEncoder
from analytics.paraphrase.words.editing import apply_edits, tidy
from analytics.paraphrase.words.keyphrases import key_phrases
from analytics.retrieval import Encode


class PhraseDeletion:
    """Deletes the most important phrase by an encoder's cosine.

    Args:
        encode: gives unit vectors.
        count: k, how many key phrases are tried.
    """

    def __init__(self, encode: Encode, count: int = 4) -> None:
        self.encode, self.count = encode, count

    def apply(self, question: str, _rng: random.Random) -> str | None:
        """Delete the phrase everywhere; None where there is no key phrase, or nothing else."""
        versions = []
        for phrase in key_phrases(question, self.count):
            left = tidy(apply_edits(question, [(start, end, "") for start, end in phrase.places]))
            if any(character.isalnum() for character in left) and left != question:
                versions.append(left)
        if not versions:
            return None
        vectors = self.encode([question, *versions])
        return versions[int(np.argmin(vectors[1:] @ vectors[0]))]


@lru_cache(maxsize=1)
def _by_wording() -> PhraseDeletion:
    return PhraseDeletion(HashedNgramEncoder().encode)


def apply(question: str, rng: random.Random) -> str | None:
    """Delete the most important phrase by the wording's cosine (no encoder needed)."""
    return _by_wording().apply(question, rng)
