"""Numbers that were lost, added or changed, or that changed places."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from analytics.paraphrase.findings.finding import Finding, Words
from analytics.paraphrase.findings.pair import Pair
from analytics.paraphrase.findings.quantities import Match, is_repeated
from analytics.paraphrase.words.reading import Quantity, Reading
from analytics.paraphrase.words.wording import STOP_WORDS

_QUANTIFIERS = re.compile(
    r"(?<!\bhow )(?<!\bas )\b(?:some|a few|few|several|many|a lot of|lots of|a number of|various|numerous)\b",
    re.IGNORECASE,
)
_APART = 2  # words from number to number
_BEHIND = 3  # words behind a number
_MOST_SWAPPED = 12  # numbers


def number_findings(pair: Pair) -> list[Finding]:
    """Return what happened to the numbers, without those that a comparison told from the other side inverts."""
    original, paraphrase, quantities = pair.original, pair.paraphrase, pair.quantities
    findings = _swapped(pair)
    findings += [
        Finding.of("number", f"{old.text} became {new.text}.", old, new)
        for old, new in ((match.original, match.paraphrase) for match in quantities.changed)
        if not is_turned_round(pair, old, new)
    ]
    shared = [match.original for match in quantities.same_values]
    for quantity in quantities.lost:
        counts_one = quantity.value == 1 and any(unit.unit == quantity.unit for unit in paraphrase.bare_units)
        if not counts_one and _matters(quantity, original, shared):
            findings.append(_vague(pair, quantity) or Finding.lost("number", quantity))
    shared = [match.paraphrase for match in quantities.same_values]
    findings += [
        Finding.added("number", quantity)
        for quantity in quantities.added
        if _matters(quantity, paraphrase, shared)
    ]
    return findings


def is_turned_round(pair: Pair, number: Quantity, inverse: Quantity) -> bool:
    """Return whether "half as many ducks as hens" is said for "twice as many hens as ducks"."""
    if number.unit or inverse.unit or number.value == 1 or number.value * inverse.value != 1:
        return False
    behind, new_behind = _topic_behind(pair.original, number), _topic_behind(pair.paraphrase, inverse)
    return behind != new_behind and behind in pair.new_words and new_behind in pair.old_words


def _topic_behind(reading: Reading, quantity: Quantity) -> str:
    """Return the key of the first word behind a number that is no small one."""
    words = reading.words[reading.word_at(quantity.end) :]
    return next((word.key for word in words if word.text.lower() not in STOP_WORDS), "")


def _matters(quantity: Quantity, reading: Reading, shared: Sequence[Quantity]) -> bool:
    """Return whether what one text alone states is no small word, and is not said in another way."""
    return not (
        quantity.is_weak or is_repeated(reading, quantity, shared) or _counts_a_list(reading, quantity)
    )


def _counts_a_list(reading: Reading, quantity: Quantity) -> bool:
    """Return whether a number in words says how many are named behind it: two stations A and B."""
    if not quantity.text.isalpha() or quantity.unit or quantity.value <= 1:
        return False
    end = reading.sentences[reading.sentence_of(quantity.start)].end
    listed = [
        len([mention for mention in mentions if quantity.start < mention.start < end])
        for mentions in (reading.quantities, reading.entities)
    ]
    return quantity.value in listed


def _vague(pair: Pair, quantity: Quantity) -> Finding | None:
    """Return a finding where the paraphrase says "some" or "many" for a number."""
    original, paraphrase = pair.original, pair.paraphrase
    at = original.word_at(quantity.number[1])
    behind = {word.key for word in original.words[at : at + _BEHIND]}
    for match in _QUANTIFIERS.finditer(paraphrase.text):
        at = paraphrase.word_at(match.end())
        new_behind = {word.key for word in paraphrase.words[at : at + _BEHIND]}
        if behind & new_behind and match[0].lower() not in original.text.lower():
            number = Words.at(quantity.number, original.text)
            sentence = f"{number.text} became {match[0]}."
            return Finding.of("number", sentence, number, Words(*match.span(), match[0]))
    return None


def _swapped(pair: Pair) -> list[Finding]:
    """Return numbers of which each is where the other was in the same words, or counts what the other counted."""
    times = Counter(match.original.value for match in pair.quantities.matches)
    once = [
        match
        for match in pair.quantities.matches
        if times[match.original.value] == 1 and not match.original.is_weak
    ]
    if len(once) > _MOST_SWAPPED:
        return []
    return [
        Finding.of(
            "number",
            f"{first.original.text} and {second.original.text} changed places.",
            Words.at(first.original.number, pair.original.text),
            Words.at(second.paraphrase.number, pair.paraphrase.text),
        )
        for first, second in combinations(once, 2)
        if _count_crossed(first, second) or (pair.has_same_words and _stand_crossed(pair, first, second))
    ]


def _count_crossed(first: Match, second: Match) -> bool:
    """Return whether each counts in the paraphrase what the other alone counted in the original."""
    nouns, other_nouns = set(first.original.nouns), set(second.original.nouns)
    new_nouns, new_other_nouns = set(first.paraphrase.nouns), set(second.paraphrase.nouns)
    alone, other_alone = nouns - other_nouns, other_nouns - nouns
    return bool(alone & new_other_nouns and other_alone & new_nouns) and not (
        alone & new_nouns or other_alone & new_other_nouns
    )


def _stand_crossed(pair: Pair, first: Match, second: Match) -> bool:
    """Return whether two numbers follow one another in the other order; "3 and 5" are alike in either."""
    at, other_at = (pair.original.word_at(match.original.start) for match in (first, second))
    is_turned = (first.original.start < second.original.start) != (
        first.paraphrase.start < second.paraphrase.start
    )
    return is_turned and abs(at - other_at) >= _APART
