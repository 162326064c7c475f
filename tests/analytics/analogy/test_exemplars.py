"""Exemplars are near, never give the answer away, and make a prompt that fits."""

from __future__ import annotations

import numpy as np
import pytest

from analytics.analogy.exemplars import (
    ExemplarCorpus,
    PromptSettings,
    answer_format,
    few_shot_prompt,
    parse_answer,
    story_key,
)
from analytics.errors import DataError
from analytics.records import ProblemRecord

TEXTS = ["Tom has 3 pens.", "Ann eats 2 of 9 pies.", "A car goes 4 miles.", "Tom has 8 pens ."]
VECTORS = np.array([[1, 0], [0.8, 0.6], [0, 1], [1, 0]], dtype=np.float32)
QUERY = np.array([[1, 0]], dtype=np.float32)


def rows(texts: list[str], k: int) -> list[int]:
    (hits,) = ExemplarCorpus(TEXTS, VECTORS).retrieve(texts, QUERY, k)
    return [hit.row for hit in hits]


def test_the_nearest_come_first() -> None:
    assert rows(["Is it 5?"], 3) == [0, 3, 1]


def test_neither_the_question_nor_a_copy_but_for_numbers_is_an_exemplar() -> None:
    assert rows(["TOM has three pens"], 3) == [1, 2]


def test_a_k_beyond_the_corpus_gives_all() -> None:
    assert rows(["Is it 5?"], 50) == [0, 3, 1, 2]


def test_an_empty_corpus_is_refused() -> None:
    with pytest.raises(DataError, match="no problem"):
        ExemplarCorpus([], np.zeros((0, 2), dtype=np.float32))
    with pytest.raises(DataError, match="as many vectors"):
        ExemplarCorpus(["a"], np.zeros((0, 2), dtype=np.float32))


def test_stories_differ_by_more_than_numbers() -> None:
    assert story_key("Tom has 3 pens") != story_key("Ann has 3 pens")
    assert story_key("Tom has twenty pens!") == story_key("tom has 7 pens")


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


def test_a_format_that_an_exemplar_lacks_is_refused() -> None:
    plain = ProblemRecord("3", "?", answer="7")
    assert answer_format([PROBLEMS[0], plain]) == "answer"
    with pytest.raises(DataError, match="has no equation"):
        few_shot_prompt("?", [plain], PromptSettings(answers="equation"))
    with pytest.raises(DataError, match="in common"):
        answer_format([ProblemRecord("4", "?")])
    with pytest.raises(ValueError, match="order"):
        PromptSettings(order="random")


@pytest.mark.parametrize(
    ("written", "answers", "value"),
    [
        (" x = 9*(2+1)\nQuestion: more", "equation", 27),
        ("I cannot say.", "equation", None),
        ("5+2 is 7.\n#### 7", "solution", 7),
        ("so it is 1,250 pens", "solution", 1250),
        ("Add 1.\n\nQuestion: 99?", "answer", 1),
        ("no idea", "answer", None),
    ],
)
def test_answers_are_read_as_they_are_written(written: str, answers: str, value: float | None) -> None:
    assert parse_answer(written, answers) == value
