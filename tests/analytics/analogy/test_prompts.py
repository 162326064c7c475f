"""A prompt of exemplars fits its budget, and what a model answers to it is read and compared."""

from __future__ import annotations

import pytest

from analytics.analogy.exemplars import PromptSettings, answer_format, few_shot_prompt, is_exact_match, parse_answer
from analytics.errors import DataError
from analytics.records import ProblemRecord
from tests.cases import each_case

PROBLEMS = [
    ProblemRecord("1", "How much is 5 + 2?", equation="5+2", answer="7", solution="Add them."),
    ProblemRecord("2", "How much is 9 + 4?", equation="9+4", answer="13", solution="Add both."),
]


def test_the_prompt_ends_with_the_nearest_and_the_question() -> None:
    prompt = few_shot_prompt("And 1 + 1?", PROBLEMS)
    assert prompt == (
        "Question: How much is 9 + 4?\nAnswer: x=9+4\n\n"
        "Question: How much is 5 + 2?\nAnswer: x=5+2\n\n"
        "Question: And 1 + 1?\nAnswer:"
    )


def test_solutions_and_bare_answers_are_formats_too() -> None:
    settings = PromptSettings(answers="solution", order="nearest first")
    assert "Answer: Add them.\n#### 7\n\nQuestion: How much is 9" in few_shot_prompt("?", PROBLEMS, settings)
    assert "Answer: 13" in few_shot_prompt("?", PROBLEMS, PromptSettings(answers="answer"))


def test_the_least_similar_are_left_out_until_the_prompt_fits() -> None:
    prompt = few_shot_prompt("?", PROBLEMS, PromptSettings(budget=30))
    assert "5 + 2" in prompt
    assert "9 + 4" not in prompt
    with pytest.raises(DataError, match="question alone"):
        few_shot_prompt("a b c d e", PROBLEMS, PromptSettings(budget=3))


def test_exemplars_without_the_format_are_left_out() -> None:
    plain = ProblemRecord("3", "?", answer="7")
    assert answer_format([PROBLEMS[0], plain]) == "answer"
    assert few_shot_prompt("?", [PROBLEMS[0], plain], PromptSettings(answers="equation")).count("Answer:") == 2
    with pytest.raises(DataError, match="in this format"):
        few_shot_prompt("?", [plain], PromptSettings(answers="equation"))
    with pytest.raises(DataError, match="an equation, a solution or an answer"):
        answer_format([ProblemRecord("4", "?")])
    with pytest.raises(ValueError, match="order"):
        PromptSettings(order="random")


@each_case("exemplars", "answers")
def test_answers_are_read_as_they_are_written(written: str, answers: str, value: float | None) -> None:
    assert parse_answer(written, answers) == value


@each_case("exemplars", "matches")
def test_equations_match_by_value_and_texts_by_characters(written, answers, published, is_exact) -> None:
    assert is_exact_match(written, answers, published=published, value=1 / 3) == is_exact
