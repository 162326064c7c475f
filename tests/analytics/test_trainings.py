"""A short training of every capability with a fixed seed: what its manifest says stays what it is.

``python -m tests.analytics.test_trainings`` writes the file of figures anew, for a change that is meant to move them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from analytics.analogy.examples import AnalogyConfig
from analytics.analogy.train import train_retriever
from analytics.artifacts import Manifest
from analytics.backbone.export import save_backbone
from analytics.encoder.config import EncoderConfig
from analytics.encoder.train import train_encoder
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.pair_files import Material
from analytics.paraphrase.train import train_scorer
from analytics.probes.data import ProbeData, ProbesConfig
from analytics.probes.train import train_probes
from analytics.question_files import Problems
from analytics.solver.config import SolverConfig
from analytics.solver.train import train_solver
from analytics.training.context import TrainingContext
from tests.analytics.analogy.test_train import PROBLEMS
from tests.analytics.encoder.test_train import examples as encoder_examples
from tests.analytics.history import History
from tests.analytics.paraphrase.test_train import pairs_of
from tests.analytics.paraphrase.word_problems import word_problems
from tests.analytics.probes.small_world import small_world
from tests.analytics.solver.small_problems import problems
from tests.tiny_backbone import tiny_backbone

GOLDEN = Path(__file__).with_name("golden_trainings.json")
TINY: dict[str, Any] = {"learning_rate": 1e-3, "mixed_precision": False, "device": "cpu"}


def train_an_encoder(backbone: str, output: Path, context: TrainingContext) -> Manifest:
    config = EncoderConfig(
        backbone=backbone, batch_size=8, projection=16, queue_size=16, epochs=1, metric_steps=2, **TINY
    )
    return train_encoder(encoder_examples(), config, output, context)


def train_a_scorer(backbone: str, output: Path, context: TrainingContext) -> Manifest:
    questions = word_problems()
    config = ParaphraseConfig(
        backbone=backbone, batch_size=8, epochs=1, triplets_per_question=2, max_steps=4, max_tokens=128, **TINY
    )
    material = Material(tuple(questions), validation=tuple(pairs_of(questions[:3])))
    return train_scorer(material, config, output, context)


def train_a_solver(backbone: str, output: Path, context: TrainingContext) -> Manifest:
    config = SolverConfig(
        backbone=backbone, batch_size=4, epochs=2, contrast_epochs=1, measured=0, contrast="pattern", **TINY
    )
    return train_solver(Problems(tuple(problems()), (), tuple(problems())), config, output, context)


def train_a_retriever(backbone: str, output: Path, context: TrainingContext) -> Manifest:
    config = AnalogyConfig(backbone=backbone, batch_size=4, epochs=2, measured=0, adapter_rank=2, **TINY)
    return train_retriever(Problems(tuple(PROBLEMS), (), tuple(PROBLEMS)), config, output, context)


def train_the_probes(_backbone: str, output: Path, context: TrainingContext) -> Manifest:
    world = small_world()
    data = ProbeData.of(
        world.vectors, world.paths, world.difficulties, texts=world.texts, scales=["1-5"] * len(world.texts)
    )
    return train_probes(data, ProbesConfig(iterations=20), output, context, encoder="tiny", hierarchy="Small")


TRAININGS: dict[str, Callable[[str, Path, TrainingContext], Manifest]] = {
    "encoder": train_an_encoder,
    "paraphrase": train_a_scorer,
    "solver": train_a_solver,
    "analogy": train_a_retriever,
    "probes": train_the_probes,
}


def figures(word: str, folder: Path) -> dict[str, Any]:
    """Train in a folder and return what is said of the training, without what differs between machines."""
    save_backbone(tiny_backbone(max_tokens=128), folder / "bert")
    history = History()
    context = TrainingContext(license_note="ours", parent="parent", command="train", callbacks=(history,))
    manifest = TRAININGS[word](str(folder / "bert"), folder / "model", context)
    told = {**vars(replace(manifest, created="", metrics={**manifest.metrics, "seconds": 0}))}
    told["config"] = {name: value for name, value in manifest.config.items() if name != "backbone"}
    told["files"] = sorted(manifest.files)
    told["extra"] = {name: value for name, value in manifest.extra.items() if not name.endswith("sha256")}
    told["losses"] = [
        {name: value for name, value in report.metrics.items() if name.startswith("loss")} for report in history.reports
    ]
    plain: dict[str, Any] = json.loads(json.dumps(told).replace(str(folder), "FOLDER"))
    return plain


def flat(value: Any, path: str = "") -> dict[str, Any]:
    """Return the leaves of nested dictionaries and lists by their paths."""
    if isinstance(value, dict | list):
        rows = value.items() if isinstance(value, dict) else enumerate(value)
        return {name: leaf for key, row in rows for name, leaf in flat(row, f"{path}/{key}").items()}
    return {path: value}


@pytest.mark.parametrize("word", TRAININGS)
def test_a_short_training_gives_the_figures_that_it_gave_before(word, tmp_path):
    expected = flat(json.loads(GOLDEN.read_text(encoding="utf-8"))[word])
    measured = flat(figures(word, tmp_path))
    assert measured.keys() == expected.keys()
    for path, value in expected.items():
        assert measured[path] == (pytest.approx(value, rel=5e-3, abs=2e-3) if isinstance(value, float) else value), path


if __name__ == "__main__":
    import tempfile

    golden = {}
    for capability in TRAININGS:
        with tempfile.TemporaryDirectory() as place:
            golden[capability] = figures(capability, Path(place))
    GOLDEN.write_text(json.dumps(golden, indent=1, sort_keys=True) + "\n", encoding="utf-8")
