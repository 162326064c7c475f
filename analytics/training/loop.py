"""One training loop for all capabilities.

A capability describes its work as a `Task`; the loop steps, reports, evaluates, keeps the best weights,
stops early, saves checkpoints, and resumes from them exactly: stopped and resumed equals uninterrupted.
It knows nothing of models, data or databases.

Several processes run it together where torchrun started them (`analytics.training.distributed`): a task's batches
are then this process's share, gradients are averaged, and only the main process evaluates, reports and saves.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from analytics.errors import Cancelled, DataError
from analytics.training.callbacks import Callback, StepReport
from analytics.training.checkpoint import (
    load_checkpoint,
    random_states,
    restore_random_states,
    save_checkpoint,
)
from analytics.training.device import autocast, inference_dtype
from analytics.training.distributed import (
    DataParallelLosses,
    any_process,
    from_main,
    gather_objects,
    is_main,
    mean_over_processes,
    process_number,
)

__all__ = ["LoopSettings", "Task", "TrainingResult", "linear_schedule", "train_loop"]


class Task(Protocol):
    """What a capability gives the loop."""

    def modules(self) -> Mapping[str, nn.Module]:
        """Everything that is trained or has state that a checkpoint must hold, by name."""

    def parameter_groups(self) -> Sequence[Mapping[str, Any]]:
        """Groups for the optimiser; each may have its own ``lr`` and ``weight_decay``."""

    def batches(self, epoch: int) -> Iterable[Any]:
        """The batches of an epoch, or this process's share of them; the same whenever the epoch is asked for."""

    def batches_per_epoch(self) -> int:
        """Their number."""

    def losses(self, batch: Any) -> Mapping[str, Tensor]:
        """Scalars by name, the same names in every process; ``"loss"`` is minimised, the others are reported."""

    def after_step(self) -> None:
        """Called after every optimiser step, e.g. to let a momentum encoder follow."""

    def evaluate(self) -> Mapping[str, float]:
        """Held-out metrics, empty where there are none; asked for in the main process alone."""


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """How the loop runs; each capability's configuration gives the values.

    Attributes:
        epochs: passes over the data.
        max_steps: stop after so many optimiser steps, 0 for no bound.
        learning_rate: of groups without their own.
        weight_decay: likewise (AdamW).
        warmup_share: share of the steps in which the rate rises linearly; then it falls linearly to 0.
        accumulate: batches whose gradients make one optimiser step.
        clip_norm: bound on the gradient's norm, 0 for none.
        dtype: number format of the forward pass (mixed precision); weights stay float32.
        evaluate_every: optimiser steps between evaluations, 0 for at the end of every epoch.
        best_metric: name of the metric by which the best weights are kept; empty keeps the last.
        best_is_lower: whether a smaller value of it is better.
        patience: evaluations without improvement after which to stop, 0 for never.
        report_every: optimiser steps between reports.
        checkpoint_every: optimiser steps between checkpoints, 0 for at the end of every epoch; one more at the
            end of training.
    """

    epochs: int = 1
    max_steps: int = 0
    learning_rate: float = 5e-5
    weight_decay: float = 0.01
    warmup_share: float = 0.0
    accumulate: int = 1
    clip_norm: float = 0.0
    dtype: torch.dtype = torch.float32
    evaluate_every: int = 0
    best_metric: str = ""
    best_is_lower: bool = False
    patience: int = 0
    report_every: int = 10
    checkpoint_every: int = 0

    @classmethod
    def of(cls, config: Any, device: torch.device, **more: Any) -> LoopSettings:
        """What a capability's configuration says under the same names, and in bfloat16 where it allows that.

        Args:
            config: a frozen dataclass with `mixed_precision`.
            device: on which the loop will run.
            more: other settings; they go before those of the configuration.
        """
        named = {one.name for one in fields(cls)} & {one.name for one in fields(config)}
        dtype = inference_dtype(device) if config.mixed_precision else torch.float32
        return cls(**{"dtype": dtype, **{name: getattr(config, name) for name in named}, **more})


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """How a run ended."""

    step: int
    stopped_early: bool
    best: dict[str, float]
    last: dict[str, float]
    seconds: float


def linear_schedule(steps: int, warmup_share: float) -> Callable[[int], float]:
    """Factor on the learning rate at a step: up linearly through the warm-up, then down linearly to 0.

    >>> factor = linear_schedule(10, 0.2)
    >>> [factor(step) for step in (0, 1, 2, 6, 10)]
    [0.5, 1.0, 1.0, 0.5, 0.0]
    """
    warmup = round(steps * warmup_share)

    def factor(step: int) -> float:
        if step < warmup:
            return (step + 1) / warmup
        return max(0.0, (steps - step) / max(1, steps - warmup))

    return factor


