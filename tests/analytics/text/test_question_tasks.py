"""Which kinds of task a question is: told by its text and its options."""

from __future__ import annotations

import pytest

from analytics.text.question_tasks import question_tasks


@pytest.mark.parametrize(
    "text",
    [
        "Ann has 3 bags of 5 apples each. How many apples has she?",
        "In a theatre there are 9 rows. Each row has 8 seats. Work out the total number of seats.",
        "A car keeps a speed of 106 km/h for 4.5 hours. How far does it go, in kilometres?",
        "Out of 80 free throws, Wanjiru makes 72. As a percentage, this is ____.",
        "A recipe for 4 people needs $\\frac{1}{2}$ kg of flour. How much flour do 6 people need?",
        "小明有5支笔，又买了3支，现在一共有多少支？",
    ],
)
def test_a_story_with_numbers_is_a_word_problem(text):
    assert question_tasks(text) == ("word_problem",)


@pytest.mark.parametrize(
    "text",
    [
        "Which fraction in its simplest form equals 0.56?",
        "What is the sum of the first 5 prime numbers?",
        "Find the area of a trapezium with parallel sides 23 cm and 11 cm and height 5 cm.",
        "Round 45.678 to the nearest tenth and write the answer below.",
        "Solve $2x + 3 = 11$ for the number $x$ with 3 steps.",
        "",
    ],
)
def test_a_calculation_in_words_is_none(text):
    assert question_tasks(text) == ()


@pytest.mark.parametrize(
    ("text", "options", "is_one"),
    [
        ("A square is a rectangle.", ["True", "False"], True),
        ("A square is a rectangle.", ["$\\text{No}$", "Yes."], False),  # a formula is no plain yes
        ("A square is a rectangle.", ["No.", "(Yes)"], True),
        ("True or false: $1 < 2$", [], True),
        ("判断题：1是质数", [], True),
        ("正方形是长方形。", ["正确", "错误"], True),
        ("Which is true?", ["1 < 2", "2 < 1"], False),
        ("Which is it?", ["True", "False", "Neither"], False),
        ("A true story about 3 cats.", [], False),
    ],
)
def test_true_or_false_is_told_by_the_words_or_by_two_options(text, options, is_one):
    assert ("true_false" in question_tasks(text, options)) == is_one
