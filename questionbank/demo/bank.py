"""The files of the demo bank: its questions, labelled paraphrases for training a scorer, and those to review."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from analytics.paraphrase.pair_files import read_pairs
from analytics.records import ParaphrasePair, QuestionRecord
from questionbank.formats.catalog import read

DEMO_BANK = Path(__file__).with_name("bank.jsonl.gz")
"""JSON Lines in the format of `import_questions`."""

HIERARCHY_NAME = "Kindred demo"

_PAIRS = DEMO_BANK.with_name("pairs.jsonl.gz")
_REVIEW_PAIRS = DEMO_BANK.with_name("review_pairs.toml")


@cache
def demo_questions() -> tuple[QuestionRecord, ...]:
    """Return the 2,400 questions, with concepts, difficulty and simulated responses."""
    return tuple(entry for _line, entry in read(DEMO_BANK) if isinstance(entry, QuestionRecord))


def phrasing_pairs() -> list[ParaphrasePair]:
    """Return phrasings of the patterns: those of the same draw are paraphrases, those of different draws are not."""
    return [pair for pair in _pairs() if not _is_story(pair)]


def story_pairs() -> list[ParaphrasePair]:
    """Return stories retold by hand, which either ask the same or only seem to."""
    return [pair for pair in _pairs() if _is_story(pair)]


@cache
def _pairs() -> tuple[ParaphrasePair, ...]:
    return tuple(read_pairs(_PAIRS))


def _is_story(pair: ParaphrasePair) -> bool:
    return pair.id.startswith("story-")


def labelled_review_pairs() -> list[ParaphrasePair]:
    """Return the initial pairs of the demo's review queue with their labels: 1 valid, 0 not.

    Each was written and labelled by hand, so paraphrase scorers are compared on them in every bank.
    """
    rows = tomllib.loads(_REVIEW_PAIRS.read_text(encoding="utf-8"))["pair"]
    return [
        ParaphrasePair(f"demo-{number}", row["original"], row["paraphrase"], int(row["valid"]))
        for number, row in enumerate(rows, 1)
    ]
