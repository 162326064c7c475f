"""Rewordings that are broken English or trivial, and the demo's proposals, which are neither."""

from __future__ import annotations

import random

import pytest

from analytics.paraphrase.operators.plain_english import breakages, usefulness
from analytics.paraphrase.proposals import RuleParaphraser
from questionbank.demo.bank import demo_questions
from tests.cases import each_case


@each_case("rewording", "english")
def test_broken_english_is_found_and_right_english_is_not(right: str, broken: str) -> None:
    assert breakages(right) == []
    assert breakages(broken, right)
    assert breakages(broken, broken) == []  # whoever wrote the original wrote so


@pytest.mark.parametrize(
    "rewording",
    [
        "Ann doesn't buy 3 of the 12 large pens. Find the number of pens that she buys.",
        "Ann does not buy 3 of the 12 big pens. Calculate the number of pens that she buys.",
    ],
)
def test_another_word_for_find_or_large_is_trivial(rewording: str) -> None:
    question = "Ann does not buy 3 of the 12 large pens. What is the number of pens that she buys?"
    assert usefulness(question, rewording) == 0
    assert usefulness(question, "Of 12 large pens, Ann leaves 3 in the shop. How many does she take home?") > 3


def test_the_most_useful_rewording_comes_first() -> None:
    question = "A car keeps a speed of 106 km/h for 4 hours. How far does it go, in kilometres?"
    proposals = RuleParaphraser().propose(question, 3)
    values = [usefulness(question, text) for text in proposals]
    assert proposals
    assert values == sorted(values, reverse=True)


def test_proposals_of_the_demo_bank_are_neither_broken_nor_trivial_and_keep_their_formulas() -> None:
    questions = random.Random(13).sample(sorted(row.text for row in demo_questions()), 90)
    proposals = [(text, proposal) for text in questions for proposal in RuleParaphraser().propose(text, 1)]
    assert len(proposals) > 5
    for question, proposal in proposals:
        assert breakages(proposal, question) == []
        assert usefulness(question, proposal) > 0
        assert sorted(question.split("$")[1::2]) == sorted(proposal.split("$")[1::2])
