"""A training by several processes, on one machine or on several (decision 102).

The worker that has the run starts torchrun and relays what process 0 tells. The other machines are blocks of work: the
run calls for help, an idle worker of the queue takes a block, which is its place among the machines, and keeps its
lease while its processes run. Where one dies, the others are ended, and the training goes on from its last checkpoint
with the machines that are there then.

Torch-free until a training begins: every worker process imports it.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Self

from django.conf import settings
from django.db import connection

from analytics.catalog import CAPABILITIES
from analytics.configuration import config_from_strings
from analytics.errors import AnalyticsError, Cancelled, ConfigurationError
from analytics.training.callbacks import StepReport
from analytics.training.context import TrainingContext, terminated
from analytics.training.launch import (
    START,
    STOP,
    Place,
    Told,
    Train,
    Work,
    free_address,
    local_address,
    torchrun_command,
    write_work,
)
from questionbank import dispatch
from questionbank.embedded.die_with_parent import dying_with_us
from questionbank.errors import KindredError
from questionbank.models import ModelArtifact, Run, RunLog, WorkBlock
from questionbank.scratch import scratch_folder
from questionbank.selectors.registry.artifacts import artifact_source
from questionbank.selectors.registry.blocks import blocks_held
from questionbank.selectors.registry.checkpoints import folder_has_checkpoint
from questionbank.services import runs
from questionbank.services.blocks import BlockRange, blocks_forget, blocks_plan
from questionbank.wording import duration_text
from worker.blocks import BlockJob
from worker.reporting import RunReporter, patiently

MAX_DEATHS = 3  # of processes or machines, one after the other without a checkpoint
LOOK_SECONDS = 0.2  # between two looks at what the processes tell
HOLD_SECONDS = 2.0  # between two looks at whether the machines are there, and between two calls for help
GRACE_SECONDS = 10.0  # for processes to end by themselves once another machine has ended
STOP_SECONDS = 60.0  # for them to save a checkpoint
KILL_SECONDS = 5.0  # for torchrun to end its processes


class Hearing:
    """Takes what the processes of this machine tell: progress goes to the context, ends are kept."""

    def __init__(self, context: TrainingContext) -> None:
        self._context = context
        self.ends: dict[int, dict[str, Any]] = {}
        self.began = self.saved = False

    def __call__(self, number: int, message: dict[str, Any]) -> None:
        """Take one message of a process."""
        told = {name: value for name, value in message.items() if name != "kind"}
        match message["kind"]:
            case "began":
                self.began = True
            case "step":
                for callback in self._context.callbacks:
                    callback(StepReport(**told))
            case "progress":
                self._context.progress(*told.values())
            case "line":
                self._context.say(told["text"])
            case "saved":
                self.saved = True
                self._context.saved()
            case _:
                self.ends[number] = message

    @property
    def is_done(self) -> bool:
        """Return whether the main process has written the model."""
        return self.ends.get(0, {}).get("kind") == "done"

    def first(self, kind: str) -> str:
        """Return what the first process that ended so said; empty: none did."""
        return next((end["text"] for _number, end in sorted(self.ends.items()) if end["kind"] == kind), "")


def run_processes(
    folder: Path, place: Place, hear: Hearing, *, stop: Callable[[], bool], is_lost: Callable[[], bool]
) -> None:
    """Start torchrun on this machine and relay what its processes tell until they have ended.

    Args:
        folder: as `analytics.training.launch` says.
        stop: whether to save a checkpoint and end.
        is_lost: whether what they work on is of no use any more, because another machine is gone.
    """
    command = torchrun_command(place, "analytics.training.share", str(folder))
    threads = max(1, (os.cpu_count() or 1) // place.processes)
    process = subprocess.Popen(
        dying_with_us(command),
        cwd=settings.BASE_DIR,
        env={"OMP_NUM_THREADS": str(threads), **os.environ, **place.environment()},
        stdin=subprocess.DEVNULL,
    )
    told, ends_at = Told(folder), float("inf")
    try:
        while process.poll() is None and time.monotonic() < ends_at:
            for message in told:
                hear(*message)
            if stop() and not (folder / STOP).exists():
                (folder / STOP).touch()
                ends_at = time.monotonic() + STOP_SECONDS
            elif is_lost():
                ends_at = min(ends_at, time.monotonic() + GRACE_SECONDS)
            time.sleep(LOOK_SECONDS)
    finally:
        _end(process)
    for message in told:
        hear(*message)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End torchrun, which ends its processes; where it does not, they end with it."""
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=KILL_SECONDS)
    process.kill()
    process.wait()


