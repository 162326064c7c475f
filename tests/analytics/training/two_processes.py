"""Tiny trainings without dropout, by one process or by several.

torchrun --nproc-per-node=2 -m tests.analytics.training.two_processes FOLDER
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor

from analytics import __main__ as command
from analytics.analogy.examples import AnalogyConfig, read_graphs
from analytics.analogy.train import RetrievalTask
from analytics.artifacts import artifact_read
from analytics.backbone import export
from analytics.backbone.backbone import Backbone
from analytics.backbone.export import save_backbone
from analytics.encoder.config import EncoderConfig
from analytics.encoder.examples import EncoderExample
from analytics.encoder.pretraining import PretrainingTask
from analytics.errors import Cancelled
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.train import ScoringTask
from analytics.paraphrase.triplets import Triplet
from analytics.records import ProblemRecord
from analytics.training.context import TrainingContext
from analytics.training.device import seed_everything
from analytics.training.distributed import gather_rows, process_group, process_number, processes
from analytics.training.loop import train_loop
from analytics.training.stages import LoopSettings, Task
from tests.analytics.history import History
from tests.tiny_backbone import tiny_backbone

ROOT = Path(__file__).resolve().parents[3]
CPU = torch.device("cpu")
EXAMPLES = [
    EncoderExample(f"find the size of a {shape} of side {side}" + side * ".", (("shape", shape),), "test")
    for shape in ("square", "circle", "cube", "ball")
    for side in range(1, 7)
]
PROBLEMS = [
    ProblemRecord(f"{sign}{n}", f"ann {verb} {n} pens and {n % 3 + 2} cups", equation=f"{n}{sign}{n % 3 + 2}")
    for sign, verb in (("+", "has"), ("-", "gave"), ("*", "packs"), ("/", "splits"))
    for n in range(5, 11)
]
TRIPLETS = [
    Triplet(f"ann has {n} pens" + n % 5 * " and some", f"ann owns {n} pens {m}", f"ann lost {m} pens or {n}")
    for n in range(12)
    for m in range(2 + n % 3)
]
SETTINGS = LoopSettings(epochs=2, learning_rate=3e-3, report_every=1, clip_norm=1.0, accumulate=1)
CONTRAST_SETTINGS = LoopSettings(epochs=2, learning_rate=3e-3, report_every=1, accumulate=2)


def backbone() -> Backbone:
    """Return the tiny encoder without dropout, in training and where it is saved."""
    seed_everything(1)
    made = tiny_backbone()
    made.model.config.hidden_dropout_prob = made.model.config.attention_probs_dropout_prob = 0.0
    for module in made.model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    return made


def pretraining() -> PretrainingTask:
    """Return a task whose texts differ in length and whose queue wraps around."""
    config = EncoderConfig(batch_size=4, queue_size=10, projection=8, momentum=0.9, levels=2)
    return PretrainingTask(backbone(), EXAMPLES, config, held_out=lambda: {"measured": 0.5})


def state(task: Task) -> dict[str, dict[str, Tensor]]:
    """Return everything that a run leaves."""
    return {name: module.state_dict() for name, module in task.modules().items()}


def contrasts() -> dict[str, Task]:
    """Return a retriever and a scorer, each with both of its losses."""
    made: dict[str, Task] = {}
    for name, is_all in (("pairs", False), ("all", True)):
        config = AnalogyConfig(batch_size=8, freeze_embeddings=False, all_positives=is_all)
        made[f"retriever {name}"] = RetrievalTask(backbone(), read_graphs(PROBLEMS)[0], config)
    for name, is_combined in (("single", False), ("combined", True)):
        scorer = ParaphraseConfig(batch_size=8, loss="both", combine=is_combined)
        made[f"scorer {name}"] = ScoringTask(backbone(), TRIPLETS, scorer)
    return made


def contrast_losses() -> dict[str, list[float]]:
    """Return the loss of every step of the contrasts within a batch."""
    found = {}
    for name, task in contrasts().items():
        history = History()
        train_loop(task, CONTRAST_SETTINGS, device=CPU, context=TrainingContext(callbacks=(history,)))
        found[name] = [value for _step, value in history.series("loss")]
    return found


def gathered_gradient() -> Tensor:
    """Return the gradient of a loss over the rows of all processes, of which each has another number."""
    weight, rows = torch.tensor([1.0, 2.0], requires_grad=True), torch.arange(10.0).reshape(5, 2)
    own = rows if processes() == 1 else rows[:2] if process_number() == 0 else rows[2:]
    gather_rows(own * weight).square().sum().sqrt().backward()
    assert weight.grad is not None
    return weight.grad


def interrupted_pretraining(checkpoints: Path) -> dict[str, Any]:
    """Train, send SIGTERM to the last process after three steps, and go on from the checkpoint."""
    first, stopped, history = pretraining(), "", History()
    context = TrainingContext(checkpoints=checkpoints, callbacks=(history,))
    follow, calls = first.after_step, iter(range(1, 99))

    def after_step() -> None:
        follow()
        if next(calls) == 3 and process_number() == processes() - 1:
            os.kill(os.getpid(), signal.SIGTERM)

    first.after_step = after_step  # type: ignore[method-assign]
    try:
        train_loop(first, SETTINGS, device=CPU, context=context)
    except Cancelled as error:
        stopped = str(error)
    seen = sorted(path.name for path in checkpoints.iterdir())
    second = pretraining()
    result = train_loop(second, SETTINGS, device=CPU, context=context)
    return {
        "stopped": stopped,
        "checkpoints": seen,
        "losses": history.series("loss"),
        "last": result.last,
        "state": state(second),
    }


def write_material(folder: Path) -> None:
    """Write the encoder and the questions that `arguments` names."""
    save_backbone(backbone(), folder / "tiny")
    rows = [
        {"text": f"{verb} the {what} of a {shape} of side 7.", "concepts": [["Geometry", what], ["Shapes", shape]]}
        for verb in ("Find", "Give", "State", "Compute")
        for what in ("area", "perimeter")
        for shape in ("square", "circle", "cube", "kite")
    ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def arguments(folder: Path, output: str) -> list[str]:
    """Return the command that trains an encoder on it, as the words after ``python -m analytics``."""
    settings = {
        "backbone": folder / "tiny", "batch_size": 4, "epochs": 2, "projection": 8, "queue_size": 10, "levels": 2,
        "learning_rate": 3e-3, "mixed_precision": "no", "device": "cpu",
    }  # fmt: skip
    words = ["train", "encoder", "--data", str(folder / "questions.jsonl"), "--output", str(folder / output)]
    return words + [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]


def check_same_artifact(measured: Path, expected: Path) -> None:
    """Check that the command learned the same twice, up to rounding."""
    metrics, expected_metrics = (artifact_read(folder).metrics for folder in (measured, expected))
    assert metrics["steps"] == expected_metrics["steps"] > 4
    assert metrics["loss"] == pytest.approx(expected_metrics["loss"], abs=1e-3)
    weights, expected_weights = (
        load_file(folder / "backbone" / "model.safetensors") for folder in (measured, expected)
    )
    check_same_weights(weights, expected_weights)


def check_same_weights(measured: Mapping[str, Tensor], expected: Mapping[str, Tensor]) -> None:
    """Check weights up to rounding, but for keys' biases: softmax ignores them, so their gradient is rounding."""
    assert measured.keys() == expected.keys()
    for name, tensor in expected.items():
        if not name.endswith("self.key.bias"):
            torch.testing.assert_close(measured[name], tensor, rtol=1e-3, atol=1e-4, msg=name)


def no_graph(_backbone: Backbone, path: Path, _output: Path) -> None:
    """Stand in for the export to ONNX, which takes longer than these trainings."""
    path.write_bytes(b"graph")


def main() -> None:
    """Train all, and write down what came of it."""
    folder = Path(sys.argv[1])
    export._export_graph = no_graph  # type: ignore[assignment]
    with process_group():
        code = command.main(arguments(folder, "together"))
        found = {
            "code": code,
            "pretraining": interrupted_pretraining(folder / "checkpoints"),
            "contrasts": contrast_losses(),
            "gradient": gathered_gradient(),
        }
        torch.save(found, folder / f"process-{process_number()}.pt")


if __name__ == "__main__":
    main()
