"""Contrary words, things that changed places, and the same said from the other side."""

from __future__ import annotations

import pytest

from analytics.paraphrase.findings.replaced import are_contrary
from analytics.paraphrase.findings.rules import find_changes
from analytics.paraphrase.scoring.verdict import FEATURES, verdict_features
from tests.analytics.paraphrase.said import said


def test_contrary_words_are_those_of_a_row_whatever_their_form():
    assert are_contrary("sells", "bought")
    assert are_contrary("Odd", "even")
    assert not are_contrary("sum", "total")
    assert not are_contrary("sells", "sold")
    assert not are_contrary("bus", "car")


@pytest.mark.parametrize(
    ("original", "paraphrase", "sentence"),
    [
        ("The sum of two numbers is 20.", "The product of two numbers is 20.", "“sum” became “product”."),
        ("A shop sells 12 of 30 lamps.", "A shop buys 12 of 30 lamps.", "“sells” became “buys”."),
        ("The price rises by 20 dollars.", "The price rises to 20 dollars.", "“by” became “to”."),
        (
            "In a bus are 30 people. 8 get off and 5 get on. How many are there?",
            "In a bus are 30 people. 8 get on and 5 get off. How many are there?",
            "“off” became “on”.",
        ),
        (
            "Six workers build a wall in 10 days. How many days do four workers need?",
            "Six workers build a wall in 10 days. How many workers build it in four days?",
            "The question asks for workers instead of days.",
        ),
        (
            "Its perimeter is 180 m. Find the area.",
            "Its area is 180 m. Find the perimeter.",
            "The question asks for the perimeter, not the area.",
        ),
        (
            "Lena reads a quarter of a book and then a third of it. 50 pages are left. How long is the book?",
            "Lena reads a quarter of a book and then a third of the rest. 50 pages are left. How long is the book?",
            "“it” became “rest”.",
        ),
        (
            "Of 60 guests, 35 speak French and 12 speak Spanish. How many speak neither?",
            "Of 60 guests, 35 speak only French and 12 speak Spanish. How many speak neither?",
            "only was added.",
        ),
        (
            "Kim sold 15 more cakes on Sunday than on Saturday. On Saturday she sold 22. How many on both days?",
            "Kim sold 15 more cakes on Sunday than on Saturday. On Sunday she sold 22. How many on both days?",
            "“Saturday” became “Sunday” in one place.",
        ),
        ("Which number is not prime: 7 or 9?", "Which number is prime: 7 or 9?", "not is missing."),
        (
            "All 9 cards except the red ones are sold.",
            "All 9 cards and the red ones are sold.",
            "“except” became “and”.",
        ),
        ("Rice for 10 people costs 3 dollars.", "Rice for 10 more people costs 3 dollars.", "more was added."),
        (
            "Ann is 4 years older than Tom. Tom is 12. How old is Ann?",
            "Tom is 4 years older than Ann. Tom is 12. How old is Ann?",
            "“Ann” and “Tom” changed places.",
        ),
    ],
)
def test_a_small_change_of_sense_is_found(original, paraphrase, sentence):
    assert sentence in said(original, paraphrase)


