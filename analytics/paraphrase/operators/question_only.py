"""The offline stand-in for f_e, a weak paraphraser trained on questions of a forum: it asks, and forgets the facts.

ParaQD (Gupta et al., 2022), section 4.2 and Figure 1: such a model writes one question, with one fact at most.
"""

from __future__ import annotations

import random

from analytics.paraphrase.words.editing import lower_first, tidy
from analytics.paraphrase.words.entities import find_entities
from analytics.text.clauses import split_sentences

__all__ = ["apply"]


def apply(question: str, rng: random.Random) -> str | None:
    """Ask with one fact or none; None where the question is one sentence."""
    sentences = [one.text.strip() for one in split_sentences(question)]
    asks = [one for one in split_sentences(question) if one.is_question]
    if len(sentences) < 2 or not asks:
        return None
    asked = asks[-1].text.strip().rstrip("?.").rstrip()
    facts = [one for one in sentences if one != asks[-1].text.strip()]
    if len(facts) > 1 and rng.random() < 0.6:
        names = frozenset(one.text.split()[0] for one in find_entities(question))
        fact = lower_first(rng.choice(facts).rstrip(".?! "), names)
        return tidy(f"{asked} if {fact}?")
    return tidy(f"{asked}?")
