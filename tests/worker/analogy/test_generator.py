"""The language model that answers questions from exemplars: what it is sent, and how its answers are counted."""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pytest

from analytics.errors import LanguageModelError
from analytics.question_files import read_problems
from tests.language_model_server import KEY, said
from tests.worker.analogy.test_evaluation import ROWS, write_set
from worker.analogy.evaluation import evaluate_analogy_model, question_set
from worker.analogy.figures import (
    Columns,
    MeasuredGenerator,
    QuestionSet,
    bound_arm,
    figures_of,
    measure_arm,
    opened_generator,
    random_arm,
)


def answers(text: str) -> list[tuple[int, object, dict[str, str]]]:
    return [(200, said(text), {})]


def measured(tmp_path, arm=bound_arm) -> tuple[QuestionSet, Columns]:
    questions, _without = question_set(read_problems(write_set(tmp_path / "cv.jsonl.gz")))
    way = arm(questions.examples) if arm is bound_arm else arm()
    return questions, measure_arm(questions, way, 2, {}, twins=True)


def answered(questions: QuestionSet, columns: Columns) -> Mapping[str, npt.NDArray[np.float64]]:
    """The columns with the answers of the configured model to every question."""
    with opened_generator(100) as generator:
        assert generator is not None
        return generator.with_answers(questions, columns).values


def test_the_nearest_exemplar_stands_last_and_answers_are_compared_by_value(tmp_path, server):
    server.answers = answers("x=3+4")
    questions, columns = measured(tmp_path)
    values = answered(questions, columns)
    # 3+4 is asked of itself, and 9-2 is 7 as well
    assert values["exact_match"].tolist() == values["right_number"].tolist() == [1, 0, 0, 0, 0, 1]
    prompt = server.asked[0][2]["messages"][1]["content"]
    first, second = (questions.examples[row].problem.text for row in columns.exemplars[0])
    assert prompt.index(second) < prompt.index(first) < prompt.index(ROWS[0][0])
    assert "x=8+1" in prompt
    assert prompt.endswith("Answer:")


def test_every_way_is_asked_the_same_questions_and_no_prompt_twice(tmp_path, server):
    server.answers = answers("x=3+4")
    questions, best = measured(tmp_path)
    _questions, chance = measured(tmp_path, random_arm)
    with opened_generator(4) as generator:
        assert generator is not None
        of_best, of_chance = (generator.with_answers(questions, columns) for columns in (best, chance))
        sent = generator.prompts_sent
        generator.with_answers(questions, best)
    asked = np.isfinite(of_best.values["exact_match"])
    assert asked.sum() == 4
    assert np.array_equal(asked, np.isfinite(of_chance.values["exact_match"]))
    assert generator.prompts_sent == sent == len(server.asked)
    mean, low, high = figures_of(of_best)["exact_match"]
    assert low <= mean <= high
    assert mean == of_best.values["exact_match"][asked].mean()
    assert "exact_match" in figures_of(of_best, of_chance)
    assert "exact_match" not in figures_of(of_best, chance)


def test_questions_are_asked_with_several_numbers_of_exemplars_and_with_none(tmp_path, server):
    server.answers = answers("x=3+4")
    questions, columns = measured(tmp_path)
    with opened_generator(100, shown=(0, 2), most_tokens=9) as generator:
        assert generator is not None
        values = generator.with_answers(questions, columns).values
    assert {"exact_match@0", "right_number@0", "exact_match@2", "right_number@2"} <= set(values)
    assert "exact_match" not in values
    bodies = [body for _path, _headers, body in server.asked]
    shown = [body["messages"][1]["content"].count("Question:") for body in bodies]
    assert shown == [1] * len(ROWS) + [3] * len(ROWS)
    assert {body["max_tokens"] for body in bodies} == {9}


def test_kept_answers_are_not_asked_for_again(tmp_path, server):
    server.answers = answers("x=3+4")
    questions, columns = measured(tmp_path)
    kept = tmp_path / "output" / "answers.jsonl"
    figures = []
    for _time in range(2):
        with opened_generator(100, kept=kept) as generator:
            assert generator is not None
            figures.append(generator.with_answers(questions, columns).values["exact_match"].tolist())
    assert figures[0] == figures[1]
    assert len(server.asked) == len(ROWS)


def test_an_answer_without_a_text_is_wrong(tmp_path, server):
    server.answers = answers("")
    questions, columns = measured(tmp_path)
    values = answered(questions, columns)
    assert values["right_number"].tolist() == [0] * len(ROWS)


def test_texts_are_compared_as_texts(tmp_path, server):
    server.answers = answers("First 3, then 4.\n#### 7.0")
    rows = [
        {"id": str(number), "text": text, "calculations": [f"{equation}=7"], "solution": "Think.",
         "answer": "7", "fold": fold}
        for number, (text, equation, fold) in enumerate(ROWS) if equation in ("3+4", "9-2")
    ]  # fmt: skip
    (tmp_path / "cv.jsonl").write_text("\n".join(map(json.dumps, rows)))
    questions, _without = question_set(read_problems(tmp_path / "cv.jsonl"))
    columns = measure_arm(questions, random_arm(), 1, {}, twins=True)
    values = answered(questions, columns)
    assert values["exact_match"].tolist() == [0, 0]
    assert values["right_number"].tolist() == [1, 1]
    assert "Think.\n#### 7" in server.asked[0][2]["messages"][1]["content"]


def test_nothing_is_opened_without_a_model_or_a_question(settings, server):
    with opened_generator(0) as generator:
        assert generator is None
    settings.LANGUAGE_MODEL_URL = ""
    with opened_generator(100) as generator:
        assert generator is None


@pytest.mark.django_db
def test_the_command_measures_answers_beside_graphs(tmp_path, server):
    server.answers = answers("x=3+4")
    figures = evaluate_analogy_model(options(tmp_path))
    ways = figures["sets"]["cv"]["with_twins"]
    assert {way: values["exact_match"][0] for way, values in ways.items()} == dict.fromkeys(
        ("random", "frozen", "tfidf", "bound"), pytest.approx(2 / 6)
    )
    assert figures["language_model"]["problem"] == ""
    assert figures["language_model"]["prompts_sent"] == len(server.asked)


@pytest.mark.django_db
def test_a_model_that_refuses_is_one_sentence_and_the_rest_is_measured(tmp_path, server):
    server.answers = [(200, said("x=3+4"), {}), (401, {"error": {"message": f"Wrong key {KEY}"}}, {})]
    figures = evaluate_analogy_model(options(tmp_path))
    assert figures["language_model"]["problem"].endswith("refuses the key (401).")
    assert KEY not in json.dumps(figures)
    ways = figures["sets"]["cv"]["with_twins"]
    assert all("exact_match" not in values for values in ways.values())
    assert ways["bound"]["same_graph"][0] > 0
    assert len(server.asked) == 2  # it is not asked again


def test_where_a_table_is_made_the_error_ends_it(tmp_path, server):
    server.answers = [(401, {"error": "no"}, {})]
    questions, columns = measured(tmp_path)
    with opened_generator(100) as generator:
        assert isinstance(generator, MeasuredGenerator)
        with pytest.raises(LanguageModelError):
            generator.with_answers(questions, columns)


def options(tmp_path) -> dict[str, object]:
    data = write_set(tmp_path / "cv.jsonl.gz")
    return {"data": data, "model": "default", "solver": "none", "k": 1, "ask": 100}
