"""The parts that questions are divided into before a model is trained on them.

Every question has a fixed place (`analytics.splits.split_place`). The first tenth is held out for the comparison of
models, a little more measures while one is trained, the rest is learned from. What is learned from is compared with
the other parts without numbers, case, blanks and punctuation, and left out where one of them has it too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from analytics.splits import HELD_OUT_SHARE, KeptOut

VALIDATION_SHARE = 0.03

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Parts(Generic[Item]):
    """Items by what becomes of them; `left_out` are those that another part, or a test split, has too."""

    learned: tuple[Item, ...]
    validation: tuple[Item, ...]
    held_out: tuple[Item, ...]
    left_out: int


class Divider:
    """Says to which part a text belongs, and which texts a part must not have.

    Args:
        places: of every text, `analytics.splits.split_place`.
        tests: texts of test splits, which no part may have.
    """

    def __init__(self, places: Mapping[str, float], tests: Iterable[str]) -> None:
        self._places = places
        held = [text for text, place in places.items() if place < HELD_OUT_SHARE]
        validation = [text for text in places if self._is_validation(text)]
        self._from_held_out = KeptOut.of(tests)
        self._from_validation = self._from_held_out.and_of(held)
        self._from_learned = self._from_validation.and_of(validation)

    def parts(self, items: Iterable[Item], texts: Callable[[Item], tuple[str, ...]]) -> Parts[Item]:
        """Part the items by the first of their texts."""
        learned: list[Item] = []
        validation: list[Item] = []
        held_out: list[Item] = []
        left_out = 0
        for item in items:
            item_texts = texts(item)
            if self._places[item_texts[0]] < HELD_OUT_SHARE:
                part, kept_out = held_out, self._from_held_out
            elif self._is_validation(item_texts[0]):
                part, kept_out = validation, self._from_validation
            else:
                part, kept_out = learned, self._from_learned
            if any(kept_out.holds(text) for text in item_texts):
                left_out += 1
            else:
                part.append(item)
        return Parts(tuple(learned), tuple(validation), tuple(held_out), left_out)

    def _is_validation(self, text: str) -> bool:
        return HELD_OUT_SHARE <= self._places[text] < HELD_OUT_SHARE + VALIDATION_SHARE
