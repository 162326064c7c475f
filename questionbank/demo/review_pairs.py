"""Initial paraphrases of the demo's review queue: ``review_pairs.toml`` beside this module.

Each was written and labelled by hand, so paraphrase scorers are compared on them in every bank.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from analytics.records import ParaphrasePair


def review_pairs() -> list[tuple[str, str]]:
    """Return the original and paraphrase of each pair."""
    return [(pair.original, pair.paraphrase) for pair in labelled_review_pairs()]


def labelled_review_pairs() -> list[ParaphrasePair]:
    """Return each pair with its label: 1 valid, 0 not."""
    rows = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["pair"]
    return [
        ParaphrasePair(f"demo-{number}", row["original"], row["paraphrase"], int(row["valid"]))
        for number, row in enumerate(rows, 1)
    ]
