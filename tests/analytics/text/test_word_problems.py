"""Which questions are word problems."""

from __future__ import annotations

from analytics.text.word_problems import LONGEST, is_word_problem
from tests.cases import each_case


@each_case("texts", "word_problems")
def test_a_story_with_numbers_is_one(text, is_one):
    assert is_word_problem(text) is is_one


def test_an_endless_text_is_none():
    assert not is_word_problem("He counts " + "3 apples and " * LONGEST)
