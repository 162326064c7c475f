"""Measuring a scorer on labelled pairs."""

from __future__ import annotations

import json
from functools import partial
from io import StringIO
from itertools import product

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from analytics.backbone.bert import encode_bulk
from analytics.errors import DataError
from analytics.paraphrase.scorer import load_scorer
from questionbank.registry import artifact_services as artifacts
from questionbank.registry.artifact_services import artifact_promote, artifact_register
from tests.analytics.paraphrase.tiny_scorer import tiny_scorer
from tests.analytics.paraphrase.word_problems import word_problems
from tests.tiny_backbone import tiny_backbone
from worker.paraphrase.evaluation import evaluate_paraphrase

LEARNED = word_problems(12)[3]


@pytest.fixture(scope="module")
def scorer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scorer") / "model"
    return load_scorer(tiny_scorer(folder, learned=(LEARNED,)))


def rows() -> list[dict[str, object]]:
    return [
        {"id": f"{number}{label}", "original": text, "paraphrase": changed, "label": label, "operator": operator}
        for number, text in enumerate(word_problems(12))
        for label, operator, changed in (
            (1, "reworded", text.replace("How many", "What number of")),
            (0, "changed", text.replace("30 km", "50 km")),
        )
    ]


def write(path, some) -> None:
    path.write_text("\n".join(map(json.dumps, some)))


def test_score_verdict_and_rules_are_measured_without_what_was_learned(scorer, tmp_path):
    write(tmp_path / "pairs.jsonl", rows())
    figures = evaluate_paraphrase(tmp_path / "pairs.jsonl", scorer)
    set_figures = figures["sets"]["pairs"]
    assert (set_figures["pairs"], set_figures["learned_from_and_left_out"]) == (24, 2)
    assert set_figures["score"]["pairs"] == set_figures["verdict"]["pairs"] == 22
    assert set_figures["verdict"]["auc"] == 1  # the findings see every changed number
    assert set_figures["verdict"]["macro_f1"] == 1
    assert set_figures["rules"]["same_numbers"]["separation"] == 2
    means = set_figures["verdict"]["mean_by_operator"]
    assert means["reworded"] > 0 > means["changed"]
    assert set_figures["verdict"]["separation"] == pytest.approx(means["reworded"] - means["changed"], abs=2e-4)


def test_the_shares_of_pairs_with_a_serious_finding_are_told(scorer, tmp_path):
    write(tmp_path / "pairs.jsonl", rows())
    [figures] = evaluate_paraphrase(tmp_path / "pairs.jsonl", scorer)["sets"].values()
    assert (figures["valid_with_serious_finding"], figures["invalid_with_serious_finding"]) == (0, 1)


def test_intervals_and_differences_from_what_a_scorer_must_beat(scorer, tmp_path):
    write(tmp_path / "pairs.jsonl", rows())
    frozen = partial(encode_bulk, tiny_backbone(seed=1, max_tokens=128))
    figures = evaluate_paraphrase(tmp_path / "pairs.jsonl", scorer, frozen=frozen)["sets"]["pairs"]
    assert figures["cosine"]["auc"] == figures["score"]["auc"]
    for part in (figures["score"], figures["cosine"], figures["verdict"], figures["rules"]["frozen"]):
        for name, (low, high) in part["intervals"].items():
            assert low <= part[name] <= high, name
    assert figures["rules"]["same_numbers_then_frozen"]["auc"] == 1
    assert figures["rules"]["same_numbers_then_frozen"]["macro_f1"] == 1  # its threshold is 0
    value, low, high = figures["differences"]["score less same_numbers"]["separation"]
    assert value == pytest.approx(figures["score"]["separation"] - 2, abs=2e-4)
    assert low <= value <= high < 0  # the tiny encoder is worse than the rule, beyond the interval
    assert figures["differences"]["verdict less same_numbers"]["auc"] == [0, 0, 0]
    assert set(figures["differences"]) == {
        f"{name} less {rival}"
        for name, rival in product(
            ("score", "verdict"), ("score", "same_numbers", "frozen", "same_numbers_then_frozen")
        )
        if name != rival
    }


def test_operators_are_judged_by_the_labels_and_what_they_left_alone_is_left_out(scorer, tmp_path):
    made = [row | {"operator": ("back_translation", "pegasus")[1 - row["label"]]} for row in rows()]
    broken = made[1] | {"paraphrase": made[1]["original"] + " "}
    made[0]["label"] = 0  # people refuse one of the rewordings
    write(tmp_path / "pairs.jsonl", [*made, broken, made[2] | {"operator": "by hand"}])
    figures = evaluate_paraphrase(tmp_path / "pairs.jsonl", scorer)["sets"]["pairs"]
    assert figures["unchanged_and_left_out"] == 1
    operators = figures["operators"]
    assert (operators["pairs"], operators["labels_are_what_was_meant"]) == (22, False)
    assert (operators["precision"], operators["recall"]) == (pytest.approx(10 / 11, abs=1e-4), 1)
    assert operators["accuracy"] == pytest.approx(21 / 22, abs=1e-4)
    assert operators["by_operator"] == {
        "back_translation": {"meant": "valid", "pairs": 11, "valid": 10},
        "pegasus": {"meant": "invalid", "pairs": 11, "valid": 0},
    }


