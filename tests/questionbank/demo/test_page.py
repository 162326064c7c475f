"""docs/demo-bank.md says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from questionbank.demo import responses
from questionbank.demo.hierarchy import TREE, concept_paths
from questionbank.demo.strands import ALL_PATTERNS

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "demo-bank.md").read_text(encoding="utf-8")
PROSE = " ".join(PAGE.split())


def test_the_counts_on_the_page_are_right():
    topics = sum(len(topics) for topics in TREE.values())
    assert f"{len(TREE)} strands, {topics} topics, {len(concept_paths())} concepts" in PROSE
    assert re.search(rf"\| patterns \| {len(ALL_PATTERNS)};", PAGE)


@pytest.mark.parametrize(
    "sentence",
    [
        f"a cohort of {responses.COHORT_SIZE:,} students",
        f"N(0, {responses.ITEM_NOISE})",
        f"N(0, {responses.RATER_NOISE})",
        f"σ = {responses.DISCRIMINATION_SIGMA}",
        f"c = {responses.GUESSING} for a choice question",
        f"{responses.FEWEST_RESPONSES} to {responses.MOST_RESPONSES} students",
        f"{responses.UNANSWERED_SHARE:.0%}".replace("%", " % of the items have no responses"),
        "the cuts " + ", ".join(str(cut).replace("-", "−") for cut in responses.BAND_CUTS),
    ],
)
def test_the_constants_on_the_page_are_those_of_the_model(sentence):
    assert sentence in PROSE
