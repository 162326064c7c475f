"""Exemplars are near and never give the answer away."""

from __future__ import annotations

import numpy as np
import pytest

from analytics.analogy.exemplars import (
    CorpusGraphs,
    ExemplarCorpus,
    PromptSettings,
    answer_format,
    few_shot_prompt,
    is_exact_match,
    parse_answer,
)
from analytics.analogy.graphs import ComputationalGraph, text_graph
from analytics.errors import DataError
from analytics.records import ProblemRecord
from analytics.text.fingerprints import story_key
from tests.cases import each_case

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


SOLVED = [
    ("Ann had 9 pies and ate 5.", "9-5"),
    ("Tim broke 2 of 9 cups.", "9-2"),
    ("Tom has 3 pens and 4 cups.", "3+4"),
    ("A day is long.", ""),
]
COSINES = np.array([0.1, 0.2, 0.9, 0.95], dtype=np.float32)


def graph(text: str, equation: str) -> ComputationalGraph | None:
    return text_graph(ProblemRecord("1", text, equation=equation))


CORPUS = [graph(text, equation) for text, equation in SOLVED]
DIFFERENCE, SUM = CORPUS[0], CORPUS[2]


def ranking(likely: list) -> list[int]:
    return np.argsort(-CorpusGraphs(CORPUS).scores(COSINES, likely)).tolist()


def test_without_likely_graphs_the_cosines_decide():
    assert CorpusGraphs(CORPUS).scores(COSINES, []) == pytest.approx(COSINES / 5)
    assert ranking([]) == [3, 2, 1, 0]


def test_the_same_equation_comes_before_the_same_graph_and_both_before_the_most_similar():
    assert ranking([(DIFFERENCE, 0.9)]) == [0, 1, 3, 2]


def test_a_doubtful_graph_moves_less_and_several_graphs_count_each():
    assert ranking([(DIFFERENCE, 0.01)]) == [3, 2, 1, 0]
    assert ranking([(DIFFERENCE, 0.3), (SUM, 0.6)]) == [2, 0, 3, 1]
    assert ranking([(DIFFERENCE, 0.3), (DIFFERENCE, 0.3)]) == ranking([(DIFFERENCE, 0.6)])


def test_scores_stay_between_minus_one_and_one():
    surer_than_sure = [(DIFFERENCE, 0.9), (DIFFERENCE, 0.8)]
    scores = CorpusGraphs(CORPUS).scores(np.ones(4, dtype=np.float32), surer_than_sure)
    assert scores[0] == pytest.approx(1)
    assert scores.max() <= 1


def test_a_copy_but_for_numbers_is_no_exemplar_however_likely_its_graph():
    corpus = ExemplarCorpus([text for text, _equation in SOLVED], np.eye(4, dtype=np.float32), CORPUS)
    (hits,) = corpus.retrieve(
        ["Ann had 7 pies and ate 1."], np.eye(4, dtype=np.float32)[:1], 2, likely=[[(DIFFERENCE, 1.0)]]
    )
    assert [hit.row for hit in hits] == [1, 2]


def test_every_problem_needs_a_graph_or_none_has_one():
    with pytest.raises(DataError, match="as many graphs, not 3"):
        ExemplarCorpus([text for text, _equation in SOLVED], np.eye(4, dtype=np.float32), CORPUS[:3])
