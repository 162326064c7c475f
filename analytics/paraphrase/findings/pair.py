"""A question and its paraphrase, parsed and aligned once, and the finding: what the paraphrase lost, added or changed.

All rules of the findings use the alignment. Of the numbers, the following count as equal: a number in digits and in
words, "twice" and "two times", 50% and one half, 0.333 and a third, "3 times fewer" and "a third", and a quantity
converted into another unit (2 hours, 120 minutes; 60 minutes, an hour).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal

from rapidfuzz.distance import Levenshtein

from analytics.errors import DataError
from analytics.paraphrase.words.entities import EntityMention, find_entities
from analytics.paraphrase.words.reading import TIMES, Quantity, Reading, Word, read
from analytics.text.units import UnitMention, convert_quantity

Kind = Literal["number", "unit", "entity", "comparison", "target", "wording"]
Change = Literal["lost", "added", "changed"]
Span = tuple[int, int]
"""Start and end in a text, in characters."""


@dataclass(frozen=True, slots=True)
class Words:
    """Words at a span of a text."""

    start: int
    end: int
    text: str

    @classmethod
    def at(cls, span: Span, text: str) -> Words:
        """Return the words at a span of a text."""
        return cls(*span, text[slice(*span)])


Mention = Words | Word | Quantity | EntityMention | UnitMention


@dataclass(frozen=True, slots=True)
class Finding:
    """A difference in content between a paraphrase and its original.

    Attributes:
        original: its span in the original; None if nothing there corresponds.
        paraphrase: its span in the paraphrase; None if nothing there corresponds.
        sentence: description of the finding.
        before, after: the words at those spans.
        is_serious: whether the answer may change; other findings are only worth a look.
    """

    kind: Kind
    change: Change
    sentence: str
    original: Span | None = None
    paraphrase: Span | None = None
    before: str = ""
    after: str = ""
    is_serious: bool = True

    @classmethod
    def of(
        cls, kind: Kind, sentence: str, original: Mention | None, paraphrase: Mention | None, *, is_serious: bool = True
    ) -> Finding:
        """Return a finding with spans in both texts, or in only one of them."""
        return cls(
            kind,
            "lost" if paraphrase is None else "added" if original is None else "changed",
            sentence,
            original=(original.start, original.end) if original else None,
            paraphrase=(paraphrase.start, paraphrase.end) if paraphrase else None,
            before=original.text if original else "",
            after=paraphrase.text if paraphrase else "",
            is_serious=is_serious,
        )

    @classmethod
    def lost(cls, kind: Kind, mention: Mention, *, is_serious: bool = True) -> Finding:
        """Return a finding for content that only the original has."""
        return cls.of(kind, f"{mention.text} is missing.", mention, None, is_serious=is_serious)

    @classmethod
    def added(cls, kind: Kind, mention: Mention, *, is_serious: bool = True) -> Finding:
        """Return a finding for content that only the paraphrase has."""
        return cls.of(kind, f"{mention.text} was added.", None, mention, is_serious=is_serious)

    def as_dict(self) -> dict[str, object]:
        """Return the finding as plain values."""
        return asdict(self)


_ALIKE = 0.5  # similarity of contexts required for a changed number
_SAME_PLACE = 0.4
_MOST_PLACES = 12  # of a decimal


@dataclass(frozen=True, slots=True)
class Match:
    """A quantity of the original and the equal one of the paraphrase."""

    original: Quantity
    paraphrase: Quantity


@dataclass(frozen=True, slots=True)
class QuantityAlignment:
    """Alignment of quantities.

    Attributes:
        matches: equal quantities.
        other_units: equal numbers whose units differ.
        changed: numbers that became other numbers.
        lost: quantities only in the original.
        added: quantities only in the paraphrase.
    """

    matches: tuple[Match, ...]
    other_units: tuple[Match, ...]
    changed: tuple[Match, ...]
    lost: tuple[Quantity, ...]
    added: tuple[Quantity, ...]

    @property
    def same_values(self) -> tuple[Match, ...]:
        """Matches, and those that differ only in their units."""
        return self.matches + self.other_units


def align_quantities(original: Reading, paraphrase: Reading) -> QuantityAlignment:
    """Match the quantities of both texts: equal ones first, then the rest by context."""
    left, right = list(original.quantities), list(paraphrase.quantities)
    matches: list[Match] = []
    for rule in (_equal, _equal_number, _equal_converted, _equal_rounded, _equal_inverse):
        matches += _paired(original, paraphrase, left, right, rule)
    other_units = _paired(original, paraphrase, left, right, _same_value)
    _paired(original, paraphrase, left, list(paraphrase.implied), _equal_implied)
    _paired(original, paraphrase, list(original.implied), right, _equal_implied)
    changed = _changed(original, paraphrase, left, right, matches + other_units)
    return QuantityAlignment(tuple(matches), tuple(other_units), tuple(changed), tuple(left), tuple(right))


def _equal(old: Quantity, new: Quantity) -> bool:
    return old.value == new.value and old.unit == new.unit


def _equal_number(old: Quantity, new: Quantity) -> bool:
    return old.value == new.value and (not old.unit or not new.unit)


def _equal_converted(old: Quantity, new: Quantity) -> bool:
    if old.unit == new.unit or not old.dimension or old.dimension != new.dimension:
        return False
    try:
        return convert_quantity(old.value, old.unit, new.unit) == new.value
    except DataError:
        return False


def _equal_rounded(old: Quantity, new: Quantity) -> bool:
    are_whole = old.value.denominator == new.value.denominator == 1
    if are_whole or (old.unit and new.unit and old.unit != new.unit):
        return False
    return _rounds_to(old.value, new.value) or _rounds_to(new.value, old.value)


def _rounds_to(exact: Fraction, decimal: Fraction) -> bool:
    """Return whether a decimal of two or more places is a rounded form of a non-terminating fraction: 0.667 of 2/3."""
    places = next((places for places in range(_MOST_PLACES) if (decimal * 10**places).denominator == 1), 0)
    has_no_end = 10**_MOST_PLACES % exact.denominator != 0
    return places > 1 and has_no_end and abs(exact - decimal) * 10**places < 1


def _equal_inverse(old: Quantity, new: Quantity) -> bool:
    return old.is_inverse != new.is_inverse and old.value * new.value == 1


def _equal_implied(old: Quantity, new: Quantity) -> bool:
    return _equal(old, new) or _equal_converted(old, new)


def _same_value(old: Quantity, new: Quantity) -> bool:
    return old.value == new.value


def _paired(
    original: Reading,
    paraphrase: Reading,
    left: list[Quantity],
    right: list[Quantity],
    rule: Callable[[Quantity, Quantity], bool],
) -> list[Match]:
    """Match quantities that satisfy a rule, most similar contexts first, and remove them from both lists."""
    pairs = [(old, new) for old in left for new in right if rule(old, new)]
    if not pairs:
        return []
    alone = len({old.start for old, _ in pairs}) == len({new.start for _, new in pairs}) == len(pairs)
    if not alone:
        pairs.sort(key=lambda pair: -_similarity(original.surroundings(pair[0]), paraphrase.surroundings(pair[1])))
    return _taken(pairs, left, right)


def _taken(pairs: Iterable[tuple[Quantity, Quantity]], left: list[Quantity], right: list[Quantity]) -> list[Match]:
    """Match the pairs in order, each quantity once, and remove the matched ones from both lists."""
    left_starts, right_starts = {quantity.start for quantity in left}, {quantity.start for quantity in right}
    matches = []
    for old, new in pairs:
        if old.start in left_starts and new.start in right_starts:
            left_starts.remove(old.start)
            right_starts.remove(new.start)
            matches.append(Match(old, new))
    left[:] = [quantity for quantity in left if quantity.start in left_starts]
    right[:] = [quantity for quantity in right if quantity.start in right_starts]
    return matches


def _similarity(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """Return the cosine of two contexts; 0 if either is empty."""
    return sum(weight * second[key] for key, weight in first.items() if key in second)


def _changed(
    original: Reading, paraphrase: Reading, left: list[Quantity], right: list[Quantity], same_values: list[Match]
) -> list[Match]:
    """Pair the remaining quantities by context: numbers that changed."""
    shared = [match.original for match in same_values]
    new_shared = [match.paraphrase for match in same_values]
    may_repeat = any(quantity.is_weak for quantity in (*left, *right))
    before = [(old, may_repeat and is_repeated(original, old, shared)) for old in left if not old.is_ordinal]
    after = [(new, may_repeat and is_repeated(paraphrase, new, new_shared)) for new in right if not new.is_ordinal]
    pairs = [
        (_likeness(original, old, paraphrase, new), old, new)
        for old, is_old_repeated in before
        for new, is_new_repeated in after
        if not (old.is_weak and (new.is_weak or is_new_repeated))
        if not (new.is_weak and is_old_repeated)
    ]
    pairs.sort(key=lambda pair: -pair[0])
    matches = _taken([(old, new) for alike, old, new in pairs if alike > _ALIKE], left, right)
    if len(left) == len(right) == 1:  # if only one is left on each side, they are paired wherever they are
        matches += _taken([(old, new) for _, old, new in pairs], left, right)
    return matches


def _likeness(original: Reading, old: Quantity, paraphrase: Reading, new: Quantity) -> float:
    alike = _similarity(original.surroundings(old), paraphrase.surroundings(new))
    return alike + (old.unit == new.unit) / 4


def is_repeated(reading: Reading, quantity: Quantity, matched: Iterable[Quantity]) -> bool:
    """Return whether the same quantity of the same things is elsewhere in the text, and matched there."""
    return any(
        candidate.value == quantity.value
        and candidate.text.lower() not in TIMES
        and (candidate.unit == quantity.unit or not candidate.unit or not quantity.unit)
        and (
            bool(set(quantity.nouns) & set(candidate.nouns))
            or _similarity(reading.surroundings(quantity), reading.surroundings(candidate)) > _SAME_PLACE
        )
        for candidate in matched
    )


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
