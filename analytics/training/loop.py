"""One training loop for all capabilities.

A capability describes its work as a list of `Stage`s, each with a `Task`; the loop steps, reports, evaluates, keeps
the best weights, stops early, saves checkpoints, and resumes from them exactly, in whichever stage it was: stopped and
resumed equals uninterrupted. All stages share one count of steps and one checkpoint. The loop knows nothing of models,
data or databases.

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
from dataclasses import asdict, dataclass, fields
from itertools import islice
from types import FrameType
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from analytics.errors import ArtifactError, Cancelled, DataError
from analytics.training.callbacks import StepReport
from analytics.training.checkpoint import (
    load_checkpoint,
    random_states,
    restore_random_states,
    save_checkpoint,
)
from analytics.training.context import DEFAULT_CONTEXT, TrainingContext
from analytics.training.cpu_training import cpu_training
from analytics.training.device import autocast, explained_memory_errors, inference_dtype
from analytics.training.distributed import (
    DataParallelLosses,
    any_process,
    broadcast_from_main,
    gather_objects,
    is_main,
    mean_over_processes,
    process_number,
)
from analytics.training.schedules import learning_rate_schedule

CHECKPOINT_VERSION = 2  # 1 had no stages


@dataclass(frozen=True, slots=True)
class Step:
    """How far a stage is while its task computes a loss.

    Attributes:
        number: optimiser steps of the stage done so far.
        total: optimiser steps of the whole stage.
    """

    number: int
    total: int


class Task(Protocol):
    """What a capability gives the loop."""

    def modules(self) -> Mapping[str, nn.Module]:
        """Return everything that is trained or has state that a checkpoint must hold, by name."""

    def parameter_groups(self) -> Sequence[Mapping[str, Any]]:
        """Return groups for the optimiser; each may have its own ``lr`` and ``weight_decay``."""

    def batches(self, epoch: int) -> Iterable[Any]:
        """Return the batches of an epoch, or this process's share of them; the same whenever the epoch is asked for."""

    def batches_per_epoch(self) -> int:
        """Return the number of batches of an epoch."""

    def losses(self, batch: Any, step: Step) -> Mapping[str, Tensor]:
        """Return scalars by name, the same in every process; ``"loss"`` is minimised, the others are reported."""

    def after_step(self) -> None:
        """Do what follows every optimiser step, e.g. let a momentum encoder follow."""

    def evaluate(self) -> Mapping[str, float]:
        """Return held-out metrics, empty where there are none; asked for in the main process alone."""


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """How the loop runs; each capability's configuration gives the values.

    Attributes:
        epochs: passes over the data.
        max_steps: stop after so many optimiser steps, 0 for no bound.
        learning_rate: of groups without their own.
        weight_decay: likewise (AdamW).
        schedule: name of the learning rate's curve (`analytics.training.schedules.SCHEDULES`).
        warmup_share: share of the steps in which the rate first rises linearly.
        warmup_steps: the same as a number of steps, where it is above 0.
        accumulate: batches whose gradients make one optimiser step.
        clip_norm: bound on the gradient's norm, 0 for none.
        dtype: number format of the forward pass (mixed precision); weights stay float32.
        evaluate_every: optimiser steps between evaluations, 0 for at the end of every epoch.
        best_metric: name of the metric by which the best weights are kept; empty keeps the last.
        best_is_lower: whether a smaller value of it is better.
        patience: evaluations without improvement after which to stop, 0 for never.
        report_every: optimiser steps between reports.
        checkpoint_every: optimiser steps between checkpoints, 0 for at the end of every epoch; one more is saved at
            the end of every stage.
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
    best_is_lower: bool = False
    patience: int = 0
    report_every: int = 10
    checkpoint_every: int = 0

    @classmethod
    def of(cls, config: Any, device: torch.device, **more: Any) -> LoopSettings:
        """Return what a capability's configuration says under the same names, and in bfloat16 where it allows that.

        Args:
            config: a frozen dataclass with `mixed_precision`.
            device: on which the loop will run.
            more: other settings; they go before those of the configuration.
        """
        named = {field.name for field in fields(cls)} & {field.name for field in fields(config)}
        dtype = inference_dtype(device) if config.mixed_precision else torch.float32
        return cls(**{"dtype": dtype, **{name: getattr(config, name) for name in named}, **more})


@dataclass(frozen=True, slots=True)
class Stage:
    """One part of a training: what it minimises, for how long, and which parameters it changes.

    Attributes:
        name: one word; in later stages than the first the loss is reported as ``loss_<name>``.
        objective: makes the task. It is called when the stage begins, so it may build on what earlier stages trained;
            drawing random numbers in it is safe, they are drawn alike when the stage is resumed.
        settings: how the stage is run.
        steps: optimiser steps; 0 for as many as the settings' epochs make.
        parameters: gives the optimiser's groups of the task; by default `Task.parameter_groups`.
        finish: called with the task once it has its final weights; also when the stage is read from a checkpoint.
    """

    name: str
    objective: Callable[[], Task]
    settings: LoopSettings
    steps: int = 0
    parameters: Callable[[Any], Sequence[Mapping[str, Any]]] | None = None
    finish: Callable[[Any], None] | None = None


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """How a stage, or all of them, ended: steps, held-out metrics (the best and the last), and seconds."""

    step: int
    stopped_early: bool
    best: dict[str, float]
    last: dict[str, float]
    seconds: float

    def as_metrics(self, *, loss: float | None, measured_on: str = "validation") -> dict[str, Any]:
        """Return what a manifest says of the training: the best figures measured, the last loss, steps and time."""
        return {
            measured_on: {name: round(value, 4) for name, value in self.best.items()},
            "loss": loss,
            "steps": self.step,
            "stopped_early": self.stopped_early,
            "seconds": round(self.seconds, 1),
        }


def train_stages(
    stages: Sequence[Stage],
    *,
    device: torch.device,
    context: TrainingContext = DEFAULT_CONTEXT,
    identity: str = "",
) -> TrainingResult:
    """Train stage after stage, resuming from the context's checkpoint where there is one.

    Args:
        stages: what to do, in order.
        device: where the tasks' modules are.
        context: checkpoint folder, callbacks, and cancellation. Cancelling saves a checkpoint and stops; so does
            SIGTERM. One process stops all.
        identity: what distinguishes these settings and data from others; a checkpoint with another one is refused.

    Returns:
        The steps and seconds of all stages, and the metrics of the last one that measured any.

    Raises:
        Cancelled: it was asked to stop; the checkpoint is usable.
        ConfigurationError: the GPU's memory does not suffice; the last checkpoint is usable.
        DataError: an epoch has no batch, the loss is no longer a number, or the checkpoint is of another training.
        ArtifactError: the checkpoint cannot be read or written, or an older version wrote it.
    """
    with explained_memory_errors():
        return _Training(stages, device, context, identity).run()


def train_loop(
    task: Task,
    settings: LoopSettings,
    *,
    device: torch.device,
    context: TrainingContext = DEFAULT_CONTEXT,
    identity: str = "",
) -> TrainingResult:
    """Train in one stage; see `train_stages`."""
    stages = [Stage("training", lambda: task, settings)]
    return train_stages(stages, device=device, context=context, identity=identity)


@dataclass(frozen=True, slots=True)
class _FinishedStage:
    """A stage that is over, as the checkpoint keeps it."""

    name: str
    planned: int  # steps
    result: TrainingResult
    modules: dict[str, dict[str, Tensor]]

    def state(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "planned": self.planned,
            "result": asdict(self.result),
            "modules": self.modules,
        }

    @classmethod
    def of(cls, state: Mapping[str, Any]) -> _FinishedStage:
        return cls(state["name"], state["planned"], TrainingResult(**state["result"]), state["modules"])


class _Training:
    """The state of one call of `train_stages`."""

    def __init__(
        self, stages: Sequence[Stage], device: torch.device, context: TrainingContext, identity: str
    ) -> None:
        self.stages, self.device, self.context, self.identity = stages, device, context, identity
        self.finished: list[_FinishedStage] = []
        self.starts: list[list[Any]] = []  # random states of every process at the start of each stage

    def run(self) -> TrainingResult:
        state = self.load()
        current = None
        if state is not None:
            self.finished = [_FinishedStage.of(stage) for stage in state["finished"]]
            self.starts, current = state["starts"], state["current"]
        for number, finished in enumerate(self.finished):
            self.replay(self.stages[number], finished, self.starts[number])
        if state is not None:
            _restore(self.starts[-1] if current else state["random"])
        for number in range(len(self.finished), len(self.stages)):
            self.run_stage(self.stages[number], current, state["random"] if state and current else None)
            current = None
        return self.result()

    def replay(self, stage: Stage, finished: _FinishedStage, start: list[Any]) -> None:
        """Bring everything into the state in which a finished stage left it."""
        _restore(start)
        loop = _StageLoop(self, stage)
        loop.check_steps(finished.planned)
        loop.load_modules(finished.modules)
        loop.finish()

    def run_stage(
        self, stage: Stage, state: Mapping[str, Any] | None, random_after: list[Any] | None
    ) -> None:
        """Run one stage from its beginning, or from the state of a checkpoint."""
        if state is None:
            self.starts.append(gather_objects(random_states()))
        loop = _StageLoop(self, stage)
        if state is not None:
            loop.resume(state)
            _restore(random_after or [])
        elif process_number():  # not the dropout of the main process
            torch.manual_seed(torch.initial_seed() + process_number())
        result = loop.run()
        modules = {
            name: {key: tensor.detach().cpu().clone() for key, tensor in module.state_dict().items()}
            for name, module in loop.task.modules().items()
        }
        self.finished.append(_FinishedStage(stage.name, loop.steps, result, modules))
        self.save(None)  # what comes next may fail too
        loop.finish()

    def result(self) -> TrainingResult:
        results = [stage.result for stage in self.finished]
        measured = next((result for result in reversed(results) if result.best), results[-1])
        return TrainingResult(
            step=self.steps_before(),
            stopped_early=any(result.stopped_early for result in results),
            best=measured.best,
            last=measured.last,
            seconds=sum(result.seconds for result in results),
        )

    def steps_before(self) -> int:
        """Return the optimiser steps of the finished stages."""
        return sum(stage.result.step for stage in self.finished)

    def steps_after(self) -> int:
        """Return the optimiser steps of the stages behind the current one, as far as they are known."""
        return sum(stage.steps for stage in self.stages[len(self.finished) + 1 :])

    def save(self, current: Mapping[str, Any] | None) -> None:
        """Write the checkpoint: the finished stages, and the state of the current one."""
        folder = self.context.checkpoints
        if folder is None:
            return
        state = {
            "version": CHECKPOINT_VERSION,
            "identity": self.identity,
            "stages": [stage.name for stage in self.stages],
            "finished": [stage.state() for stage in self.finished],
            "current": current,
            "starts": self.starts,
            "random": gather_objects(random_states()),
        }
        broadcast_from_main(lambda: save_checkpoint(folder, state))

    def load(self) -> dict[str, Any] | None:
        """Read the checkpoint, if there is one, and check that it is of this training."""
        folder = self.context.checkpoints
        state = broadcast_from_main(lambda: None if folder is None else load_checkpoint(folder, device="cpu"))
        if state is None:
            return None
        if state.get("version") != CHECKPOINT_VERSION:
            raise ArtifactError(
                f"The checkpoint in {folder} was written by another version of this program;"
                " remove it to start over."
            )
        if self.identity != state["identity"] or [stage.name for stage in self.stages] != state["stages"]:
            raise DataError(
                "The checkpoint belongs to a run with other settings or other data; remove it to start over."
            )
        return state


class _StageLoop:
    """One stage of a training."""

    def __init__(self, training: _Training, stage: Stage) -> None:
        self.training, self.stage, self.settings = training, stage, stage.settings
        self.device, self.context = training.device, training.context
        self.task = task = stage.objective()
        settings = stage.settings
        self.steps_per_epoch = task.batches_per_epoch() // settings.accumulate
        if self.steps_per_epoch < 1:
            raise DataError("There are too few examples for a single training step.")
        self.steps = stage.steps or self.steps_per_epoch * settings.epochs
        if settings.max_steps:
            self.steps = min(self.steps, settings.max_steps)
        groups = task.parameter_groups() if stage.parameters is None else stage.parameters(task)
        self.optimizer = torch.optim.AdamW(
            [dict(group) for group in groups],
            lr=settings.learning_rate,
            weight_decay=settings.weight_decay,
            fused=True,
        )
        warmup = settings.warmup_steps or round(self.steps * settings.warmup_share)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(
            self.optimizer, learning_rate_schedule(settings.schedule, self.steps, min(warmup, self.steps))
        )
        self.losses = DataParallelLosses(task.modules(), task.losses)
        self.step = 0
        self.bad_evaluations = 0
        self.best: dict[str, float] = {}
        self.last: dict[str, float] = {}
        self.best_weights: dict[str, dict[str, Tensor]] = {}
        self.running: defaultdict[str, list[float]] = defaultdict(list)
        self.unread: list[tuple[str, Tensor]] = []  # losses that are still on the device

    def run(self) -> TrainingResult:
        self.started, self.first_step = time.monotonic(), self.step
        stopped_early = self.out_of_patience()
        with _terminated() as terminated:
            while self.step < self.steps and not stopped_early:
                epoch, done_in_epoch = divmod(self.step, self.steps_per_epoch)
                for batches in self.groups(epoch, done_in_epoch):
                    self.optimise(batches)
                    stopped_early = self.after_step(epoch)
                    if any_process(self.context.cancel() or terminated.is_set()) and self.step < self.steps:
                        self.read_losses()
                        self.save()
                        raise Cancelled(
                            f"Training was stopped after {self.steps_done()} of {self.steps_planned()} steps."
                        )
                    if stopped_early or self.step >= self.steps:
                        break
        if self.best_weights:
            self.load_modules(self.best_weights)
        return TrainingResult(
            step=self.step,
            stopped_early=stopped_early,
            best=self.best or self.last,
            last=self.last,
            seconds=time.monotonic() - self.started,
        )

    def finish(self) -> None:
        if self.stage.finish is not None:
            self.stage.finish(self.task)

    def steps_done(self) -> int:
        """Return the optimiser steps of this stage and those before it."""
        return self.training.steps_before() + self.step

    def steps_planned(self) -> int:
        """Return the optimiser steps of all stages, as far as they are known."""
        return self.training.steps_before() + self.steps + self.training.steps_after()

    def groups(self, epoch: int, done: int) -> Iterator[list[Any]]:
        """Yield the batches of each optimiser step that is left in the epoch."""
        iterator = iter(self.task.batches(epoch))
        for _skipped in islice(iterator, done * self.settings.accumulate):
            pass
        for _step in range(self.steps_per_epoch - done):
            yield list(islice(iterator, self.settings.accumulate))

    def optimise(self, batches: list[Any]) -> None:
        for module in self.task.modules().values():
            module.train()
        self.optimizer.zero_grad(set_to_none=True)
        step = Step(self.step, self.steps)
        for number, batch in enumerate(batches, start=1):
            with self.losses.gradient_sync(now=number == len(batches)):
                with autocast(self.device, self.settings.dtype), cpu_training(self.device):
                    losses = self.losses(batch, step)
                (losses["loss"] / len(batches)).backward()
            self.unread += [(name, value.detach().float()) for name, value in losses.items()]
        if self.settings.clip_norm:
            parameters = [parameter for group in self.optimizer.param_groups for parameter in group["params"]]
            nn.utils.clip_grad_norm_(parameters, self.settings.clip_norm)
        self.optimizer.step()
        self.schedule.step()
        self.step += 1
        self.task.after_step()

    def read_losses(self) -> None:
        """Wait for the device, once, and take over the losses since the last time, averaged over the processes."""
        if not self.unread:
            return
        values = torch.stack([value for _name, value in self.unread]).tolist()
        means = mean_over_processes({str(place): value for place, value in enumerate(values)})
        for (name, _value), mean in zip(self.unread, means.values(), strict=True):
            self.running[name].append(mean)
            if name == "loss" and not math.isfinite(mean):
                raise DataError(
                    f"The loss is not a number after {self.steps_done()} steps; lower the learning rate."
                )
        self.unread.clear()

    def after_step(self, epoch: int) -> bool:
        """Report, evaluate and save where it is time; True: stop early."""
        settings, step = self.settings, self.step
        ends_epoch = step % self.steps_per_epoch == 0 or step == self.steps
        evaluates = step % settings.evaluate_every == 0 if settings.evaluate_every else ends_epoch
        saves = step % settings.checkpoint_every == 0 if settings.checkpoint_every else ends_epoch
        reports = step % settings.report_every == 0
        metrics: dict[str, float] = {}
        if evaluates or saves or reports or step == self.steps:
            self.read_losses()
        if evaluates or step == self.steps:
            metrics = self.evaluate()
        if metrics or reports or step == self.steps:
            self.report(epoch, metrics)
        if saves and step < self.steps:  # the end of a stage is saved by itself
            self.save()
        return self.out_of_patience()

    def out_of_patience(self) -> bool:
        return bool(self.settings.patience) and self.bad_evaluations >= self.settings.patience

    def evaluate(self) -> dict[str, float]:
        metrics = broadcast_from_main(self.held_out_metrics)
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
                    key: {name: tensor.detach().clone() for name, tensor in module.state_dict().items()}
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
        loss = f"loss_{self.stage.name}" if self.training.finished else "loss"
        averages = {
            loss if name == "loss" else name: sum(values) / len(values)
            for name, values in self.running.items()
        }
        self.running.clear()
        seconds = time.monotonic() - self.started
        report = StepReport(
            step=self.steps_done(),
            steps=self.steps_planned(),
            epoch=epoch,
            seconds=seconds,
            seconds_left=seconds / max(1, self.step - self.first_step) * (self.steps - self.step),
            metrics={**averages, **metrics},
        )
        for callback in self.context.callbacks if is_main() else ():
            callback(report)

    def save(self) -> None:
        self.training.save(
            {
                "step": self.step,
                "steps": self.steps,
                "modules": {name: module.state_dict() for name, module in self.task.modules().items()},
                "optimizer": self.optimizer.state_dict(),
                "schedule": self.schedule.state_dict(),
                "best": self.best,
                "last": self.last,
                "best_weights": self.best_weights,
                "bad_evaluations": self.bad_evaluations,
                "running": dict(self.running),
            }
        )

    def resume(self, state: Mapping[str, Any]) -> None:
        self.check_steps(state["steps"])
        self.load_modules(state["modules"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.schedule.load_state_dict(state["schedule"])
        self.step, self.bad_evaluations = state["step"], state["bad_evaluations"]
        self.best, self.last, self.best_weights = state["best"], state["last"], state["best_weights"]
        self.running.update(state["running"])

    def check_steps(self, steps: int) -> None:
        if steps != self.steps:
            raise DataError(
                f"The checkpoint belongs to a run of {steps} steps, this one has {self.steps};"
                " remove it to start over."
            )

    def load_modules(self, states: Mapping[str, Mapping[str, Tensor]]) -> None:
        for name, module in self.task.modules().items():
            module.load_state_dict(states[name])


def _restore(states: Sequence[Mapping[str, Any]]) -> None:
    """Restore this process's random states, where the checkpoint has some of it."""
    if process_number() < len(states):
        restore_random_states(dict(states[process_number()]))


@contextmanager
def _terminated() -> Iterator[threading.Event]:
    """Yield an event that SIGTERM sets while the block runs, in the main thread."""
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