def test_every_file_of_a_folder_is_a_set(scorer, tmp_path):
    write(tmp_path / "one.jsonl", rows()[:6])
    write(tmp_path / "two.jsonl", [*rows()[8:], {"original": "a", "paraphrase": "b"}])
    figures = evaluate_paraphrase(tmp_path, scorer)
    assert {name: set_figures["pairs"] for name, set_figures in figures["sets"].items()} == {"one": 6, "two": 16}
    assert figures["unusable"] == {}


def test_a_file_that_cannot_be_measured_is_named_and_the_others_are(scorer, tmp_path):
    write(tmp_path / "bank.jsonl", [{"text": "How many pens?"}])
    write(tmp_path / "nul.jsonl", [*rows(), {"original": "a\0", "paraphrase": "b", "label": 1}])
    write(tmp_path / "good.jsonl", rows()[:6])
    write(tmp_path / "learned.jsonl", rows()[6:8])
    write(tmp_path / "one_label.jsonl", rows()[::2])
    write(tmp_path / "unlabelled.jsonl", [{"original": "a", "paraphrase": "b"}])
    figures = evaluate_paraphrase(tmp_path, scorer)
    assert list(figures["sets"]) == ["good"]
    reasons = {
        "bank": "bank.jsonl, line 1: a pair has an original and a paraphrase",
        "nul": "nul.jsonl, line 25: the original holds a NUL",
        "learned": "learned.jsonl has not pairs of both labels",
        "one_label": "one_label.jsonl has not pairs of both labels",
        "unlabelled": "No pair of unlabelled.jsonl has a label",
    }
    assert figures["unusable"].keys() == reasons.keys()
    for name, reason in reasons.items():
        assert figures["unusable"][name].startswith(reason)
    (tmp_path / "good.jsonl").unlink()
    with pytest.raises(DataError, match=r"line 25: .* No pair of unlabelled"):
        evaluate_paraphrase(tmp_path, scorer)


def test_pairs_that_cannot_be_measured_are_refused(scorer, tmp_path):
    with pytest.raises(DataError, match="There is no file"):
        evaluate_paraphrase(tmp_path, scorer)
    write(tmp_path / "pairs.jsonl", [{"original": "a", "paraphrase": "b"}])
    with pytest.raises(DataError, match=r"No pair .* has a label"):
        evaluate_paraphrase(tmp_path, scorer)
    write(tmp_path / "pairs.jsonl", rows()[6:8])  # both of a question that it learned
    with pytest.raises(DataError, match="did not learn from"):
        evaluate_paraphrase(tmp_path, scorer)


@pytest.mark.django_db
def test_the_command_writes_the_figures_of_the_champion(tmp_path, monkeypatch):
    monkeypatch.setattr(artifacts, "artifact_install_default", lambda report=None: None)
    write(tmp_path / "pairs.jsonl", rows())
    target = tmp_path / "figures.json"
    arguments = ("evaluate", "paraphrase", "--data", str(tmp_path / "pairs.jsonl"), "--output", str(target))
    with pytest.raises(CommandError, match="no scorer"):
        call_command(*arguments, stdout=StringIO())
    artifact_promote(artifact=artifact_register(folder=tiny_scorer(tmp_path / "scorer", name="mine", seed=7)))
    call_command(*arguments, stdout=StringIO())
    figures = json.loads(target.read_text())
    assert figures["scorer"] == "mine"
    assert figures["sets"]["pairs"]["score"]["pairs"] == 24
    assert "frozen" in figures["sets"]["pairs"]["rules"]
    write(tmp_path / "data.jsonl", rows()[::2])
    (tmp_path / "folder").mkdir()
    for name in ("pairs.jsonl", "data.jsonl"):
        (tmp_path / name).rename(tmp_path / "folder" / name)
    err = StringIO()
    folder = ("evaluate", "paraphrase", "--data", str(tmp_path / "folder"), "--output", str(target))
    call_command(*folder, stdout=StringIO(), stderr=err)
    assert "data.jsonl has not pairs of both labels" in err.getvalue()
    assert list(json.loads(target.read_text())["unusable"]) == ["data"]
    with pytest.raises(CommandError, match="needs --data"):
        call_command("evaluate", "paraphrase", "--output", str(target), stdout=StringIO())
