"""One training loop for all capabilities.

A capability describes its work as a list of `Stage`s, each with a `Task` (`analytics.training.stages`); the
loop steps, reports, evaluates, keeps the best weights, stops early, saves checkpoints, and resumes from them
exactly, in any stage: a stopped and resumed run equals an uninterrupted one. All stages share one count of
steps and one checkpoint. The loop knows nothing of models, data or databases.

Under torchrun several processes run it together (`analytics.training.distributed`): each gets its share of a task's
batches, gradients are averaged, and only the main process evaluates, reports and saves.
"""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import torch
from torch import Tensor, nn

from analytics.configuration import training_identity
from analytics.errors import ArtifactError, Cancelled, DataError
from analytics.training.checkpoint import (
    FinishedStage,
    load_checkpoint,
    random_states,
    restore_random_states,
    save_checkpoint,
)
from analytics.training.context import DEFAULT_CONTEXT, StepReport, TrainingContext, terminated
from analytics.training.device import autocast, cpu_training, explained_memory_errors, pick_device
from analytics.training.distributed import (
    DataParallelLosses,
    any_process,
    broadcast_from_main,
    check_own_device,
    gather_objects,
    is_main,
    mean_over_processes,
    process_number,
)
from analytics.training.stages import LoopSettings, Stage, Step, Task, TrainingResult, learning_rate_schedule

CHECKPOINT_VERSION = 2  # version 1 had no stages


def train_stages(
    stages: Sequence[Stage], *, device: torch.device, context: TrainingContext = DEFAULT_CONTEXT, identity: str = ""
) -> TrainingResult:
    """Train stage after stage, resuming from the context's checkpoint, if any.

    Args:
        stages: the stages, in order.
        device: device of the tasks' modules.
        context: checkpoint folder, callbacks, and cancellation. Cancelling saves a checkpoint and stops, as
            does SIGTERM; cancelling one process stops all.
        identity: identifies these settings and data; a checkpoint with another identity is refused.

    Returns:
        The steps and seconds of all stages, and the metrics of the last one that measured any.

    Raises:
        Cancelled: the training was asked to stop; the checkpoint is usable.
        ConfigurationError: the GPU ran out of memory; the last checkpoint is usable.
        DataError: an epoch has no batch, the loss is NaN or infinite, or the checkpoint belongs to another
            training.
        ArtifactError: the checkpoint cannot be read or written, or an older version wrote it.
    """
    with explained_memory_errors():
        return _Training(stages, device, context, identity).run()


def train_configured(stages: Sequence[Stage], config: Any, data_hash: str, context: TrainingContext) -> TrainingResult:
    """Train with a capability's configuration, on its device; refuse a checkpoint of other settings or data.

    Raises:
        As `train_stages`; also ConfigurationError if several processes are given one GPU.
    """
    check_own_device(config.device)
    identity = training_identity(config, data_hash)
    return train_stages(stages, device=pick_device(config.device), context=context, identity=identity)


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


class _Training:
    """The state of one call of `train_stages`."""

    def __init__(self, stages: Sequence[Stage], device: torch.device, context: TrainingContext, identity: str) -> None:
        self.stages, self.device, self.context, self.identity = stages, device, context, identity
        self.finished: list[FinishedStage] = []
        self.starts: list[list[Any]] = []  # random states of every process at the start of each stage

    def run(self) -> TrainingResult:
        state = self.load()
        current = None
        if state is not None:
            self.finished = [FinishedStage.of(stage) for stage in state["finished"]]
            self.starts, current = state["starts"], state["current"]
        for number, finished in enumerate(self.finished):
            self.replay(self.stages[number], finished, self.starts[number])
        if state is not None:
            _restore(self.starts[-1] if current else state["random"])
        for number in range(len(self.finished), len(self.stages)):
            self.run_stage(self.stages[number], current, state["random"] if state and current else None)
            current = None
        return self.result()

    def replay(self, stage: Stage, finished: FinishedStage, start: list[Any]) -> None:
        """Restore everything to the state in which a finished stage left it."""
        _restore(start)
        loop = _StageLoop(self, stage)
        loop.check_steps(finished.planned)
        loop.load_modules(finished.modules)
        loop.finish()

    def run_stage(self, stage: Stage, state: Mapping[str, Any] | None, random_after: list[Any] | None) -> None:
        """Run one stage from its beginning, or from the state of a checkpoint."""
        if state is None:
            self.starts.append(gather_objects(random_states()))
        loop = _StageLoop(self, stage)
        if state is not None:
            loop.resume(state)
            _restore(random_after or [])
        elif process_number():  # so that its dropout differs from the main process's
            torch.manual_seed(torch.initial_seed() + process_number())
        result = loop.run()
        modules = {
            name: {key: tensor.detach().cpu().clone() for key, tensor in module.state_dict().items()}
            for name, module in loop.task.modules().items()
        }
        self.finished.append(FinishedStage(stage.name, loop.steps, result, modules))
        self.save(None)  # the next step may fail too
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
            loss=results[0].loss,
        )

    def steps_before(self) -> int:
        """Return the optimiser steps of the finished stages."""
        return sum(stage.result.step for stage in self.finished)

    def steps_after(self) -> int:
        """Return the optimiser steps of the stages after the current one, if already known."""
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
        if is_main():
            self.context.saved()

    def load(self) -> dict[str, Any] | None:
        """Read the checkpoint, if any, and check that it belongs to this training."""
        folder = self.context.checkpoints
        state = broadcast_from_main(lambda: None if folder is None else load_checkpoint(folder, device="cpu"))
        if state is None:
            return None
        if state.get("version") != CHECKPOINT_VERSION:
            raise ArtifactError(
                f"The checkpoint in {folder} was written by another version of this program; remove it to start over."
            )
        if self.identity != state["identity"] or [stage.name for stage in self.stages] != state["stages"]:
            raise DataError(
                "The checkpoint belongs to a run with other settings or other data; remove it to start over."
            )
        return state


