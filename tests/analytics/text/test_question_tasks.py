"""Which kinds of task a question is: told by its text and its options."""

from __future__ import annotations

from analytics.text.question_tasks import is_word_problem, question_tasks
from tests.cases import each_case


@each_case("texts", "tasks")
def test_a_story_with_numbers_is_a_word_problem_and_a_calculation_in_words_is_none(text, tasks):
    assert question_tasks(text) == tuple(tasks)


@each_case("texts", "true_or_false")
def test_true_or_false_is_told_by_the_words_or_by_two_options(text, options, is_one):
    assert ("true_false" in question_tasks(text, options)) == is_one


@each_case("texts", "word_problems")
def test_a_story_with_numbers_is_one(text, is_one):
    assert is_word_problem(text) is is_one


def test_an_endless_text_is_none():
    assert not is_word_problem("He counts " + "3 apples and " * 4_000)
