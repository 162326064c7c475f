"""Counted things: a renaming throughout is no finding, a renaming in places is: 20 hats, but how many apples."""

from __future__ import annotations

from analytics.language.en.units import WORDS
from analytics.paraphrase.findings.finding import Finding
from analytics.paraphrase.findings.pair import Pair
from analytics.paraphrase.words.reading import UNIT_WORDS, Reading, Word
from analytics.paraphrase.words.wording import GENERIC, STOP_WORDS, is_adverb
from analytics.text.unit_names import ABBREVIATIONS

_PRONOUNS = frozenset(str.split("he she it they his her its their him them hers theirs who whom whose"))
_SAME_BEGINNING = 4  # letters: contract, contractual


def thing_findings(pair: Pair) -> list[Finding]:
    """Return counted things that were replaced in one place and stayed in another: 20 hats, but how many apples.

    Between texts with few common words a new noun is more often a synonym: it counts only if the question asks for the
    old one.
    """
    original, paraphrase, is_close = pair.original, pair.paraphrase, pair.is_close
    asked = {
        word.key
        for word in paraphrase.words
        if paraphrase.sentences[paraphrase.sentence_of(word.start)].is_question
    }
    findings = []
    done: set[tuple[str, str]] = set()
    for match in pair.quantities.same_values:
        before, after = match.original.nouns, match.paraphrase.nouns
        if not before or not after or set(before) & set(after):
            continue
        old, new = before[-1], after[-1]
        if (old, new) in done or new in original.keys or old not in paraphrase.keys:
            continue
        if sum(word.key == old for word in paraphrase.words) >= sum(
            word.key == old for word in original.words
        ):
            continue
        done.add((old, new))
        was = next(word for word in original.words if word.key == old and word.start >= match.original.end)
        now = next(
            word for word in paraphrase.words if word.key == new and word.start >= match.paraphrase.end
        )
        if _may_replace(was, now) and (is_close or (old in asked and old not in GENERIC)):
            findings.append(_replaced(was, now))
    return findings + (_replaced_in_places(original, paraphrase, done) if is_close else [])


def _replaced(was: Word, now: Word) -> Finding:
    return Finding.between(
        "entity",
        "changed",
        f"“{was.text}” became “{now.text}” in one place and stayed “{was.text}” in another.",
        was,
        now,
    )


def _may_replace(was: Word, now: Word) -> bool:
    """Return whether a word may be another thing: no small word, unit, "piece", or other form of the same word."""
    old, new = was.text.lower(), now.text.lower()
    return (
        new not in STOP_WORDS
        and new not in _PRONOUNS
        and now.key not in GENERIC
        and new not in WORDS
        and new not in ABBREVIATIONS
        and not is_adverb(new)
        and new not in UNIT_WORDS
        and old[:_SAME_BEGINNING] != new[:_SAME_BEGINNING]
    )


def _replaced_in_places(original: Reading, paraphrase: Reading, done: set[tuple[str, str]]) -> list[Finding]:
    """Find counted things that became others between the same neighbours, and stayed elsewhere."""
    counted = {noun for quantity in original.quantities for noun in quantity.nouns}
    between = {
        _neighbours(original, index): word for index, word in enumerate(original.words) if word.key in counted
    }
    findings = []
    for index, word in enumerate(paraphrase.words):
        was = between.get(_neighbours(paraphrase, index))
        if (
            was is None
            or word.key in original.keys
            or was.key not in paraphrase.keys
            or (was.key, word.key) in done
        ):
            continue
        if was.text.endswith("s") != word.text.endswith("s"):
            continue
        done.add((was.key, word.key))
        if _may_replace(was, word):
            findings.append(_replaced(was, word))
    return findings


def _neighbours(reading: Reading, index: int) -> tuple[str, str]:
    before = reading.words[index - 1].key if index else ""
    after = reading.words[index + 1].key if index + 1 < len(reading.words) else ""
    return before, after
