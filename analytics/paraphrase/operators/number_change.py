"""Extra negative: one number is changed to another of the same kind, wherever its value stands."""

from __future__ import annotations

import random
from fractions import Fraction

from analytics.paraphrase.words.editing import apply_edits, formula_spans, number_words, overlaps
from analytics.text.numbers import NumberMention, find_numbers

__all__ = ["apply"]


def apply(question: str, rng: random.Random) -> str | None:
    """Change one number a little: a digit, or a few more or less; None where there is none outside formulas."""
    formulas = formula_spans(question)
    mentions = [
        one
        for one in find_numbers(question)
        if not overlaps(one.start, one.end, formulas) and one.text.lower() not in {"one", "half", "a half"}
    ]
    if not mentions:
        return None
    chosen = rng.choice(mentions)
    taken = {one.value for one in mentions}
    new = _another(chosen, taken, rng)
    if new is None:
        return None
    return apply_edits(question, [(one.start, one.end, new) for one in mentions if one.text == chosen.text])


def _another(mention: NumberMention, taken: set[Fraction], rng: random.Random) -> str | None:
    if mention.text[0].isdigit():
        places = [index for index, character in enumerate(mention.text) if character.isdigit()]
        for _ in range(20):
            at = rng.choice(places)
            digit = rng.choice("123456789" if at == places[0] else "0123456789")
            new = mention.text[:at] + digit + mention.text[at + 1 :]
            found = find_numbers(new)
            if len(found) == 1 and found[0].value not in taken and found[0].value > 0:
                return new
        return None
    if mention.value.denominator != 1:
        return None
    near = [mention.value + step for step in (-5, -3, -2, -1, 1, 2, 3, 5, 10)]
    free = [value for value in near if value > 1 and value not in taken]
    return number_words(rng.choice(free)) if free else None
