"""Things that changed places in a near copy: "3 more boys than girls" -> "3 more girls than boys".

Exchanged in every place they are renamed, which changes no answer (ParaQD, Table 3); exchanged in some, the relation
between them is another one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from analytics.paraphrase.aligned import Replacement
from analytics.paraphrase.contrasts import are_contrary
from analytics.paraphrase.finding import Finding
from analytics.paraphrase.reading import Reading, Word
from analytics.paraphrase.wording import GENERIC, STOP_WORDS
from analytics.text.unit_names import ABBREVIATIONS, WORDS

__all__ = ["Exchange", "exchange_findings", "find_exchanges"]

_BOTH = 2  # neighbours
_SAME_BEGINNING = 4  # letters: worker, working
_SHORT = 5  # letters: ride, rode
_JOINED = re.compile(r"\s*(?:,|,?\s*(?:and|or|nor|&))\s+(?:(?:the|an?|some|his|her|their|of|for|in|to)\s+)*")


@dataclass(frozen=True, slots=True)
class Exchange:
    """Two words that changed places.

    Attributes:
        one: of the original, where the other stands in the paraphrase.
        other: of the original, where the first stands in the paraphrase.
        new_one, new_other: what stands there in the paraphrase.
        is_throughout: each became the other wherever it stood.
    """

    one: Word
    other: Word
    new_one: Word
    new_other: Word
    is_throughout: bool

    @property
    def keys(self) -> frozenset[str]:
        """Keys of both words."""
        return frozenset((self.one.key, self.other.key))


def find_exchanges(original: Reading, replaced: Sequence[Replacement]) -> list[Exchange]:
    """Return the words that changed places, each two once.

    Args:
        replaced: words of the original in whose place others stand.
    """
    places: dict[tuple[str, str], list[Replacement]] = {}
    for one in replaced:
        places.setdefault((one.word.key, one.new_word.key), []).append(one)
    old = Counter(word.key for word in original.words)
    found = []
    for (key, new), first in places.items():
        second = places.get((new, key))
        if second is None or first[0].word.start > second[0].word.start:
            continue
        words = first[0].word, second[0].word, first[0].new_word, second[0].new_word
        if (
            all(map(_is_thing, words))
            and first[0].neighbours == second[0].neighbours == _BOTH
            and not _are_joined(original, *words[:2])
            and not are_contrary(words[0].text, words[1].text)
        ):
            is_throughout = len(first) == old[key] and len(second) == old[new]
            found.append(Exchange(*words, is_throughout))
    return found


def exchange_findings(
    original: Reading,
    paraphrase: Reading,
    replaced: Sequence[Replacement],
    exchanges: Sequence[Exchange],
    same: Sequence[frozenset[str]] = (),
) -> list[Finding]:
    """Say which things changed places in some of their places only, or stand where another stood that is told of still.

    Where the numbers changed places too, the texts name the same in another order.

    Args:
        replaced: words of the original in whose place others stand.
        exchanges: those of them that changed places.
        same: keys of things that a comparison told from the other side exchanges.
    """
    if not original.has_numbers_of(paraphrase):
        return []
    findings = [
        _changed(one.one, one.new_one, f"“{one.one.text}” and “{one.other.text}” changed places.")
        for one in exchanges
        if not one.is_throughout and one.keys not in same
    ]
    old, new = (Counter(word.key for word in text.words) for text in (original, paraphrase))
    known = [one.keys for one in exchanges]
    for one in replaced:
        key, new_key = one.word.key, one.new_word.key
        if (
            one.neighbours == _BOTH
            and old[key] >= new[key] > 0
            and new[new_key] > old[new_key] > 0
            and {key, new_key} not in known
            and not {key, new_key} & GENERIC
            and not _are_forms(one.word.text, one.new_word.text)
            and _is_thing(one.word)
            and _is_thing(one.new_word)
        ):
            sentence = f"“{one.word.text}” became “{one.new_word.text}” in one place."
            findings.append(_changed(one.word, one.new_word, sentence))
    return findings


def _changed(word: Word, new_word: Word, sentence: str) -> Finding:
    return Finding.between("entity", "changed", sentence, word, new_word)


def _are_forms(one: str, other: str) -> bool:
    """Whether two words may be forms of one: worker and working, ride and rode."""
    is_short = max(len(one), len(other)) <= _SHORT and one.islower() and other.islower()
    return one[:_SAME_BEGINNING] == other[:_SAME_BEGINNING] or (is_short and one[0] == other[0])


def _is_thing(word: Word) -> bool:
    """Whether a word says something of its own: numbers and units are others' matter."""
    text = word.text.lower()
    return text not in STOP_WORDS and text not in WORDS and text not in ABBREVIATIONS


def _are_joined(reading: Reading, one: Word, other: Word) -> bool:
    """Whether nothing but "and" or a comma is between two words: in which order they are named says nothing."""
    first, second = sorted((one, other), key=lambda word: word.start)
    return _JOINED.fullmatch(reading.text, first.end, second.start) is not None
