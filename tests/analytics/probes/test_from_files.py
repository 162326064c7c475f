from __future__ import annotations

import json

import numpy as np
import pytest

from analytics.errors import DataError
from analytics.inference.heads import load_heads
from analytics.probes.data import ProbesConfig
from analytics.probes.from_files import encode_rows, evaluate_from_files, train_from_files
from analytics.question_files import QuestionRow
from analytics.training.context import FileOptions

QUICK = ProbesConfig(iterations=10)


@pytest.fixture
def question_file(tmp_path):
    """Questions on two concepts, which their words tell apart."""
    rows = [
        {
            "text": f"Find the area of a circle with radius {number} cm."
            if number % 2
            else f"Add {number} apples to {letters}.",
            "language": "en",
            "concepts": [["Geometry", "Circles"]] if number % 2 else [["Number", "Addition"]],
            "difficulty": 1 + number % 5,
            "difficulty_scale": "1-5",
        }
        for number, letters in ((n, "abcdefghij"[n % 10] * (n // 10 + 1)) for n in range(120))
    ]
    path = tmp_path / "bank.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_file_becomes_an_artifact_that_says_how_it_was_made(question_file, tmp_path):
    manifest = train_from_files(question_file, tmp_path / "m", QUICK, FileOptions(backbone="char-ngrams"))
    heads = load_heads(tmp_path / "m")
    assert (heads.encoder, heads.dimension) == ("char-ngrams-512", 512)
    assert manifest.extra["hierarchy"] == "bank"
    assert manifest.extra["command"] == (
        "python -m analytics train probes --data bank.jsonl --output FOLDER --backbone char-ngrams --set iterations=10"
    )
    assert manifest.metrics["concepts"]["path_accuracy"] > 0.9


def test_evaluation_repeats_the_split_and_gives_mean_and_spread(question_file):
    figures = evaluate_from_files(question_file, QUICK, backbone="char-ngrams", seeds=2)
    assert figures["seeds"] == [0, 1]
    assert len(figures["runs"]) == 2
    runs = [run["difficulty"]["mae"] for run in figures["runs"]]
    assert figures["mean"]["difficulty"]["mae"] == pytest.approx(np.mean(runs), abs=1e-4)
    assert figures["standard_deviation"]["difficulty"]["mae"] == pytest.approx(np.std(runs), abs=1e-4)
    assert figures["mean"]["difficulty"]["scale"] == "1-5"


def test_a_language_that_the_encoder_does_not_know_is_encoded_by_ngrams(monkeypatch, tiny):
    monkeypatch.setattr("analytics.backbone.bert.load_backbone", lambda name: tiny)
    said = []
    chinese = [QuestionRow("圆的面积是多少", "zh", (), None, "")]
    vectors, name = encode_rows(chinese, say=said.append)
    assert (vectors.shape, name) == ((1, 512), "char-ngrams-512")
    assert "100% of the tokens in zh" in said[0]
    english = [QuestionRow("area of a circle", "en", (), None, "")]
    assert encode_rows(english)[1] == tiny.name
    with pytest.raises(DataError, match="choose one language"):
        encode_rows(chinese + english)


def test_a_named_encoder_is_used_whatever_the_language(monkeypatch, tiny):
    monkeypatch.setattr("analytics.backbone.bert.load_backbone", lambda name: tiny)
    chinese = [QuestionRow("圆的面积是多少", "zh", (), None, "")]
    assert encode_rows(chinese, backbone="bert-base-chinese")[1] == tiny.name


def test_a_language_without_questions_is_said(question_file, tmp_path):
    with pytest.raises(DataError, match="No question is in the language 'fr'"):
        train_from_files(question_file, tmp_path / "m", QUICK, FileOptions(language="fr"))
