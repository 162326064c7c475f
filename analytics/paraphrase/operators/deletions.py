"""Operators that keep a question whole (f2) or leave parts of it out: f5, f6, f_d, and the stand-in of f_e.

ParaQD (Gupta et al., 2022), sections 3.2, 3.3 and 4.2.
"""

from __future__ import annotations

import random
from functools import lru_cache

import numpy as np

from analytics.inference.ngrams import HashedNgramEncoder
from analytics.paraphrase.words.editing import apply_edits, lower_first, tidy
from analytics.paraphrase.words.entities import first_words
from analytics.paraphrase.words.keyphrases import key_phrases
from analytics.retrieval import Encode
from analytics.text.clauses import split_sentences

_LAST_TOKENS = 3
_SHARE = 0.15  # of the tokens, left out at random


def same(question: str, _rng: random.Random) -> str | None:
    """Return the question unchanged (f2), of which dropout makes two vectors in training; None where it is blank."""
    return question if question.strip() else None


def delete_phrase(
    question: str, _rng: random.Random, *, encode: Encode | None = None, count: int = 4
) -> str | None:
    """Delete the key phrase whose loss takes the question farthest from itself (f5); None where nothing else is left.

    Args:
        encode: gives unit vectors; without it those are of hashed character n-grams, which need no weights.
        count: how many key phrases are tried.
    """
    versions = []
    for phrase in key_phrases(question, count):
        left = tidy(apply_edits(question, [(start, end, "") for start, end in phrase.places]))
        if any(character.isalnum() for character in left) and left != question:
            versions.append(left)
    if not versions:
        return None
    vectors = (encode or _wording().encode)([question, *versions])
    return versions[int(np.argmin(vectors[1:] @ vectors[0]))]


@lru_cache(maxsize=1)
def _wording() -> HashedNgramEncoder:
    return HashedNgramEncoder()


def delete_last_sentence(question: str, _rng: random.Random) -> str | None:
    """Drop the last sentence, or of a single one the last three tokens (f6); None where nothing would be left."""
    sentences = split_sentences(question)
    if len(sentences) > 1:
        return question[: sentences[-1].start].rstrip() or None
    tokens = question.split()
    if len(tokens) <= _LAST_TOKENS:
        return None
    kept = question.rstrip()
    for token in reversed(tokens[-_LAST_TOKENS:]):
        kept = kept[: kept.rindex(token)].rstrip()
    return kept


def delete_tokens(question: str, rng: random.Random) -> str | None:
    """Leave out each token with probability 0.15, at least one (f_d, after EDA); None of fewer than three tokens."""
    tokens = question.split()
    if len(tokens) < 3:
        return None
    kept = [token for token in tokens if rng.random() >= _SHARE]
    if len(kept) == len(tokens):
        kept.pop(rng.randrange(len(kept)))
    if not kept:
        kept = [rng.choice(tokens)]
    return " ".join(kept)


def ask_only(question: str, rng: random.Random) -> str | None:
    """Ask with one fact or none, as a weak paraphraser trained on a forum's questions does; None of a single sentence.

    The stand-in of f_e: section 4.2 and Figure 1.
    """
    sentences = [sentence.text.strip() for sentence in split_sentences(question)]
    asks = [sentence for sentence in split_sentences(question) if sentence.is_question]
    if len(sentences) < 2 or not asks:
        return None
    asked = asks[-1].text.strip().rstrip("?.").rstrip()
    facts = [sentence for sentence in sentences if sentence != asks[-1].text.strip()]
    if len(facts) > 1 and rng.random() < 0.6:
        fact = lower_first(rng.choice(facts).rstrip(".?! "), first_words(question))
        return tidy(f"{asked} if {fact}?")
    return tidy(f"{asked}?")
