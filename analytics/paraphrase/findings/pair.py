"""A question and its paraphrase, parsed and aligned once; all rules of the findings use this."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property

from rapidfuzz.distance import Levenshtein

from analytics.paraphrase.findings.quantities import QuantityAlignment, align_quantities
from analytics.paraphrase.words.entities import find_entities
from analytics.paraphrase.words.reading import Reading, Word, read

_MOST_CHANGED = 0.25  # share of the words that may differ between near copies
_FEW = 2  # words that may differ between any two texts


@dataclass(frozen=True, slots=True)
class Replacement:
    """A word of the original and the word that replaces it in a near copy.

    Attributes:
        equal_neighbours: number of adjacent words, before and after, that are the same in both texts, 0 to 2.
            The beginning and the end of both texts count as the same.
    """

    word: Word
    new_word: Word
    equal_neighbours: int

    @property
    def keys(self) -> tuple[str, str]:
        """Keys of both words."""
        return self.word.key, self.new_word.key


@dataclass(frozen=True)
class Pair:
    """Both readings and their word-by-word alignment.

    Attributes:
        original: the question.
        paraphrase: the text that should ask the same.
    """

    original: Reading
    paraphrase: Reading

    @cached_property
    def is_close(self) -> bool:
        """Whether most words are in both texts. If not, a new word is more likely a synonym."""
        return self.original.is_close_to(self.paraphrase)

    @cached_property
    def is_near_copy(self) -> bool:
        """Whether the texts differ in so few words that each difference is the change itself."""
        return self._edit_operations is not None

    @cached_property
    def replacements(self) -> tuple[Replacement, ...]:
        """Replaced words of a near copy, in order; empty for other texts."""
        keys, new_keys = self._keys
        return tuple(
            Replacement(
                self.original.words[at],
                self.paraphrase.words[new_at],
                (keys[max(at - 1, 0) : at] == new_keys[max(new_at - 1, 0) : new_at])
                + (keys[at + 1 : at + 2] == new_keys[new_at + 1 : new_at + 2]),
            )
            for tag, at, new_at in self._edit_operations or ()
            if tag == "replace"
        )

    @cached_property
    def missing(self) -> list[Word]:
        """Words of the original that a near copy omits."""
        return [self.original.words[at] for tag, at, _ in self._edit_operations or () if tag == "delete"]

    @cached_property
    def added(self) -> list[Word]:
        """Words that a near copy adds."""
        return [self.paraphrase.words[at] for tag, _, at in self._edit_operations or () if tag == "insert"]

    @property
    def has_same_words(self) -> bool:
        """Whether both texts have the same words in the same order."""
        return self._keys[0] == self._keys[1]

    @cached_property
    def _keys(self) -> tuple[list[str], list[str]]:
        keys, new_keys = ([word.key for word in text.words] for text in (self.original, self.paraphrase))
        return keys, new_keys

    @cached_property
    def _edit_operations(self) -> list[tuple[str, int, int]] | None:
        if not self.is_close:
            return None
        keys, new_keys = self._keys
        edits = Levenshtein.editops(keys, new_keys)
        if len(edits) > max(_FEW, _MOST_CHANGED * max(len(keys), len(new_keys))):
            return None
        return [(edit.tag, edit.src_pos, edit.dest_pos) for edit in edits]

    @cached_property
    def quantities(self) -> QuantityAlignment:
        """Alignment of the quantities of both texts."""
        return align_quantities(self.original, self.paraphrase)

    @cached_property
    def has_same_numbers(self) -> bool:
        """Whether both texts state the same numbers in the same order."""
        before, after = ([quantity.value for quantity in text.quantities] for text in (self.original, self.paraphrase))
        return before == after

    @cached_property
    def old_words(self) -> Counter[str]:
        """Number of occurrences of each word in the original, by key."""
        return Counter(self._keys[0])

    @cached_property
    def new_words(self) -> Counter[str]:
        """Number of occurrences of each word in the paraphrase, by key."""
        return Counter(self._keys[1])


def read_pair(original: str, paraphrase: str) -> Pair:
    """Parse both texts; a name found in one text is recognised in the other as well."""
    before = read(original)
    original_names = tuple(dict.fromkeys(name.text for name in before.entities))
    after = read(paraphrase, original_names)
    paraphrase_names = tuple(dict.fromkeys(name.text for name in after.entities))
    if not set(paraphrase_names) <= set(original_names):
        before = replace(before, entities=tuple(find_entities(original, paraphrase_names)))
    return Pair(before, after)
