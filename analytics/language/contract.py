"""Definition of a language: a folder of this package with the modules below, and a row in `analytics.languages`.

The classes at the end describe the statements that a language's ``statements.py`` provides for reversing problems.
Torch-free.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from analytics.language.mentions import ClockTime, NumberMention, NumeralForm, UnitPlace


class Numbers(Protocol):
    """``numbers.py``: numbers in words, times of day and durations."""

    MINUS: str
    """Regular expression of the words before a negative number."""

    PERCENT: tuple[str, ...]
    """Names of the percent sign after a number."""

    NUMBER_WORD: str
    """Regular expression of a word that begins an amount."""

    INDEFINITE: re.Pattern[str]
    """A number word that does not count as a number in a computation."""

    DIGIT_FORMS: tuple[NumeralForm, ...]
    """Ways of writing a number that combine digits and words; each begins with a digit."""

    def find_number_words(self, text: str) -> Iterator[NumberMention]:
        """Yield the numbers in words."""

    def around_digits(self, text: str, mention: NumberMention) -> NumberMention:
        """Return a number in digits, extended by the words that scale it."""

    def find_clock_times(self, text: str) -> Iterator[ClockTime]:
        """Yield the times of day of a text."""

    def written_clock_time(self, minutes: int, *, with_half: bool) -> str:
        """Return a time of day as text."""

    def written_period(self, hours: int, minutes: int) -> str:
        """Return a duration in words."""


class Units(Protocol):
    """``units.py``: units in words."""

    def find_unit_words(self, text: str) -> Iterator[UnitPlace]:
        """Yield the units of a text; of two at the same place, the longer is kept."""

    def asked_unit(self, question: str) -> str:
        """Return the unit in which a question asks for a quantity; empty if it names none."""

    def name_of(self, unit: str) -> str:
        """Return the plural name of a unit; empty if it has none."""


class Words(Protocol):
    """``words.py``: words by their role, where sentences end, what questions ask for, how their parts are reordered."""

    COMMON: frozenset[str]
    """Words that occur in nearly every sentence."""

    EMPTY: frozenset[str]
    """Words that show that there is a question, but not what it is about."""

    ONLY_IN_PHRASES: frozenset[str]
    """Words that carry meaning only in a phrase."""

    def search_word(self, word: str) -> str:
        """Return the form of a lower-case word under which it is indexed."""

    ABBREVIATIONS: str
    """Regular expression of abbreviations whose full stop does not end a sentence."""

    ASKS: re.Pattern[str]
    """Signs of a clause that asks something, apart from a question mark."""

    PART_END: re.Pattern[str]
    """Where a part of a problem ends, apart from sentence ends."""

    QUESTION: re.Pattern[str]
    """Sign that the last part of a problem asks something."""

    ORDER: re.Pattern[str]
    """Beginning of a question that ends with a full stop."""

    QUESTION_MARK: str
    FULL_STOP: str

    NAMES_IN_RATIO: re.Pattern[str]
    """Names of two or three things in a ratio, as groups."""

    def asks_for_count(self, text: str) -> bool:
        """Return whether a text finally asks how many things there are."""

    def asks_no_number(self, question: str, clause: str) -> bool:
        """Return whether a question, or its last clause, has an answer that is not a number."""


class Relations(Protocol):
    """``relations.py``: clauses that state relations between numbers, by kind."""

    QUESTIONS: tuple[tuple[str, str], ...]
    STATEMENTS: tuple[tuple[str, str], ...]
    """Kinds of clauses, with a regular expression that matches a whole clause; numbers are ``#0``, ``#1``."""

    TIMES_OF_AGE: tuple[tuple[int, re.Pattern[str]], ...]
    """1 for a clause about a later time, -1 for an earlier one, 0 for the time of an event."""

    UNKNOWN_TIME: re.Pattern[str]
    TWO_TIMES: re.Pattern[str]
    FUTURE: re.Pattern[str]
    OLD: re.Pattern[str]
    SUPERLATIVES: tuple[tuple[str, re.Pattern[str]], ...]
    EVERYONE: re.Pattern[str]
    TWO_NUMBERS: re.Pattern[str]
    THERE: re.Pattern[str]
    """Words in a clause that refer to everyone in the story, to two numbers, and to nobody."""

    MATTERS: re.Pattern[str]
    MAY_BE_LEFT: re.Pattern[str]
    """What an unparsed clause must not contain; clauses that need not be parsed if they stand beside others."""

    ASKED_BEFORE: re.Pattern[str]
    """What precedes a unit that is asked for."""

    UNIT: str
    """Placeholder for a unit that is asked for."""

    REST: re.Pattern[str]
    OF_WHOLE: frozenset[str]
    WHOLES: frozenset[str]
    PAST: re.Pattern[str]
    HAS: re.Pattern[str]
    ASKS_REST: re.Pattern[str]
    UNMEASURED: str
    LIMBS: dict[str, dict[str, int]]
    """Number of legs or wheels by the name of the thing."""

    HEADS: frozenset[str]
    COINS: dict[str, int]
    """Values of coins with a name of their own, in the smallest unit."""

    PRONOUNS: frozenset[str]
    WHO: frozenset[str]
    LESS: frozenset[str]
    PEOPLE: frozenset[str]
    PEOPLE_PARTS: frozenset[str]
    FACTORS: dict[str, int]

    def tidied(self, clause: str) -> str:
        """Return a clause without words that are irrelevant to its numbers."""

    def splits(self, sentence: str) -> list[tuple[str, str]]:
        """Return the possible splits of a sentence into two clauses."""

    def retold(self, text: str) -> str:
        """Return a text in which days replace a person as owners, if they do the same thing on several days."""

    def with_subject(self, clause: str) -> str:
        """Return a clause with a pronoun added as its subject."""

    def name_of(self, words: str) -> tuple[str, str]:
        """Return the owner and the thing that a noun phrase names; either may be empty."""

    def thing_of(self, words: str) -> str:
        """Return what a noun phrase counts or measures."""

    def attribute(self, word: str) -> str:
        """Return what a verb or an adjective measures; empty if it measures nothing."""

    def action(self, verb: str) -> str:
        """Return the action of a verb; empty if it only means being or having."""

    def is_thing(self, words: str) -> bool:
        """Return whether a noun phrase names things that are counted, rather than their owner."""

    def content(self, words: str) -> frozenset[str]:
        """Return the words that distinguish one part from another."""

    def alike(self, names: list[str]) -> list[str]:
        """Return names completed with the noun that only the last one has."""

    def listed(self, words: str) -> list[str]:
        """Return the noun phrases of a list."""


