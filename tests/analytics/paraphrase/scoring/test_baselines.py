"""The untrained baselines; on the public test sets the rule gives the figures that are known of it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from analytics.paraphrase.metrics import RULES, no_finding, pair_metrics, rule_first, same_numbers


def test_every_rule_accepts_the_question_itself_and_stays_in_bounds() -> None:
    original, unrelated_text = "Zoe has 3 pens and 5 km of rope. How many pens?", "A train leaves at 9."
    for rule in RULES.values():
        assert rule(original, original) == 1
        assert -1 <= rule(original, unrelated_text) < 0


def test_findings_refuse_what_numbers_alone_accept() -> None:
    original = "Zoe has 3 pens. How many pens are left?"
    assert same_numbers(original, "Zoe has 3 pens.") == 1
    assert no_finding(original, "Zoe has 3 pens.") == -1


def test_the_rule_comes_before_the_cosine() -> None:
    pairs = [(1, 0.2), (-1, 0.99), (1, 0.9), (-1, -0.5)]
    assert sorted(pairs, key=lambda pair: -rule_first(*pair)) == [(1, 0.9), (1, 0.2), (-1, 0.99), (-1, -0.5)]


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "separation", "macro_f1"), [("aquarat_test", 0.867, 0.716), ("sawp_test", 0.783, 0.701)]
)
def test_the_rule_gives_its_known_figures(shared_data: Path, name: str, separation: float, macro_f1: float) -> None:
    with gzip.open(shared_data / "paraqd" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    labels = [row["label"] for row in rows]
    figures = pair_metrics(labels, [same_numbers(row["original"], row["paraphrase"]) for row in rows])
    assert figures.separation == pytest.approx(separation, abs=0.06)
    assert figures.paper_macro_f1 == pytest.approx(macro_f1, abs=0.02)
    better = pair_metrics(labels, [no_finding(row["original"], row["paraphrase"]) for row in rows])
    assert better.separation > figures.separation + 0.1
    assert better.macro_f1 > figures.macro_f1
