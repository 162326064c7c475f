"""A parsed text: its words, quantities, bare units, names and sentences, with their spans."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from analytics.language.en.units import WORDS
from analytics.language.mentions import ABBREVIATIONS, NumberMention
from analytics.paraphrase.words.entities import EntityMention, find_entities, mentions_of
from analytics.paraphrase.words.wording import STOP_WORDS, canonical, rows_of, shared_share
from analytics.text.clauses import Clause, split_sentences
from analytics.text.numbers import find_numbers
from analytics.text.units import UnitMention, find_units


@dataclass(frozen=True, slots=True)
class Word:
    """A word with its span; `key` is shared by its forms and safe synonyms."""

    start: int
    end: int
    text: str
    key: str


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with the unit that belongs to it.

    Attributes:
        start, end: span of number and unit together.
        number: span of the number alone.
        measure: the number's unit.
        nouns: keys of the following words that name what is counted, at most three.
        is_weak: "one", "the two", an ordinal: losing or adding it alone is not significant.
        is_ordinal: it is a rank, not an amount ("the 3rd", "a third set", "the first half").
        is_inverse: it divides ("divided by 3", "3 times fewer").
    """

    start: int
    end: int
    text: str
    value: Fraction
    number: tuple[int, int]
    measure: UnitMention | None = None
    nouns: tuple[str, ...] = ()
    is_weak: bool = False
    is_ordinal: bool = False
    is_inverse: bool = False

    @property
    def unit(self) -> str:
        """Pint's name of the unit; empty if there is none."""
        return self.measure.unit if self.measure else ""

    @property
    def dimension(self) -> str:
        """Dimension of the unit; empty if there is none."""
        return self.measure.dimension if self.measure else ""


@dataclass(frozen=True)
class Reading:
    """A text parsed for comparison by the findings.

    Attributes:
        bare_units: units without a number.
        implied: "an hour", "a full cup": quantities of one without a number.
        unit_words: units implied by other words: daily, square footage.
    """

    text: str
    words: tuple[Word, ...]
    sentences: tuple[Clause, ...]
    quantities: tuple[Quantity, ...]
    bare_units: tuple[UnitMention, ...]
    implied: tuple[Quantity, ...]
    unit_words: frozenset[str]
    entities: tuple[EntityMention, ...]
    keys: frozenset[str]
    word_ends: tuple[int, ...]
    sentence_starts: tuple[int, ...]
    _surroundings: dict[int, Mapping[str, float]] = field(default_factory=dict, compare=False, repr=False)

    def sentence_of(self, place: int) -> int:
        """Return the index of the sentence that contains a position."""
        return max(bisect_right(self.sentence_starts, place) - 1, 0)

    def is_close_to(self, reading: Reading) -> bool:
        """Return whether the texts share most of their words; if not, a new word is more likely a synonym."""
        return shared_share(self.keys, reading.keys) >= _CLOSE

    def mentions(self, name: str) -> tuple[tuple[int, int], ...]:
        """Return the spans of a name in the text."""
        return mentions_of(name, self.text)

    def word_at(self, place: int) -> int:
        """Return the index of the first word that ends after a position."""
        return bisect_right(self.word_ends, place)

    def surroundings(self, quantity: Quantity) -> Mapping[str, float]:
        """Return weights of the words around a quantity in its sentence: near words and what it counts weigh most.

        The weights form a vector of length 1, unless there are no words.
        """
        if quantity.start not in self._surroundings:
            self._surroundings[quantity.start] = self._weigh_words_around(quantity)
        return self._surroundings[quantity.start]

    def _weigh_words_around(self, quantity: Quantity) -> Mapping[str, float]:
        at = self.word_at(quantity.start)
        sentence = self.sentences[self.sentence_of(quantity.start)]
        weights: dict[str, float] = {}
        for index in range(max(at - _WINDOW, 0), min(at + _WINDOW + 2, len(self.words))):
            word = self.words[index]
            if not sentence.start <= word.start < sentence.end or quantity.start <= word.start < quantity.end:
                continue
            weight = 1 / (1 + abs(index - at)) * (0.2 if word.text.lower() in STOP_WORDS else 1)
            weights[word.key] = max(weights.get(word.key, 0), weight)
        for noun in quantity.nouns:
            weights[noun] = weights.get(noun, 0) + 1
        length = math.sqrt(sum(weight**2 for weight in weights.values()))
        return {key: weight / length for key, weight in weights.items()}


