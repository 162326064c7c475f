"""The offline stand-in for f9, the weak paraphraser: a summariser of rules that loses what it should keep.

No weights are downloaded by default, so this takes Pegasus' place until a model is configured. It does what that
model did to word problems (ParaQD, section 3.3): a sentence with a number is left out, a phrase with a number is cut
off, or two sentences run into one at the cost of a fact; the rest is reworded by the rule paraphraser.
"""

from __future__ import annotations

import random
import re
from fractions import Fraction

from analytics.paraphrase.operators.rule_paraphraser import reword
from analytics.paraphrase.words.editing import tidy
from analytics.text.clauses import Clause, split_clauses, split_sentences
from analytics.text.numbers import find_numbers

_PHRASE = re.compile(
    r",?\s+(?:at|for|in|with|by|of|from|after|within|during|and|to|than|plus|on)\s+(?:(?!\b(?:and|if|how|what)\b)[^.,?!;]){0,24}?"
    r"\d[^.,?!;\s]*(?:\s(?!(?:and|if|how|what|is|are|was|were|to|from|in|on|for|he|she|they|it)\b)[A-Za-z]+){0,2}"
)


def apply(question: str, rng: random.Random) -> str | None:
    """Lose at least one number or condition; None where there is nothing to lose beside the question itself."""
    ways = [_drop_sentence, _drop_clause, _cut_phrase, _cut_phrase, _run_together]
    rng.shuffle(ways)
    values = _values(question)
    for way in ways:
        summary = way(question, rng)
        if summary is None or not summary.strip() or _values(summary) == values:
            continue
        if rng.random() < 0.6:
            summary = reword(summary, rng) or summary
        return tidy(summary) or None
    return None


def _values(text: str) -> list[Fraction]:
    return sorted(mention.value for mention in find_numbers(text))


def _drop(pieces: list[Clause], rng: random.Random) -> str | None:
    """Leave out one of the statements with a number."""
    facts = [piece for piece in pieces if not piece.is_question and find_numbers(piece.text)]
    if not facts or len(pieces) == 1:
        return None
    dropped = rng.choice(facts)
    return "".join(piece.text for piece in pieces if piece is not dropped)


def _drop_sentence(question: str, rng: random.Random) -> str | None:
    return _drop(split_sentences(question), rng)


def _drop_clause(question: str, rng: random.Random) -> str | None:
    return _drop(split_clauses(question), rng)


def _cut_phrase(question: str, rng: random.Random) -> str | None:
    phrases = list(_PHRASE.finditer(question))
    if not phrases:
        return None
    match = rng.choice(phrases)
    return question[: match.start()] + question[match.end() :]


def _run_together(question: str, rng: random.Random) -> str | None:
    """Keep the beginning of one statement and the end of the next."""
    pieces = split_sentences(question)
    pairs = [
        index
        for index in range(len(pieces) - 1)
        if not (pieces[index].is_question or pieces[index + 1].is_question)
    ]
    if not pairs:
        return None
    at = rng.choice(pairs)
    first, second = pieces[at].text.split(), pieces[at + 1].text.split()
    merged = " ".join([*first[: max(2, 2 * len(first) // 3)], *second[-max(2, 2 * len(second) // 3) :]]) + " "
    return "".join(
        (*(piece.text for piece in pieces[:at]), merged, *(piece.text for piece in pieces[at + 2 :]))
    )
