"""The stand-in of f_b, a test operator: telegraphic, mostly valid.

It drops small words that a reader puts back (articles, "that", "then", "also") and runs sentences together.
"""

from __future__ import annotations

import random
import re

from analytics.paraphrase.operators.sequence_models import first_different
from analytics.paraphrase.words.editing import apply_edits, formula_spans, lower_first, overlaps, tidy
from analytics.paraphrase.words.entities import first_words
from analytics.text.clauses import split_sentences

_SMALL = re.compile(r"\b(?:the|a|an|that|then|also|there|of)\s+(?=[A-Za-z$\d])", re.IGNORECASE)
_NEEDED = re.compile(
    r"\b(?:how many|out|number|half|all|per|what|one|each|\d+%?|third|quarter|some|most|rest)\s$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"(?:hour|day|week|month|year|minute|second|dozen|half|quarter|few|lot|total|third|couple|pair)\b"
)


def apply(question: str, rng: random.Random) -> str | None:
    """Drop small words and run two sentences together; None where there is nothing to drop or join."""
    formulas = formula_spans(question)
    small = [
        match
        for match in _SMALL.finditer(question)
        if not overlaps(match.start(), match.end(), formulas)
        and not _NEEDED.search(question[max(match.start() - 12, 0) : match.start()])
        and not _AFTER.match(question, match.end())
    ]
    chosen = [match for match in small if rng.random() < 0.5] or small[:1]
    text = apply_edits(question, [(match.start(), match.end(), "") for match in chosen])
    sentences = split_sentences(text)
    if len(sentences) > 1 and rng.random() < 0.5:
        at = rng.randrange(len(sentences) - 1)
        first = sentences[at].text.rstrip()
        if first.endswith("."):
            joined = f"{first[:-1].rstrip()}, {lower_first(sentences[at + 1].text, first_words(question))}"
            text = text[: sentences[at].start] + joined + text[sentences[at + 1].end :]
    return first_different(question, [tidy(text)])
