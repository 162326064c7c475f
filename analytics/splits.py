"""Splits that keep questions together that differ in their numbers only.

Such questions are one question to a probe; with one of them in training, the other measures memory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from analytics.text.copies import story_key
from analytics.text.numbers import mask_numbers

HELD_OUT_SHARE = 0.1


def masked_text(text: str) -> str:
    """Return one form for texts that are equal but for numbers, case and blanks.

    Places in stored splits are hashes of it, so it stays as it is; what must not leak is compared by
    `analytics.text.copies.story_key`, which sees through punctuation and tokenisation too.
    """
    return " ".join(mask_numbers(text).casefold().split())


def groups_by_masked_text(texts: Sequence[str]) -> np.ndarray:
    """Return a group number for each text; texts that are equal but for numbers, case and blanks share one."""
    numbers: dict[str, int] = {}
    groups = np.zeros(len(texts), dtype=np.int64)
    for index, text in enumerate(texts):
        groups[index] = numbers.setdefault(masked_text(text), len(numbers))
    return groups


def grouped_split(groups: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Return a mask of about `share` of the rows, whole groups only; at least one group where there are two.

    A group that is larger than the share is taken only where no other fits.
    """
    names, members = np.unique(groups, return_counts=True)
    order = rng.permutation(len(names))
    order = order[np.argsort(members[order] > max(share * len(groups), 1), kind="stable")]
    taken = np.cumsum(members[order]) <= max(share * len(groups), 1)
    if not taken.any() and len(names) > 1:
        taken[0] = True
    return np.isin(groups, names[order[taken]])


def grouped_folds(groups: np.ndarray, folds: int, rng: np.random.Generator) -> np.ndarray:
    """Return a fold number for each row; a group is in one fold only."""
    names, places = np.unique(groups, return_inverse=True)
    fold = np.empty(len(names), dtype=np.int64)
    fold[rng.permutation(len(names))] = np.arange(len(names)) % folds
    return fold[places]


def split_place(text: str) -> float:
    """Return a place in [0, 1) by which fixed parts of all questions are cut.

    A hash of the masked text alone, so a question stays where it is whatever file or bank it comes from, and
    questions that differ in their numbers only stay together.
    """
    digest = hashlib.sha256(masked_text(text).encode()).digest()
    return int.from_bytes(digest[:4], "big") / 2**32


def is_held_out(text: str, share: float = HELD_OUT_SHARE) -> bool:
    """Return whether a question belongs to the fixed part that no encoder is ever trained on: `split_place` decides.

    A scorer of paraphrases that learns from labelled pairs sets apart what they link as a whole (`linked_texts`).
    """
    return split_place(text) < share


def linked_texts(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return masked text -> one text, the first by alphabet, for all that pairs link to it, however long the way.

    Texts that are given in pairs belong to one part of a split: retellings of a story share its numbers and its answer.

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
    """Questions that no training may use, nor copies but for numbers of them: `analytics.text.copies.story_key`."""

    keys: frozenset[str] = frozenset()

    @classmethod
    def of(cls, texts: Iterable[str]) -> KeptOut:
        """Keep these texts out."""
        return cls(frozenset(story_key(text) for text in texts))

    def and_of(self, texts: Iterable[str]) -> KeptOut:
        """Keep these texts out as well."""
        return KeptOut(self.keys | KeptOut.of(texts).keys)

    def holds(self, text: str) -> bool:
        """Return whether a question is kept out."""
        return story_key(text) in self.keys

    def split(self, questions: Iterable[str]) -> tuple[list[str], int]:
        """Return the questions that may be used, and how many are kept out."""
        every = list(questions)
        remaining = [text for text in every if not self.holds(text)]
        return remaining, len(every) - len(remaining)
