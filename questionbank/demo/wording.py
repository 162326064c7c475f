"""People, things and sentences: everything a word problem needs to be good English for every draw."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import TypeVar

__all__ = ["Draw", "Noun", "Person", "Unsuitable", "article", "cap", "listing", "ordinal", "word"]

T = TypeVar("T")


class Unsuitable(Exception):
    """The numbers drawn do not make a sensible question; the bank draws again."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in a word problem; formats as the name."""

    name: str
    he: str
    him: str
    his: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Noun:
    """A countable thing. Calling it with a number gives ``1 box`` or ``3 boxes``; it formats as its plural."""

    one: str
    many: str = ""

    def __call__(self, number: int | str) -> str:
        shown = f"{number:,}" if isinstance(number, int) and number >= 10_000 else str(number)
        return f"{shown} {self.one if shown == '1' else self}"

    def __str__(self) -> str:
        return self.many or f"{self.one}s"


def article(noun: str) -> str:
    """Return the noun with ``a`` or ``an``."""
    vowel_sound = noun[0].lower() in "aeiou" and not noun.lower().startswith(("uni", "use", "one", "eu"))
    return f"{'an' if vowel_sound or noun.startswith(('8', '11 ', '18', 'hour')) else 'a'} {noun}"


def cap(sentence: str) -> str:
    """Return the sentence with its first letter in upper case."""
    return sentence[:1].upper() + sentence[1:]


def listing(parts: Sequence[str], joiner: str = "and") -> str:
    """Return ``a, b and c``."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {joiner} {parts[-1]}"


def ordinal(number: int) -> str:
    """Return ``1st``, ``2nd``, ``3rd``, ``11th``."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


_WORDS = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)


def word(number: int) -> str:
    """Return a number up to twelve in words."""
    return _WORDS[number]


_SHE = (
    "Aaliyah Amara Ana Beatriz Chloe Dilnoza Elif Emma Fatima Freya Hana Ingrid Isla Jasmine Keiko "
    "Leila Lucia Mei Miriam Nadia Ngozi Noor Olivia Priya Rosa Sakura Sofia Tala Wanjiru Yael Zainab "
    "Zofia"
).split()
_HE = (
    "Ahmed Arjun Ben Bilal Carlo Daniel Diego Emeka Farid Finn George Hiroshi Hugo Ibrahim Jamal "
    "Jonah Kofi Liam Mateo Minh Nikolai Oliver Omar Pablo Rafael Ravi Samuel Tariq Theo Victor Wei "
    "Yusuf"
).split()
_PEOPLE = tuple(
    [Person(name, "she", "her", "her") for name in _SHE] + [Person(name, "he", "him", "his") for name in _HE]
)


class Draw:
    """The random choices of one item, from one seeded generator."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._met: list[Person] = []

    def whole(self, low: int, high: int, *, but: Sequence[int] = ()) -> int:
        """Return an integer from `low` to `high`, none of those in `but`."""
        while True:
            value = self._rng.randint(low, high)
            if value not in but:
                return value

    def several(self, count: int, low: int, high: int, *, but: Sequence[int] = ()) -> list[int]:
        """Return `count` different integers from `low` to `high` in random order."""
        return self._rng.sample([value for value in range(low, high + 1) if value not in but], count)

    def fraction(self, largest: int = 12) -> Fraction:
        """Return a proper fraction in lowest terms, its denominator from 3 to `largest`."""
        bottom = self.whole(3, largest)
        return Fraction(self.one_of(*(top for top in range(1, bottom) if math.gcd(top, bottom) == 1)), bottom)

    def one_of(self, *options: T) -> T:
        """Return one of the options."""
        return self._rng.choice(options)

    def sample(self, options: Sequence[T], count: int) -> list[T]:
        """Return `count` different ones of the options, in random order."""
        return self._rng.sample(options, count)

    def shuffled(self, values: Sequence[T]) -> list[T]:
        """Return the values in random order."""
        return self._rng.sample(values, len(values))

    def chance(self, probability: float = 0.5) -> bool:
        """Return True with the given probability."""
        return self._rng.random() < probability

    def person(self) -> Person:
        """Return somebody who is not in the question yet."""
        person = self._rng.choice([somebody for somebody in _PEOPLE if somebody not in self._met])
        self._met.append(person)
        return person

    def people(self, count: int) -> list[Person]:
        """Return different people."""
        return [self.person() for _ in range(count)]

    @staticmethod
    def require(condition: object) -> None:
        """Ask for another draw unless the condition holds.

        Raises:
            Unsuitable: it does not hold.
        """
        if not condition:
            raise Unsuitable
