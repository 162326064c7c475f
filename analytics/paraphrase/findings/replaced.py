"""Replaced words in a near copy: opposites, a different thing in one place, two words that swapped places.

Renaming something throughout does not change the answer (ParaQD, Table 3) and is not a finding. Words are
compared place by place, because in free rewordings "Ann sells" may become "Tom buys from Ann".
"""

from __future__ import annotations

import re

from analytics.language.en.units import WORDS
from analytics.language.mentions import ABBREVIATIONS
from analytics.paraphrase.findings.numbers import is_turned_round
from analytics.paraphrase.findings.pair import Finding, Pair, Replacement
from analytics.paraphrase.words.reading import UNIT_WORDS, Word
from analytics.paraphrase.words.wording import GENERIC, STOP_WORDS, is_adverb, lines_of, stem


def _table(name: str) -> dict[str, set[tuple[int, int]]]:
    """Return each word's rows in the table and its meanings in them."""
    table: dict[str, set[tuple[int, int]]] = {}
    for row, line in enumerate(lines_of(name)):
        for side, words in enumerate(line.split("|")):
            for word in words.split(","):
                table.setdefault(stem(word.strip()), set()).add((row, side))
    return table


_COMPARED = _table("comparatives")
_OTHERS = _table("contrary")


def are_contrary(first: str, second: str) -> bool:
    """Return whether replacing one word by the other changes a calculation.

    >>> are_contrary("sold", "bought"), are_contrary("sum", "total"), are_contrary("even", "odd")
    (True, False, True)
    """
    return _are_opposite(_OTHERS, first, second) or are_opposite_comparatives(first, second)


def are_opposite_comparatives(first: str, second: str) -> bool:
    """Return whether two words are comparatives in opposite directions, such as more and fewer."""
    return _are_opposite(_COMPARED, first, second)


def _are_opposite(table: dict[str, set[tuple[int, int]]], word: str, new_word: str) -> bool:
    return any(
        row == new_row and side != new_side
        for row, side in table.get(stem(word), ())
        for new_row, new_side in table.get(stem(new_word), ())
    )


# Words in these rows are function words that occur everywhere: both neighbours must be the same.
_SMALL = frozenset(str.split("on off in out into up down over under and or all some by to"))
_WEIGHTY = frozenset(str.split("only not never except neither nor more fewer less rest remainder remaining another"))
"""Words that change the meaning if added or left out alone, or if they replace a word in `_FILLING`."""

_FILLING = STOP_WORDS - _WEIGHTY - {"a", "an", "the", "to"}

_BOTH = 2  # neighbours
_SAME_BEGINNING = 4  # letters: worker, working
_SHORT = 5  # letters: ride, rode
_PRONOUNS = frozenset(str.split("he she it they his her its their him them hers theirs who whom whose"))
_JOINED = re.compile(r"\s*(?:,|,?\s*(?:and|or|nor|&))\s+(?:(?:the|an?|some|his|her|their|of|for|in|to)\s+)*")


def replaced_findings(pair: Pair) -> list[Finding]:
    """Return what was replaced, added or left out in a near copy, and counted things that have two names."""
    swapped = _swapped(pair)
    is_turned = bool(swapped) and _is_turned(pair)
    findings = [
        Finding.of("comparison", _became(replaced), replaced.word, replaced.new_word)
        for replaced in pair.replacements
        if _changes_the_sense(pair, replaced)
        if not (is_turned and are_opposite_comparatives(replaced.word.text, replaced.new_word.text))
    ]
    findings += [
        Finding.of("entity", f"“{word.text}” and “{new.text}” changed places.", word, new)
        for word, new in swapped
        if not is_turned and not _is_throughout(pair, word, new)
    ]
    done = {replaced.keys for replaced in pair.replacements if replaced.keys[::-1] in _keys(pair)}
    for replaced in pair.replacements:
        if replaced.keys not in done and _is_renamed_here(pair, replaced):
            done.add(replaced.keys)
            findings.append(_renamed(pair, replaced.word, replaced.new_word))
    findings += [Finding.lost("comparison", word) for word in pair.missing if word.text.lower() in _WEIGHTY]
    findings += [Finding.added("comparison", word) for word in pair.added if word.text.lower() in _WEIGHTY]
    return findings + _counted(pair, done)


def _keys(pair: Pair) -> list[tuple[str, str]]:
    return [replaced.keys for replaced in pair.replacements]


def _became(replaced: Replacement) -> str:
    return f"“{replaced.word.text}” became “{replaced.new_word.text}”."


