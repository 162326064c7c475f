"""Stories: word problems retold in several ways, and told so that they ask or say something else.

Each was written by hand. What people write is not what an operator makes: a retelling may share hardly a word with its
original, and a telling that differs in one small word may have another answer. A scorer learns both from here.

A file holds tables ``[[story]]``: ``numbers`` (slot -> ``"low..high"`` or ``"low..high by step"``), ``choices``
(slot -> words, or ``"singular|plural"`` for ``{x}`` and ``{xs}``), ``valid`` and ``invalid`` texts. ``{W}`` and
``{M}``, with 2 and 3 behind them, are women's and men's names.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from random import Random

from analytics.records import ParaphrasePair
from questionbank.demo.wording import Draw, Person

__all__ = ["Story", "load_stories", "story_pairs"]

_RANGE = re.compile(r"(\d+)\.\.(\d+)(?: by (\d+))?")
_NAMES = 3  # of each sex


@dataclass(frozen=True, slots=True)
class Story:
    """One word problem.

    Attributes:
        slug: unique among all stories.
        valid: texts that ask the same with the same numbers.
        invalid: texts that do not.
        numbers: slot -> the values that it may take.
        choices: slot -> singular and plural, equal where a word has one form.
    """

    slug: str
    valid: tuple[str, ...]
    invalid: tuple[str, ...]
    numbers: dict[str, range] = field(default_factory=dict)
    choices: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)


@lru_cache(maxsize=1)
def load_stories() -> tuple[Story, ...]:
    """Read all stories, in the order of the files' names."""
    return tuple(
        Story(
            slug=row["slug"],
            valid=tuple(row["valid"]),
            invalid=tuple(row["invalid"]),
            numbers={slot: _values(text) for slot, text in row.get("numbers", {}).items()},
            choices={
                slot: tuple(_forms(option) for option in options)
                for slot, options in row.get("choices", {}).items()
            },
        )
        for file in sorted(Path(__file__).parent.glob("*.toml"))
        for row in tomllib.loads(file.read_text(encoding="utf-8"))["story"]
    )


def story_pairs(seed: int = 2026, draws: int = 6) -> list[ParaphrasePair]:
    """Return the same pairs for the same seed: of each draw, one valid text with each other one, and each invalid one.

    A story's people and things are the same in all its draws, so that its texts can be recognised as one story's by
    everything but their numbers; the numbers, and the text that is the original, differ from draw to draw.

    Args:
        seed: names every story's random stream.
        draws: of each story.
    """
    return [pair for story in load_stories() for pair in _pairs(story, seed, draws)]


def _pairs(story: Story, seed: int, draws: int) -> Iterator[ParaphrasePair]:
    rng = Random(f"{seed}/stories/{story.slug}")
    fixed = _people(rng) | _things(story, rng)
    for turn in range(1, draws + 1):
        slots = fixed | _drawn(story, rng)
        valid = [text.format_map(slots) for text in story.valid]
        original = valid.pop(rng.randrange(len(valid)))
        for operator, label, texts in (
            ("retelling", 1, valid),
            ("another_story", 0, [text.format_map(slots) for text in story.invalid]),
        ):
            for text in texts:
                yield ParaphrasePair(f"story-{story.slug}-{turn}", original, text, label, operator)


def _people(rng: Random) -> dict[str, str]:
    draw = Draw(rng)
    names: dict[str, str] = {}
    for slot, he in (("W", "she"), ("M", "he")):
        people: list[Person] = []
        while len(people) < _NAMES:
            person = draw.person()
            if person.he == he:
                people.append(person)
        names |= {
            slot + ("" if turn == 1 else str(turn)): bearer.name
            for turn, bearer in enumerate(people, start=1)
        }
    return names


def _things(story: Story, rng: Random) -> dict[str, str]:
    slots: dict[str, str] = {}
    for slot, options in story.choices.items():
        singular, plural = rng.choice(options)
        slots |= {slot: singular, f"{slot}s": plural}
    return slots


def _drawn(story: Story, rng: Random) -> dict[str, str]:
    """Draw a story's numbers, all different."""
    taken: set[int] = set()
    slots: dict[str, str] = {}
    for slot, values in story.numbers.items():
        value = rng.choice([number for number in values if number not in taken])
        taken.add(value)
        slots[slot] = str(value)
    return slots


def _values(text: str) -> range:
    match = _RANGE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text} is no range of numbers.")
    return range(int(match[1]), int(match[2]) + 1, int(match[3] or 1))


def _forms(option: str) -> tuple[str, str]:
    singular, _, plural = option.partition("|")
    return singular, plural or singular
