"""f_b, a test operator: a corrupted question is put together again.

ParaQD (Gupta et al., 2022), section 4.2, after Rotom: tokens are shuffled, deleted and replaced, and a model that was
trained to undo that writes a paraphrase (`Reconstruction`). The offline stand-in drops small words that a reader
puts back (articles, "that", "then", "also") and runs sentences together: telegraphic, mostly valid.
"""

from __future__ import annotations

import random
import re

from analytics.paraphrase.operators.sequence import SequenceModel, first_different
from analytics.paraphrase.words.editing import apply_edits, formula_spans, lower_first, overlaps, tidy
from analytics.paraphrase.words.entities import find_entities
from analytics.text.clauses import split_sentences

_SMALL = re.compile(r"\b(?:the|a|an|that|then|also|there|of)\s+(?=[A-Za-z$\d])", re.IGNORECASE)
_NEEDED = re.compile(
    r"\b(?:how many|out|number|half|all|per|what|one|each|\d+%?|third|quarter|some|most|rest)\s$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"(?:hour|day|week|month|year|minute|second|dozen|half|quarter|few|lot|total|third|couple|pair)\b"
)


class Reconstruction:
    """f_b with a model trained to reconstruct."""

    def __init__(self, model: SequenceModel, *, prefix: str = "") -> None:
        self.model, self.prefix = model, prefix

    def apply(self, question: str, rng: random.Random) -> str | None:
        """Corrupt the question and let the model write it again; None where it comes back as it was."""
        if not question.strip():
            return None
        [outputs] = self.model.generate([self.prefix + corrupt(question, rng)], beams=4, outputs=2)
        return first_different(question, outputs)


def corrupt(question: str, rng: random.Random, share: float = 0.1) -> str:
    """Swap neighbours, leave out words and replace them, numbers never: what the model of f_b is trained to undo.

    What takes a word's place is another word of the question.

    Args:
        share: probability of each change at each word.
    """
    words = question.split()
    others = [word for word in words if not _has_digit(word)]
    kept = [word for word in words if _has_digit(word) or rng.random() >= share]
    kept = [rng.choice(others) if not _has_digit(word) and rng.random() < share else word for word in kept]
    for index in range(len(kept) - 1):
        if rng.random() < share:
            kept[index], kept[index + 1] = kept[index + 1], kept[index]
    return " ".join(kept)


def _has_digit(word: str) -> bool:
    return any(character.isdigit() for character in word)


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
        names = frozenset(mention.text.split()[0] for mention in find_entities(question))
        at = rng.randrange(len(sentences) - 1)
        first = sentences[at].text.rstrip()
        if first.endswith("."):
            joined = f"{first[:-1].rstrip()}, {lower_first(sentences[at + 1].text, names)}"
            text = text[: sentences[at].start] + joined + text[sentences[at + 1].end :]
    return first_different(question, [tidy(text)])