class _StageLoop:
    """One stage of a training run."""

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
        groups = task.parameter_groups()
        self.optimizer = torch.optim.AdamW(
            [dict(group) for group in groups], lr=settings.learning_rate, weight_decay=settings.weight_decay, fused=True
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
        self.last_loss: float | None = None
        self.best_weights: dict[str, dict[str, Tensor]] = {}
        self.running: defaultdict[str, list[float]] = defaultdict(list)
        self.unread: list[tuple[str, Tensor]] = []  # losses that are still on the device

    def run(self) -> TrainingResult:
        self.started, self.first_step = time.monotonic(), self.step
        stopped_early = self.out_of_patience()
        with terminated() as stopping:
            while self.step < self.steps and not stopped_early:
                epoch, done_in_epoch = divmod(self.step, self.steps_per_epoch)
                for batches in self.groups(epoch, done_in_epoch):
                    self.optimise(batches)
                    stopped_early = self.after_step(epoch)
                    if any_process(self.context.cancel() or stopping.is_set()) and self.step < self.steps:
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
            loss=self.last_loss,
        )

    def finish(self) -> None:
        if self.stage.finish is not None:
            self.stage.finish(self.task)

    def steps_done(self) -> int:
        """Return the optimiser steps done in this stage and those before it."""
        return self.training.steps_before() + self.step

    def steps_planned(self) -> int:
        """Return the planned optimiser steps of all stages, if already known."""
        return self.training.steps_before() + self.steps + self.training.steps_after()

    def groups(self, epoch: int, done: int) -> Iterator[list[Any]]:
        """Yield the batches of each remaining optimiser step of the epoch."""
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
        """Synchronise with the device once and collect the losses since the last call, averaged over the processes."""
        if not self.unread:
            return
        values = torch.stack([value for _name, value in self.unread]).tolist()
        means = mean_over_processes({str(place): value for place, value in enumerate(values)})
        for (name, _value), mean in zip(self.unread, means.values(), strict=True):
            self.running[name].append(mean)
            if name == "loss" and not math.isfinite(mean):
                raise DataError(f"The loss is not a number after {self.steps_done()} steps; lower the learning rate.")
        self.unread.clear()

    def after_step(self, epoch: int) -> bool:
        """Report, evaluate and save if due; return True to stop early."""
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
        if saves and step < self.steps:  # the end of a stage is saved separately
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
            better = not self.best or metrics[name] > self.best[name]
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
        states = random_states()  # an evaluation must not change the random numbers of training
        for module in self.task.modules().values():
            module.eval()
        with torch.no_grad():
            metrics = dict(self.task.evaluate())
        restore_random_states(states)
        return metrics

    def report(self, epoch: int, metrics: Mapping[str, float]) -> None:
        loss = f"loss_{self.stage.name}" if self.training.finished else "loss"
        averages = {
            loss if name == "loss" else name: sum(values) / len(values) for name, values in self.running.items()
        }
        self.running.clear()
        if loss in averages:
            self.last_loss = round(averages[loss], 4)
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
                "loss": self.last_loss,
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
        self.last_loss = state.get("loss")  # missing in checkpoints of an earlier version
        self.running.update(state["running"])

    def check_steps(self, steps: int) -> None:
        if steps != self.steps:
            raise DataError(
                f"The checkpoint belongs to a run of {steps} steps, this one has {self.steps}; remove it to start over."
            )

    def load_modules(self, states: Mapping[str, Mapping[str, Tensor]]) -> None:
        for name, module in self.task.modules().items():
            module.load_state_dict(states[name])


def _restore(states: Sequence[Mapping[str, Any]]) -> None:
    """Restore this process's random states, if the checkpoint has them."""
    if process_number() < len(states):
        restore_random_states(dict(states[process_number()]))
