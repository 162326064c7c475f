"""The arms of the encoder's tables on small made-up sets: splits, leaks, resuming, tables."""

from __future__ import annotations

import json

import pytest

from analytics.encoder.config import EncoderConfig
from analytics.errors import DataError
from analytics.splits import masked_text
from tests.public_sets import write_set
from worker.reproduction import encoder as module
from worker.reproduction.encoder import encoder_tables, pretraining_examples, reproduce_encoder, split_sets
from worker.reproduction.runs import Plan

SHAPES = ("square", "circle", "kite", "cone", "cube", "prism", "rhombus", "hexagon", "torus", "sphere")


def rows(source: str, count: int = 80) -> list[dict]:
    made = []
    for index in range(count):
        what = ("area", "length", "volume")[index % 3]
        shape, name = SHAPES[index // 3 % 10], chr(97 + index // 30)
        made.append(
            {
                "text": f"{source}: find the {what} of a {shape} called {name}.",
                "language": "en",
                "concepts": [["Root", "Geometry", what.title(), shape.title()]],
                "difficulty": float(index % 3),
            }
        )
    return made


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    write_set(folder, "tal_scq_en/train", [*rows("tal"), *rows("tal")[:5]])
    write_set(folder, "conceptmath/elementary_en", rows("concept"))
    write_set(folder, "conceptmath/middle_en", rows("tal")[:40])  # leaks: the other set's questions
    write_set(folder, "math/train", rows("math"))
    write_set(folder, "math/test", rows("math test"))
    return folder


@pytest.fixture(scope="module")
def config(tiny_folder):
    return EncoderConfig(
        backbone=tiny_folder(64), batch_size=8, projection=8, queue_size=16, epochs=1, max_tokens=32,
        mixed_precision=False, device="cpu",
    )  # fmt: skip


def plan(config, **changes) -> Plan:
    values = {"arms": ["frozen", "quesco"], "seeds": [0], "trained_on": ["tal", "conceptmath"]}
    return Plan(**{**values, "measured_on": ["tal", "conceptmath"], "config": config, **changes})


def test_sets_are_split_by_masked_text_and_pretraining_sees_no_tested_question(data):
    sets = split_sets(data, ["tal", "conceptmath", "math"], seed=0)
    assert sets["tal"].duplicates == 5
    assert sets["tal"].paths[0] == ("Area", "Square")  # leading nodes dropped
    examples, leaked = pretraining_examples(sets, ["tal", "conceptmath", "math"])
    tested = {
        masked_text(text)
        for split_set in sets.values()
        for text, is_test in zip(split_set.texts, split_set.is_test, strict=True)
        if is_test
    }
    assert tested.isdisjoint(masked_text(example.text) for example in examples)
    assert leaked > 0
    assert not any(example.text.startswith("math test") for example in examples)
    reseeded = split_sets(data, ["tal"], seed=1)["tal"]
    assert (reseeded.is_test != sets["tal"].is_test).any()


def test_runs_are_kept_and_other_settings_refused(data, config, tmp_path, monkeypatch):
    lines: list[str] = []
    folders = reproduce_encoder(data, tmp_path, plan(config), say=lines.append)
    assert [folder.relative_to(tmp_path).as_posix() for folder in folders] == [
        "frozen/seed-0", "quesco/seed-0",
    ]  # fmt: skip
    figures = json.loads((folders[1] / "figures.json").read_text())
    assert figures["training"]["steps"] == figures["training"]["questions"] // 8
    assert figures["training"]["left_out_as_another_set_tests_with_them"] > 0
    assert not (folders[1] / "checkpoint").exists()
    monkeypatch.setattr(module, "_run", lambda *_args: pytest.fail("it was run again"))
    assert reproduce_encoder(data, tmp_path, plan(config)) == folders
    with pytest.raises(DataError, match="other settings"):
        reproduce_encoder(data, tmp_path, plan(config, trained_on=["tal"]))


def test_a_stopped_run_goes_on_from_its_checkpoint(data, config, tmp_path, monkeypatch):
    whole = reproduce_encoder(data, tmp_path / "whole", plan(config, arms=["quesco"]))[0]
    monkeypatch.setattr(module, "measure_set", lambda *_args: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        reproduce_encoder(data, tmp_path / "parts", plan(config, arms=["quesco"]))
    monkeypatch.undo()
    assert (tmp_path / "parts/quesco/seed-0/checkpoint/checkpoint.pt").is_file()
    parts = reproduce_encoder(data, tmp_path / "parts", plan(config, arms=["quesco"]))[0]
    unbroken, resumed = (json.loads((folder / "figures.json").read_text()) for folder in (whole, parts))
    assert unbroken["sets"] == resumed["sets"]


def test_the_table_shows_every_arm_and_the_paired_differences(data, config, tmp_path):
    folders = reproduce_encoder(
        data, tmp_path, plan(config, arms=["frozen", "tfidf", "quesco"], seeds=[0, 1], measured_on=["tal"])
    )
    table = encoder_tables(folders)
    assert "**TAL-SCQ5K English** (80 questions" in table
    assert "constant median MAE" in table
    for arm in ("Frozen backbone", "TF-IDF", "QuesCo"):
        assert f"| {arm} | 2 |" in table
    first = json.loads((folders[0] / "figures.json").read_text())["sets"]["tal"]["levels"]["1"]["accuracy"]
    second = json.loads((folders[3] / "figures.json").read_text())["sets"]["tal"]["levels"]["1"]["accuracy"]
    assert f"{(first + second) / 2:.3f}" in table
    assert "*QuesCo* less the arm" in table


def test_unknown_arms_sets_and_missing_files_are_named(data, config, tmp_path):
    with pytest.raises(DataError, match="Not known: nothing"):
        reproduce_encoder(data, tmp_path, plan(config, arms=["nothing"]))
    with pytest.raises(DataError, match=r"OPL is not there: opl/all.jsonl.gz"):
        reproduce_encoder(data, tmp_path, plan(config, measured_on=["opl"]))
