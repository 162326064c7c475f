"""What the operators need of a sequence-to-sequence model, which `seq2seq` loads. Torch-free."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rapidfuzz.distance import Levenshtein


class SequenceModel(Protocol):
    """Writes texts from texts."""

    def generate(self, texts: Sequence[str], *, beams: int = 1, outputs: int = 1) -> list[list[str]]:
        """Return the best outputs of each text, the best first; `outputs` is at most `beams`."""
        ...


def farthest(text: str, candidates: Sequence[str]) -> list[str]:
    """Order candidates by their normalised Levenshtein distance from a text, the farthest first."""
    return sorted(
        candidates, key=lambda candidate: (-Levenshtein.normalized_distance(text, candidate), candidate)
    )


def first_different(text: str, candidates: Sequence[str]) -> str | None:
    """Return the first candidate that says anything and differs in more than blanks."""
    words = text.split()
    return next(
        (candidate.strip() for candidate in candidates if candidate.strip() and candidate.split() != words),
        None,
    )
