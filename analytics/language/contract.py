"""What a language is: a folder of `analytics.language` whose modules have the members below, and a row in `table`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from analytics.language.mentions import ClockTime, NumberMention, NumeralForm, UnitPlace


class Numbers(Protocol):
    """``numbers.py``: numbers in words."""

    MINUS: str
    """Regular expression of what a negative number has before it, in words."""

    PERCENT: tuple[str, ...]
    """Names of the per cent sign after a number."""

    NUMBER_WORD: str
    """Regular expression of a word with which an amount begins."""

    INDEFINITE: re.Pattern[str]
    """A number word that counts nothing where something is computed."""

    DIGIT_FORMS: tuple[NumeralForm, ...]
    """Ways to write a number that join digits and words; each begins with a digit."""

    def find_number_words(self, text: str) -> Iterator[NumberMention]:
        """Yield the numbers in words."""

    def around_digits(self, text: str, mention: NumberMention) -> NumberMention:
        """Return a number in digits with the words that scale it."""


class ClockTimes(Protocol):
    """``clock_times.py``: times of day and periods."""

    def find_clock_times(self, text: str) -> Iterator[ClockTime]:
        """Yield the times of day of a text."""

    def written_clock_time(self, minutes: int, *, with_half: bool) -> str:
        """Return a time of day as it is written."""

    def written_period(self, hours: int, minutes: int) -> str:
        """Return a period in words."""


class Units(Protocol):
    """``units.py``: units in words."""

    def find_unit_words(self, text: str) -> Iterator[UnitPlace]:
        """Yield the units of a text; of two at one place the longer is kept."""

    def asked_unit(self, question: str) -> str:
        """Return the unit in which a question asks for a quantity; empty if it names none."""

    def name_of(self, unit: str) -> str:
        """Return the name of a unit for more than one; empty if it has none."""


class Clauses(Protocol):
    """``clauses.py``: where sentences end, and which of them ask."""

    ABBREVIATIONS: str
    """Regular expression of abbreviations whose full stop ends no sentence."""

    ASKS: re.Pattern[str]
    """What a clause that asks has, apart from a question mark."""


class Words(Protocol):
    """``words.py``: words by what they say."""

    COMMON: frozenset[str]
    """Words without which few sentences are written."""

    EMPTY: frozenset[str]
    """Words that say that there is a question, and nothing about what."""

    ONLY_IN_PHRASES: frozenset[str]
    """Words that say something only together with another word."""

    def search_word(self, word: str) -> str:
        """Return the form of a word in small letters under which it is found."""


class QuestionShapes(Protocol):
    """``question_shapes.py``: what questions ask for, and how their parts are put in another order."""

    PART_END: re.Pattern[str]
    """Where a part of a problem ends, apart from the ends of its sentences."""

    QUESTION: re.Pattern[str]
    """What the last part of a problem has if it asks."""

    ORDER: re.Pattern[str]
    """How a question begins that ends with a full stop."""

    QUESTION_MARK: str
    FULL_STOP: str

    NAMES_IN_RATIO: re.Pattern[str]
    """Names of two or three things in a ratio, as groups."""

    def asks_for_count(self, text: str) -> bool:
        """Return whether a text asks, at last, how many things there are."""

    def asks_no_number(self, question: str, clause: str) -> bool:
        """Return whether a question, or its last clause, has no number as its answer."""


class Relations(Protocol):
    """``relations.py``: clauses that state relations between numbers, by what they say."""

    QUESTIONS: tuple[tuple[str, str], ...]
    STATEMENTS: tuple[tuple[str, str], ...]
    """Kinds of clauses, and regular expressions of one as a whole; numbers are ``#0``, ``#1``."""

    TIMES_OF_AGE: tuple[tuple[int, re.Pattern[str]], ...]
    """1 for a clause about a later time, -1 about an earlier one, 0 about that of an event."""

    UNKNOWN_TIME: re.Pattern[str]
    TWO_TIMES: re.Pattern[str]
    FUTURE: re.Pattern[str]
    OLD: re.Pattern[str]
    SUPERLATIVES: tuple[tuple[str, re.Pattern[str]], ...]
    EVERYONE: re.Pattern[str]
    TWO_NUMBERS: re.Pattern[str]
    THERE: re.Pattern[str]
    """Who stands in a clause for all of the story, for two numbers, for nobody."""

    MATTERS: re.Pattern[str]
    MAY_BE_LEFT: re.Pattern[str]
    """What a clause that is not read may not have; clauses beside others that need not be read."""

    ASKED_BEFORE: re.Pattern[str]
    """What stands before a unit that is asked for."""

    UNIT: str
    """What is read in place of a unit that is asked for."""

    REST: re.Pattern[str]
    OF_WHOLE: frozenset[str]
    WHOLES: frozenset[str]
    PAST: re.Pattern[str]
    HAS: re.Pattern[str]
    ASKS_REST: re.Pattern[str]
    UNMEASURED: str
    LIMBS: dict[str, dict[str, int]]
    """How many legs or wheels each thing has, by their name."""

    HEADS: frozenset[str]
    COINS: dict[str, int]
    """What coins with a name of their own are worth, in the smallest unit."""

    PRONOUNS: frozenset[str]
    WHO: frozenset[str]
    LESS: frozenset[str]
    PEOPLE: frozenset[str]
    PEOPLE_PARTS: frozenset[str]
    FACTORS: dict[str, int]

    def tidied(self, clause: str) -> str:
        """Return a clause without words that say nothing about numbers."""

    def splits(self, sentence: str) -> list[tuple[str, str]]:
        """Return how a sentence may be two clauses."""

    def retold(self, text: str) -> str:
        """Return a text with days as owners where one person does the same on several."""

    def with_subject(self, clause: str) -> str:
        """Return a clause that lacks its subject with a pronoun as that."""

    def name_of(self, words: str) -> tuple[str, str]:
        """Return the owner and the thing that a noun phrase names, each of them perhaps empty."""

    def thing_of(self, words: str) -> str:
        """Return what is counted or measured, from a noun phrase."""

    def attribute(self, word: str) -> str:
        """Return what a verb or an adjective measures; empty if it says none."""

    def action(self, verb: str) -> str:
        """Return what is done; empty where something is or is had."""

    def is_thing(self, words: str) -> bool:
        """Return whether a noun phrase names things that are counted, rather than who has them."""

    def content(self, words: str) -> frozenset[str]:
        """Return the words that tell one part from another."""

    def alike(self, names: list[str]) -> list[str]:
        """Return names with the noun that only the last one has."""

    def listed(self, words: str) -> list[str]:
        """Return the noun phrases of a list."""


@dataclass(frozen=True, eq=False)
class Language:
    """A language: equal to itself alone, so that what is compiled of a table of languages is found fast.

    Attributes:
        code: ISO 639-1.
        name: in English.
        marks: what a text of this language has and no text of another; the first language of the table needs none.
        space: what separates a number and its unit, and between sentences.
        numbers, clock_times, units, clauses, words, question_shapes, relations: the modules of its folder.
    """

    code: str
    name: str
    marks: re.Pattern[str]
    space: str
    numbers: Numbers
    clock_times: ClockTimes
    units: Units
    clauses: Clauses
    words: Words
    question_shapes: QuestionShapes
    relations: Relations