def train_together(
    reporter: RunReporter, config: Any, train: Train, output: Path, context: TrainingContext
) -> None:
    """Train as `train(output, context)` does, by as many processes and machines as the settings say.

    Raises:
        Cancelled: it was asked to stop; the checkpoint is usable.
        KindredError: fewer machines joined than the run asks for.
        AnalyticsError: a process said so, or processes died again and again.
    """
    from analytics.training.device import pick_device
    from worker.gpu import gpu_turn

    device, folder = pick_device(config.device), context.checkpoints
    assert folder is not None  # noqa: S101 - the candidate's context has one
    cards = _cards(device)
    if cards and config.processes > cards:
        config = fewer(config, cards, config.nodes, is_begun=folder_has_checkpoint(folder))
    about = {name: getattr(context, name) for name in ("name", "parent", "license_note", "command")}
    deaths = 0
    with (
        gpu_turn(reporter, device, processes=config.processes),
        terminated() as stopping,
        scratch_folder(prefix="share-") as scratch,
    ):
        machines = _Machines(reporter, stopping.is_set)
        for attempt in count():
            share = scratch / str(attempt)
            share.mkdir()
            write_work(share, Work(train, output, folder, about))
            hear = Hearing(context)
            try:
                config = machines.gather(config, is_begun=folder_has_checkpoint(folder))
                run_processes(
                    share, machines.place(config), hear, stop=machines.stop, is_lost=machines.is_lost
                )
            finally:
                machines.dismiss()
            if hear.is_done:
                return
            if machines.stop():
                raise Cancelled(hear.first("cancelled") or "Training was stopped.")
            if sentence := hear.first("failed"):
                raise AnalyticsError(sentence)
            deaths = 0 if hear.saved else deaths + 1
            reason = _reason(hear, machines)
            if deaths >= MAX_DEATHS:
                raise AnalyticsError(
                    f"{reason} That happened {deaths} times without a new checkpoint, so the training was given up."
                )
            context.say(f"{reason} The training continues from its last checkpoint.")


def _reason(hear: Hearing, machines: _Machines) -> str:
    """Return why processes ended before their work was done, as a sentence."""
    if hear.first("cancelled"):
        return "A machine that took part was shut down."
    if machines.were_lost:
        return "A machine that took part does not answer any more."
    crashed = hear.first("crashed")
    return (
        f"A process of the training ended unexpectedly ({crashed})." if crashed else "A process was killed."
    )


def _cards(device: Any) -> int:
    """Return how many GPUs the processes may use; 0 on a CPU, where there is no limit."""
    import torch

    return torch.cuda.device_count() if device.type == "cuda" else 0


def fewer(config: Any, processes: int, nodes: int, *, is_begun: bool) -> Any:
    """Return the settings with as many processes and machines as there are, and as batches can be shared out to.

    Args:
        is_begun: whether there is a checkpoint to go on from; a training that has not begun gets what it asks for.

    Raises:
        ConfigurationError: it has not begun, and there are fewer GPUs than it asks for.
        KindredError: it has not begun, and there are fewer machines.
    """
    if not is_begun and nodes < config.nodes:
        waited = duration_text(settings.TRAINING_WAIT_SECONDS)
        raise KindredError(
            f"Only {nodes} of {config.nodes} machines took part within {waited}: run worker-train on more machines,"
            " or train on fewer."
        )
    if not is_begun:
        raise ConfigurationError([f"processes is {config.processes}, but this machine has {processes} GPUs"])
    for number in range(nodes, 0, -1):
        for each in range(processes, 0, -1):
            with suppress(ConfigurationError):
                return replace(config, nodes=number, processes=each)
    return replace(config, nodes=1, processes=1)