def _changes_the_sense(pair: Pair, replaced: Replacement) -> bool:
    """Return whether a word became its opposite, or a function word became a significant one."""
    words = {replaced.word.text.lower(), replaced.new_word.text.lower()}
    if not words.isdisjoint(_WEIGHTY) and not words.isdisjoint(_FILLING):
        return True
    return (
        replaced.equal_neighbours > (not _SMALL.isdisjoint(words))
        and are_contrary(replaced.word.text, replaced.new_word.text)
        # named in reverse order: the left and the right side, the right and the left
        and (replaced.keys[::-1] not in _keys(pair) or pair.has_same_numbers)
    )


def _swapped(pair: Pair) -> list[tuple[Word, Word]]:
    """Return pairs of things that swapped places, each pair once."""
    places: dict[tuple[str, str], Replacement] = {}
    for replaced in pair.replacements:
        places.setdefault(replaced.keys, replaced)
    return [
        (one.word, one.new_word)
        for keys, one in places.items()
        if (other := places.get(keys[::-1])) is not None
        and one.word.start < other.word.start
        and one.equal_neighbours == other.equal_neighbours == _BOTH
        and _is_thing(one.word)
        and _is_thing(one.new_word)
        and not _JOINED.fullmatch(pair.original.text, one.word.end, other.word.start)
        and not are_contrary(one.word.text, one.new_word.text)
        and pair.has_same_numbers
    ]


def _is_throughout(pair: Pair, word: Word, new: Word) -> bool:
    """Return whether each of two words became the other everywhere."""
    keys = _keys(pair)
    return (
        keys.count((word.key, new.key)) == pair.old_words[word.key]
        and keys.count((new.key, word.key)) == pair.old_words[new.key]
    )


def _is_turned(pair: Pair) -> bool:
    """Return whether a comparison was inverted along with its two things: "2 more", "2 fewer"."""
    return any(
        are_opposite_comparatives(replaced.word.text, replaced.new_word.text) for replaced in pair.replacements
    ) or any(is_turned_round(pair, match.original, match.paraphrase) for match in pair.quantities.changed)


def _is_renamed_here(pair: Pair, replaced: Replacement) -> bool:
    """Return whether a word was replaced in one place but remains in another."""
    key, new = replaced.keys
    return (
        replaced.equal_neighbours == _BOTH
        and 0 < pair.new_words[key] <= pair.old_words[key]
        and pair.new_words[new] > pair.old_words[new]
        and _may_replace(replaced.word, replaced.new_word)
    )


def _renamed(pair: Pair, word: Word, new: Word) -> Finding:
    sentence = f"“{word.text}” became “{new.text}” in one place"
    if new.key not in pair.old_words:
        sentence += f" and stayed “{word.text}” in another"
    return Finding.of("entity", f"{sentence}.", word, new)


def _counted(pair: Pair, done: set[tuple[str, str]]) -> list[Finding]:
    """Return counted things that have another name in one place: 20 hats, but how many apples.

    Between texts with few common words a new noun is more likely a synonym: it counts only if the question
    asks for the old one.
    """
    original, paraphrase = pair.original, pair.paraphrase
    asked = {
        word.key for word in paraphrase.words if paraphrase.sentences[paraphrase.sentence_of(word.start)].is_question
    }
    findings = []
    for match in pair.quantities.same_values:
        nouns, new_nouns = match.original.nouns, match.paraphrase.nouns
        if not nouns or not new_nouns or set(nouns) & set(new_nouns):
            continue
        old, new = nouns[-1], new_nouns[-1]
        if (
            (old, new) in done
            or new in pair.old_words
            or not 0 < pair.new_words[old] < pair.old_words[old]
            or not (pair.is_close or (old in asked and old not in GENERIC))
        ):
            continue
        done.add((old, new))
        was = next(word for word in original.words if word.key == old and word.start >= match.original.end)
        now = next(word for word in paraphrase.words if word.key == new and word.start >= match.paraphrase.end)
        if _may_replace(was, now):
            findings.append(_renamed(pair, was, now))
    return findings


def _may_replace(was: Word, now: Word) -> bool:
    """Return whether a word may denote another thing: not a function word, unit, "piece", or form of the same word."""
    old, new = was.text.lower(), now.text.lower()
    is_short = max(len(old), len(new)) <= _SHORT and was.text.islower() and now.text.islower()
    return (
        _is_thing(was)
        and _is_thing(now)
        and new not in _PRONOUNS
        and not (now.text.islower() and now.key in GENERIC)  # Tim has the same stem as time
        and new not in UNIT_WORDS
        and not is_adverb(new)
        and old[:_SAME_BEGINNING] != new[:_SAME_BEGINNING]
        and not (is_short and old[0] == new[0])
    )


def _is_thing(word: Word) -> bool:
    """Return whether a word is a content word; numbers and units are handled elsewhere."""
    text = word.text.lower()
    return text not in STOP_WORDS and text not in WORDS and text not in ABBREVIATIONS