@dataclass(frozen=True, eq=False)
class Language:
    """A language; compares by identity, so that looking up what was compiled for a table of languages is fast.

    Attributes:
        code: ISO 639-1.
        name: in English.
        marks: pattern found only in texts of this language; the first language of the table needs none.
        space: separator between a number and its unit, and between sentences.
        numbers, units, words, relations: the modules of its folder.
    """

    code: str
    name: str
    marks: re.Pattern[str]
    space: str
    numbers: Numbers
    units: Units
    words: Words
    relations: Relations


_MOST_PLACES = 4
_LONGEST = 12


class NotReversibleError(ValueError):
    """The text cannot be reversed; the message is the reason, by which failures are counted."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence or clause of a problem.

    Attributes:
        text: without its final punctuation.
        mark: the punctuation that ends it.
        start: its offset in the problem's text.
    """

    text: str
    mark: str
    start: int


def number_text(value: Fraction, language: str) -> str:
    """Format a number as problems write it: whole, as a short decimal, or in Chinese as Math23K's ``(2/3)``.

    >>> number_text(Fraction(5, 2), "en"), number_text(Fraction(2, 3), "zh")
    ('2.5', '(2/3)')

    Raises:
        NotReversibleError: it is negative, too long, or (in English) not a short decimal.
    """
    if value < 0:
        raise NotReversibleError("the answer is negative")
    if value >= 10**_LONGEST:
        raise NotReversibleError("the answer has too many digits")
    decimal = f"{float(value):.{_MOST_PLACES}f}".rstrip("0").rstrip(".")
    if Fraction(decimal) != value:
        if language != "zh" or value.denominator > 10_000:
            raise NotReversibleError("the answer has too many digits")
        decimal = f"({value.numerator}/{value.denominator})"
    if len(decimal) > _LONGEST:
        raise NotReversibleError("the answer has too many digits")
    return decimal
