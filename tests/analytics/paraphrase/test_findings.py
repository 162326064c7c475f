"""Findings: what was lost, added or changed, in words and with places; and what is no finding.

The first five cases have the form of the paper's Table 3; the sentences are ours.
"""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.paraphrase.findings import Finding, find_changes

BOX = "A tray of 24 lemons is shared by 8 pupils. How many lemons does each pupil get?"
WALK = "Priya walked 300 kilometres. How long did she walk in terms of metres?"
PENS = "Omar has 12 pens and Ivy has 7 pencils. How many more pens does Omar have than Ivy has pencils?"


def said(original: str, paraphrase: str) -> list[str]:
    """The sentences of what is serious; every place holds what the finding says it holds."""
    findings = find_changes(original, paraphrase)
    for one in findings:
        assert (one.original is None) == (one.change == "added") or one.kind in {"wording", "unit"}
        for span, text in ((one.original, original), (one.paraphrase, paraphrase)):
            if span is not None:
                assert 0 <= span[0] < span[1] <= len(text)
        if one.kind in {"number", "unit", "comparison", "negation"}:
            assert one.original is None or original[slice(*one.original)] == one.before
            assert one.paraphrase is None or paraphrase[slice(*one.paraphrase)] == one.after
    return [one.sentence for one in findings if one.is_serious]


def test_a_number_that_is_gone_is_lost() -> None:
    original = "A sack of rice weighs 9 pounds and 5 ounces. How much does the sack weigh in ounces?"
    assert said(original, original.replace("5 ounces", "ounces")) == ["5 ounces is missing."]


def test_things_that_are_renamed_in_one_place_are_a_finding() -> None:
    paraphrase = "24 caps in a tray are shared equally by 8 pupils. How many lemons does each pupil get?"
    assert said(BOX, paraphrase) == ["lemons became caps in one place and stayed lemons in another."]


def test_things_that_are_renamed_throughout_are_none() -> None:
    assert (
        said(BOX, "24 caps in a tray are shared equally by 8 pupils. How many caps does each pupil get?")
        == []
    )


def test_a_unit_that_became_another_is_a_finding() -> None:
    [sentence] = said(WALK, "priya walked 300 centimetres. How long did she walk in terms of metres?")
    assert sentence == "kilometres became centimetres (300 kilometres, 300 centimetres)."


def test_a_unit_that_is_abbreviated_is_none() -> None:
    assert find_changes(WALK, "priya walked 300 km. How long did she walk in terms of metres?") == []


@pytest.mark.parametrize(
    ("original", "paraphrase"),
    [
        ("Zoe reads 25 pages in 2 hours.", "Zoe reads twenty-five pages in 120 minutes."),
        ("Zoe pays $3.50 for 1/2 of it.", "For half of it, Zoe pays 3.50 dollars."),
        ("It is 50% off.", "It is one half off."),
        ("He has twice as many pens.", "He has two times as many pens."),
        ("There are 4 books. He sorts the 4 books.", "There are 4 books. He sorts the books."),
        ("Zoe has 5 more cards than Tim.", "Tim has 5 fewer cards than Zoe."),
        ("Zoe and Tim share 9 cards. Tim takes 4.", "Lucy and Max share 9 cards. Max takes 4."),
        (
            "Zoe purchased 4 pens. How many pens does she have?",
            "Zoe bought 4 pens. What is the number of pens that she has?",
        ),
        ("If Zoe has 4 pens, how many are left?", "How many are left if Zoe has 4 pens?"),
        (
            "Tim bought 5 pens for $2. What is the price of a pen?",
            "5 pens were bought by Tim for $2. Find the price of a pen.",
        ),
        ("A train goes at 60 km/h.", "A train goes at 60 kilometres per hour."),
        ("One side is 5 m.", "A side is 5 m."),
        ("What is the sum of 3 and 4?", "Find the sum of 3 and 4."),
        ("Who doesn't eat?", "Who does not eat?"),
        ("At least 3 pens.", "No fewer than 3 pens."),
    ],
)
def test_what_says_the_same_is_no_finding(original: str, paraphrase: str) -> None:
    assert said(original, paraphrase) == []
    assert said(paraphrase, original) == []


