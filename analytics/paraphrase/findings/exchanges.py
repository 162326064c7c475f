"""Things that changed places in a near copy: "3 more boys than girls" -> "3 more girls than boys".

Exchanged in every place they are renamed, which changes no answer (ParaQD, Table 3); exchanged in some, the relation
between them is another one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from analytics.language.en.units import WORDS
from analytics.paraphrase.findings.contrary_words import are_contrary, are_opposite_comparatives
from analytics.paraphrase.findings.finding import Finding
from analytics.paraphrase.findings.pair import Pair, Replacement
from analytics.paraphrase.words.reading import Reading, Word
from analytics.paraphrase.words.wording import GENERIC, STOP_WORDS
from analytics.text.unit_names import ABBREVIATIONS

_BOTH = 2  # neighbours
_SAME_BEGINNING = 4  # letters: worker, working
_SHORT = 5  # letters: ride, rode
_JOINED = re.compile(r"\s*(?:,|,?\s*(?:and|or|nor|&))\s+(?:(?:the|an?|some|his|her|their|of|for|in|to)\s+)*")


@dataclass(frozen=True, slots=True)
class Exchange:
    """Two words that changed places.

    Attributes:
        first, second: of the original.
        new_first, new_second: the words in their places in the paraphrase: the second, and the first.
        is_throughout: each became the other wherever it stood.
    """

    first: Word
    second: Word
    new_first: Word
    new_second: Word
    is_throughout: bool

    @property
    def keys(self) -> frozenset[str]:
        """Keys of both words."""
        return frozenset((self.first.key, self.second.key))


def find_exchanges(pair: Pair) -> list[Exchange]:
    """Return the words of a near copy that changed places, each two once."""
    places: dict[tuple[str, str], list[Replacement]] = {}
    for replaced in pair.replacements:
        places.setdefault((replaced.word.key, replaced.new_word.key), []).append(replaced)
    exchanges = []
    for (key, new), first in places.items():
        second = places.get((new, key))
        if second is None or first[0].word.start > second[0].word.start:
            continue
        words = first[0].word, second[0].word, first[0].new_word, second[0].new_word
        if (
            all(map(_is_thing, words))
            and first[0].equal_neighbours == second[0].equal_neighbours == _BOTH
            and not _are_joined(pair.original, *words[:2])
            and not are_contrary(words[0].text, words[1].text)
        ):
            is_throughout = len(first) == pair.old_words[key] and len(second) == pair.old_words[new]
            exchanges.append(Exchange(*words, is_throughout))
    return exchanges


def is_told_from_the_other_side(pair: Pair) -> bool:
    """Return whether two things changed places and their comparison was turned round: "2 more", "2 fewer"."""
    is_turned = any(
        are_opposite_comparatives(replaced.word.text, replaced.new_word.text)
        for replaced in pair.replacements
    ) or any(match.original.value * match.paraphrase.value == 1 for match in pair.quantities.changed)
    return is_turned and bool(find_exchanges(pair))


def exchange_findings(pair: Pair) -> list[Finding]:
    """Return things that changed places in some of their places only, or took the place of another thing.

    If the numbers changed places too, both texts name the same in another order.
    """
    if not pair.has_same_numbers or is_told_from_the_other_side(pair):
        return []
    exchanges = find_exchanges(pair)
    findings = [
        _changed(swap.first, swap.new_first, f"“{swap.first.text}” and “{swap.second.text}” changed places.")
        for swap in exchanges
        if not swap.is_throughout
    ]
    swapped_keys = [swap.keys for swap in exchanges]
    for replaced in pair.replacements:
        key, new_key = replaced.word.key, replaced.new_word.key
        if (
            replaced.equal_neighbours == _BOTH
            and pair.old_words[key] >= pair.new_words[key] > 0
            and pair.new_words[new_key] > pair.old_words[new_key] > 0
            and {key, new_key} not in swapped_keys
            and not {key, new_key} & GENERIC
            and not _are_forms(replaced.word.text, replaced.new_word.text)
            and _is_thing(replaced.word)
            and _is_thing(replaced.new_word)
        ):
            sentence = f"“{replaced.word.text}” became “{replaced.new_word.text}” in one place."
            findings.append(_changed(replaced.word, replaced.new_word, sentence))
    return findings


def _changed(word: Word, new_word: Word, sentence: str) -> Finding:
    return Finding.between("entity", "changed", sentence, word, new_word)


def _are_forms(word: str, new_word: str) -> bool:
    """Return whether two words may be forms of one: worker and working, ride and rode."""
    is_short = max(len(word), len(new_word)) <= _SHORT and word.islower() and new_word.islower()
    return word[:_SAME_BEGINNING] == new_word[:_SAME_BEGINNING] or (is_short and word[0] == new_word[0])


def _is_thing(word: Word) -> bool:
    """Return whether a word says something of its own: numbers and units are others' matter."""
    text = word.text.lower()
    return text not in STOP_WORDS and text not in WORDS and text not in ABBREVIATIONS


def _are_joined(reading: Reading, noun: Word, other_noun: Word) -> bool:
    """Return whether nothing but "and" or a comma is between two words: in which order they are named says nothing."""
    first, second = sorted((noun, other_noun), key=lambda word: word.start)
    return _JOINED.fullmatch(reading.text, first.end, second.start) is not None
