"""Words that became their contrary: "sells" and "buys", "more" and "fewer", "a third of it" and "a third of the rest".

Only in near copies, place by place: in free rewordings "Ann sells" may become "Tom buys from Ann".
"""

from __future__ import annotations

import re

from analytics.paraphrase.findings.contrary_words import (
    are_contrary,
    are_opposite_comparatives,
)
from analytics.paraphrase.findings.exchanges import is_told_from_the_other_side
from analytics.paraphrase.findings.finding import Finding, Mention, Words
from analytics.paraphrase.findings.pair import Pair
from analytics.paraphrase.words.reading import Reading

# Words of these rows are small ones that occur everywhere: both neighbours must be the same.
_SMALL = frozenset(
    {"on", "off", "in", "out", "into", "up", "down", "over", "under", "and", "or", "all", "some"}
)
_TOWARDS = frozenset({"by", "to"})
_GROWS = re.compile(
    r"(?:ris|ros|rais|increas|grow|grew|gr|climb|drop|fall|fell|decreas|reduc|sink|sank|shrank|shrink|cut)\w*$"
)
_COMPARATIVE = r"more|fewer|less|taller|longer|shorter|older|younger|farther|further|heavier|faster|higher"
_ASKED_COMPARATIVE = re.compile(
    rf"\bhow (?:many|much) ({_COMPARATIVE})\b|\b(?:{_COMPARATIVE})(?= than\b)", re.IGNORECASE
)
_COMPARES = re.compile(
    rf"\b(?:{_COMPARATIVE}|\w+er than|difference|exceeds?|left|remain\w*|another|needs?)\b", re.IGNORECASE
)


def _phrase(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


_SCOPES = (
    (_phrase(r"only"), _phrase(r"only|just|merely|alone|nothing but|no more than|exactly")),
    (
        _phrase(r"of (?:the|his|her|their) (?:rest|remainder|remaining|others?)"),
        _phrase(r"rest|remainder|remaining|others?"),
    ),
    (
        _phrase(r"the (?:rest|remainder|remaining|others?)"),
        _phrase(r"rest|remainder|remain(?:s|ed|ing)?|left|others?|another|unused|unsold|unread|still"),
    ),
)
"""What says of what something is a part ("a third of it", "a third of the rest"), and what says the same."""


def contrast_findings(pair: Pair) -> list[Finding]:
    """Return words of contrary meaning, a scope that was added ("of the rest"), and "more" that is gone."""
    places = [
        (replaced.word, replaced.new_word)
        for replaced in pair.replacements
        if replaced.equal_neighbours
        > bool({replaced.word.text.lower(), replaced.new_word.text.lower()} & _SMALL)
        if are_contrary(replaced.word.text, replaced.new_word.text)
    ]
    if is_told_from_the_other_side(pair):
        places = [words for words in places if not are_opposite_comparatives(words[0].text, words[1].text)]
    if not pair.has_same_numbers:
        exchanged = {(new_word.key, word.key) for word, new_word in places}  # named in another order
        places = [words for words in places if (words[0].key, words[1].key) not in exchanged]
    places += [
        (replaced.word, replaced.new_word)
        for replaced in pair.replacements
        if {replaced.word.text.lower(), replaced.new_word.text.lower()} == _TOWARDS
        if _GROWS.match(replaced.previous)
    ]
    findings = [_changed(*words) for words in places]
    if pair.is_near_copy:
        findings += _scope_added(pair.original, pair.paraphrase) + _comparative_lost(pair)
    return findings


def _changed(word: Mention, new_word: Mention) -> Finding:
    return Finding.between(
        "comparison", "changed", f"“{word.text}” became “{new_word.text}”.", word, new_word
    )


def _scope_added(original: Reading, paraphrase: Reading) -> list[Finding]:
    """Say where "a third of it" became "a third of the rest", or something is said of a part only."""
    for added_pattern, original_pattern in _SCOPES:
        match = added_pattern.search(paraphrase.text)
        if match and not original_pattern.search(original.text):
            return [Finding.added("comparison", Words(*match.span(), match[0]))]
    return []


def _comparative_lost(pair: Pair) -> list[Finding]:
    """Return "more" of "how many more" where a near copy compares nothing."""
    match = _ASKED_COMPARATIVE.search(pair.original.text)
    if match is None or _COMPARES.search(pair.paraphrase.text):
        return []
    lost = 1 if match[1] else 0  # of "more than" the whole match
    return [Finding.lost("comparison", Words(*match.span(lost), match[lost]))]
