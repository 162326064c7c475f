"""From a run to a registered candidate: code shared by all training runs that store checkpoints."""

from __future__ import annotations

import re
import shlex
import shutil
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch

from analytics.artifacts import Manifest
from analytics.catalog import CAPABILITIES
from analytics.configuration import TORCHRUN_SETTINGS, config_from_strings
from analytics.errors import ArtifactError, DataError
from analytics.question_files import Problems
from analytics.records import ProblemRecord
from analytics.training.checkpoint import kept_or_made
from analytics.training.context import TrainingContext
from analytics.training.device import pick_device
from questionbank.core.capability_catalog import training_of
from questionbank.core.outage import outage_of
from questionbank.core.storage import require_space, scratch_folder
from questionbank.jobs.resume_services import checkpoint_fetch, checkpoint_forget, checkpoint_store, turn
from questionbank.jobs.run_selectors import checkpoint_folder, folder_has_checkpoint
from questionbank.models import ModelArtifact, Run
from questionbank.registry.artifact_selectors import artifact_champion, artifact_source
from questionbank.registry.artifact_services import artifact_register
from worker.reporting import RunReporter

_NAME = "problems.json.gz"
_PARTS = ("learned", "validation", "test")


def kept_problems(folder: Path, read: Callable[[], Problems]) -> Problems:
    """Return the problems that a stopped training stored, or read them now and store them.

    Args:
        folder: the checkpoint's folder.
        read: reads them from the bank.

    Raises:
        ArtifactError: the file cannot be read, or an earlier version of Kindred wrote it.
    """
    rows = kept_or_made(folder / _NAME, lambda: _rows(read()))
    try:
        return Problems(*(tuple(map(_problem, rows[part])) for part in _PARTS))
    except (KeyError, TypeError) as error:
        raise ArtifactError(f"{folder / _NAME} cannot be read; remove it to start over.") from error


def _rows(problems: Problems) -> dict[str, list[dict[str, Any]]]:
    return {part: [asdict(problem) for problem in getattr(problems, part)] for part in _PARTS}


def _problem(row: dict[str, Any]) -> ProblemRecord:
    return ProblemRecord(**(row | {name: tuple(row[name]) for name in ("numbers", "calculations")}))


WAIT_SECONDS = 2.0


@contextmanager
def gpu_turn(reporter: RunReporter, device: torch.device) -> Iterator[None]:
    """Lock the GPU while the block runs; on a CPU there is nothing to lock.

    If the process dies, another one gets the lock after `questionbank.jobs.resume_services.LEASE`.

    Raises:
        Cancelled: the run was stopped while it waited.
    """

    def wait() -> None:
        reporter.check()
        reporter.progress(0, 0, "Waiting for another training that uses the GPU")
        time.sleep(WAIT_SECONDS)

    with turn(gpu_name(device), wait=wait) if device.type == "cuda" else nullcontext():
        yield


def gpu_name(device: torch.device) -> str:
    """Return a unique name of a GPU: its UUID, or machine and index if the driver does not report one."""
    index = device.index if device.index is not None else torch.cuda.current_device()
    unique = getattr(torch.cuda.get_device_properties(index), "uuid", None)
    return f"gpu/{unique or f'{socket.gethostname()}/{index}'}"


Train = Callable[[Path, TrainingContext], Manifest]
"""Called with the output folder and the context that all training runs take."""

_LICENSE_NOTE = "trained on the questions of this bank"

TRAINING_BYTES = 1_000_000_000  # two checkpoints of the default encoder with optimiser state, and the model


@dataclass(frozen=True, slots=True)
class Beginning:
    """The start of a training run on the bank.

    Attributes:
        config: the settings.
        start: folder, packaged name or hub id of the model or encoder to train further.
        folder: the run's folder, with the training data and the checkpoint.
    """

    config: Any
    start: str
    folder: Path


