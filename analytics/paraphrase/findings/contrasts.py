"""Words that became their contrary: "sells" and "buys", "more" and "fewer", "a third of it" and "a third of the rest".

In near copies that is seen place by place. In free rewordings "Ann sells" may become "Tom buys from Ann"; only words
that no change of view turns round are compared there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from analytics.paraphrase.findings.contrary_words import (
    are_contrary,
    are_opposite_comparatives,
    sides_anywhere,
)
from analytics.paraphrase.findings.exchanges import is_told_from_the_other_side
from analytics.paraphrase.findings.finding import Finding, Mention, Words
from analytics.paraphrase.findings.pair import Pair
from analytics.paraphrase.words.reading import Reading, Word

# Words of these rows are small ones that stand everywhere: both neighbours must be the same.
_SMALL = frozenset(
    {"on", "off", "in", "out", "into", "up", "down", "over", "under", "and", "or", "all", "some"}
)
_TOWARDS = frozenset({"by", "to"})
_GROWS = re.compile(
    r"(?:ris|ros|rais|increas|grow|grew|gr|climb|drop|fall|fell|decreas|reduc|sink|sank|shrank|shrink|cut)\w*$"
)
_SHARED = re.compile(
    r"\b(?:each|apiece|every|everyone|everybody|per|respectively|both|either|an? piece)\b|[@/]", re.IGNORECASE
)
_COMPARATIVE = r"more|fewer|less|taller|longer|shorter|older|younger|farther|further|heavier|faster|higher"
_ASKED_COMPARATIVE = re.compile(
    rf"\bhow (?:many|much) ({_COMPARATIVE})\b|\b(?:{_COMPARATIVE})(?= than\b)", re.IGNORECASE
)
_COMPARES = re.compile(
    rf"\b(?:{_COMPARATIVE}|\w+er than|difference|exceeds?|left|remain\w*|another|needs?)\b", re.IGNORECASE
)
_EACH = re.compile(r"\b(?:each|apiece)\b", re.IGNORECASE)


def _phrase(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


_CONTRARY_PHRASES = (
    (_phrase(r"ago"), _phrase(r"will|shall|hence|from now|from today")),
    (
        _phrase(r"at least|at most|no (?:more|less|fewer) than|more than|fewer than|less than"),
        _phrase(r"exactly|precisely"),
    ),
)
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
    """Return words in whose place a word of contrary meaning stands, and "each" or "more" that is gone."""
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
    contrasted_keys = {word.key for words in places for word in words}
    original, paraphrase = pair.original, pair.paraphrase
    places += [
        words for words in _turned(original, paraphrase) if not {word.key for word in words} & contrasted_keys
    ]
    findings = [_changed(*words) for words in places]
    if pair.is_near_copy:
        findings += _scope_added(original, paraphrase) + _comparative_lost(pair)
    return findings + _phrases_turned(original, paraphrase) + _each_lost(pair)


def _changed(word: Mention, new_word: Mention) -> Finding:
    return Finding.between("comparison", "changed", f"{word.text} became {new_word.text}.", word, new_word)


def _turned(original: Reading, paraphrase: Reading) -> Iterable[tuple[Word, Word]]:
    """Yield words whose meaning the paraphrase lacks altogether, each with a contrary that the original lacks."""
    before, after = _sides(original), _sides(paraphrase)
    rows = {row for row, _ in before} & {row for row, _ in after}
    for row in sorted(rows):
        old_words = {side: word for (at, side), word in before.items() if at == row}
        new_words = {side: word for (at, side), word in after.items() if at == row}
        lost, new = old_words.keys() - new_words.keys(), new_words.keys() - old_words.keys()
        if lost and new:
            yield old_words[min(lost)], new_words[min(new)]


def _sides(reading: Reading) -> dict[tuple[int, int], Word]:
    """Return the first word of each meaning that a text has."""
    first_words: dict[tuple[int, int], Word] = {}
    for word in reading.words:
        for side in sides_anywhere(word.text):
            first_words.setdefault(side, word)
    return first_words


def _phrases_turned(original: Reading, paraphrase: Reading) -> list[Finding]:
    """Return phrases that one text has and the other not: what will be in some years, and what was some years ago."""
    findings = []
    for first, second in _CONTRARY_PHRASES:
        for was, now in ((first, second), (second, first)):
            old_phrase, new_phrase = was.search(original.text), now.search(paraphrase.text)
            if (
                old_phrase
                and new_phrase
                and not now.search(original.text)
                and not was.search(paraphrase.text)
            ):
                old, new = (Words(*phrase.span(), phrase[0]) for phrase in (old_phrase, new_phrase))
                findings.append(_changed(old, new))
    return findings


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


def _each_lost(pair: Pair) -> list[Finding]:
    """Say where "5 apples each" became "5 apples": in a near copy nothing else says that everybody gets as many."""
    match = _EACH.search(pair.original.text)
    if match is None or not pair.is_close or _SHARED.search(pair.paraphrase.text):
        return []
    text = match[0]
    return [Finding("comparison", "lost", f"{text} is missing.", original=match.span(), before=text)]