class _Machines:
    """The other machines of a run, as its worker sees them.

    Args:
        is_stopping: whether this worker is being shut down.
    """

    def __init__(self, reporter: RunReporter, is_stopping: Callable[[], bool]) -> None:
        self.reporter, self._is_stopping = reporter, is_stopping
        self._job, self._address, self._others = "", "", 0
        self._looked = 0.0
        self.were_lost = False
        self.dismiss()  # those of an earlier attempt of the run

    def stop(self) -> bool:
        """Return whether the training is to save a checkpoint and end."""
        return self._is_stopping() or self.reporter.should_stop()

    def gather(self, config: Any, *, is_begun: bool) -> Any:
        """Wait until the other machines have their places; return the settings, with fewer machines where some lack.

        Raises:
            Cancelled: the run was stopped meanwhile.
            KindredError: too few joined, and the training has not begun.
        """
        self.were_lost = False
        while True:
            joined = self._call(config)
            if joined == config.nodes:
                return config
            asked = config.nodes
            config = fewer(config, config.processes, joined, is_begun=is_begun)
            self.reporter.log(f"Going on with {config.nodes} of {asked} machines.", level="warning")

    def _call(self, config: Any) -> int:
        """Offer the places and wait for machines; return how many there are, this one included."""
        self.dismiss()
        self._others = config.nodes - 1
        self._address = free_address(_own_address() if self._others else "127.0.0.1")
        if not self._others:
            return 1
        self._job = f"{TakePart.word}/{self.reporter.run.pk}/{self._address}/{config.nodes}"
        places = [BlockRange(node, node, config.processes) for node in range(1, config.nodes)]
        patiently(partial(blocks_plan, job=self._job, ranges=places))
        ends_at = time.monotonic() + settings.TRAINING_WAIT_SECONDS
        while (held := patiently(partial(blocks_held, job=self._job))) < self._others:
            if self.stop():
                raise Cancelled("Training was stopped.")
            if time.monotonic() > ends_at:
                break
            self.reporter.progress(0, 0, f"Waiting for machines: {held + 1} of {config.nodes} are there")
            dispatch.ask_for_help(self.reporter.run, self._job)
            time.sleep(HOLD_SECONDS)
        return held + 1

    def place(self, config: Any) -> Place:
        """Return this machine's place: the first."""
        return Place(config.processes, config.nodes, 0, self._address, settings.TRAINING_WAIT_SECONDS)

    def is_lost(self) -> bool:
        """Return whether a machine has lost its place, which it keeps while its processes run."""
        if self._others and time.monotonic() - self._looked > HOLD_SECONDS:
            self._looked = time.monotonic()
            self.were_lost = patiently(partial(blocks_held, job=self._job)) < self._others
        return self.were_lost

    def dismiss(self) -> None:
        """Let the machines go: they end their processes when they see that their places are gone."""
        patiently(partial(blocks_forget, beginning=f"{TakePart.word}/{self.reporter.run.pk}/"))


def _own_address() -> str:
    """Return where other machines reach this one: as the settings say, else as the database sees it."""
    host = connection.settings_dict["HOST"]
    own: str = settings.TRAINING_ADDRESS
    return own or (local_address(host) if host and not host.startswith("/") else "127.0.0.1")


@dataclass(frozen=True)
class TakePart(BlockJob):
    """A place among the machines of a training: torchrun here, with the first machine's address."""

    word = "machine"
    name: str
    run: Run
    address: str
    nodes: int

    @classmethod
    def named(cls, argument: str) -> Self | None:
        """Return it where the run still runs."""
        number, address, nodes = argument.split("/")
        run = Run.objects.filter(pk=number, state=Run.State.RUNNING).first()
        return None if run is None else cls(f"{cls.word}/{argument}", run, address, int(nodes))

    def compute(self, block: WorkBlock, cancel: Callable[[], bool]) -> Callable[[], int]:
        """Do this machine's share until the processes have ended or the place is gone."""
        from analytics.training.device import pick_device
        from worker.gpu import gpus_held

        parameters = self.run.parameters
        config: Any = config_from_strings(CAPABILITIES[self.run.capability].config, parameters.get("set", {}))
        hear = Hearing(TrainingContext())
        place = Place(block.size, self.nodes, block.first, self.address, settings.TRAINING_WAIT_SECONDS)
        try:
            device = pick_device(config.device)
            cards = _cards(device)
            if cards and block.size > cards:
                raise AnalyticsError(f"it has {cards} GPUs, not {block.size}")
            with (
                gpus_held(device, processes=block.size, wait=_refuse),
                terminated() as stopping,
                scratch_folder(prefix="share-") as folder,
            ):
                if "start" in parameters:
                    start = ModelArtifact.objects.get(pk=parameters["start"])
                    (folder / START).write_text(artifact_source(start), encoding="utf-8")
                run_processes(
                    folder, place, hear, stop=stopping.is_set, is_lost=lambda: cancel() or self._is_over()
                )
            if stopping.is_set():
                signal.raise_signal(signal.SIGTERM)  # for Celery, now that the checkpoint is written
            if not hear.began and not cancel():
                raise AnalyticsError(hear.first("failed") or f"it did not reach {self.address}")
        except (AnalyticsError, KindredError) as error:
            sentence = f"The machine {socket.gethostname()} took no part: {error}"
            patiently(partial(runs.run_log, run=self.run, text=sentence, level=RunLog.Level.WARNING))
        return lambda: 0

    def _is_over(self) -> bool:
        """Return whether the run has ended or another worker has it now."""
        held = Run.objects.filter(pk=self.run.pk, state=Run.State.RUNNING, lease=self.run.lease)
        return not patiently(held.exists)


def _refuse() -> None:
    raise AnalyticsError("its GPUs are in use")
