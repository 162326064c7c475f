"""The offline stand-in for f_e, a weak paraphraser trained on questions of a forum: it asks, and forgets the facts.

ParaQD (Gupta et al., 2022), section 4.2 and Figure 1: such a model writes one question, with one fact at most.
"""

from __future__ import annotations

import random

from analytics.paraphrase.words.editing import lower_first, tidy
from analytics.paraphrase.words.entities import find_entities
from analytics.text.clauses import split_sentences


def apply(question: str, rng: random.Random) -> str | None:
    """Ask with one fact or none; None where the question is one sentence."""
    sentences = [sentence.text.strip() for sentence in split_sentences(question)]
    asks = [sentence for sentence in split_sentences(question) if sentence.is_question]
    if len(sentences) < 2 or not asks:
        return None
    asked = asks[-1].text.strip().rstrip("?.").rstrip()
    facts = [sentence for sentence in sentences if sentence != asks[-1].text.strip()]
    if len(facts) > 1 and rng.random() < 0.6:
        names = frozenset(mention.text.split()[0] for mention in find_entities(question))
        fact = lower_first(rng.choice(facts).rstrip(".?! "), names)
        return tidy(f"{asked} if {fact}?")
    return tidy(f"{asked}?")
