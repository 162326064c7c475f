"""Which questions are word problems."""

from __future__ import annotations

import pytest

from analytics.text.word_problems import LONGEST, is_word_problem


@pytest.mark.parametrize(
    "text",
    [
        "Tom has 3 bags with 4 marbles in each of them. How many marbles has he?",
        r"A cook uses $\frac{3}{4}$ kg of flour a day. How much flour does she use in $5$ days?",
        "Mia uses 1 1/2 cups of flour and 3/4 cup of milk. How many cups is that?",
        "A shirt costs $40 and is sold at 25% off. What does the buyer pay for it?",
        r"The tank holds $1{,}200\text{ l}$ of water, and 300 litres are used. How much is left in it?",
        "小明有3本书，小红有5本书，他们一共有多少本书？",
    ],
)
def test_a_story_with_numbers_is_one(text):
    assert is_word_problem(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Solve $2x + 3 = 11$ for x and then say in one sentence what you did in step 2.",
        "What is 12 + 5?",
        "Why is the sum of even numbers always an even number? Explain it to a friend.",
        r"Find the derivative of $\sin x$ at the point 2 and draw the tangent to the curve there.",
        "He counts " + "3 apples and " * LONGEST,
    ],
)
def test_formulas_bare_sums_and_texts_without_numbers_are_none(text):
    assert not is_word_problem(text)
