"""The starter scorer: a trained scorer's adapter and verdict travel, and become the same scorer again."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from analytics.artifacts import MANIFEST_NAME, Manifest, artifact_read, artifact_write
from analytics.backbone.export import save_backbone
from analytics.catalog import PARAPHRASE
from analytics.errors import ArtifactError
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.pair_files import Material
from analytics.paraphrase.scorer import load_scorer
from analytics.paraphrase.train import STARTER_FOLDER, export_scorer, train_scorer
from analytics.training.context import TrainingContext
from tests.analytics.paraphrase.tiny_scorer import tiny_scorer
from tests.analytics.paraphrase.word_problems import word_problems
from tests.tiny_backbone import tiny_backbone
from worker.starters import copy_adapter

QUESTION = "Ann has 12 apples. Bob takes 3 of them. How many apples are left?"
PAIRS = [(QUESTION, QUESTION.replace("How many", "What number of")), (QUESTION, QUESTION.replace("12", "40"))]
DIFFERENT = [(word_problems()[0], text) for text in word_problems()[1:12]]


write_starter = partial(copy_adapter, capability="paraphrase", name="The starter")


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A tiny backbone, and a scorer trained on it by an adapter."""
    root = tmp_path_factory.mktemp("starter")
    save_backbone(tiny_backbone(max_tokens=256), root / "bert")
    config = ParaphraseConfig(
        backbone=str(root / "bert"), adapter_rank=2, max_steps=4, batch_size=8, max_tokens=256, device="cpu",
        learning_rate=0.05, mixed_precision=False, triplets_per_question=2,
    )  # fmt: skip
    context = TrainingContext(command="python -m analytics train paraphrase")
    train_scorer(Material(tuple(word_problems())), config, root / "model", context)
    return root / "bert", root / "model"


def test_adapter_and_verdict_become_the_same_scorer_again(trained, tmp_path):
    backbone, model = trained
    made = write_starter(model, tmp_path / "starter")
    assert {*made.files} == {
        "adapter_config.json", "adapter_model.safetensors", "verdict.json", "learned.npy",
    }  # fmt: skip
    manifest = export_scorer(tmp_path / "scorer", backbone=str(backbone), adapter=tmp_path / "starter")
    whole, again = load_scorer(model), load_scorer(tmp_path / "scorer")
    assert (manifest.capability, again.name) == ("paraphrase", "The starter")
    assert again.verdict == whole.verdict
    assert again.learned(word_problems()) == whole.learned(word_problems()) > 0
    np.testing.assert_allclose(  # the adapter is kept in half precision
        [one.score for one in again.score(PAIRS)], [one.score for one in whole.score(PAIRS)], atol=1e-3
    )
    untrained = load_scorer(tiny_scorer(tmp_path / "untrained"))
    both = zip(again.score(DIFFERENT), untrained.score(DIFFERENT), strict=True)
    assert max(abs(one.score - other.score) for one, other in both) > 3e-3
    assert (tmp_path / "scorer" / "backbone" / "config.json").is_file()


def test_its_story_is_kept_and_so_are_settings_that_a_scorer_may_have_later(trained, tmp_path):
    _backbone, model = trained
    manifest = artifact_read(model)

    def copy(aside) -> None:
        for name in manifest.files:
            (aside / name).parent.mkdir(parents=True, exist_ok=True)
            (aside / name).write_bytes((model / name).read_bytes())
        (aside / "preparation.json").write_text("{}")

    later = replace(manifest, extra=manifest.extra | {"text_form": 2}, files={})
    artifact_write(tmp_path / "later", later, copy)
    made = write_starter(tmp_path / "later", tmp_path / "starter")
    assert made.config == manifest.config
    assert made.extra["text_form"] == 2
    assert made.extra["command"] == "python -m analytics train paraphrase"
    assert "backbone_sha256" not in made.extra  # that of the merged weights, which the export says anew
    assert "preparation.json" in made.files


def test_only_a_small_scorer_with_an_adapter_becomes_a_starter(trained, tmp_path):
    with pytest.raises(ArtifactError, match="not an adapter-trained paraphrase model"):
        write_starter(tiny_scorer(tmp_path / "plain"), tmp_path / "starter")
    artifact_write(tmp_path / "encoder", Manifest("encoder", "e"), lambda aside: (aside / "a").write_text("x"))
    with pytest.raises(ArtifactError, match="not an adapter-trained paraphrase model"):
        write_starter(tmp_path / "encoder", tmp_path / "starter")
    with pytest.raises(ArtifactError, match="a starter may have 100"):
        write_starter(trained[1], tmp_path / "starter", largest=100)
    assert not (tmp_path / "starter").exists()


@pytest.mark.skipif(not (STARTER_FOLDER / MANIFEST_NAME).is_file(), reason="no starter scorer is shipped yet")
def test_the_one_that_is_shipped_is_small_and_complete():
    manifest = artifact_read(STARTER_FOLDER)
    assert manifest.capability == "paraphrase"
    assert {"verdict.json", "learned.npy", "adapter_model.safetensors"} <= manifest.files.keys()
    assert sum(path.stat().st_size for path in STARTER_FOLDER.iterdir()) < PARAPHRASE.starters[0].largest
    assert manifest.extra["command"].startswith("python -m analytics.paraphrase.averaged")
    trainings = manifest.extra["averaged"]
    assert len({one["seed"] for one in trainings}) == len(trainings) > 1
    assert all(one["command"].startswith("python -m analytics train paraphrase") for one in trainings)
