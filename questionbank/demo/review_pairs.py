"""Paraphrases with which the demo's review queue begins: ``review_pairs.toml`` beside this module."""

from __future__ import annotations

import tomllib
from pathlib import Path

__all__ = ["review_pairs"]


def review_pairs() -> list[tuple[str, str]]:
    """Original and paraphrase of each."""
    rows = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["pair"]
    return [(row["original"], row["paraphrase"]) for row in rows]
