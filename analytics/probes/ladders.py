"""Questions on one topic from the easiest to the hardest, which we wrote to learn from which of two is harder.

In ``ladders.txt``, a line that begins with ``#`` names the topic, and each line below it has a question. Several
ladders may have the same topic.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

LADDERS = Path(__file__).with_name("ladders.txt")
LANGUAGE = "en"


@dataclass(frozen=True, slots=True)
class Ladder:
    """Questions on one topic, the easiest first."""

    topic: str
    questions: tuple[str, ...]


@cache
def read_ladders() -> tuple[Ladder, ...]:
    """Return the ladders, in the order of the file."""
    blocks = LADDERS.read_text(encoding="utf-8").strip().split("\n\n")
    return tuple(
        Ladder(topic.removeprefix("# "), tuple(questions))
        for topic, *questions in (block.splitlines() for block in blocks)
    )


def ladder_texts() -> list[str]:
    """Return the questions of all ladders, one after the other."""
    return [question for ladder in read_ladders() for question in ladder.questions]
