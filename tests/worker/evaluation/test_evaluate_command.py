"""`manage.py evaluate`: a word, a file of figures, and sentences where it cannot be done."""

from __future__ import annotations

import json
from io import StringIO
from unittest.mock import Mock

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from analytics.inference.heads import ConceptHead, ProbeHeads
from questionbank.bank.search_index import vocabulary_refresh
from questionbank.registry import artifact_services as artifacts
from tests.factories import ConceptFactory, HierarchyFactory, QuestionFactory
from tests.questionbank.small_bank import add_question, add_set, store_vectors
from tests.worker.encoder_bank import tiny_encoder
from worker import evaluation
from worker.probes import evaluation as probes_evaluation

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_default_model(monkeypatch):
    monkeypatch.setattr(artifacts, "artifact_install_default", lambda report=None: None)


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("evaluate", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_search_is_measured_and_the_figures_are_written(tmp_path):
    questions = [add_question(f"The carrots of {n} farmers weigh {n} kilograms at the big market") for n in range(9)]
    store_vectors(add_set("wording"), questions)
    vocabulary_refresh()
    target = tmp_path / "figures.json"
    out = run("search", "--output", str(target), "--queries", "4", "--split", "dev")
    assert json.loads(out) == json.loads(target.read_text())
    assert json.loads(out)["sorts"]["part of the text"]["queries"] > 0


def test_with_data_only_its_questions_are_asked_for(tmp_path):
    questions = [add_question(f"The carrots of {n} farmers weigh {n} kilograms at the big market") for n in range(9)]
    store_vectors(add_set("wording"), questions)
    data = tmp_path / "data"
    data.mkdir()
    lines = [json.dumps({"id": str(question.pk), "text": question.text}) for question in questions[:4]]
    (data / "some.jsonl").write_text("\n".join(lines))
    (data / "README.md").write_text("no questions")
    assert len(evaluation._content_hashes(data)) == 4


def test_probes_are_measured_on_labelled_questions_without_training(tmp_path, monkeypatch):
    add_set("purpose", 64)
    heads = ProbeHeads(
        encoder="char-ngrams-64",
        dimension=64,
        concepts=ConceptHead(
            paths=(("Algebra",), ("Geometry",)), leading=(), weights=np.zeros((2, 64)),
            bias=np.array([1.0, 0.0]),
        ),
    )  # fmt: skip
    monkeypatch.setattr(probes_evaluation, "_heads", lambda model, serving: (heads, "always algebra", "School"))
    rows = [
        {"id": str(n), "text": f"Question {'x' * n}", "concepts": [["Algebra" if n < 6 else "Geometry"]]}
        for n in range(8)
    ]
    concept = ConceptFactory(hierarchy=HierarchyFactory(name="School"), names=("Geometry",))
    QuestionFactory(text="How much is 5 + 2?", concepts=[concept])  # the next row differs in numbers only
    rows.append({"id": "seen", "text": "How  much is 3 + 9?", "concepts": [["Geometry"]]})
    (tmp_path / "test.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    (tmp_path / "train.jsonl").write_text('{"id": "x", "text": "not measured", "concepts": [["Geometry"]]}')
    figures = json.loads(run("probes", "--data", str(tmp_path), "--output", str(tmp_path / "out.json")))
    assert figures["model"] == "always algebra"
    assert figures["questions"] == 8
    assert figures["left_out_as_seen_in_training"] == 1
    assert figures["concepts"]["path_accuracy"] == 0.75


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["probes"], "no tagged questions with vectors"),
        (["probes", "--data", "/nowhere", "--model", "99"], "has no model with the number 99"),
        (["probes", "--data", "/nowhere"], "no probes yet"),
        (["search"], "no ready question"),
        (["search", "--data", "/nowhere.jsonl"], "no file"),
        (["colour"], "invalid choice"),
    ],
)
def test_what_cannot_be_measured_is_one_sentence(tmp_path, arguments, said):
    with pytest.raises(CommandError, match=said):
        run(*arguments, "--output", str(tmp_path / "out.json"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("place", "said"), [("", "is a folder"), ("no/out.json", "cannot be written")])
def test_an_output_that_cannot_be_written_is_said_before_anything_is_measured(tmp_path, monkeypatch, place, said):
    measure = Mock(return_value={})
    monkeypatch.setattr(evaluation, "_search", measure)
    with pytest.raises(CommandError, match=said):
        run("search", "--output", str(tmp_path / place))
    assert not measure.called
    assert list(tmp_path.iterdir()) == []
    run("search", "--output", str(tmp_path / "out.json"))
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]


def test_an_encoder_is_measured_by_its_own_weights(tmp_path):
    tiny_encoder(tmp_path / "model")
    artifact = artifacts.artifact_register(folder=tmp_path / "model")
    kinds = ("area", "mean")
    rows = [
        {
            "text": f"Find the {kinds[index % 2]} of thing {chr(97 + index // 26)}{chr(97 + index % 26)}.",
            "concepts": [["Root", kinds[index % 2]]],
        }
        for index in range(300)
    ]
    (tmp_path / "set.jsonl").write_text("\n".join(map(json.dumps, rows)))
    target = tmp_path / "figures.json"
    run("encoder", "--data", str(tmp_path / "set.jsonl"), "--model", str(artifact.pk), "--output", str(target))
    figures = json.loads(target.read_text())
    assert figures["encoder"] == artifact.name
    assert figures["sets"]["set"]["levels"]["1"]["accuracy"] > 0.9
    with pytest.raises(CommandError, match="no encoder with the id 999999"):
        run("encoder", "--data", str(tmp_path), "--model", "999999", "--output", str(target))
    with pytest.raises(CommandError, match="needs --data"):
        run("encoder", "--output", str(target))
