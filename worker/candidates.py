"""From a run to a registered candidate: what all trainings that keep a checkpoint have in common.

What a run learns from is written beside its checkpoint when it starts, so a run that was stopped goes on with exactly
the same, however the bank has changed. One that failed before its first checkpoint reads the bank anew: there may be
more by now.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from analytics.artifacts import Manifest
from analytics.errors import DataError
from analytics.training.context import TrainingContext
from analytics.training.device import pick_device
from questionbank.capabilities.catalog import training_of
from questionbank.disk import require_space
from questionbank.models import ModelArtifact
from questionbank.scratch import scratch_folder
from questionbank.selectors.registry.artifacts import artifact_champion, artifact_source
from questionbank.selectors.registry.checkpoints import checkpoint_folder, folder_has_checkpoint
from questionbank.services.artifacts import artifact_register
from worker.gpu import gpu_turn
from worker.reporting import RunReporter

_LICENSE_NOTE = "trained on the questions of this bank"

TRAINING_BYTES = (
    1_000_000_000  # the checkpoint of the default encoder with its optimiser's state, twice, and the model
)

Train = Callable[[Path, TrainingContext], Manifest]
"""Called with the output folder and the context that all trainings take."""


def train_candidate(
    reporter: RunReporter, *, name: str, device: str, begin: Callable[[Path], Train], scope: str = ""
) -> dict[str, Any]:
    """Train and register a candidate whose parent is the champion; it serves only after a promotion.

    Goes on from the run's checkpoint where there is one; registers nothing twice.

    Args:
        reporter: of the run.
        name: the model's, with the run's number in it.
        device: as the configuration names it; a GPU is waited for.
        begin: reads what is learned from, with the help of the run's folder, and gives the training.
        scope: of the model, where its capability's models have one.

    Returns:
        ``{"model": id, "metrics": figures}``.

    Raises:
        Cancelled: the run was stopped; its checkpoint is usable.
    """
    run = reporter.run
    folder = checkpoint_folder(run.pk)
    registered = ModelArtifact.objects.filter(
        capability=run.capability, name=name, created_at__gte=run.created_at
    ).first()
    if registered is None:
        if not folder_has_checkpoint(folder):
            shutil.rmtree(folder, ignore_errors=True)
        require_space(folder, TRAINING_BYTES, what="The training")
        train = begin(folder)
        champion = artifact_champion(capability=run.capability, scope=scope)
        if folder_has_checkpoint(folder):
            reporter.log("Going on from the checkpoint.")
        with gpu_turn(reporter, pick_device(device)), scratch_folder(prefix="train-") as scratch:
            output = scratch / run.capability
            context = TrainingContext(
                name=name,
                parent=champion.checksum if champion else "",
                license_note=_LICENSE_NOTE,
                command=training_command(run.capability, run.parameters),
                checkpoints=folder,
                callbacks=(reporter.step,),
                progress=reporter.progress,
                cancel=reporter.should_stop,
                say=reporter.log,
            )
            train(output, context)
            reporter.check()
            registered = artifact_register(folder=output, scope=scope, parent=champion, user=run.requested_by)
    shutil.rmtree(folder, ignore_errors=True)
    reporter.log(f"Registered as the candidate {registered.name} (model {registered.pk}).")
    return {"model": registered.pk, "metrics": registered.manifest["metrics"]}


def training_command(capability: str, parameters: Mapping[str, Any]) -> str:
    """Return the command line that trains the same on the bank."""
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


def training_begins_with(reporter: RunReporter, backbone: str, suffix: str) -> tuple[str, str]:
    """Return name and place of what a run trains further: the registered model ``start``, else its settings' backbone.

    Args:
        backbone: of the settings.
        suffix: of the names of trained models, which a model that is trained further loses: ``-quesco``.

    Raises:
        DataError: the model has been deleted since the training was asked for.
    """
    if "start" not in reporter.run.parameters:
        return Path(backbone).name, backbone
    start = ModelArtifact.objects.filter(pk=reporter.run.parameters["start"]).first()
    if start is None:
        raise DataError("The model that this training was to begin with has been deleted; start another.")
    return re.sub(rf"{suffix}(-\d+)?$", "", start.name), artifact_source(start)
