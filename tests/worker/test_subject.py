"""Fitting the classifier of what is not mathematics."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from analytics.inference.subject import WEIGHTS, looks_like_mathematics, subject_features
from worker import subject
from worker.starters import write_rows


def test_our_texts_are_of_both_sorts_and_none_is_written_twice() -> None:
    texts = list(subject.own_texts())
    assert len({text.text for text in texts}) == len(texts)
    assert {text.is_mathematics for text in texts} == {True, False}


def test_the_shipped_weights_fit_the_signs_that_are_read() -> None:
    with np.load(WEIGHTS, allow_pickle=False) as stored:
        assert stored["values"].shape == subject_features(["3 + 4"])[0].shape


def test_one_command_fits_measures_and_writes_a_classifier_that_tells_texts_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in (*subject.LEARNED, *subject.MEASURED):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        write_rows(tmp_path / f"{name}.jsonl.gz", [{"text": f"What is {n} + 5?"} for n in range(3)])
    rows = [
        {"text": f"{verb} the {thing} at {n} o'clock.", "kind": verb, "mathematics": False}
        for verb in ("Bring", "Wash", "Read", "Close", "Paint", "Feed", "Carry")
        for n, thing in enumerate(("book", "cat", "door"), 7)
    ]
    rows += [{"text": f"Add {n} and 4.", "kind": "short", "mathematics": True} for n in range(3)]
    (tmp_path / "own.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    monkeypatch.setattr(subject, "TEXTS", tmp_path / "own.jsonl")
    monkeypatch.setattr(subject, "DEMO", 5)
    monkeypatch.setattr(subject, "NOISE", 5)
    target = tmp_path / "subject.npz"
    assert subject.main(["--data", str(tmp_path), "--output", str(target)]) == 0
    with np.load(target, allow_pickle=False) as stored:
        question, notice = subject_features(["What is 8 + 9?", "Wash the book at 8 o'clock."]) @ stored["values"]
    assert question > notice
    assert "from which nothing is learned: 0 of 3" in capsys.readouterr().out


def test_a_missing_set_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert subject.main(["--data", str(tmp_path), "--output", str(tmp_path / "subject.npz")]) == 1
    assert "tal_scq_en" in capsys.readouterr().err
    assert not (tmp_path / "subject.npz").exists()


def test_the_demo_bank_is_mathematics() -> None:
    assert not [text for text in subject.demo_questions() if not looks_like_mathematics(text.text)]