@pytest.mark.parametrize(
    ("original", "paraphrase", "sentence"),
    [
        ("He rode 30 km.", "He rode some km.", "30 became some."),
        ("He rode 30 km.", "He rode 13 km.", "30 km became 13 km."),
        ("He has pens.", "He has 3 pens.", "3 was added."),
        ("He has 12 pens.", "He has many pens.", "12 became many."),
        ("He earns 20% more.", "He earns 20 more.", "20% became 20."),
        (PENS, PENS.replace("12", "x").replace("7", "12").replace("x", "7"), "12 and 7 changed places."),
        ("How many hours does it take?", "How many minutes does it take?", "hours became minutes."),
        ("It lasts 5 minutes.", "It lasts 5 of them.", "5 minutes became 5: minutes is missing."),
        (
            "Zoe has 3 pens. Zoe eats.",
            "Ann has 3 pens. Zoe eats.",
            "Zoe became Ann in one place and stayed Zoe in another.",
        ),
        ("Zoe has 3 pens. Tim has 4.", "Has 3 pens. Tim has 4.", "Zoe is missing."),
        ("Zoe has 3 pens.", "Zoe has 3 pens with Boris.", "Boris was added."),
        ("Zoe ran. Tim ran. Zoe sat.", "Zoe ran. Tim ran. Tim sat.", "Zoe became Tim in one place."),
        ("He has 5 more than she.", "He has 5 fewer than she.", "more became fewer."),
        ("At least 3 pens.", "At most 3 pens.", "At least became At most."),
        (
            "Zoe has 5 more than Tim. Tim ran.",
            "Tim has 5 more than Zoe. Tim ran.",
            "Zoe and Tim changed places around more.",
        ),
        (
            "Zoe has 4 times as many pens as Tim.",
            "Tim has 4 times as many pens as Zoe.",
            "Zoe and Tim changed places around as many.",
        ),
        ("How many more than 3?", "How many than 3?", "more is missing."),
        ("Who does not eat?", "Who does eat?", "not is missing."),
        ("Who can eat?", "Who cannot eat?", "cannot was added."),
        ("He has 3 pens. How many are left?", "He has 3 pens.", "The question is missing."),
        (
            "He has 3 pens. How many are in the box?",
            "He has 3 pens. How many are in the",
            "The question breaks off.",
        ),
        (
            "Find the area of a field of 3 m.",
            "Find the perimeter of a field of 3 m.",
            "The question asks for the perimeter, not the area.",
        ),
        (
            "He has 3 pens and 4 cups. How many pens?",
            "He has 3 pens and 4 cups. How many cups?",
            "The question asks for cups instead of pens.",
        ),
        (
            "How many stamps are left?",
            "How many are left?",
            "The question no longer says what is counted: stamps is missing.",
        ),
        ("What is the average speed?", "What is the speed?", "“average” is no longer asked for."),
    ],
)
def test_what_changed_is_said_in_words(original: str, paraphrase: str, sentence: str) -> None:
    assert sentence in said(original, paraphrase)


@pytest.mark.parametrize(
    ("original", "paraphrase", "kind"),
    [
        ("Zoe has 3 pens. Zoe eats.", "Zoe has 3 pens. eats.", "entity"),
        ("8 more children came.", "8 children came.", "comparison"),
        ("He sold the red pens of the shop.", "He sold the of the shop.", "wording"),
        ("How many stickers are glued on it?", "How many stickers are on it?", "target"),
        ("He pays $5 now.", "He pays 5 now.", "unit"),
    ],
)
def test_what_may_be_harmless_is_not_serious(original: str, paraphrase: str, kind: str) -> None:
    findings = find_changes(original, paraphrase)
    assert [(one.kind, one.is_serious) for one in findings] == [(kind, False)]


def test_serious_findings_come_first_in_the_order_of_the_text() -> None:
    findings = find_changes("He has 8 more pens, 3 caps and 4 hats.", "He has 8 pens, caps and hats.")
    assert [one.sentence for one in findings] == ["3 is missing.", "4 is missing.", "more is missing."]


def test_a_finding_is_plain_values() -> None:
    [finding] = find_changes("He rode 30 km.", "He rode some km.")
    assert isinstance(finding, Finding)
    assert finding.as_dict() == {
        "kind": "number", "change": "changed", "sentence": "30 became some.", "original": (8, 10),
        "paraphrase": (8, 12), "before": "30", "after": "some", "is_serious": True,
    }  # fmt: skip


def test_equal_texts_and_empty_texts_give_nothing() -> None:
    assert find_changes(PENS, PENS) == []
    assert find_changes("", "") == []
    assert find_changes("", "Zoe has 3 pens.")


_WORDS = st.sampled_from(
    "Ann Tom has 3 12 km $5 pens. more than , ? How many If the hours 50% $x^2$ not half is 书".split()
)


@settings(max_examples=80, deadline=None)
@given(st.lists(_WORDS, max_size=30).map(" ".join), st.lists(_WORDS, max_size=30).map(" ".join))
def test_any_two_texts_can_be_compared(original: str, paraphrase: str) -> None:
    said(original, paraphrase)
    assert find_changes(original, original) == []


def test_findings_need_no_torch() -> None:
    code = "import sys, analytics.paraphrase.findings; print('torch' in sys.modules, 'pint' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False False"
