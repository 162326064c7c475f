"""The fake capability as a library: a gauge learns how many letters a word has, and its vectors say how long a text is.

A model is one number, trained by gradient descent; what a real one must do besides is all here: a configuration, a
checkpoint after each step, a folder, and vectors of its own lens. Its `load` is for workers only, as that of a decoder
which needs PyTorch would be.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
from pydantic import Field

from analytics.artifacts import Manifest, artifact_read, artifact_write
from analytics.capability import Capability, Lens
from analytics.configuration import configuration
from analytics.errors import Cancelled
from analytics.training.context import StepReport, TrainingContext

CHECKPOINT = "checkpoint.pt"
MODEL = "gauge.json"


@configuration
class GaugeConfig:
    """How a gauge is trained."""

    steps: int = Field(20, ge=1, le=1000, description="steps of gradient descent")
    rate: float = Field(0.01, ge=0.0001, le=0.1, description="learning rate")
    seed: int = Field(0, ge=0, le=10, description="of the first weight")


class Gauge:
    """A model that is loaded: estimates of length, and vectors of the lens."""

    dimension = 2

    def __init__(self, name: str, weight: float) -> None:
        self.name, self.weight = name, weight

    def estimate(self, texts: Sequence[str]) -> np.ndarray:
        """Letters of each text, from its number of words."""
        return self.weight * np.array([len(text.split()) for text in texts], dtype=np.float64)

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """(texts, 2) vectors of length 1 that turn with the estimate."""
        angles = np.arctan(self.estimate(texts) / 50)
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def load_gauge(folder: Path) -> Gauge:
    """Load a model folder."""
    manifest = artifact_read(folder)
    return Gauge(manifest.name, json.loads((folder / MODEL).read_text())["weight"])


def train_gauge(texts: Sequence[str], config: GaugeConfig, output: Path, context: TrainingContext) -> Manifest:
    """Train, going on from the checkpoint where there is one.

    Raises:
        Cancelled: somebody stopped it; the checkpoint is usable.
    """
    words = np.array([len(text.split()) for text in texts], dtype=np.float64)
    letters = np.array([len(text) for text in texts], dtype=np.float64)
    step, weight = 0, float(config.seed)
    path = context.checkpoints / CHECKPOINT if context.checkpoints else None
    if path is not None and path.is_file():
        step, weight = json.loads(path.read_text())
        context.say(f"At step {step}.")
    while step < config.steps:
        error = weight * words - letters
        weight -= config.rate * float((error * words).mean()) / float((words**2).mean()) * 10
        step += 1
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps([step, weight]))
        for callback in context.callbacks:
            callback(StepReport(step, config.steps, 0, 0.0, 0.0, {"loss": float((error**2).mean())}))
        if context.cancel():
            raise Cancelled("The training was stopped.")
    manifest = Manifest(
        capability="gauge",
        name=context.name,
        config=asdict(config),
        metrics={"error": float(np.abs(weight * words - letters).mean())},
        seed=config.seed,
        parent=context.parent,
        license_note=context.license_note,
        extra={"dimension": Gauge.dimension, "questions": len(texts), "command": context.command},
    )
    return artifact_write(output, manifest, lambda aside: (aside / MODEL).write_text(json.dumps({"weight": weight})))


class GaugeCapability(Capability[Gauge]):
    """A gauge trains and loads; it can be neither exported nor evaluated on files."""

    title = "Length gauge"
    config = GaugeConfig
    serves = "worker"
    lens = Lens("length", stand_in="wording")
    gate_figures = ("error",)

    def train(self, data: Path, output: Path, config: GaugeConfig, files: object, context: TrainingContext) -> Manifest:
        """Train on the lines of a file."""
        return train_gauge(data.read_text().splitlines(), config, output, context)

    def load(self, folder: Path) -> Gauge:
        """Load a model folder."""
        return load_gauge(folder)
