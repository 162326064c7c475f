"""A tiny training without dropout, so that it comes to the same on however many processes."""

from __future__ import annotations

import json
from pathlib import Path

from questionbank.models import Run, RunMetric
from questionbank.services.training import training_request
from tests.worker.encoder_bank import add_encoder_bank, tiny_folder
from worker.tasks import train_model


def tiny_training(folder: Path, **changed: object) -> dict[str, str]:
    """Fill the bank and return settings; reports come every second step."""
    add_encoder_bank(80)
    backbone = tiny_folder(folder / "tiny")
    config = json.loads((backbone / "config.json").read_text())
    config |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    (backbone / "config.json").write_text(json.dumps(config))
    settings = {
        "backbone": backbone, "batch_size": 16, "epochs": 3, "levels": 2, "projection": 8, "max_tokens": 64,
        "checkpoint_every": 1, "evaluate_every": 2, "mixed_precision": "no", "device": "cpu", **changed,
    }  # fmt: skip
    return {name: str(value) for name, value in settings.items()}


def train_here(settings: dict[str, str]) -> Run:
    """Train in this process, and return the run as it ended."""
    run = training_request(capability="encoder", settings=settings, send=False)
    train_model(run.pk)
    run.refresh_from_db()
    return run


def losses(run: Run) -> dict[int, float]:
    """Return the loss by step."""
    return dict(RunMetric.objects.filter(run=run, name="loss").values_list("step", "value"))
