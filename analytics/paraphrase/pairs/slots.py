"""What stands in the slots of a scene: people, things, numbers, and quantities in forms that say the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from zlib import crc32

_MEN = str.split(
    "Adam Ali Amir Andy Arjun Ben Bob Boris Carl Chen Dan David Diego Emil Eric Finn Frank George Hamid"
    " Hans Henry Hugo Ian Ivan Jack Jacob James Jan Jay Joe John Juan Karl Ken Kofi Lars Leo Liam Luis"
    " Marco Mark Max Mike Milan Nick Noah Omar Oscar Otto Owen Pablo Paul Pedro Peter Raj Rob Sam Simon"
    " Stefan Steve Sven Theo Tim Tom Tony Victor Will Yusuf Zack"
)
_WOMEN = str.split(
    "Aisha Alice Amy Ana Anna Beth Carla Carol Chloe Clara Daisy Diana Elena Ella Emma Eva Fatima Gina"
    " Grace Hana Hannah Helen Ida Ines Iris Jane Jana Jill Judy Julia Karen Kate Kim Laila Laura Lena Lily"
    " Lisa Lucy Maria Mary Maya Mei Mia Molly Nadia Nina Nora Olga Pia Priya Rita Rosa Ruth Sally Sara"
    " Sofia Sonia Sue Tara Tina Vera Wendy Yara Zoe"
)
_THINGS = [
    tuple(row.split("/"))
    for row in str.split(
        "apple/apples orange/oranges pear/pears plum/plums egg/eggs nut/nuts roll/rolls cookie/cookies"
        " sweet/sweets cake/cakes stamp/stamps coin/coins card/cards marble/marbles sticker/stickers"
        " bead/beads button/buttons shell/shells stone/stones book/books comic/comics pen/pens pencil/pencils"
        " crayon/crayons brush/brushes candle/candles cup/cups plate/plates bottle/bottles chair/chairs"
        " lamp/lamps ball/balls toy/toys doll/dolls kite/kites balloon/balloons flower/flowers rose/roses"
        " tree/trees seed/seeds bulb/bulbs brick/bricks tile/tiles nail/nails screw/screws ticket/tickets"
        " badge/badges photo/photos poster/posters sock/socks hat/hats scarf/scarves glove/gloves shirt/shirts"
        " duck/ducks hen/hens goat/goats rabbit/rabbits sheep/sheep fish/fish puzzle/puzzles game/games"
        " letter/letters"
    )
]
_DAYS = str.split("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
_WORDS = str.split(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
)
QUANTITIES = "LWTMVHG"
"""The slots of lengths, weights, durations, prices, volumes and clock times."""

Form = tuple[str, ...]


def _decimal(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _length(rng: random.Random) -> Form:
    kind = rng.randrange(5)
    if kind == 0:
        km = rng.choice([0.5, 1.5, 2, 2.5, 3, 4.5, 5, 8, 1.2, 0.8])
        return (
            f"{_decimal(km)} km",
            f"{km * 1000:.0f} m",
            f"{_decimal(km)} kilometres",
            f"{km * 1000:,.0f} metres",
        )
    if kind == 1:
        m = rng.choice([0.5, 1.2, 1.5, 2, 2.4, 3, 3.5, 4, 6, 0.75])
        return f"{_decimal(m)} m", f"{m * 100:.0f} cm", f"{_decimal(m)} metres", f"{m * 100:.0f} centimetres"
    if kind == 2:
        feet = rng.randint(2, 12)
        return f"{feet} feet", f"{feet * 12} inches", f"{feet} ft"
    if kind == 3:
        miles = rng.randint(2, 40)
        return f"{miles} miles", f"{written_number(miles, rng, 1)} miles"
    cm = rng.randint(2, 90)
    return f"{cm} cm", f"{cm * 10} mm", f"{cm} centimetres"


def _weight(rng: random.Random) -> Form:
    kind = rng.randrange(3)
    if kind == 0:
        kg = rng.choice([0.5, 1.5, 2, 2.5, 3, 4, 5, 0.25, 0.75, 1.2])
        return (
            f"{_decimal(kg)} kg",
            f"{kg * 1000:.0f} g",
            f"{_decimal(kg)} kilograms",
            f"{kg * 1000:,.0f} grams",
        )
    if kind == 1:
        g = rng.randint(2, 90) * 10
        return f"{g} g", f"{_decimal(g / 1000)} kg", f"{g} grams"
    pounds = rng.randint(2, 30)
    return f"{pounds} pounds", f"{pounds * 16} ounces", f"{pounds} lb"


def _duration(rng: random.Random) -> Form:
    kind = rng.randrange(6)
    if kind == 0:
        hours = rng.randint(2, 8)
        return f"{hours} hours", f"{hours * 60} minutes", f"{_WORDS[hours]} hours", f"{hours} h"
    if kind == 1:
        hours = rng.randint(1, 4)
        name = "an" if hours == 1 else _WORDS[hours]
        return (
            f"{hours}.5 hours",
            f"{hours * 60 + 30} minutes",
            f"{name} and a half hours" if hours > 1 else "an hour and a half",
            f"{hours} {'hour' if hours == 1 else 'hours'} 30 minutes",
            f"{hours} h 30 min",
        )
    if kind == 2:
        return rng.choice(
            [
                ("half an hour", "30 minutes", "0.5 hours"),
                ("a quarter of an hour", "15 minutes", "0.25 hours"),
                ("three quarters of an hour", "45 minutes", "0.75 hours"),
            ]
        )
    if kind == 3:
        days = rng.randint(2, 9)
        return f"{days} days", f"{days * 24} hours", f"{_WORDS[days]} days"
    minutes = rng.randint(2, 50)
    return f"{minutes} minutes", f"{minutes} min", f"{minutes * 60} seconds"


def _price(rng: random.Random) -> Form:
    kind = rng.randrange(4)
    if kind == 0:
        cents = rng.randrange(15, 99, 5)
        return f"$0.{cents:02d}", f"{cents} cents"
    if kind == 1:
        cents = rng.randrange(110, 990, 5)
        return f"${cents / 100:.2f}", f"{cents} cents", f"{_decimal(cents / 100)} dollars"
    dollars = rng.choice([rng.randint(2, 99), rng.randint(10, 99) * 10, rng.randint(1, 30) * 1000])
    if kind == 2:
        return f"${dollars:,}", f"${dollars}", f"{dollars} dollars", f"{dollars:,} dollars"
    sign, name = rng.choice([("£", "pounds"), ("€", "euros"), ("$", "dollars")])
    return f"{sign}{dollars}", f"{dollars} {name}"


def _volume(rng: random.Random) -> Form:
    litres = rng.choice([0.5, 1.5, 2, 3, 4, 6, 10, 12, 0.25, 0.75, 40])
    return (
        f"{_decimal(litres)} litres",
        f"{litres * 1000:.0f} ml",
        f"{_decimal(litres)} l",
        f"{_decimal(litres)} liters",
    )


def _clock(rng: random.Random) -> Form:
    hour, minute = rng.randint(1, 23), rng.choice([0, 0, 15, 30, 45, 20, 10, 50])
    half, twelve = ("am" if hour < 12 else "pm"), (hour - 1) % 12 + 1
    forms = [
        f"{twelve}:{minute:02d} {half}",
        f"{hour}:{minute:02d}",
        f"{twelve}:{minute:02d} {half[0]}.m.",
        f"{hour:02d}:{minute:02d}",
    ]
    if minute == 0:
        forms.append(f"{twelve} {half}")
    if (hour, minute) == (12, 0):
        forms.append("noon")
    return tuple(forms)


_MAKE: dict[str, Callable[[random.Random], Form]] = {
    "L": _length, "W": _weight, "T": _duration, "M": _price, "V": _volume, "H": _clock, "G": _clock,
}  # fmt: skip


def written_number(value: int, rng: random.Random, in_words: float = 0.12) -> str:
    """Return a number in digits or, now and then, in words."""
    if value < len(_WORDS) and rng.random() < in_words:
        return _WORDS[value]
    return f"{value:,}" if value >= 1000 and rng.random() < 0.5 else str(value)


@dataclass(frozen=True)
class Values:
    """What stands in the slots of one problem.

    Attributes:
        people: slot -> (name, is a woman).
        quantities: slot -> forms that say the same.
        topics: seed of the things that the story is about.
    """

    numbers: Mapping[str, int]
    people: Mapping[str, tuple[str, bool]]
    things: Mapping[str, tuple[str, ...]]
    quantities: Mapping[str, Form]
    days: Mapping[str, str]
    topics: int = 0

    def topic_rank(self, word: str) -> int:
        """Return a rank of a thing that the story may be about; the same for the same problem."""
        return crc32(f"{self.topics}{word}".encode())

    def written(self, slot: str, rng: random.Random, *, in_words: bool = True) -> str:
        """Return the words of a slot; `in_words` allows number words."""
        if slot in self.numbers:
            return written_number(self.numbers[slot], rng, 0.12 if in_words and slot != "p" else 0)
        if slot in ("he", "his", "him", "him_B"):
            woman = self.people["B" if slot == "him_B" else "A"][1]
            return {"he": "she", "his": "her"}.get(slot, "her") if woman else slot[:3]
        if slot in self.people:
            return self.people[slot][0]
        if slot.rstrip("'") in self.things:
            return self.things[slot.rstrip("'")][0 if slot.endswith("'") else 1]
        if slot in self.days:
            return self.days[slot]
        forms = self.quantities[slot]
        return forms[0] if rng.random() < 0.5 else rng.choice(forms)

    def with_other_quantity(self, slot: str, rng: random.Random) -> Values:
        """Return the values with another quantity in a slot: another number, or another unit."""
        forms = self.quantities[slot]
        other = forms
        for _ in range(20):
            other = _MAKE[slot[0]](rng)
            if not set(other) & set(forms):
                break
        if slot[0] in "LW" and rng.random() < 0.4:
            number, _, unit = forms[0].partition(" ")
            units = {
                "km": "m",
                "m": "km",
                "cm": "m",
                "feet": "miles",
                "miles": "feet",
                "kg": "g",
                "g": "kg",
                "pounds": "ounces",
            }
            if unit in units:
                other = (f"{number} {units[unit]}",)
        return replace(self, quantities={**self.quantities, slot: other})

    def renamed(self, rng: random.Random) -> Values:
        """Return the values with other people."""
        return replace(self, people=_people(rng))


def _people(rng: random.Random) -> dict[str, tuple[str, bool]]:
    people: dict[str, tuple[str, bool]] = {}
    for slot in "ABC":
        woman = rng.random() < 0.5
        taken = {name for name, _ in people.values()}
        people[slot] = rng.choice([name for name in (_WOMEN if woman else _MEN) if name not in taken]), woman
    return people


def draw_values(ranges: Mapping[str, tuple[int, int]], rng: random.Random) -> Values:
    """Return values for every slot.

    Args:
        ranges: smallest and largest number of a slot, where it has bounds.
    """
    numbers: dict[str, int] = {}
    for slot in "nmkj":
        low, high = ranges.get(slot, rng.choice([(3, 20), (3, 60), (10, 99)]))
        number = rng.randint(low, high)
        for _ in range(9):
            if number not in numbers.values():
                break
            number = rng.randint(low, high)
        numbers[slot] = number
    if not ranges and rng.random() < 0.7:  # of a whole and its part, the whole comes first mostly
        numbers = dict(zip(numbers, sorted(numbers.values(), reverse=True), strict=True))
    numbers["p"] = rng.randrange(5, 95, 5)
    first, second = rng.sample(_THINGS, 2)
    quantities = {f"{kind}{suffix}": _MAKE[kind](rng) for kind in QUANTITIES for suffix in ("", "2", "3")}
    return Values(
        numbers,
        _people(rng),
        {"X": first, "Y": second},
        quantities,
        {"D": rng.choice(_DAYS)},
        topics=rng.getrandbits(32),
    )
