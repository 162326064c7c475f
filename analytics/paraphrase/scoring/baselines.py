"""Untrained baselines: rules that a trained scorer has to beat.

A rule returns +1 (valid) or -1; the edit similarity is a number in between. On ParaQD's own test sets the
rule "same set of numbers" already exceeds the published separation, so a scorer is only useful if it beats
the rule, and the rule combined with a frozen encoder's cosine (`rule_first`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from rapidfuzz.distance import Levenshtein

from analytics.paraphrase.findings.rules import find_changes
from analytics.text.numbers import find_numbers
from analytics.text.units import find_units


def same_numbers(original: str, paraphrase: str) -> float:
    """Return 1 if both texts contain the same set of numbers, in digits or words, else -1.

    >>> same_numbers("3 pens and 3 cards", "three pens"), same_numbers("3 pens", "some pens")
    (1.0, -1.0)
    """
    before, after = ({number.value for number in find_numbers(text)} for text in (original, paraphrase))
    return 1.0 if before == after else -1.0


def same_numbers_and_units(original: str, paraphrase: str) -> float:
    """Return 1 if both texts contain the same numbers and the same units, each equally often, else -1.

    >>> same_numbers_and_units("3 km", "3 kilometres"), same_numbers_and_units("3 km and 3 m", "3 km")
    (1.0, -1.0)
    """
    before, after = (
        (Counter(number.value for number in find_numbers(text)), Counter(mention.unit for mention in find_units(text)))
        for text in (original, paraphrase)
    )
    return 1.0 if before == after else -1.0


def no_finding(original: str, paraphrase: str) -> float:
    """Return 1 if there is no serious finding, else -1."""
    return -1.0 if any(finding.is_serious for finding in find_changes(original, paraphrase)) else 1.0


def edit_similarity(original: str, paraphrase: str) -> float:
    """Return 1 for equal texts, down to -1 if no character is kept: twice the Levenshtein similarity, minus 1.

    >>> edit_similarity("abcd", "abcx")
    0.5
    """
    return 2 * Levenshtein.normalized_similarity(original.lower(), paraphrase.lower()) - 1


def rule_first(rule: float, cosine: float) -> float:
    """Combine a rule with a cosine: pairs accepted by the rule rank above the rest; the cosine orders each part.

    >>> rule_first(1, -0.2) > rule_first(-1, 0.9)
    True
    """
    return (rule + cosine) / 2


RULES: dict[str, Callable[[str, str], float]] = {
    "same_numbers": same_numbers,
    "same_numbers_and_units": same_numbers_and_units,
    "no_finding": no_finding,
    "edit_similarity": edit_similarity,
}
"""Maps a name to a function from (original, paraphrase) to a score in [-1, 1]."""
