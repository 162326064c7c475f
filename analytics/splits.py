"""Splits that keep together questions that differ only in their numbers.

For a probe such questions are the same; with one of them in training, testing on the other measures
memorisation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from analytics.text.fingerprints import story_key
from analytics.text.numbers import mask_numbers

HELD_OUT_SHARE = 0.1


def masked_text(text: str) -> str:
    """Normalise a text so that texts that differ only in numbers, case and whitespace become equal.

    Stored splits depend on hashes of this form, so it must not change; leaks are detected with
    `analytics.text.fingerprints.story_key`, which also ignores punctuation and tokenisation.
    """
    return " ".join(mask_numbers(text).casefold().split())


def groups_by_masked_text(texts: Sequence[str]) -> np.ndarray:
    """Return a group number for each text; texts that differ only in numbers, case and whitespace share one."""
    numbers: dict[str, int] = {}
    groups = np.zeros(len(texts), dtype=np.int64)
    for index, text in enumerate(texts):
        groups[index] = numbers.setdefault(masked_text(text), len(numbers))
    return groups


def grouped_split(groups: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Return a mask of about `share` of the rows, in whole groups; at least one group if there are two or more.

    A group larger than the share is taken only if no other fits.
    """
    names, members = np.unique(groups, return_counts=True)
    order = rng.permutation(len(names))
    order = order[np.argsort(members[order] > max(share * len(groups), 1), kind="stable")]
    taken = np.cumsum(members[order]) <= max(share * len(groups), 1)
    if not taken.any() and len(names) > 1:
        taken[0] = True
    return np.isin(groups, names[order[taken]])


def grouped_folds(groups: np.ndarray, folds: int, rng: np.random.Generator) -> np.ndarray:
    """Return a fold number for each row; each group is in exactly one fold."""
    names, places = np.unique(groups, return_inverse=True)
    fold = np.empty(len(names), dtype=np.int64)
    fold[rng.permutation(len(names))] = np.arange(len(names)) % folds
    return fold[places]


def split_place(text: str) -> float:
    """Return a position in [0, 1) that assigns a question to a fixed split.

    It is a hash of the masked text alone, so a question has the same position in every file and bank, and
    questions that differ only in their numbers stay together.
    """
    digest = hashlib.sha256(masked_text(text).encode()).digest()
    return int.from_bytes(digest[:4], "big") / 2**32


def is_held_out(text: str, share: float = HELD_OUT_SHARE) -> bool:
    """Return whether a question belongs to the held-out part that no encoder is trained on (by `split_place`).

    A paraphrase scorer that learns from labelled pairs holds out linked texts as a whole (`linked_texts`).
    """
    return split_place(text) < share


def crossing_fold(text: str, folds: int) -> int:
    """Return the fold of a question for cross-fitting, from 0 on; the held-out part has questions of each fold.

    Like the held-out part it follows from the masked text alone.
    """
    return int(split_place(text) * 2**32) % folds


def linked_texts(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Map each masked text to the alphabetically first text that it is linked to, directly or through other pairs.

    Paired texts belong in the same part of a split: retellings of a story share its numbers and its answer.

    >>> linked_texts([("Ann has 3.", "3 are Ann's."), ("3 are Ann's.", "Of 3, all are Ann's.")])["of #, all are ann's."]
    "# are ann's."
    """
    parents: dict[str, str] = {}

    def root(text: str) -> str:
        while (parent := parents.setdefault(text, text)) != text:
            parents[text] = text = parents[parent]
        return text

    for story, retelling in pairs:
        first, second = sorted((root(masked_text(story)), root(masked_text(retelling))))
        parents[second] = first
    return {text: root(text) for text in list(parents)}


@dataclass(frozen=True)
class KeptOut:
    """Questions excluded from training, with copies that differ only in numbers: `fingerprints.story_key`."""

    keys: frozenset[str] = frozenset()

    @classmethod
    def of(cls, texts: Iterable[str]) -> KeptOut:
        """Exclude these texts."""
        return cls(frozenset(story_key(text) for text in texts))

    def and_of(self, texts: Iterable[str]) -> KeptOut:
        """Exclude these texts as well."""
        return KeptOut(self.keys | KeptOut.of(texts).keys)

    def holds(self, text: str) -> bool:
        """Return whether a question is excluded."""
        return story_key(text) in self.keys

    def split(self, questions: Iterable[str]) -> tuple[list[str], int]:
        """Return the questions that may be used, and the number of excluded ones."""
        every = list(questions)
        remaining = [text for text in every if not self.holds(text)]
        return remaining, len(every) - len(remaining)