def train_candidate(
    reporter: RunReporter, method: str, begin: Callable[[Beginning], Train], *, scope: str = ""
) -> dict[str, Any]:
    """Train and register a candidate with the champion as parent; it serves only after a promotion.

    Resumes from the run's checkpoint, if any, and registers nothing twice. The run's parameters are
    ``{"set": {field: value}, "start": id of the registered model that is trained further, or absent}``; the capability
    may read more. Waits for the GPU if another training uses it.

    Args:
        reporter: the run's reporter.
        method: the word used in names of such models, such as ``quesco``.
        begin: reads the training data and returns the training function.
        scope: the model's scope, if its capability's models have one.

    Returns:
        ``{"model": id, "metrics": figures}``.

    Raises:
        ConfigurationError: a setting is unknown or out of bounds.
        DataError: there is too little training data, or the model to start from has been deleted.
        BackboneError: an encoder cannot be loaded.
        Cancelled: the run was stopped; its checkpoint is usable.
    """
    run = reporter.run
    parameters = run.parameters | {"set": _settings(reporter)}
    config: Any = config_from_strings(CAPABILITIES[run.capability].config, parameters["set"])
    begins_with, start = _training_begins_with(run, getattr(config, "backbone", ""), method)
    name = "-".join(filter(None, (begins_with, method, str(run.pk))))[:200]
    folder = checkpoint_folder(run.pk)
    registered = ModelArtifact.objects.filter(
        capability=run.capability, name=name, created_at__gte=run.created_at
    ).first()
    if registered is None:
        if not folder_has_checkpoint(folder):
            shutil.rmtree(folder, ignore_errors=True)
        with _stored():
            checkpoint_fetch(run_id=run.pk, folder=folder)
        require_space(folder, TRAINING_BYTES, what="The training")
        train = begin(Beginning(config, start, folder))
        with _stored():
            checkpoint_store(run_id=run.pk, folder=folder)
        champion = artifact_champion(capability=run.capability, scope=scope)
        if folder_has_checkpoint(folder):
            reporter.log("Going on from the checkpoint.")
        with scratch_folder(prefix="train-") as scratch:
            output = scratch / run.capability
            context = TrainingContext(
                name=name,
                parent=champion.checksum if champion else "",
                license_note=_LICENSE_NOTE,
                command=training_command(run.capability, parameters),
                checkpoints=folder,
                callbacks=(reporter.step,),
                progress=reporter.progress,
                cancel=reporter.should_stop,
                say=reporter.log,
                saved=partial(_store, reporter, folder),
            )
            with gpu_turn(reporter, pick_device(getattr(config, "device", "cpu"))):
                train(output, context)
            reporter.check()
            registered = artifact_register(folder=output, scope=scope, parent=champion, user=run.requested_by)
    checkpoint_forget(run_id=run.pk, folder=folder)
    reporter.log(f"Registered as the candidate {registered.name} (model {registered.pk}).")
    return {"model": registered.pk, "metrics": registered.manifest["metrics"]}


def _settings(reporter: RunReporter) -> dict[str, str]:
    """Return the settings of a run; a run of an earlier version that requested several processes gets one."""
    asked: dict[str, str] = reporter.run.parameters.get("set", {})
    settings = {name: value for name, value in asked.items() if name not in TORCHRUN_SETTINGS}
    if len(settings) < len(asked):
        reporter.log(
            "This job asked for several processes; jobs now train in one. docs/several-gpus.md says how to use more.",
            level="warning",
        )
    return settings


@contextmanager
def _stored() -> Iterator[None]:
    """Turn errors of the object store into one sentence; on an outage, let the run wait for the store.

    Raises:
        ArtifactError: the store rejects something.
    """
    try:
        yield
    except Exception as error:  # its library may raise anything
        if outage_of(error):
            raise
        raise ArtifactError(f"The object store does not take checkpoints: {error}") from error


def _store(reporter: RunReporter, folder: Path) -> None:
    """Copy a checkpoint to the object store, if any; if that fails, this machine's copy remains."""
    try:
        checkpoint_store(run_id=reporter.run.pk, folder=folder)
    except Exception as error:  # noqa: BLE001 - its library may raise anything
        reporter.log(f"The object store took no checkpoint; it stays on this machine: {error}", level="warning")


def training_command(capability: str, parameters: Mapping[str, Any]) -> str:
    """Return the command line that repeats this training on the bank."""
    words = ["python", "manage.py", "train", capability]
    for name in parameters.get("hierarchies") or ():
        words += ["--hierarchy", name]
    training = training_of(capability)
    for option in training.options if training else ():
        if option.choices and option.name in parameters:
            words += [option.flag, str(parameters[option.name])]
        elif not parameters.get(option.name, True):
            words.append(option.flag)
    for name, value in parameters.get("set", {}).items():
        words += ["--set", f"{name}={value}"]
    return shlex.join(words)


def _training_begins_with(run: Run, backbone: str, method: str) -> tuple[str, str]:
    """Return name and location of the model to train further: the registered ``start``, else the settings' backbone.

    The method is stripped from the name, because it is part of the new model's name too.
    """
    if "start" not in run.parameters:
        return Path(backbone).name, backbone
    start = ModelArtifact.objects.filter(pk=run.parameters["start"]).first()
    if start is None:
        raise DataError("The model that this training was to begin with has been deleted; start another.")
    return re.sub(rf"-{method}(-\d+)?$", "", start.name), artifact_source(start)
