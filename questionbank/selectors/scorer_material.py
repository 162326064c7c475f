"""What a scorer of paraphrases is trained on, what measures it meanwhile, and what is kept back from it.

Every question has a fixed place (`analytics.splits.split_place`), and a decided pair that of its original. The first
tenth is held out for the comparison of scorers, a little more measures while one is trained, the rest is learned from.
What is learned from is compared with the other parts without numbers, case, blanks and punctuation, and left out where
one of them has it too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from analytics.paraphrase.triplets import KeptOut
from analytics.records import ParaphrasePair
from analytics.splits import HELD_OUT_SHARE, split_place
from questionbank.selectors.review import decided_pairs
from questionbank.selectors.training_questions import TrainingQuestion, is_test_source, training_questions

__all__ = ["LANGUAGE", "VALIDATION_SHARE", "Parts", "ScorerMaterial", "scorer_material"]

LANGUAGE = "en"  # the only one that the operators know
VALIDATION_SHARE = 0.03

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Parts(Generic[Item]):
    """Questions or pairs by what becomes of them; `left_out` are those that another part, or a test split, has too."""

    learned: tuple[Item, ...]
    validation: tuple[Item, ...]
    held_out: tuple[Item, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class ScorerMaterial:
    """What a training would get.

    Attributes:
        questions: ready English ones, each text once, without those of sources that are named as a test split.
        decided: pairs labelled by reviewers' decisions.
        ready: number of ready questions in any language.
        english: of them in English.
        examined: of these looked at; all, unless a limit was given.
        repeated: of the examined questions, those that repeat another one exactly.
        test_items: of the examined questions, those from a test split.
    """

    questions: Parts[str]
    decided: Parts[ParaphrasePair]
    ready: int
    english: int
    examined: int
    repeated: int
    test_items: int


def scorer_material(
    *, hierarchies: Sequence[str] | None = None, decisions: bool = True, limit: int = 0
) -> ScorerMaterial:
    """Part the bank's questions and the decided pairs.

    Args:
        hierarchies: learn only from questions tagged in these; by default from all.
        decisions: with the decided pairs.
        limit: look at so many questions at most, always the same ones; 0 for all.
    """
    by_id: dict[int, TrainingQuestion] = {}
    chosen: set[int] = set()
    for row in training_questions():
        by_id[row.id] = row
        if hierarchies is None or row.hierarchy in hierarchies:
            chosen.add(row.id)
    english = [row for row in by_id.values() if row.language.partition("-")[0] == LANGUAGE]
    rows = sorted(english, key=lambda row: row.content_hash)[:limit] if limit else english
    tests = [row.text for row in rows if is_test_source(row.source)]
    others = [row for row in rows if not is_test_source(row.source)]
    places = {row.text: split_place(row.text) for row in others}
    pairs = list(decided_pairs(language=LANGUAGE)) if decisions else []
    places |= {pair.original: split_place(pair.original) for pair in pairs if pair.original not in places}
    keep = _Keeper(places, tests)
    wanted = dict.fromkeys(row.text for row in others if row.id in chosen)
    return ScorerMaterial(
        questions=keep.parts(wanted, lambda text: (text,)),
        decided=keep.parts(pairs, lambda pair: (pair.original, pair.paraphrase)),
        ready=len(chosen),
        english=sum(row.id in chosen for row in english),
        examined=sum(row.id in chosen for row in rows),
        repeated=sum(row.id in chosen for row in others) - len(wanted),
        test_items=sum(row.id in chosen for row in rows if is_test_source(row.source)),
    )


class _Keeper:
    """Says to which part a text belongs, and which texts a part must not have."""

    def __init__(self, places: dict[str, float], tests: Iterable[str]) -> None:
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
            own = texts(item)
            if self._places[own[0]] < HELD_OUT_SHARE:
                part, kept_out = held_out, self._from_held_out
            elif self._is_validation(own[0]):
                part, kept_out = validation, self._from_validation
            else:
                part, kept_out = learned, self._from_learned
            if any(kept_out.holds(text) for text in own):
                left_out += 1
            else:
                part.append(item)
        return Parts(tuple(learned), tuple(validation), tuple(held_out), left_out)

    def _is_validation(self, text: str) -> bool:
        return HELD_OUT_SHARE <= self._places[text] < HELD_OUT_SHARE + VALIDATION_SHARE
