"""`manage.py score_paraphrases`: file in, file out."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from questionbank.registry import artifact_services as artifacts
from questionbank.registry.artifact_services import artifact_promote, artifact_register
from tests.analytics.paraphrase.tiny_scorer import tiny_scorer

pytestmark = pytest.mark.django_db

QUESTION = "Ann has 12 apples. Bob takes 3 of them. How many apples are left?"


@pytest.fixture(autouse=True)
def nothing_is_installed(monkeypatch):
    monkeypatch.setattr(artifacts, "artifact_install_default", lambda report=None: None)


@pytest.fixture
def scorer(tmp_path):
    return artifact_register(folder=tiny_scorer(tmp_path / "scorer"))


def run(source, target, *arguments: str) -> str:
    err = StringIO()
    call_command("score_paraphrases", "--input", str(source), "--output", str(target), *arguments, stderr=err)
    return err.getvalue()


def test_each_pair_has_score_verdict_probability_and_findings(scorer, tmp_path):
    artifact_promote(artifact=scorer)
    source, target = tmp_path / "pairs.jsonl", tmp_path / "scores.jsonl"
    rows = [
        {"id": "same", "original": QUESTION, "paraphrase": QUESTION},
        {"id": 7, "original": QUESTION, "paraphrase": QUESTION.replace("12", "40")},
        {"original": QUESTION, "paraphrase": "安有十二个苹果，鲍勃拿走三个，还剩下多少个苹果？"},
    ]
    source.write_text("\n".join(map(json.dumps, rows)))
    err = run(source, target)
    same, changed, unread = map(json.loads, target.read_text().splitlines())
    assert set(same) == {"id", "score", "verdict", "probability", "findings"}
    assert same["id"] == "same"
    assert same["score"] == pytest.approx(1, abs=1e-4)
    assert (same["verdict"], same["findings"]) == ("valid", [])
    assert changed["id"] == 7
    assert changed["verdict"] == "invalid"
    assert changed["probability"] < 0.5
    assert changed["findings"][0]["sentence"] == "12 became 40."
    assert unread["id"] == "3"
    assert (unread["score"], unread["verdict"], unread["probability"]) == (None, None, None)
    assert unread["findings"]
    assert "cannot read" in err
    assert "3 scores" in err


def test_lines_that_cannot_be_read_are_named_and_the_others_scored(scorer, tmp_path):
    source, target = tmp_path / "pairs.jsonl", tmp_path / "scores.jsonl"
    good = json.dumps({"id": "a", "original": QUESTION, "paraphrase": QUESTION})
    bad = ["{", json.dumps({"original": "x"}), json.dumps({"original": " ", "paraphrase": "x"}), "[]"]
    bad += [json.dumps({"id": bad_id, "original": "x", "paraphrase": "y"}) for bad_id in (True, "\ud800")]
    bad += [json.dumps({"original": "x", "paraphrase": bad_text}) for bad_text in ("\ud800", "\0")]
    bad.append('{"id": 1e999, "original": "x", "paraphrase": "y"}')
    source.write_text("\n".join([good, *bad, "", good]))
    err = StringIO()
    with pytest.raises(CommandError, match="9 of 11 lines could not be read"):
        call_command("score_paraphrases", "--input", source, "--output", target, "--model", str(scorer.pk), stderr=err)
    assert len(target.read_text().splitlines()) == 2
    said = err.getvalue()
    reasons = {2: "not JSON", 3: "paraphrase must", 4: "original must", 5: "a list", 6: "id must"}
    reasons |= {7: "id holds half", 8: "paraphrase holds half", 9: "a NUL", 10: "a finite number"}
    for number, reason in reasons.items():
        assert any(f"line {number}: " in line and reason in line for line in said.splitlines())


def test_without_a_scorer_one_sentence_says_what_to_do(tmp_path):
    source = tmp_path / "pairs.jsonl"
    source.write_text("{}")
    with pytest.raises(CommandError, match="no scorer of paraphrases yet"):
        run(source, tmp_path / "scores.jsonl")
    with pytest.raises(CommandError, match="no model with the number 4711"):
        run(source, tmp_path / "scores.jsonl", "--model", "4711")
    assert not (tmp_path / "scores.jsonl").exists()


def test_a_file_without_pairs_is_refused(scorer, tmp_path):
    source = tmp_path / "pairs.jsonl"
    source.write_text("\n\n")
    with pytest.raises(CommandError, match=r"contains no pairs"):
        run(source, tmp_path / "scores.jsonl", "--model", str(scorer.pk))
