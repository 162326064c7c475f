"""All strategies together: content first, then structure, each with probability p.

QuesCo (Ning et al., AAAI 2023), section "Question Augmentation" and Figure 2(b).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from analytics.encoder.augment.formula import (
    rename_variable,
    replace_number,
    replace_operator,
    scale_variable,
)
from analytics.encoder.augment.structure import insert_clause, shuffle_clauses
from analytics.encoder.augment.words import delete_word, swap_words
from analytics.encoder.config import EncoderConfig


@dataclass(frozen=True, slots=True)
class Strategy:
    """One way of changing a question: its name, its group, and the function."""

    name: str
    group: str
    apply: Callable[[str, random.Random], str | None]


STRATEGIES = (  # in the order in which they are applied
    Strategy("random swap", "words", swap_words),
    Strategy("random deletion", "words", delete_word),
    Strategy("variable renaming", "formulas", rename_variable),
    Strategy("variable scaling", "formulas", scale_variable),
    Strategy("operator synonym replacement", "formulas", replace_operator),
    Strategy("number replacement", "formulas", replace_number),
    Strategy("clause shuffling", "structure", shuffle_clauses),
    Strategy("useless clause insertion", "structure", insert_clause),
)


class Augmenter:
    """Changes a question by every strategy in turn, each with the same probability.

    Args:
        strategies: which, in order.
        probability: p; a strategy that is drawn but does not apply changes nothing.
    """

    def __init__(self, strategies: Sequence[Strategy] = STRATEGIES, probability: float = 0.3) -> None:
        self.strategies, self.probability = tuple(strategies), probability

    @classmethod
    def from_config(cls, config: EncoderConfig) -> Augmenter:
        """Return the groups that a configuration leaves on."""
        groups = {
            "words": config.augment_words,
            "formulas": config.augment_formulas,
            "structure": config.augment_structure,
        }
        return cls([strategy for strategy in STRATEGIES if groups[strategy.group]])

    def __call__(self, text: str, rng: random.Random) -> str:
        """Return the changed question; the same generator state gives the same result."""
        for strategy in self.strategies:
            if rng.random() < self.probability:
                text = strategy.apply(text, rng) or text
        return text
