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

__all__ = ["apply"]

_JOINED = re.compile(r"^\s*(?:,|and|or|&|,\s*and|to)\s*$")


def apply(question: str, rng: random.Random) -> str | None:
    """Swap two names in one sentence; None where no sentence has two that also stand elsewhere."""
    formulas = formula_spans(question)
    mentions = [one for one in find_entities(question) if not overlaps(one.start, one.end, formulas)]
    pairs: list[tuple[EntityMention, EntityMention]] = []
    for sentence in split_sentences(question):
        inside = [one for one in mentions if sentence.start <= one.start < sentence.end]
        pairs += [
            (one, other)
            for one, other in pairwise(inside)
            if one.text != other.text
            and not _JOINED.match(question[one.end : other.start])
            and any(
                mention.text in {one.text, other.text} and not sentence.start <= mention.start < sentence.end
                for mention in mentions
            )
            and sum(mention.text in {one.text, other.text} for mention in inside) == 2
        ]
    if not pairs:
        return None
    one, other = rng.choice(pairs)
    return apply_edits(question, [(one.start, one.end, other.text), (other.start, other.end, one.text)])