_CLOSE = 0.6  # share of common words
_WINDOW = 6  # words on each side of a quantity
_WORD = re.compile(r"[A-Za-z]+(?:[-'’][A-Za-z]+)*")
_POWER_OR_MINUTES = re.compile(r"(?:\b(?:km|cm|dm|mm)|(?:\d\s?|\bin\s)(?:m|ft|in|yd|mi))\s?\^\s?\{?$|\d:$")
TIMES = {word: Fraction(value) for value, *words in rows_of("times") for word in words}
"""Maps words that multiply to their factors."""

_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")
_BETWEEN = re.compile(r"[\s~-]{0,2}|\s?\\[,; ]")
_BEHIND_FRACTION = re.compile(r"\s(?:of\s)?an?\s")
_PART = re.compile(r"\b(?:first|second|other|latter|last|final|remaining)\s$", re.IGNORECASE)
_FEW = (2, 3)
_THE = re.compile(r"\b(?:the|these|those|all|his|her|their|its|my|our)\s$", re.IGNORECASE)
_A_THIRD = re.compile(r"an? (?:third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)")
_NO_FRACTION = re.compile(
    r"\s(?!of|as|the|this|that|these|those|what|his|her|its|their|more|less|fewer)[a-z]+", re.IGNORECASE
)
_DIVIDED = re.compile(r"\bdivided by\s$", re.IGNORECASE)
_TIMES_FEWER = re.compile(r"\s+times\s+(?:fewer|less|smaller|shorter|slower|lighter|cheaper|younger)\b", re.IGNORECASE)
_RESULTS = frozenset({"score", "a score"})  # in a game or a test, far more often than 20
_ONE_UNIT = re.compile(
    r"\b(?:an?|each|every|per|full|whole|entire|single)[\s-]$|\b(?:first|initial|next|coming)\s$", re.IGNORECASE
)
UNIT_WORDS = {word: unit for unit, *words in rows_of("unit_words") for word in words}
"""Maps words that contain a unit to the unit: daily, footage."""
_NO_NOUN = STOP_WORDS | frozenset(
    str.split(
        "is are was were will can square cubic cost costs worth percent times time away ago old left respectively"
    )
)
_BREAK = re.compile(r"[.,;:?!()]")
_NOUNS = 3
_REACH = 8  # words after a number to search
_UNIT_NAMES = frozenset(WORDS) | frozenset(name for name in ABBREVIATIONS if name.isalpha())


def read(text: str, known: tuple[str, ...] = ()) -> Reading:
    """Parse a text.

    Args:
        known: names known from the other text of the pair.
    """
    words = tuple(Word(match.start(), match.end(), match[0], canonical(match[0])) for match in _WORD.finditer(text))
    units = find_units(text)
    quantities, bound = _quantities(text, words, units)
    sentences = tuple(split_sentences(text))
    return Reading(
        text=text,
        words=words,
        sentences=sentences,
        quantities=quantities,
        bare_units=tuple(unit for unit in units if unit.start not in bound),
        implied=_implied(text, units, bound),
        unit_words=frozenset(UNIT_WORDS[word.text.lower()] for word in words if word.text.lower() in UNIT_WORDS),
        entities=tuple(find_entities(text, known)),
        keys=frozenset(word.key for word in words),
        word_ends=tuple(word.end for word in words),
        sentence_starts=tuple(sentence.start for sentence in sentences),
    )


