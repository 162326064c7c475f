"""Interface between a capability and the training loop: batches, tasks, stages, settings, results, provenance.

Parameter groups for the optimiser and learning-rate schedules by name belong to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from analytics.artifacts import Manifest
from analytics.backbone.backbone import Backbone
from analytics.backbone.sources import license_with_backbone
from analytics.configuration import config_to_dict
from analytics.errors import ConfigurationError
from analytics.training.context import TrainingContext
from analytics.training.device import inference_dtype, pick_device
from analytics.training.distributed import shard


def decay_groups(parameters: Iterable[nn.Parameter]) -> list[dict[str, Any]]:
    """Split parameters into matrices, with weight decay, and biases and layer norms, without, as for BERT.

    A parameter that two modules share is listed once; frozen parameters are left out.
    """
    trained = [parameter for parameter in {id(each): each for each in parameters}.values() if parameter.requires_grad]
    return [
        {"params": [parameter for parameter in trained if parameter.dim() > 1]},
        {"params": [parameter for parameter in trained if parameter.dim() <= 1], "weight_decay": 0.0},
    ]


def _constant(_step: int, _steps: int) -> float:
    return 1.0


def _linear(step: int, steps: int) -> float:
    return max(0.0, (steps - step) / max(1, steps))


def _cosine(step: int, steps: int) -> float:
    return 0.5 * (1 + math.cos(math.pi * min(1.0, step / max(1, steps))))


SCHEDULES: dict[str, Callable[[int, int], float]] = {"linear": _linear, "cosine": _cosine, "constant": _constant}
"""Maps a name to the factor after warm-up, from the steps since warm-up and the total after it."""


def learning_rate_schedule(name: str, steps: int, warmup: int = 0) -> Callable[[int], float]:
    """Return the factor on the learning rate as a function of the step, counted from 0.

    >>> factor = learning_rate_schedule("linear", steps=10, warmup=2)
    >>> [factor(step) for step in (0, 1, 2, 6, 10)]
    [0.5, 1.0, 1.0, 0.5, 0.0]

    Args:
        name: a key of `SCHEDULES`.
        steps: optimiser steps of the stage.
        warmup: number of these in which the rate rises linearly to its full value.

    Raises:
        ConfigurationError: there is no schedule of that name.
    """
    if name not in SCHEDULES:
        raise ConfigurationError([f"schedule must be one of {', '.join(SCHEDULES)}, not {name!r}"])
    curve = SCHEDULES[name]

    def factor(step: int) -> float:
        if step < warmup:
            return (step + 1) / warmup
        return curve(step - warmup, steps - warmup)

    return factor


_MOST_BATCHES_A_WINDOW = 16
_FEWEST_WINDOWS = 4  # otherwise a small bank's batches would contain the same questions in every epoch


def length_grouped_batches(
    lengths: Sequence[int], batch_size: int, rng: np.random.Generator
) -> Iterator[npt.NDArray[np.int64]]:
    """Yield the row numbers of each batch: shuffle rows, sort by length within windows, then shuffle batches.

    Leftover rows at the end of the shuffled order, fewer than a batch, are dropped. In distributed training,
    each process gets its share of every batch.
    """
    order = rng.permutation(len(lengths))
    order = order[: len(order) // batch_size * batch_size]
    sizes = np.asarray(lengths, dtype=np.int64)
    count = len(order) // batch_size
    window = batch_size * max(1, min(_MOST_BATCHES_A_WINDOW, count // _FEWEST_WINDOWS))
    batches = []
    for start in range(0, len(order), window):
        part = order[start : start + window]
        part = part[np.argsort(sizes[part], kind="stable")]
        batches += [part[at : at + batch_size] for at in range(0, len(part), batch_size)]
    for index in rng.permutation(len(batches)):
        yield shard(batches[index])


@dataclass(frozen=True, slots=True)
class Step:
    """Progress of a stage while its task computes a loss.

    Attributes:
        number: optimiser steps of the stage done so far.
        total: optimiser steps of the whole stage.
    """

    number: int
    total: int


class Task:
    """The trainable part that a capability gives the loop.

    Attributes:
        config: configuration with `batch_size` and `seed`.
        lengths: number of tokens of each example; leftover examples at the end of an epoch, fewer than a
            batch, are dropped.
        held_out: computes metrics on held-out examples.
    """

    config: Any
    lengths: Sequence[int]
    held_out: Callable[[], Mapping[str, float]] | None = None

    def modules(self) -> Mapping[str, nn.Module]:
        """Return all modules that are trained or whose state a checkpoint must include, by name."""
        raise NotImplementedError

    def parameter_groups(self) -> Sequence[Mapping[str, Any]]:
        """Return the optimiser's parameter groups; each may have its own ``lr`` and ``weight_decay``."""
        return decay_groups(parameter for module in self.modules().values() for parameter in module.parameters())

    def batches(self, epoch: int) -> Iterable[Any]:
        """Return an epoch's batches, or this process's share of them; repeated calls return the same."""
        rng = np.random.default_rng((self.config.seed, epoch))
        return length_grouped_batches(self.lengths, self.config.batch_size, rng)

    def batches_per_epoch(self) -> int:
        """Return the number of batches of an epoch."""
        return len(self.lengths) // int(self.config.batch_size)

    def losses(self, batch: Any, step: Step) -> Mapping[str, Tensor]:
        """Return scalars by name, the same in every process; ``"loss"`` is minimised, the others are reported."""
        raise NotImplementedError

    def after_step(self) -> None:
        """Run after every optimiser step, e.g. to update a momentum encoder."""

    def evaluate(self) -> Mapping[str, float]:
        """Return held-out metrics, empty if there are none; called only in the main process."""
        return {} if self.held_out is None else self.held_out()


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """How the loop runs; each capability's configuration gives the values.

    Attributes:
        epochs: passes over the data.
        max_steps: maximum number of optimiser steps, 0 for no limit.
        learning_rate: for groups without their own.
        weight_decay: likewise (AdamW).
        schedule: name of the learning rate's curve (`analytics.training.stages.SCHEDULES`).
        warmup_share: share of the steps in which the rate first rises linearly.
        warmup_steps: the same as a number of steps, used if above 0.
        accumulate: batches whose gradients make one optimiser step.
        clip_norm: bound on the gradient's norm, 0 for none.
        dtype: number format of the forward pass (mixed precision); weights stay float32.
        evaluate_every: optimiser steps between evaluations; 0 evaluates at the end of every epoch.
        best_metric: name of the metric that selects the best weights; empty keeps the last ones.
        patience: evaluations without improvement after which to stop, 0 for never.
        report_every: optimiser steps between reports.
        checkpoint_every: optimiser steps between checkpoints; 0 saves at the end of every epoch. Another is
            saved at the end of every stage.
    """

    epochs: int = 1
    max_steps: int = 0
    learning_rate: float = 5e-5
    weight_decay: float = 0.01
    schedule: str = "linear"
    warmup_share: float = 0.0
    warmup_steps: int = 0
    accumulate: int = 1
    clip_norm: float = 0.0
    dtype: torch.dtype = torch.float32
    evaluate_every: int = 0
    best_metric: str = ""
    patience: int = 0
    report_every: int = 10
    checkpoint_every: int = 0

    @classmethod
    def of(cls, config: Any, **more: Any) -> LoopSettings:
        """Return the settings of the same names in a capability's configuration, with bfloat16 if it allows that.

        Args:
            config: a frozen dataclass with `device` and `mixed_precision`.
            more: other settings; they override those of the configuration.
        """
        named = {field.name for field in fields(cls)} & {field.name for field in fields(config)}
        dtype = inference_dtype(pick_device(config.device)) if config.mixed_precision else torch.float32
        return cls(**{"dtype": dtype, **{name: getattr(config, name) for name in named}, **more})


