"""What every reproduction does with its runs: where they are kept, and what they say while they work.

A run's folder holds ``figures.json`` and ``outcomes.npz``, written when it is finished, and while it trains a
checkpoint.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from analytics.errors import DataError
from analytics.training.callbacks import Callback, StepReport

__all__ = ["machine", "prefixed", "question_numbers", "run_is_done", "run_keep", "step_teller"]


def run_is_done(folder: Path, settings: Mapping[str, Any]) -> bool:
    """Whether the folder holds a finished run with these settings.

    Raises:
        DataError: it holds one with other settings.
    """
    path = folder / "figures.json"
    if not path.is_file():
        return False
    before = json.loads(path.read_text(encoding="utf-8"))["settings"]
    if before != settings:
        raise DataError(
            f"{folder} holds a run with other settings; give another --output, or remove it to run it anew."
        )
    return True


def run_keep(folder: Path, body: Mapping[str, Any], outcomes: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write what a finished run found, the figures last: they say that it is finished."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".outcomes.npz").open("wb") as stream:
        np.savez_compressed(stream, **outcomes)  # type: ignore[arg-type]
    os.replace(folder / ".outcomes.npz", folder / "outcomes.npz")
    aside = folder / ".figures.json"
    aside.write_text(json.dumps(body, indent=2) + "\n", encoding="utf-8")
    os.replace(aside, folder / "figures.json")
    shutil.rmtree(folder / "checkpoint", ignore_errors=True)


def machine() -> str:
    """What the figures were computed on."""
    cores = os.cpu_count() or 0
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else f"{cores} cores"
    return f"{platform.machine()}, {device}, torch {torch.__version__}"


def question_numbers(texts: Sequence[str]) -> npt.NDArray[np.int64]:
    """A number for each text by which outcomes of two runs are put beside one another."""
    digests = [hashlib.sha256(text.encode()).digest()[:8] for text in texts]
    return np.array([int.from_bytes(digest, "big", signed=True) for digest in digests], dtype=np.int64)


def prefixed(say: Callable[[str], Any], run: str) -> Callable[[str], Any]:
    """Says which run it is in front of every line."""
    return lambda line: say(f"{run}: {line}")


def step_teller(say: Callable[[str], Any]) -> Callback:
    """Says every 50 steps how far the training is."""

    def tell(report: StepReport) -> None:
        if report.step % 50 == 0 or report.step == report.steps:
            loss = report.metrics.get("loss", float("nan"))
            left = report.seconds_left / 60
            say(f"step {report.step} of {report.steps}, loss {loss:.3f}, {left:.1f} min left")

    return tell
