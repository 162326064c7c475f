"""The table of rules, and cases that the rules once got wrong."""

from __future__ import annotations

import pytest

from analytics.paraphrase.findings.pair import read_pair
from analytics.paraphrase.findings.rules import find_changes
from tests.analytics.paraphrase.said import said


def test_a_pair_is_aligned_word_by_word_if_it_is_a_near_copy():
    pair = read_pair("Ann sells 5 red pens today.", "Ann buys 5 red pens today.")
    [replaced] = pair.replacements
    assert (replaced.word.text, replaced.new_word.text, replaced.equal_neighbours) == ("sells", "buys", 2)
    far = read_pair("Ann sells 5 red pens today.", "Five pens, all red, are what Ann has sold by tonight.")
    assert not far.is_near_copy
    assert far.replacements == ()


@pytest.mark.parametrize(
    ("original", "paraphrase"),
    [
        # synonyms are no renaming in places
        (
            "A school has 240 pupils. 96 pupils walk to school. How many pupils take the bus?",
            "A school has 240 learners. 96 pupils walk to school. How many learners take the bus?",
        ),
        (
            "The price of a lamp is 18 euros. The price of a bulb is 3 euros. What is the price of both?",
            "The cost of a lamp is 18 euros. The price of a bulb is 3 euros. What is the cost of both?",
        ),
        (
            "Nils runs 4 km a day. How far does he run in 6 days?",
            "Nils jogs 4 km a day. How far does he run in 6 days?",
        ),
        (
            "Eva has 20 sweets and gives 6 sweets away. How many sweets does she keep?",
            "Eva has 20 candies and gives 6 sweets away. How many candies does she keep?",
        ),
        # "of" before a question word and at the end of a sentence
        ("Say of how many parts it consists.", "It consists of how many parts?"),
        ("Which number is 15 a quarter of?", "15 is a quarter of which number?"),
        # an abbreviation of the unit that is asked for
        ("How many kilograms of rice are in 7 sacks?", "How many kg of rice are in 7 sacks?"),
        ("Give the width in centimetres.", "Give the width in cm."),
        # other words for what is asked
        ("What is the ratio of cats to dogs?", "In what proportion do cats and dogs stand?"),
        ("What is the difference of 31 and 12?", "Take away 12 from 31. What do you get?"),
        # the number "no", and the article "A"
        ("Find the least no of seats in the hall.", "Find the least number of seats in the hall."),
        ("How many ways A girl can sit?", "How many ways can a girl sit?"),
    ],
)  # fmt: skip
def test_what_says_the_same_has_no_finding(original, paraphrase):
    assert find_changes(original, paraphrase) == []
    assert [finding for finding in find_changes(paraphrase, original) if finding.is_serious] == []


@pytest.mark.parametrize(
    ("original", "paraphrase", "sentence"),
    [
        (
            "A yard is 12 m by 9 m. What is its area in square metres?",
            "A yard is 12 m by 9 m. What is its area in square feet?",
            "square metres became square feet.",
        ),
        (
            "A film lasts 150 minutes. For how many hours does it run?",
            "A film lasts 150 minutes. For how many days does it run?",
            "hours became days.",
        ),
        (
            "Two dozen rolls are shared. How many more rolls than buns are there?",
            "Two dozen rolls are shared. How many rolls than buns are there?",
            "more is missing.",
        ),
    ],
)
def test_what_changes_the_answer_is_serious(original, paraphrase, sentence):
    assert sentence in said(original, paraphrase)


def test_a_verb_behind_how_many_is_no_thing_that_is_counted():
    original = "A hall has 90 guests and 20 % of them stand. How many guests do not stand?"
    paraphrase = "Of 90 guests in a hall 20 % stand. How many need a chair?"
    assert "target" not in {finding.kind for finding in find_changes(original, paraphrase)}
