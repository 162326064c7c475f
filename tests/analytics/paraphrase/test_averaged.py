"""Scorers whose weights are averaged."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from analytics.artifacts import artifact_read, artifact_write
from analytics.backbone.bert import load_backbone
from analytics.backbone.tiny import save_backbone, tiny_backbone
from analytics.errors import DataError
from analytics.paraphrase.averaged import average_scorers, main
from analytics.paraphrase.capability import PARAPHRASE
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.scoring.scorer import load_scorer
from analytics.paraphrase.starter import write_starter
from tests.analytics.paraphrase.word_problems import word_problems


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A folder with material and two scorers of different seeds that learned from it, on one backbone."""
    root = tmp_path_factory.mktemp("averaged")
    save_backbone(tiny_backbone(max_tokens=256), root / "bert")
    (root / "material").mkdir()
    lines = [json.dumps({"text": text}) for text in word_problems(32)]
    (root / "material" / "problems.jsonl").write_text("\n".join(lines))
    for seed in (1, 2):
        config = ParaphraseConfig(
            backbone=str(root / "bert"), adapter_rank=2, max_steps=4, batch_size=8, max_tokens=256, device="cpu",
            learning_rate=0.05, mixed_precision=False, triplets_per_question=2, seed=seed, typed_numbers=True,
            stretch=True,
        )  # fmt: skip
        PARAPHRASE.train(root / "material", root / f"seed-{seed}", config)
    return root


def _copy_with(model: Path, folder: Path, **settings: object) -> None:
    """Copy a scorer as if it had been trained with other settings."""
    manifest = artifact_read(model)
    copied = replace(manifest, config=manifest.config | settings, files={})
    artifact_write(
        folder, copied, lambda aside: [_copy(model / name, aside / name) for name in manifest.files]
    )


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def weights(folder) -> np.ndarray:
    state = load_backbone(str(folder), device="cpu").model.state_dict()
    return np.concatenate(
        [state[name].flatten().numpy() for name in sorted(state) if state[name].is_floating_point()]
    )


def test_the_mean_lies_between_the_scorers_and_can_be_shipped(trained, tmp_path):
    models = [trained / "seed-1", trained / "seed-2"]
    said: list[str] = []
    made = average_scorers(models, trained / "material", tmp_path / "mean", say=said.append)
    before, seed_1, seed_2 = (weights(trained / name) for name in ("bert", "seed-1", "seed-2"))
    mean = weights(tmp_path / "mean")
    aim = (seed_1 + seed_2) / 2
    # Two adapters of rank 2 have a mean of rank 4; the nearest of rank 2 is nearer than each of them.
    assert np.linalg.norm(mean - aim) < min(np.linalg.norm(start - aim) for start in (before, seed_1, seed_2))
    assert made.extra["averaged"][1]["seed"] == 2
    assert made.metrics["steps"] == 8
    assert made.created >= artifact_read(models[1]).created
    scorer = load_scorer(tmp_path / "mean")
    assert scorer.learned(word_problems(32)) == load_scorer(models[0]).learned(word_problems(32)) > 0
    assert "verdict on" in said[0]
    assert (
        scorer.verdict.pairs == made.extra["verdict_pairs"] == artifact_read(models[0]).extra["verdict_pairs"]
    )
    assert write_starter(tmp_path / "mean", tmp_path / "starter").extra["averaged"] == made.extra["averaged"]


def test_what_cannot_be_averaged_is_refused(trained, tmp_path, capsys):
    model = trained / "seed-1"
    with pytest.raises(DataError, match="at least two"):
        average_scorers([model], trained / "material", tmp_path / "mean")
    _copy_with(model, tmp_path / "whole", adapter_rank=0)
    arguments = ["--data", str(trained / "material"), "--output", str(tmp_path / "mean"), str(model)]
    assert main([*arguments, str(tmp_path / "whole")]) == 1
    assert "no scorer that was trained with adapter_rank" in capsys.readouterr().err
    _copy_with(model, tmp_path / "plain", typed_numbers=False, stretch=False)
    assert main([*arguments, str(tmp_path / "plain")]) == 1
    assert "differ in typed_numbers and stretch" in capsys.readouterr().err
    assert not (tmp_path / "mean").exists()
    assert main([*arguments, str(trained / "seed-2")]) == 0
    assert json.loads(capsys.readouterr().out)["steps"] == 8