def _quantities(text: str, words: tuple[Word, ...], units: list[UnitMention]) -> tuple[tuple[Quantity, ...], set[int]]:
    numbers: list[NumberMention] = [
        mention
        for mention in find_numbers(text)
        if mention.text.lower() not in _RESULTS and not _is_no_amount(text, mention)
    ]
    taken = [(mention.start, mention.end) for mention in numbers]
    for word in words:
        times = TIMES.get(word.text.lower())
        if times and not any(start < word.end and word.start < end for start, end in taken):
            numbers.append(NumberMention(word.start, word.end, word.text, times))
    numbers.sort(key=lambda mention: mention.start)
    starts = [word.start for word in words]
    quantities: list[Quantity] = []
    bound: set[int] = set()
    for number in numbers:
        unit = _unit_of(text, number, units, bound)
        start, end = number.start, number.end
        ordinal = _is_ordinal(text, number, unit)
        if unit is not None:
            bound.add(unit.start)
            start, end = min(start, unit.start), max(end, unit.end)
        quantities.append(
            Quantity(
                start=start,
                end=end,
                text=text[start:end],
                value=number.value,
                number=(number.start, number.end),
                measure=unit,
                nouns=_nouns(text, words[bisect_right(starts, end - 1) :][:_REACH], end),
                is_weak=ordinal or _is_weak(text, number),
                is_ordinal=ordinal,
                is_inverse=_TIMES_FEWER.match(text, number.end) is not None
                or _DIVIDED.search(text[max(number.start - 12, 0) : number.start]) is not None,
            )
        )
    return tuple(quantities), bound


def _is_no_amount(text: str, number: NumberMention) -> bool:
    """Return whether a number is the power of a unit (cm^2), or the minutes of a full hour (6:00)."""
    behind = _POWER_OR_MINUTES.search(text[max(number.start - 10, 0) : number.start])
    return behind is not None and (number.text in {"2", "3"} if "^" in behind[0] else number.text == "00")


def _is_weak(text: str, number: NumberMention) -> bool:
    word = number.text.lower()
    return (
        word == "one"
        or (word == "1" and text.startswith(" of ", number.end))
        or (number.value in _FEW and _THE.search(text[max(number.start - 6, 0) : number.start]) is not None)
    )


def _is_ordinal(text: str, number: NumberMention, unit: UnitMention | None) -> bool:
    word = number.text.lower()
    if word == "half":
        return _PART.search(text[max(number.start - 10, 0) : number.start]) is not None
    if _A_THIRD.fullmatch(word):
        return unit is None and _NO_FRACTION.match(text, number.end) is not None
    return _ORDINAL.match(text, number.end) is not None


def _implied(text: str, units: list[UnitMention], bound: set[int]) -> tuple[Quantity, ...]:
    return tuple(
        Quantity(unit.start, unit.end, unit.text, Fraction(1), (unit.start, unit.end), unit, is_weak=True)
        for unit in units
        if unit.start not in bound and _ONE_UNIT.search(text[max(unit.start - 9, 0) : unit.start])
    )


def _unit_of(text: str, number: NumberMention, units: list[UnitMention], bound: set[int]) -> UnitMention | None:
    for unit in units:
        if unit.start in bound:
            continue
        if unit.end <= number.start and not text[unit.end : number.start].strip() and unit.dimension == "money":
            return unit
        if unit.start >= number.end:
            gap = _BETWEEN.fullmatch(text, number.end, unit.start)
            if not gap and number.value < 1:
                gap = _BEHIND_FRACTION.fullmatch(text, number.end, unit.start)
            return unit if gap else None
    return None


def _nouns(text: str, words: tuple[Word, ...], end: int) -> tuple[str, ...]:
    """Return the keys of the next words, up to punctuation or a word that cannot be part of a noun phrase."""
    nouns: list[str] = []
    at = end
    for word in words:
        if _BREAK.search(text, at, word.start) or len(nouns) == _NOUNS:
            break
        at = word.end
        if word.text.lower() == "of" and not nouns:
            continue
        if word.text.lower() in {"more", "fewer", "less", "the", "these", "those", "his", "her", "their"} and not nouns:
            continue
        if word.text.lower() in _NO_NOUN or word.text.lower() in _UNIT_NAMES:
            break
        nouns.append(word.key)
    return tuple(nouns)
