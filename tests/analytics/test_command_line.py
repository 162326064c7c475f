from __future__ import annotations

import json
from pathlib import Path

import pytest

from analytics.__main__ import main
from analytics.artifacts import Manifest, artifact_read


@pytest.fixture
def question_file(tmp_path):
    path = tmp_path / "bank.jsonl"
    with path.open("w") as stream:
        for number in range(60):
            text = "Area of a circle " if number % 2 else "Sum of two numbers "
            concepts = [["Circles"]] if number % 2 else [["Addition"]]
            stream.write(json.dumps({"text": text + "ab"[number % 2] * number, "concepts": concepts}) + "\n")
    return path


def test_training_writes_an_artifact_and_prints_its_metrics(question_file, tmp_path, capsys):
    output = tmp_path / "heads"
    arguments = ["train", "probes", "--data", str(question_file), "--output", str(output)]
    code = main([*arguments, "--backbone", "char-ngrams", "--hierarchy", "Bank", "--set", "seed=3"])
    assert code == 0
    manifest = artifact_read(output)
    assert (manifest.seed, manifest.extra["hierarchy"]) == (3, "Bank")
    assert json.loads(capsys.readouterr().out) == manifest.metrics


def test_evaluation_writes_its_figures(question_file, tmp_path, capsys):
    output = tmp_path / "figures.json"
    arguments = ["evaluate", "probes", "--data", str(question_file), "--output", str(output)]
    assert main([*arguments, "--backbone", "char-ngrams", "--seeds", "2"]) == 0
    figures = json.loads(output.read_text())
    assert figures["seeds"] == [0, 1]
    assert json.loads(capsys.readouterr().out) == figures["mean"]


def test_export_names_the_encoder_that_was_asked_for(monkeypatch, tmp_path, capsys):
    asked = []

    def export(output, *, backbone, adapter):
        asked.append((output, backbone))
        return Manifest("encoder", "some encoder")

    monkeypatch.setattr("analytics.backbone.export.export_encoder", export)
    assert main(["export", "encoder", "--backbone", "bert-base-chinese", "--output", str(tmp_path / "m")]) == 0
    assert asked == [(tmp_path / "m", "bert-base-chinese")]
    assert "some encoder was written to" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--data", "nowhere.jsonl"], "There is no question file"),
        (["--data", "nowhere.jsonl", "--set", "seed=one", "--set", "coverage=7"], "seed must be of type int"),
        (["--data", "nowhere.jsonl", "--set", "colour=red"], "colour is not a setting"),
        (["--data", "nowhere.jsonl", "--set", "processes=4"], "processes is no longer a setting; start several"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_exit_code_1(tmp_path, capsys, arguments, reason):
    assert main(["train", "probes", "--output", str(tmp_path / "m"), *arguments]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.strip().splitlines()) == 1
    assert reason in captured.err
    assert not (tmp_path / "m").exists()


def test_an_output_that_cannot_be_written_is_a_sentence(question_file, tmp_path, capsys):
    arguments = ["evaluate", "probes", "--data", str(question_file), "--backbone", "char-ngrams", "--seeds", "1"]
    assert main([*arguments, "--output", str(tmp_path / "no" / "such" / "f.json")]) == 1
    assert "No such file" in capsys.readouterr().err


def test_several_starters_are_exported_to_numbered_folders(monkeypatch, tmp_path):
    exports = []

    def export(output, *, backbone, adapter):
        exports.append((output, backbone, adapter))
        return Manifest("encoder", "some model")

    monkeypatch.setattr("analytics.backbone.export.export_encoder", export)
    monkeypatch.setattr("analytics.paraphrase.train.export_scorer", export)
    assert main(["export-starters", "encoder", "paraphrase=starter", "--output", str(tmp_path)]) == 0
    assert exports == [(tmp_path / "0", "", None), (tmp_path / "1", "", Path("starter"))]


@pytest.mark.parametrize("word", ["nonsense", "probes"])
def test_a_starter_that_needs_no_export_is_refused(word, tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["export-starters", word, "--output", str(tmp_path)])
    assert f"'{word}' is not a capability that can be exported" in capsys.readouterr().err
