"""Extra negative: one number is changed to another of the same kind, wherever its value stands."""

from __future__ import annotations

import random
from fractions import Fraction

from analytics.language.mentions import NumberMention
from analytics.paraphrase.words.editing import apply_edits, formula_spans, number_words, overlaps
from analytics.text.numbers import find_numbers


def apply(question: str, rng: random.Random) -> str | None:
    """Change one number a little: a digit, or a few more or less; None where there is none outside formulas."""
    formulas = formula_spans(question)
    mentions = [
        mention
        for mention in find_numbers(question)
        if not overlaps(mention.start, mention.end, formulas)
        and mention.text.lower() not in {"one", "half", "a half"}
    ]
    if not mentions:
        return None
    chosen = rng.choice(mentions)
    taken = {mention.value for mention in mentions}
    new = _another(chosen, taken, rng)
    if new is None:
        return None
    return apply_edits(
        question, [(mention.start, mention.end, new) for mention in mentions if mention.text == chosen.text]
    )


def _another(mention: NumberMention, taken: set[Fraction], rng: random.Random) -> str | None:
    if mention.text[0].isdigit():
        places = [index for index, character in enumerate(mention.text) if character.isdigit()]
        for _ in range(20):
            at = rng.choice(places)
            digit = rng.choice("123456789" if at == places[0] else "0123456789")
            new = mention.text[:at] + digit + mention.text[at + 1 :]
            numbers = find_numbers(new)
            if len(numbers) == 1 and numbers[0].value not in taken and numbers[0].value > 0:
                return new
        return None
    if mention.value.denominator != 1:
        return None
    near = [mention.value + step for step in (-5, -3, -2, -1, 1, 2, 3, 5, 10)]
    free = [value for value in near if value > 1 and value not in taken]
    return number_words(rng.choice(free)) if free else None
