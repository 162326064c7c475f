"""Words of a near copy that stand where the original has others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from analytics.paraphrase.reading import Reading, Word

__all__ = ["Replacement", "replacements"]

_MOST_CHANGED = 0.25  # share of the words that may differ
_FEW = 2  # words that may differ in any text


@dataclass(frozen=True, slots=True)
class Replacement:
    """A word of the original and the one that stands in its place.

    Attributes:
        neighbours: of the words before and behind, how many are the same in both texts; where both texts begin or
            end there, that counts as the same.
        previous: the word before, in small letters; empty where none is.
    """

    word: Word
    new_word: Word
    neighbours: int
    previous: str


def replacements(original: Reading, paraphrase: Reading) -> list[Replacement] | None:
    """Return words one for one, in order; None where the texts differ in much else."""
    if not original.is_close_to(paraphrase):
        return None
    here, there = [word.key for word in original.words], [word.key for word in paraphrase.words]
    edits = Levenshtein.editops(here, there)
    if len(edits) > max(_FEW, _MOST_CHANGED * max(len(here), len(there))):
        return None
    return [
        Replacement(
            original.words[edit.src_pos],
            paraphrase.words[edit.dest_pos],
            _neighbours(here, there, edit.src_pos, edit.dest_pos),
            original.words[edit.src_pos - 1].text.lower() if edit.src_pos else "",
        )
        for edit in edits
        if edit.tag == "replace"
    ]


def _neighbours(here: Sequence[str], there: Sequence[str], at: int, new_at: int) -> int:
    before = here[max(at - 1, 0) : at] == there[max(new_at - 1, 0) : new_at]
    return before + (here[at + 1 : at + 2] == there[new_at + 1 : new_at + 2])
