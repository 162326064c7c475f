"""The command that makes a starter: its steps are kept, and go on where they stopped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analytics.artifacts import artifact_read
from analytics.catalog import CAPABILITIES
from analytics.configuration import config_from_strings
from questionbank.demo.bank import DEMO_BANK
from worker import starters
from worker.solver.starter_data import STARTER_SETS
from worker.starters import RECIPES, StarterMaking, main


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_has_settings_that_exist_sets_that_are_known_and_folders_that_it_writes(name: str) -> None:
    recipe = RECIPES[name]
    written: set[str] = set()
    for step in recipe["steps"]:
        assert hasattr(StarterMaking, step["step"])
        read = [Path(step[key]).parts[0] for key in ("data", "model", "adapter", "backbone") if key in step]
        assert set(read) <= written
        if step["step"] == "train":
            settings = {**recipe.get("common", {}), **step.get("settings", {})}
            config_from_strings(
                CAPABILITIES[recipe["capability"]].config, {key: str(value) for key, value in settings.items()}
            )
        if step["step"] == "problems":
            sets = STARTER_SETS[step.get("language", "en")]
            assert all(hasattr(sets, key) for key in step.get("sets", {}))
        written.add(step.get("output", ""))
    assert not recipe["steps"] or recipe["model"] in written


def test_a_starter_is_made_step_by_step_and_what_is_done_is_not_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = [
        {"step": "questions", "output": "demo"},
        {"step": "train", "data": "demo/kindred-demo.jsonl.gz", "output": "probes", "hierarchy": "Kindred demo"},
    ]
    few = [row for number, (_line, row) in enumerate(starters.read_objects(DEMO_BANK)) if number % 8 == 0]
    starters.write_rows(tmp_path / "few.jsonl.gz", few)
    monkeypatch.setattr(starters, "DEMO_BANK", tmp_path / "few.jsonl.gz")
    recipe = {"capability": "probes", "license_note": "MIT", "model": "probes", "steps": steps}
    monkeypatch.setitem(RECIPES, "tiny", recipe)
    command = ["tiny", "--work", str(tmp_path / "work"), "--output", str(tmp_path / "starter")]
    assert main(command) == 0
    manifest = artifact_read(tmp_path / "starter")
    assert (manifest.capability, manifest.extra["hierarchy"], manifest.license_note) == (
        "probes",
        "Kindred demo",
        "MIT",
    )
    steps.append({"step": "missing", "output": "demo"})  # its output is there, so it is passed over
    assert main(command) == 0
    assert "written" in capsys.readouterr().out


def test_questions_that_a_tested_set_has_are_left_out(tmp_path: Path) -> None:
    for name, texts in {"set/train": ["2 + 3", "7 - 1 apples"], "set/test": ["9 - 4 apples"]}.items():
        rows = [{"text": text, "concepts": [["Sums"]]} for text in texts]
        (tmp_path / "set").mkdir(exist_ok=True)
        starters.write_rows(tmp_path / f"{name}.jsonl.gz", rows)
    making = StarterMaking("encoder", tmp_path, tmp_path)
    step = {"sets": {"sums": "set/train"}, "tested": "set/test"}
    making.questions(step, tmp_path / "written")
    [row] = starters.read_objects(tmp_path / "written" / "sums" / "train.jsonl.gz")
    assert json.dumps(row[1]["text"]) == '"2 + 3"'
    assert (tmp_path / "written" / "kindred-demo" / "kindred-demo.jsonl.gz").is_file()
