"""Things that changed places in a near copy: "3 more boys than girls" -> "3 more girls than boys".

Exchanged in every place they are renamed, which changes no answer (ParaQD, Table 3); exchanged in some, the relation
between them is another one. Names have rules of their own (`analytics.paraphrase.naming`).
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
from analytics.paraphrase.wording import STOP_WORDS
from analytics.text.unit_names import ABBREVIATIONS, WORDS

__all__ = ["Exchange", "exchange_findings", "find_exchanges"]

_BOTH = 2  # neighbours
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


def find_exchanges(original: Reading, paraphrase: Reading, replaced: Sequence[Replacement]) -> list[Exchange]:
    """Return the words that changed places, each two once.

    Args:
        replaced: words of the original in whose place others stand.
    """
    places: dict[tuple[str, str], list[Replacement]] = {}
    for one in replaced:
        places.setdefault((one.word.key, one.new_word.key), []).append(one)
    names = {part for one in (*original.entities, *paraphrase.entities) for part in one.text.split()}
    old = Counter(word.key for word in original.words)
    found = []
    for (key, new), first in places.items():
        second = places.get((new, key))
        if second is None or first[0].word.start > second[0].word.start:
            continue
        words = first[0].word, second[0].word, first[0].new_word, second[0].new_word
        if (
            all(_is_thing(word, names) for word in words)
            and first[0].neighbours == second[0].neighbours == _BOTH
            and not _are_joined(original, *words[:2])
            and not are_contrary(words[0].text, words[1].text)
        ):
            is_throughout = len(first) == old[key] and len(second) == old[new]
            found.append(Exchange(*words, is_throughout))
    return found


def exchange_findings(exchanges: Sequence[Exchange]) -> list[Finding]:
    """Say which words changed places in some of their places only."""
    return [
        Finding.between(
            "entity",
            "changed",
            f"“{one.one.text}” and “{one.other.text}” changed places.",
            one.one,
            one.new_one,
        )
        for one in exchanges
        if not one.is_throughout
    ]


def _is_thing(word: Word, names: set[str]) -> bool:
    """Whether a word says something of its own: numbers, units and names are others' matter."""
    text = word.text.lower()
    return (
        text not in STOP_WORDS and text not in WORDS and text not in ABBREVIATIONS and word.text not in names
    )


def _are_joined(reading: Reading, one: Word, other: Word) -> bool:
    """Whether nothing but "and" or a comma is between two words: in which order they are named says nothing."""
    first, second = sorted((one, other), key=lambda word: word.start)
    return _JOINED.fullmatch(reading.text, first.end, second.start) is not None
