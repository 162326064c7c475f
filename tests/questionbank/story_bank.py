"""A bank of short word problems with equations: three computations, told with different names and things."""

from __future__ import annotations

from questionbank.models import Question
from tests.questionbank.small_bank import add_question, write_question

STORIES = (
    ("{name} has {a} {things} and buys {b} more. How many {things} has {name} now?", "{a}+{b}"),
    ("{name} packs {a} boxes with {b} {things} in each. How many {things} are packed?", "{a}*{b}"),
    ("{name} had {b} {things} and gave {a} of them away. How many {things} are left?", "{b}-{a}"),
)
NAMES = ("Ann", "Ben", "Cem", "Dora", "Emil", "Fay", "Gus", "Hana", "Ivo", "Jana", "Kim", "Lea")
THINGS = ("pens", "apples", "stamps", "coins", "cards")


def story(number: int) -> tuple[str, str]:
    """The text and the equation of a problem; every third is computed alike."""
    text, equation = STORIES[number % len(STORIES)]
    words = {
        "name": NAMES[number // 3 % len(NAMES)], "things": THINGS[number // 36 % len(THINGS)],
        "a": 2 + number % 7, "b": 11 + number % 23,
    }  # fmt: skip
    return text.format(**words), equation.format(**words)


def add_problems(count: int) -> list[Question]:
    """So many problems as the services create them."""
    return [write_question(text, equation=equation) for text, equation in map(story, range(count))]


def add_story(text: str, equation: str = "", **fields: object) -> Question:
    """A problem with the key of its equation, in a moment."""
    return add_question(text, equation=equation, **fields)
