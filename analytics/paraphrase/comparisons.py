"""Comparisons of a pair: "more" and "fewer", "at least" and "at most", who has more than whom."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from analytics.paraphrase.comparing import (
    ANCHORED,
    MEASURES,
    Comparison,
    crossing_things,
    is_as_much_the_other_way,
    is_inverse,
    is_turned,
)
from analytics.paraphrase.exchanges import Exchange
from analytics.paraphrase.finding import Finding
from analytics.paraphrase.reading import Reading

__all__ = ["comparison_findings"]

# What says in other words that two things differ, or by how much.
_DIFFERS = re.compile(
    r"\b(?:\w+er\sthan|differences?|differs?|beyond|over|under|another|further|gap|apart|ahead|behind|compar(?:ed|ison|ing)"
    r"|remain(?:s|ed|ing)?|left|still|needs?|needed|ris(?:e|en|es|ing)|rose|rais(?:e|ed)|increas(?:e|ed|es|ing)"
    r"|decreas(?:e|ed|es|ing)|reduc(?:e|ed|es|tion)|drop(?:s|ped)?|f[ae]lls?|times|twice|thrice|double[sd]?"
    r"|triple[sd]?|within|limit(?:ed)?|up to|capacity|can hold)\b",
    re.IGNORECASE,
)
_MINOR = frozenset({"equality", "order", "change", "extreme"})
_ON_TOP = re.compile(
    r"\b(?:another|additional|additionally|extra|further|again|also|then|too)\b", re.IGNORECASE
)


def comparison_findings(
    original: Reading,
    paraphrase: Reading,
    before: Sequence[Comparison],
    after: Sequence[Comparison],
    renamed: Mapping[str, str],
    exchanges: Sequence[Exchange],
) -> list[Finding]:
    """Return comparisons that were lost, added or turned round.

    "Ann has 5 more than Tom" and "Tom has 5 fewer than Ann" say the same.

    Args:
        before: comparisons of the original.
        after: comparisons of the paraphrase.
        renamed: names of the original and their new ones.
        exchanges: words that changed places.
    """
    left, right = list(before), list(after)
    swapped = [one.keys for one in exchanges if one.is_throughout]
    told = [one.keys for one in exchanges if not one.is_throughout]

    def is_crossed(one: Comparison, other: Comparison) -> bool:
        if not (one.is_than and other.is_than) or is_inverse(one, other):
            return False
        sides = _sides(one, other, renamed)
        return sides == "crossed" or (sides == "unknown" and crossing_things(one, other, swapped) is not None)

    def is_kept(one: Comparison, other: Comparison) -> bool:
        return _is_same(one, other) and not is_crossed(one, other)

    findings = []
    for one, other in (
        *_take(left, right, lambda one, other: is_kept(one, other) and one.anchor == other.anchor != ""),
        *_take(left, right, _is_opposite_in_time_or_place),
        *_take(left, right, is_kept),
        *_take(left, right, _is_same),
        *_take(left, right, _is_opposite),
        *_take(left, right, _is_as_much),
        *_take(left, right, is_as_much_the_other_way),
    ):
        if one.direction == other.direction:
            if is_crossed(one, other):
                named = (
                    crossing_things(one, other, swapped) if _sides(one, other, renamed) == "unknown" else None
                )
                if named is None or named.keys() not in told:
                    left_one, right_one = named.values() if named else (one.left, one.right)
                    sentence = f"{left_one} and {right_one} changed places around {one.text}."
                    findings.append(_turned(one, other, sentence))
            elif one.is_than and not other.is_than and one.family == other.family:
                sentence = f"It is no longer said than what {other.text} is meant."
                findings.append(_turned(one, other, sentence, is_serious=False))
        elif not is_crossed(one, other):
            findings.append(_turned(one, other, f"{one.text} became {other.text}."))
    findings += [Finding.lost("comparison", one, is_serious=_matters(one, right, paraphrase)) for one in left]
    findings += [
        Finding.added(
            "comparison",
            one,
            is_serious=_matters(one, left, original) or _comes_on_top(one, original, paraphrase),
        )
        for one in right
    ]
    return findings


def _take(
    left: list[Comparison], right: list[Comparison], rule: Callable[[Comparison, Comparison], bool]
) -> list[tuple[Comparison, Comparison]]:
    """Take pairs that fit a rule out of both lists, those with "than" on both sides or on neither first."""
    pairs = []
    for one in list(left):
        fitting = [other for other in right if rule(one, other)]
        if fitting:
            best = max(fitting, key=lambda other: other.is_than == one.is_than)
            left.remove(one)
            right.remove(best)
            pairs.append((one, best))
    return pairs


def _is_same(one: Comparison, other: Comparison) -> bool:
    return (one.family, one.direction) == (other.family, other.direction)


def _is_opposite_in_time_or_place(one: Comparison, other: Comparison) -> bool:
    return is_turned(one, other) and one.family in ANCHORED and one.anchor == other.anchor != ""


def _is_opposite(one: Comparison, other: Comparison) -> bool:
    return is_turned(one, other) and one.family not in ANCHORED


def _is_as_much(one: Comparison, other: Comparison) -> bool:
    return {one.family, other.family} <= MEASURES and one.direction == other.direction


def _matters(one: Comparison, others: list[Comparison], other: Reading) -> bool:
    """Whether a comparison that only one text has changes the answer: nothing in the other text may say the same."""
    return (
        (one.is_than or one.is_asked or (one.family == "bound" and "imum" not in one.text.lower()))
        and one.family not in _MINOR
        and not others
        and _DIFFERS.search(other.text) is None
    )


def _comes_on_top(one: Comparison, original: Reading, paraphrase: Reading) -> bool:
    """Whether a near copy says "10 more people" where nothing in the original says that any are added."""
    return (
        one.family == "amount"
        and not (one.is_than or one.is_asked)
        and one.by is not None
        and not paraphrase.text[one.by.end : one.start].strip()
        and original.is_close_to(paraphrase)
        and _ON_TOP.search(original.text) is None
    )


def _turned(one: Comparison, other: Comparison, sentence: str, *, is_serious: bool = True) -> Finding:
    return Finding.between("comparison", "changed", sentence, one, other, is_serious=is_serious)


def _sides(
    one: Comparison, other: Comparison, renamed: Mapping[str, str]
) -> Literal["straight", "crossed", "unknown"]:
    """Whether the same names stand on the same sides of two comparisons."""
    if not (one.left and one.right and other.left and other.right) or one.left == one.right:
        return "unknown"
    here = (renamed.get(one.left, one.left).lower(), renamed.get(one.right, one.right).lower())
    there = (other.left.lower(), other.right.lower())
    if here == there:
        return "straight"
    return "crossed" if here == there[::-1] else "unknown"
