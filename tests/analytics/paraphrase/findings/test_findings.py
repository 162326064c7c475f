"""Findings: what was lost, added or changed, in words and with places; and what is no finding."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.paraphrase.findings.rules import Finding, find_changes
from analytics.text.remembered import forget_everything
from tests.analytics.paraphrase.said import said
from tests.cases import each_case


@each_case("findings", "serious")
def test_what_changed_is_said_in_words(original: str, paraphrase: str, sentences: list[str]) -> None:
    assert said(original, paraphrase) == sentences


@each_case("findings", "same")
def test_free_rewordings_are_no_serious_finding(original: str, paraphrase: str) -> None:
    assert said(original, paraphrase) == []
    assert said(paraphrase, original) == []


@each_case("findings", "nothing")
def test_what_says_the_same_has_no_finding(original: str, paraphrase: str) -> None:
    assert find_changes(original, paraphrase) == []
    assert said(paraphrase, original) == []


PENS = "Omar has 12 pens and Ivy has 7 pencils. How many more pens does Omar have than Ivy has pencils?"


def test_serious_findings_come_first_in_the_order_of_the_text() -> None:
    findings = find_changes("He has 8 more pens, 3 caps and 4 hats.", "He has 8 pens, caps and hats.")
    assert [finding.sentence for finding in findings] == ["more is missing.", "3 is missing.", "4 is missing."]


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


def test_of_endless_texts_the_beginning_is_compared_and_a_finding_says_so() -> None:
    counted = " ".join(f"{number} pens," for number in range(2, 250))
    text = f"{counted} and nothing else. How many pens is that?"
    *_, last = find_changes(text, text.replace("2 pens", "1 pens", 1).replace("249 pens", "248 pens"))
    assert (last.sentence, last.is_serious) == ("The texts are too long to be compared from here on.", False)
    assert last.original is not None
    assert text[slice(*last.original)] == last.before == "102"
    [only] = find_changes(text, text.replace("2 pens", "1 pens", 1))
    assert (only.before, only.after) == ("2", "1")
    words = "a word and another, " * 300
    [finding] = find_changes(f"{words} 5", f"{words} 6")
    assert "too long" in finding.sentence


def _names(first: str, count: int) -> list[str]:
    letters = "abcdefghij"
    return [first + "ar" + "".join(letters[int(digit)] for digit in str(number)) for number in range(count)]


def _texts_of_names(count: int) -> tuple[str, str]:
    """The same sentences about people who all have other names."""
    first, second = (" ".join(f"{name} has apples." for name in _names(letter, count)) for letter in "ZQ")
    return first, second


@pytest.mark.parametrize(
    "write",
    [
        _texts_of_names,
        lambda count: (
            "Add 1 km in hours and minutes and kg. " * count, "In days add 1 g in miles and feet. " * count,
        ),
        lambda count: ("Ann has 3 more red pens than Bob. " * count, "Bob has 4 fewer cups than Ann. " * count),
        lambda count: ("$x$ is $y^2$ and " * count, "$y$ is $x_1$ or " * count),
    ],
)  # fmt: skip
def test_longer_texts_take_no_more_than_their_share_of_work(write) -> None:
    """Operations are counted, not seconds. Twice the names take twice as many; numbers are aligned in pairs."""
    find_changes(*write(3))  # what is built once
    short, twice, endless = (_operations(*write(count)) for count in (15, 30, 1_000))
    assert twice < (2.2 if write is _texts_of_names else 3.2) * short
    assert endless < 1_000_000


def test_texts_of_too_many_names_are_compared_up_to_there() -> None:
    original, paraphrase = _texts_of_names(150)
    *_, last = find_changes(original, paraphrase)
    assert last.sentence == "The texts are too long to be compared from here on."
    assert last.before == _names("Z", 101)[-1]
    assert find_changes(*_texts_of_names(90)) == []


def _operations(original: str, paraphrase: str) -> int:
    """How many functions are called to compare two texts."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    forget_everything()
    sys.setprofile(count)
    try:
        find_changes(original, paraphrase)
    finally:
        sys.setprofile(None)
    return calls