def train_loop(
    task: Task,
    settings: LoopSettings,
    *,
    device: torch.device,
    checkpoints: Path | None = None,
    identity: str = "",
    callbacks: Sequence[Callback] = (),
    cancel: Callable[[], bool] | None = None,
) -> TrainingResult:
    """Train, resuming from the folder `checkpoints` where it holds a checkpoint.

    Args:
        task: the work.
        settings: how to run it.
        device: where the task's modules are.
        checkpoints: folder of the checkpoint; without it nothing is kept.
        identity: what tells these settings and data from others; a checkpoint with another one is refused.
        callbacks: told of progress, in the main process.
        cancel: asked after every optimiser step; True saves a checkpoint and stops. So does SIGTERM. One process
            stops all.

    Raises:
        Cancelled: it was asked to stop; the checkpoint is usable.
        DataError: an epoch has no batch, the loss is no longer a number, or the checkpoint is of another training.
    """
    return _Loop(task, settings, device, checkpoints, identity, callbacks).run(cancel or (lambda: False))


class _Loop:
    """The state of one call of `train_loop`."""

    def __init__(
        self,
        task: Task,
        settings: LoopSettings,
        device: torch.device,
        checkpoints: Path | None,
        identity: str,
        callbacks: Sequence[Callback],
    ) -> None:
        self.task, self.settings, self.device = task, settings, device
        self.checkpoints, self.identity, self.callbacks = checkpoints, identity, callbacks
        self.steps_per_epoch = task.batches_per_epoch() // settings.accumulate
        if self.steps_per_epoch < 1:
            raise DataError("There are too few examples for a single training step.")
        self.steps = self.steps_per_epoch * settings.epochs
        if settings.max_steps:
            self.steps = min(self.steps, settings.max_steps)
        self.optimizer = torch.optim.AdamW(
            [dict(group) for group in task.parameter_groups()],
            lr=settings.learning_rate,
            weight_decay=settings.weight_decay,
        )
        self.schedule = torch.optim.lr_scheduler.LambdaLR(
            self.optimizer, linear_schedule(self.steps, settings.warmup_share)
        )
        self.losses = DataParallelLosses(task.modules(), task.losses)
        self.step = 0
        self.bad_evaluations = 0
        self.best: dict[str, float] = {}
        self.last: dict[str, float] = {}
        self.best_weights: dict[str, dict[str, Tensor]] = {}
        self.running: defaultdict[str, list[float]] = defaultdict(list)

    def run(self, cancel: Callable[[], bool]) -> TrainingResult:
        self.resume()
        self.started, self.first_step = time.monotonic(), self.step
        stopped_early = False
        with _terminated() as terminated:
            while self.step < self.steps and not stopped_early:
                epoch, done_in_epoch = divmod(self.step, self.steps_per_epoch)
                for batches in self.groups(epoch, done_in_epoch):
                    self.optimise(batches)
                    stopped_early = self.after_step(epoch)
                    if any_process(cancel() or terminated.is_set()) and self.step < self.steps:
                        self.save()
                        raise Cancelled(f"Training was stopped after {self.step} of {self.steps} steps.")
                    if stopped_early or self.step >= self.steps:
                        break
        if self.best_weights:
            for name, module in self.task.modules().items():
                module.load_state_dict(self.best_weights[name])
        return TrainingResult(
            step=self.step,
            stopped_early=stopped_early,
            best=self.best or self.last,
            last=self.last,
            seconds=time.monotonic() - self.started,
        )

    def groups(self, epoch: int, done: int) -> Iterator[list[Any]]:
        """The batches of each optimiser step that is left in the epoch."""
        iterator = iter(self.task.batches(epoch))
        for _skipped in islice(iterator, done * self.settings.accumulate):
            pass
        for _step in range(self.steps_per_epoch - done):
            yield list(islice(iterator, self.settings.accumulate))

    def optimise(self, batches: list[Any]) -> None:
        for module in self.task.modules().values():
            module.train()
        self.optimizer.zero_grad(set_to_none=True)
        for number, batch in enumerate(batches, start=1):
            with self.losses.averaged(now=number == len(batches)):
                with autocast(self.device, self.settings.dtype):
                    losses = self.losses(batch)
                (losses["loss"] / len(batches)).backward()
            figures = torch.stack(
                [value.detach().float() for value in losses.values()]
            ).tolist()  # waits once
            means = mean_over_processes(dict(zip(losses, figures, strict=True)))
            for name, mean in means.items():
                self.running[name].append(mean)
        if self.settings.clip_norm:
            parameters = [one for group in self.optimizer.param_groups for one in group["params"]]
            nn.utils.clip_grad_norm_(parameters, self.settings.clip_norm)
        self.optimizer.step()
        self.schedule.step()
        self.step += 1
        if not math.isfinite(means["loss"]):
            raise DataError(f"The loss is not a number after {self.step} steps; lower the learning rate.")
        self.task.after_step()

    def after_step(self, epoch: int) -> bool:
        """Report, evaluate and save where it is time; True: stop early."""
        settings, step = self.settings, self.step
        ends_epoch = step % self.steps_per_epoch == 0 or step == self.steps
        evaluates = step % settings.evaluate_every == 0 if settings.evaluate_every else ends_epoch
        metrics: dict[str, float] = {}
        if evaluates or step == self.steps:
            metrics = self.evaluate()
        if metrics or step % settings.report_every == 0 or step == self.steps:
            self.report(epoch, metrics)
        saves = step % settings.checkpoint_every == 0 if settings.checkpoint_every else ends_epoch
        if saves or step == self.steps:  # what comes after training may fail too
            self.save()
        return bool(settings.patience) and self.bad_evaluations >= settings.patience

    def evaluate(self) -> dict[str, float]:
        metrics = from_main(self.held_out_metrics)
        if not metrics:
            return metrics
        self.last = metrics
        name = self.settings.best_metric
        if name:
            sign = -1 if self.settings.best_is_lower else 1
            better = not self.best or sign * metrics[name] > sign * self.best[name]
            if better and not math.isnan(metrics[name]):
                self.best, self.bad_evaluations = metrics, 0
                self.best_weights = {
                    key: {one: tensor.detach().clone() for one, tensor in module.state_dict().items()}
                    for key, module in self.task.modules().items()
                }
            else:
                self.bad_evaluations += 1
        return metrics

    def held_out_metrics(self) -> dict[str, float]:
        states = random_states()  # an evaluation must not change what training draws next
        for module in self.task.modules().values():
            module.eval()
        with torch.no_grad():
            metrics = dict(self.task.evaluate())
        restore_random_states(states)
        return metrics

    def report(self, epoch: int, metrics: Mapping[str, float]) -> None:
        averages = {name: sum(values) / len(values) for name, values in self.running.items()}
        self.running.clear()
        seconds = time.monotonic() - self.started
        left = seconds / max(1, self.step - self.first_step) * (self.steps - self.step)
        report = StepReport(self.step, self.steps, epoch, seconds, left, {**averages, **metrics})
        for callback in self.callbacks if is_main() else ():
            callback(report)

    def save(self) -> None:
        folder = self.checkpoints
        if folder is None:
            return
        state = {
            "step": self.step,
            "steps": self.steps,
            "identity": self.identity,
            "modules": {name: module.state_dict() for name, module in self.task.modules().items()},
            "optimizer": self.optimizer.state_dict(),
            "schedule": self.schedule.state_dict(),
            "best": self.best,
            "last": self.last,
            "best_weights": self.best_weights,
            "bad_evaluations": self.bad_evaluations,
            "running": dict(self.running),
            "random": gather_objects(random_states()),
        }
        from_main(lambda: save_checkpoint(folder, state))

    def resume(self) -> None:
        folder = self.checkpoints
        state = from_main(lambda: None if folder is None else load_checkpoint(folder, device="cpu"))
        if state is None:
            if process_number():  # not the dropout of the main process
                torch.manual_seed(torch.initial_seed() + process_number())
            return
        if state["steps"] != self.steps:
            raise DataError(
                f"The checkpoint belongs to a run of {state['steps']} steps, this one has {self.steps};"
                " remove it to begin anew."
            )
        if self.identity != state.get("identity", self.identity):  # older checkpoints do not say
            raise DataError(
                "The checkpoint belongs to a run with other settings or other data; remove it to begin anew."
            )
        for name, module in self.task.modules().items():
            module.load_state_dict(state["modules"][name])
        self.optimizer.load_state_dict(state["optimizer"])
        self.schedule.load_state_dict(state["schedule"])
        self.step, self.bad_evaluations = state["step"], state["bad_evaluations"]
        self.best, self.last, self.best_weights = state["best"], state["last"], state["best_weights"]
        self.running.update(state["running"])
        if process_number() < len(state["random"]):
            restore_random_states(state["random"][process_number()])


@contextmanager
def _terminated() -> Iterator[threading.Event]:
    """An event that SIGTERM sets while the block runs, in the main thread."""
    event = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield event
        return

    def handle(number: int, frame: FrameType | None) -> None:
        event.set()

    before = signal.signal(signal.SIGTERM, handle)
    try:
        yield event
    finally:
        signal.signal(signal.SIGTERM, before)
