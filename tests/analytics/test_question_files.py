"""Files of word problems, and what is left out of them before training."""

from __future__ import annotations

import json

import pytest

from analytics.errors import DataError
from analytics.question_files import read_problems, read_to_train

_ROWS = (
    {"id": "0", "text": "3 pens cost 6 dollars. What does one cost?", "equation": "6/3", "fold": 0},
    {"id": "1", "text": "A box has 4 rows of 5 eggs. How many eggs?", "equation": "4*5", "fold": 0},
    {"id": "2", "text": "3 pens cost 6 dollars. What does one cost?", "equation": "6/3", "fold": 1},
    {"id": "3", "text": "5 pens cost 10 dollars. What does one cost?", "equation": "10/5", "fold": 1},
)


@pytest.fixture
def folds(tmp_path):
    path = tmp_path / "cv.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in _ROWS))
    return path


def test_a_training_leaves_out_texts_of_the_fold_that_is_tested(folds):
    assert [problem.id for problem in read_problems(folds, fold=0).learned] == ["2", "3"]
    said = []
    problems = read_to_train(folds, say=said.append, fold=0)
    assert [problem.id for problem in problems.learned] == ["3"]
    assert [problem.id for problem in problems.test] == ["0", "1"]
    assert said == ["Left out, because a test problem has the same text: 1."]


def test_nothing_is_left_out_of_a_training_that_tests_nothing(folds):
    assert len(read_to_train(folds, say=pytest.fail).learned) == 4


def test_a_set_that_is_all_tested_is_refused(tmp_path):
    for name in ("train", "test"):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(_ROWS[0]))
    with pytest.raises(DataError, match="has the text of a test problem"):
        read_to_train(tmp_path, say=lambda _line: None)
