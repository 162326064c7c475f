"""Arms whose models are trained: each model is left next to its run until it is measured."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from analytics.artifacts import Manifest, artifact_read
from analytics.configuration import config_to_dict
from analytics.errors import ArtifactError, DataError
from analytics.training.context import TrainingContext
from worker.reproduction.arms import Arm
from worker.reproduction.runs import Run, progress_callback


def wanted_runs(
    arms: Sequence[str], known: Mapping[str, Arm], *, parts: Sequence[str], seeds: Sequence[int]
) -> list[tuple[str, int]]:
    """Return the runs of a plan, ``part/arm`` with a seed; an arm that is not trained has no second seed.

    Raises:
        DataError: an arm is unknown.
    """
    unknown = [arm for arm in arms if arm not in known]
    if unknown:
        raise DataError(f"There is no arm {', '.join(unknown)}; there are {', '.join(known)}.")
    return [
        (f"{part}/{arm}", seed)
        for seed in seeds
        for part in parts
        for arm in arms
        if known[arm].settings is not None or seed == seeds[0]
    ]


def trained_folder(
    run: Run, config: Any, train: Callable[[Path, TrainingContext], Manifest]
) -> tuple[Path, dict[str, Any]]:
    """Return the folder of a run's model and what is worth noting of its training; it is trained if need be.

    Args:
        run: in whose folder the model is, until the run is measured.
        config: of the training.
        train: trains into a folder, and goes on from the checkpoint of the context.
    """
    folder = run.folder / "model"
    if not _is_model(folder, config):
        shutil.rmtree(folder, ignore_errors=True)
        train(folder, run_context(run))
    return folder, dict(artifact_read(folder).metrics)


def run_context(run: Run) -> TrainingContext:
    """Return the context of a run's training: its checkpoint is next to its figures."""
    return TrainingContext(checkpoints=run.checkpoint, callbacks=(progress_callback(run.say),), say=run.say)


def _is_model(folder: Path, config: Any) -> bool:
    """Return whether a training that was not measured yet left its model here."""
    try:
        return artifact_read(folder).config == config_to_dict(config)
    except ArtifactError:
        return False
