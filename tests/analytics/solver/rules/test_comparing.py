"""Whether two texts have the same answer, as far as rules answer both."""

from __future__ import annotations

import pytest

from analytics.solver.rules.comparing import compared_answers

SNAIL = "A snail crawls 5 cm a minute. How far does it crawl in 2 hours?"


@pytest.mark.parametrize(
    ("original", "paraphrase", "expected"),
    [
        (
            "A film starts at 6:45 pm and ends at 8:30 pm. How many minutes does it last?",
            "A play begins at 18:45 and is over at 20:30. For how many minutes does it last?",
            1,
        ),
        (
            "Sam is 5 years older than Rita, who is 9. How old is Sam?",
            "Rita is 9. Sam is 5 years younger than Rita. How old is Sam?",
            -1,
        ),
        ("鸡和兔共有20只，共有56条腿，兔有多少只？", "鸡和兔共有20只，共有56条腿，鸡有多少只？", -1),
        (SNAIL, SNAIL.replace("5 cm", "5 mm"), 0),  # 600 of what
        (
            "A melon weighs 2.4 kg. It weighs 900 g more than a pear. How many grams does the pear weigh?",
            "A melon weighs 2.4 kg. It weighs 900 g more than a pear. How many kg does the pear weigh?",
            0,
        ),
        ("Why is the sky blue?", "Why is the sky blue?", 0),
        ("", "", 0),
    ],
)
def test_answers_are_compared_in_one_unit_or_not_at_all(original: str, paraphrase: str, expected: float) -> None:
    assert compared_answers(original, paraphrase) == expected
    assert compared_answers(paraphrase, original) == expected