@dataclass(frozen=True, slots=True)
class Stage:
    """One part of a training run: what it minimises, for how long, and which parameters it changes.

    Attributes:
        name: one word; in later stages than the first the loss is reported as ``loss_<name>``.
        objective: creates the task. It is called when the stage begins, so it may build on what earlier
            stages trained; it may draw random numbers, which are reproduced when the stage is resumed.
        settings: how to run the stage.
        steps: optimiser steps; 0 to derive them from the settings' epochs.
        finish: called with the task once it has its final weights, also when the stage is restored from a
            checkpoint.
    """

    name: str
    objective: Callable[[], Task]
    settings: LoopSettings
    steps: int = 0
    finish: Callable[[Any], None] | None = None


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """Result of one or all stages: steps, held-out metrics (best and last), seconds and last loss.

    For several stages the loss is the first one's; it is None in checkpoints of earlier versions.
    """

    step: int
    stopped_early: bool
    best: dict[str, float]
    last: dict[str, float]
    seconds: float
    loss: float | None = None

    def as_metrics(self, *, measured_on: str = "validation") -> dict[str, Any]:
        """Return the training's metrics for a manifest: the best measured figures, the last loss, steps and time."""
        return {
            measured_on: {name: round(value, 4) for name, value in self.best.items()},
            "loss": self.loss,
            "steps": self.step,
            "stopped_early": self.stopped_early,
            "seconds": round(self.seconds, 1),
        }


def with_provenance(
    about: Manifest, config: Any, context: TrainingContext, backbone: Backbone, *, start: str = ""
) -> Manifest:
    """Return the manifest of a model trained on an encoder, completed with the provenance of its training.

    Args:
        about: fields specific to this training; its name is used if the context gives none.
        config: the training's configuration.
        context: name, licence, parent and command.
        backbone: the trained encoder.
        start: folder of the model that training started from, if not the configuration's encoder.
    """
    return replace(
        about,
        name=context.name or about.name,
        config=config_to_dict(config),
        seed=config.seed,
        license_note=license_with_backbone(context.license_note, start or config.backbone),
        parent=context.parent,
        extra={**about.extra, "device": str(backbone.device), "command": context.command},
    )
