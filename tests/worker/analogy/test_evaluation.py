"""What `manage.py evaluate analogy` measures, on problems small enough to count by hand."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from analytics.analogy.examples import read_graphs
from analytics.analogy.retriever import load_retriever
from analytics.errors import DataError
from analytics.question_files import read_problems
from questionbank.core.errors import NotFound, ValidationFailed
from questionbank.similar import file_results
from tests.questionbank.scripted_solver import ScriptedSolver
from tests.worker.encoder_bank import tiny_retriever
from worker.analogy import evaluation
from worker.analogy.evaluation import (
    MeasuredModels,
    evaluate_analogy,
    evaluate_analogy_model,
    question_set,
    retriever_bulk_encode,
)
from worker.analogy.figures import bound_arm, figures_of, measure_arm, random_arm, solver_arm, tfidf_arm, vector_arm

ROWS = [
    ("Tom has 3 pens and 4 cups.", "3+4", 0),
    ("Ann had 9 pies and ate 5.", "9-5", 0),
    ("Tom has 8 pens and 1 cups.", "8+1", 1),
    ("A shop sold 8 cars, then 2.", "8+2", 1),
    ("Of 7 birds 6 flew away.", "7-6", 1),
    ("Tim broke 2 of 9 cups.", "9-2", 1),
]


def write_set(path: Path, rows=ROWS, language: str = "en") -> Path:
    lines = [
        json.dumps({"id": str(number), "text": text, "equation": equation, "fold": fold, "language": language})
        for number, (text, equation, fold) in enumerate(rows)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as stream:
        stream.write("\n".join(lines))
    return path


def test_true_graphs_find_all_there_is_and_twins_can_be_left_out(tmp_path):
    problems = read_problems(write_set(tmp_path / "cv.jsonl.gz"))
    questions, without = question_set(problems, fold=0)
    assert without == 0
    arm = bound_arm(questions.examples)
    all_found = measure_arm(questions, arm, 2, {}, twins=True)
    assert all_found.values["same_graph"].tolist() == [1, 1]
    assert all_found.values["same_equation"].tolist() == [1, 0.5]  # 9-5 and 7-6, but 9-2 is N1-N0
    assert all_found.values["edit_similarity"].tolist() == [1, 1]
    assert all_found.values["ndcg"].tolist() == [1, 1]
    assert all_found.values["apply_nearest"].tolist() == [1, 1]
    without_twins = measure_arm(questions, arm, 2, {}, twins=False)
    assert without_twins.values["same_graph"].tolist() == [0.5, 1]


def test_similarities_of_an_arm_decide_what_is_found(tmp_path):
    questions, _without = question_set(read_problems(write_set(tmp_path / "cv.jsonl.gz")), fold=0)
    vectors = np.eye(6, dtype=np.float32)
    vectors[0] = vectors[4]
    result = measure_arm(questions, vector_arm(vectors), 1, {}, twins=True)
    assert result.values["same_graph"][0] == 0  # the nearest of 3+4 is now 7-6
    assert result.values["apply_nearest"][0] == 0
    assert result.graph_similarities[0, 0] == pytest.approx(0.75)
    assert result.values["edit_similarity"][0] == pytest.approx(1 - 1 / 6)  # one node of three and three is another
    texts = [example.problem.text for example in questions.examples]
    assert tfidf_arm(texts)(np.array([0]), np.array([2, 3])).argmax() == 0
    assert random_arm()(np.array([0]), np.array([2, 3])).shape == (1, 2)


def test_a_solver_helps_and_recalls_no_copy_of_a_question(tmp_path):
    questions, _without = question_set(read_problems(write_set(tmp_path / "cv.jsonl.gz")), fold=0)
    vectors = np.ones((6, 1), dtype=np.float32)
    recalled: list[list[str]] = []

    def solver_with(solved):
        recalled.append([problem.equation for problem in solved])
        return ScriptedSolver({ROWS[0][0]: [("3+4", 0.8)], ROWS[1][0]: [("9-5", 0.8)]})

    arm = solver_arm(questions.examples, questions.stories, vectors, solver_with)
    for twins in (True, False):
        helped = measure_arm(questions, arm, 1, {}, twins=twins)
        assert helped.values["same_equation"].tolist() == [1, 1]
    assert recalled == [["8+2", "7-6", "9-2"]]


def test_figures_have_intervals_and_differences(tmp_path):
    questions, _without = question_set(read_problems(write_set(tmp_path / "cv.jsonl.gz")))
    best = measure_arm(questions, bound_arm(questions.examples), 1, {}, twins=True)
    chance = measure_arm(questions, random_arm(), 1, {}, twins=True)
    value, low, high = figures_of(best)["same_graph"]
    assert low <= value <= high
    assert value == 1
    difference, low, high = figures_of(best, chance)["same_graph"]
    assert difference == pytest.approx(1 - chance.values["same_graph"].mean())
    assert low <= difference <= high


def test_sets_that_cannot_be_measured_are_named(tmp_path):
    with pytest.raises(DataError, match="no file of problems"):
        evaluate_analogy(tmp_path, lambda _languages: MeasuredModels())
    with pytest.raises(DataError, match="no such fold"):
        question_set(read_problems(write_set(tmp_path / "cv.jsonl.gz")), fold=7)
    plain = write_set(tmp_path / "plain.jsonl.gz", [(text, equation, None) for text, equation, _fold in ROWS])
    with pytest.raises(DataError, match="needs folds"):
        question_set(read_problems(plain))
    assert len(read_graphs(read_problems(plain).learned)[0]) == 6


@pytest.mark.django_db
def test_the_retriever_is_measured_with_the_solver_that_is_named_or_in_use(tmp_path, monkeypatch):
    data = write_set(tmp_path / "cv.jsonl.gz")
    folder = tiny_retriever(tmp_path / "retriever")
    retriever = load_retriever(folder)
    monkeypatch.setattr(evaluation, "retriever_by_name", lambda _model, _languages: retriever)

    def figures(solver: str) -> dict:
        options = {"data": data, "model": str(folder), "solver": solver, "k": 1, "ask": 100}
        return evaluate_analogy_model(options)["sets"]["cv"]

    def ways(solver: str) -> set[str]:
        return set(figures(solver)["with_twins"])

    assert "ours_with_solver" not in ways("default")  # none is in use yet
    with pytest.raises(NotFound, match="no model with the number 77"):
        ways("77")
    monkeypatch.setattr(file_results, "solver_by_name", lambda _name: ScriptedSolver({}))
    trained = SimpleNamespace(manifest={"config": {"fold": 1}})
    monkeypatch.setattr(evaluation, "artifact_numbered", lambda **_which: trained)
    assert figures("5")["questions"] < figures("none")["questions"]  # those of the fold alone
    retriever.manifest.config["fold"] = 0
    with pytest.raises(ValidationFailed, match="different folds"):
        ways("5")
    del retriever.manifest.config["fold"]
    assert {"ours_with_solver", "with_solver_less_ours"} <= ways("5")
    assert "ours_with_solver" not in ways("none")


def test_many_problems_are_encoded_as_the_retriever_encodes_each(tmp_path):
    folder = tiny_retriever(tmp_path / "retriever")
    retriever = load_retriever(folder)
    texts = [text for text, _equation, _fold in ROWS]
    cosines = np.einsum("ij,ij->i", retriever_bulk_encode(str(folder), retriever)(texts), retriever.encode(texts))
    assert cosines.min() > 0.999


@pytest.mark.django_db
def test_the_retriever_in_use_is_measured_and_without_one_the_others_alone(tmp_path):
    figures = evaluate_analogy_model(
        {"data": write_set(tmp_path / "cv.jsonl.gz"), "model": "default", "solver": "none", "k": 1, "ask": 100}
    )
    (ways,) = figures["sets"].values()
    assert "questions" in ways
    assert "exact_match" not in ways["with_twins"]["random"]
    assert figures["language_model"] is None


def test_each_set_of_a_folder_is_measured_with_the_models_of_its_languages(tmp_path):
    languages: list[set[str]] = []

    def models_for(of_set):
        languages.append(set(of_set))
        return MeasuredModels()

    write_set(tmp_path / "en" / "cv.jsonl.gz")
    write_set(tmp_path / "zh" / "cv.jsonl.gz", language="zh")
    figures = evaluate_analogy(tmp_path, models_for, k=1)
    assert languages == [{"en"}, {"zh"}]
    assert [figures["sets"][name]["model"] for name in ("en", "zh")] == [None, None]


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "questions", "bound"), [("mawps", 1920, (0.901, 0.939)), ("asdiv_a", 1217, (0.891, 0.988))]
)
def test_the_bound_on_published_folds_is_as_it_was_measured_once(shared_data, name, questions, bound):
    asked, _without = question_set(read_problems(shared_data / name))
    equations = np.array([example.graph.prototype for example in asked.examples], dtype=object)
    graphs = np.array([example.graph.graph for example in asked.examples], dtype=object)
    assert sum(len(rows) for rows, _corpus in asked.parts) == questions
    for keys, expected in zip((equations, graphs), bound, strict=True):
        shares = [
            np.minimum((keys[rows][:, None] == keys[corpus][None, :]).sum(axis=1), 8) / 8
            for rows, corpus in asked.parts
        ]
        assert np.concatenate(shares).mean() == pytest.approx(expected, abs=0.001)
