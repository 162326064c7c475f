"""Where a training keeps its checkpoint, and whether a stopped one can go on from it."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.core.files.storage import storages

from questionbank.models import Run

CHECKPOINT = (
    "checkpoint.pt"  # as analytics.training writes it; that package needs PyTorch, so a test compares
)
STORED = "checkpoints"  # the alias of the object store's folder, where there is one
VECTORS = "vectors-"  # likewise: analytics.encoder.metric_layer.VECTORS_PREFIX


def checkpoints_root() -> Path:
    """Return the folder of all runs' checkpoints, on the machine that trains."""
    return Path(settings.VAR_DIR) / "checkpoints"


def checkpoint_folder(run_id: int) -> Path:
    """Return where a run keeps its checkpoint and what it learns from."""
    return checkpoints_root() / f"run-{run_id}"


def run_has_checkpoint(*, run: Run) -> bool:
    """Return whether a checkpoint of the run lies in `VAR_DIR` or in the object store.

    Where there is no store, and the worker keeps its `VAR_DIR` on another machine, this does not see it; the run goes
    on from it all the same.
    """
    return folder_has_checkpoint(checkpoint_folder(run.pk)) or bool(stored_checkpoints(run_id=run.pk))


def stored_names(*, run_id: int) -> list[str]:
    """Return the names of a run's files in the object store, sorted; none where there is no store."""
    if STORED not in settings.STORAGES:
        return []
    return sorted(storages[STORED].listdir(f"run-{run_id}")[1])


def stored_checkpoints(*, run_id: int) -> list[str]:
    """Return the names of those that are checkpoints, the newest last."""
    return [name for name in stored_names(run_id=run_id) if name.startswith(CHECKPOINT)]


def folder_has_checkpoint(folder: Path) -> bool:
    """Return whether a folder holds a checkpoint, or vectors that a quick training has encoded so far."""
    return (folder / CHECKPOINT).is_file() or any(folder.glob(f"{VECTORS}*.npy"))
