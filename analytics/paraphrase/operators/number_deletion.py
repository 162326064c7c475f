"""f8: at most two numbers are replaced, each by "some", "a few", "many", "a lot of" or nothing.

ParaQD (Gupta et al., 2022), section 3.3. A value that stands in the text several times is taken away
everywhere, or it would not be lost. Money signs and percent go with their number.
"""

from __future__ import annotations

import random
import re

from analytics.language.mentions import NumberMention
from analytics.paraphrase.words.editing import Edit, apply_edits, formula_spans, overlaps, tidy, unit_words
from analytics.text.numbers import find_numbers
from analytics.text.unit_names import MONEY_SIGNS
from analytics.text.units import UnitMention, find_units

QUANTIFIERS = ("some", "a few", "many", "a lot of", "")
"""What a number becomes."""

_MOST = 2
_ARTICLE = re.compile(r"\b(?:a|an|the)\s$", re.IGNORECASE)
_HYPHEN = re.compile(r"-(?=[A-Za-z])")
_PERCENT = re.compile(r"\s*(?:%|percent|per cent)$", re.IGNORECASE)


def apply(question: str, rng: random.Random) -> str | None:
    """Replace one or two numbers; None where there is none outside formulas ("one" does not count)."""
    formulas = formula_spans(question)
    mentions = [
        mention
        for mention in find_numbers(question)
        if not overlaps(mention.start, mention.end, formulas) and mention.text.lower() not in {"one", "half"}
    ]
    values = sorted({mention.value for mention in mentions})
    if not values:
        return None
    chosen = {
        value: rng.choice(QUANTIFIERS)
        for value in rng.sample(values, min(rng.randint(1, _MOST), len(values)))
    }
    signs = {unit.end: unit for unit in find_units(question) if unit.text in MONEY_SIGNS}
    edits = [
        _edit(question, mention, chosen[mention.value], signs)
        for mention in mentions
        if mention.value in chosen
    ]
    return tidy(apply_edits(question, edits)) or None


def _edit(question: str, mention: NumberMention, quantifier: str, signs: dict[int, UnitMention]) -> Edit:
    start, end = mention.start, mention.end
    sign = signs.get(len(question[:start].rstrip()))
    noun = ""
    if sign is not None:
        start = sign.start
        noun = unit_words(sign.unit, several=True) or ""
    elif _PERCENT.search(mention.text):
        noun = "percent"
    if quantifier == "":
        return start, end, ""
    article = _ARTICLE.search(question[max(start - 5, 0) : start])
    if article and quantifier.startswith("a "):
        start -= len(article[0])
    new = f"{quantifier} {noun}".rstrip()
    if hyphen := _HYPHEN.match(question, end):  # "a 3-metre rope" becomes "a some metre rope"
        return start, hyphen.end(), new + " "
    return start, end, new + (" " if question[end : end + 1].isalpha() else "")
