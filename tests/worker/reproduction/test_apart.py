"""What is called apart is apart: counted under one normalisation, and sentences that say otherwise fail."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from worker.reproduction.apart import APART, EQUAL_LEFT_OUT, KNOWN, Pair, count_pairs, main, pairs, table

DOCS = Path(__file__).parents[3] / "docs"
LEARNED = ["Seven red apples and two pears are in a basket. How many?", "Tom has 3 pens."]


def counted(claim: str, *tested: str):
    pair = Pair("list", "set", claim, lambda _data: [(LEARNED, list(tested))])
    (count,) = count_pairs(Path(), [pair])
    return count


@pytest.mark.parametrize(
    ("tested", "equal", "copies", "claims"),
    [
        ("Ann has 3 hats.", 0, 0, {APART, EQUAL_LEFT_OUT, KNOWN}),
        ("Tom has 25 pens .", 0, 1, {EQUAL_LEFT_OUT, KNOWN}),
        ("7 red apples and 2 pears are in a basket . how many ?", 1, 1, {KNOWN}),
    ],
)
def test_a_claim_holds_only_where_the_counts_allow_it(tested, equal, copies, claims):
    for claim in (APART, EQUAL_LEFT_OUT, KNOWN):
        count = counted(claim, tested)
        assert (count.equal, count.copies, count.holds) == (equal, copies, claim in claims)
        assert ("**not**" in table([count]).splitlines()[-1]) is (claim not in claims)


def test_folds_are_counted_one_by_one():
    pair = Pair("list", "set", APART, lambda _data: [(["a 1"], ["b 1"]), (["b 1"], ["a 1", "b 2"])])
    (count,) = count_pairs(Path(), [pair])
    assert (count.learned, count.tested, count.equal, count.copies) == (1, 3, 0, 1)


@pytest.mark.shared_data
def test_every_training_list_is_as_far_from_its_tests_as_the_figures_say(shared_data, capsys):
    status = main(["--data", str(shared_data)])
    printed = capsys.readouterr().out
    assert status == 0, printed
    assert printed in (DOCS / "results" / "apart.md").read_text(), "docs/results/apart.md has another table"


def test_no_sentence_calls_a_development_set_a_test():
    """ASDiv holds ASDiv-A, and what was chosen on a set is no longer tested by it."""
    development = {pair.tested for pair in pairs() if pair.claim == KNOWN}
    assert {"eedi/train", "conceptmath/middle_en"} <= development
    for document in (DOCS / "results.md", *sorted((DOCS / "decisions").glob("*.md"))):
        text = " ".join(document.read_text().split())
        for found in re.finditer(r"[^.|]*outside ASDiv-A[^.|]*", text):
            assert "once called" in found[0], f"{document.name}: {found[0]}"
        assert "No test set took part" not in text
        if re.search(r"\bASDiv\b(?!-A)", text) and document.name[:4] in ("0060", "0061", "0062", "0066", "0067"):
            assert "development set" in text, document.name
