"""Extra negative: in one sentence two names change places: "Ann has 5 more than Tom" -> "Tom has 5 more than Ann".

Only in one sentence and only where the names stand elsewhere too, for names swapped throughout are a renaming.
"""

from __future__ import annotations

import random
import re
from itertools import pairwise

from analytics.paraphrase.words.editing import apply_edits, formula_spans, overlaps
from analytics.paraphrase.words.entities import EntityMention, find_entities
from analytics.text.clauses import split_sentences

_JOINED = re.compile(r"^\s*(?:,|and|or|&|,\s*and|to)\s*$")


def apply(question: str, rng: random.Random) -> str | None:
    """Swap two names in one sentence; None where no sentence has two that also stand elsewhere."""
    formulas = formula_spans(question)
    mentions = [
        mention for mention in find_entities(question) if not overlaps(mention.start, mention.end, formulas)
    ]
    pairs: list[tuple[EntityMention, EntityMention]] = []
    for sentence in split_sentences(question):
        inside = [mention for mention in mentions if sentence.start <= mention.start < sentence.end]
        pairs += [
            (first, second)
            for first, second in pairwise(inside)
            if first.text != second.text
            and not _JOINED.match(question[first.end : second.start])
            and any(
                mention.text in {first.text, second.text}
                and not sentence.start <= mention.start < sentence.end
                for mention in mentions
            )
            and sum(mention.text in {first.text, second.text} for mention in inside) == 2
        ]
    if not pairs:
        return None
    first, second = rng.choice(pairs)
    return apply_edits(
        question, [(first.start, first.end, second.text), (second.start, second.end, first.text)]
    )
