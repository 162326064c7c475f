"""What a scorer of paraphrases is trained on, what measures it meanwhile, and what is kept back from it.

The parts are those of `questionbank.selectors.training.training_parts`; a decided pair has the place of its original.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analytics.languages import primary_language
from analytics.records import ParaphrasePair
from analytics.splits import split_place
from questionbank.selectors.review.review import decided_pairs
from questionbank.selectors.training.training_parts import Divider, Parts
from questionbank.selectors.training.training_questions import (
    TrainingQuestion,
    is_test_source,
    training_questions,
)

LANGUAGE = "en"  # the only one that the operators know


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
        limit: look at so many questions at most, always the same ones; 0 for all.
    """
    by_id: dict[int, TrainingQuestion] = {}
    chosen: set[int] = set()
    for row in training_questions():
        by_id[row.id] = row
        if hierarchies is None or row.hierarchy in hierarchies:
            chosen.add(row.id)
    english = [row for row in by_id.values() if primary_language(row.language) == LANGUAGE]
    rows = sorted(english, key=lambda row: row.content_hash)[:limit] if limit else english
    tests = [row.text for row in rows if is_test_source(row.source)]
    others = [row for row in rows if not is_test_source(row.source)]
    places = {row.text: split_place(row.text) for row in others}
    pairs = list(decided_pairs(language=LANGUAGE)) if decisions else []
    places |= {pair.original: split_place(pair.original) for pair in pairs if pair.original not in places}
    keep = Divider(places, tests)
    texts = dict.fromkeys(row.text for row in others if row.id in chosen)
    return ScorerMaterial(
        questions=keep.parts(texts, lambda text: (text,)),
        decided=keep.parts(pairs, lambda pair: (pair.original, pair.paraphrase)),
        ready=len(chosen),
        english=sum(row.id in chosen for row in english),
        examined=sum(row.id in chosen for row in rows),
        repeated=sum(row.id in chosen for row in others) - len(texts),
        test_items=sum(row.id in chosen for row in rows if is_test_source(row.source)),
    )
