"""Whether a stopped training can go on where it was."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from questionbank.models import Run

__all__ = ["run_has_checkpoint"]

CHECKPOINT = (
    "checkpoint.pt"  # as analytics.training writes it; that package needs PyTorch, so a test compares
)


def run_has_checkpoint(*, run: Run) -> bool:
    """Whether a checkpoint of the run lies in `VAR_DIR`.

    Where the worker keeps its `VAR_DIR` on another machine this does not see it; the run goes on from it all
    the same.
    """
    return (Path(settings.VAR_DIR) / "checkpoints" / f"run-{run.pk}" / CHECKPOINT).is_file()