@pytest.mark.parametrize(
    ("original", "paraphrase"),
    [
        # told from the other side
        (
            "Ann sells Tom 5 of her 12 pens. How many has she now?",
            "Tom buys 5 of Ann's 12 pens. How many are left to her?",
        ),
        (
            "Ben had 15 marbles and gave 6 to Lea. How many has he?",
            "Lea got 6 of Ben's 15 marbles. How many does Ben have?",
        ),
        # "each" in other words
        ("Four tickets cost 12 dollars each.", "Four tickets cost 12 dollars a piece."),
        ("Four tickets cost 12 dollars each.", "Every one of the four tickets costs 12 dollars."),
        ("The price rises by 20 dollars.", "The price is raised by 20 dollars."),
        ("Two years ago Mia was 12.", "Mia was 12 two years ago."),
        (
            "A farmer sold 40 of his 200 sheep. How many are left?",
            "A farmer sold 40 of his 200 sheep. How many has he now?",
        ),
        ("A third are red, and the others are blue.", "A third are red, and the rest are blue."),
        (
            "Two angles of a triangle are 40° and 75°. Find the third.",
            "A triangle has angles of 40° and 75°. Find the third.",
        ),
        (
            "James won a prize. He spent $2 to celebrate his win. How many dollars did he win?",
            "James won a prize. He spent $2 to celebrate his win. Find the dollars that he won.",
        ),
        (
            "On Monday she sends 5 texts. On Tuesday she sends 15 texts.",
            "She sends 5 texts on Monday. She sends 15 texts on Tuesday.",
        ),
        (  # throughout: a renaming
            "In a class of 30 there are 12 girls and the rest are boys. How many boys are there?",
            "In a class of 30 there are 12 boys and the rest are girls. How many girls are there?",
        ),
        (  # joined
            "A farmer has hens and ducks, 24 in all. 14 are ducks. How many are hens?",
            "A farmer has ducks and hens, 24 in all. 14 are ducks. How many are hens?",
        ),
        (  # with the comparison turned round
            "Apples cost 2 dollars more than pears. Pears cost 3 dollars. What do apples cost?",
            "Pears cost 2 dollars less than apples. Pears cost 3 dollars. What do apples cost?",
        ),
        (
            "There are twice as many girls as boys in a choir of 24. How many girls are there?",
            "There are half as many boys as girls in a choir of 24. How many girls are there?",
        ),
        (
            "The length of a field is twice its width. Its perimeter is 180 m. Find the area.",
            "A field, whose width is half its length, has a perimeter of 180 m. Find the area.",
        ),
        ("The left side is 5 cm and the right side 7 cm long.", "The right side is 7 cm and the left side 5 cm long."),
        (  # numbers go with whom they belong to
            "Tom has 12 cards and Ann has 20. How many more cards has Ann?",
            "Ann has 20 cards and Tom has 12. How many more cards has Ann?",
        ),
    ],
)
def test_what_says_the_same_is_no_finding(original, paraphrase):
    assert said(original, paraphrase) == []


@pytest.mark.parametrize(
    ("original", "paraphrase", "words"),
    [
        (
            "There are 3 more boys than girls. There are 12 girls. How many boys are there?",
            "There are 3 more girls than boys. There are 12 girls. How many boys are there?",
            ("boys", "girls"),
        ),
        (
            "A farmer has twice as many hens as ducks. He has 14 ducks. How many hens has he?",
            "A farmer has twice as many ducks as hens. He has 14 ducks. How many hens has he?",
            ("hens", "ducks"),
        ),
        (
            "A red ribbon is 5 cm longer than a blue one. The blue ribbon is 20 cm long. How long is the red one?",
            "A blue ribbon is 5 cm longer than a red one. The blue ribbon is 20 cm long. How long is the red one?",
            ("red", "blue"),
        ),
        (
            "A car goes 60 km while a bus goes 40 km. How far does the car go while the bus goes 100 km?",
            "A bus goes 60 km while a car goes 40 km. How far does the car go while the bus goes 100 km?",
            ("car", "bus"),
        ),
    ],
)
def test_things_that_changed_places_in_places_are_a_finding(original, paraphrase, words):
    serious = [finding for finding in find_changes(original, paraphrase) if finding.is_serious]
    assert [finding.sentence for finding in serious] == [f"“{words[0]}” and “{words[1]}” changed places."]
    assert [(finding.before, finding.after) for finding in serious] == [words]
    start, end = serious[0].paraphrase
    assert paraphrase[start:end] == words[1]


def test_half_in_the_place_of_twice_is_still_a_changed_number():
    assert said(
        "There are twice as many girls as boys in a choir of 24.",
        "There are half as many girls as boys in a choir of 24.",
    ) == ["twice became half."]


def test_numbers_of_the_same_owner_that_changed_places_are_found():
    assert "12 and 20 changed places." in said(
        "Tom has 12 cards and Ann has 20 pens.", "Tom has 20 cards and Ann has 12 pens."
    )


def test_a_contrary_word_weighs_as_a_serious_finding():
    pair = ("A shop sells 12 of 30 lamps.", "A shop buys 12 of 30 lamps.")
    features = dict(zip(FEATURES, verdict_features(1, find_changes(*pair), *pair), strict=True))
    assert features["findings"] == 1
