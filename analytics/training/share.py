"""One of several processes of a training: ``python -m analytics.training.share FOLDER``, started by torchrun.

`analytics.training.launch` says what lies in the folder.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from analytics.child_process import die_with_parent
from analytics.errors import AnalyticsError, Cancelled
from analytics.training.callbacks import StepReport
from analytics.training.context import TrainingContext
from analytics.training.distributed import (
    broadcast_from_main,
    gather_objects,
    is_main,
    process_group,
    process_number,
)
from analytics.training.launch import START, STOP, WORK, Train, Work
from analytics.training.threads import wait_passively


def main(folder: Path) -> int:
    """Do this process's share; 1 where it cannot be done."""
    wait_passively()
    number = int(os.environ["RANK"])
    with (folder / f"told-{number}.jsonl").open("a", encoding="utf-8", buffering=1) as stream:

        def tell(kind: str, **more: Any) -> None:
            stream.write(json.dumps({"kind": kind, **more}) + "\n")

        try:
            with process_group():
                _take_part(folder, tell)
        except Cancelled as error:
            tell("cancelled", text=str(error))
        except AnalyticsError as error:
            tell("failed", text=str(error))
            return 1
        except Exception as error:
            tell("crashed", text=f"{type(error).__name__}: {error}")
            raise
        else:
            tell("done")
    return 0


def _take_part(folder: Path, tell: Callable[..., None]) -> None:
    _check_versions()
    work: Work = broadcast_from_main(lambda: pickle.loads((folder / WORK).read_bytes()))  # noqa: S301 - ours
    context = TrainingContext(cancel=(folder / STOP).exists, **work.about)
    if work.checkpoints is not None:  # the others write no checkpoint, but what they prepare for themselves
        context = replace(context, checkpoints=folder / f"process-{process_number()}")
    if is_main():
        context = replace(
            context,
            checkpoints=work.checkpoints,
            callbacks=(lambda report: _tell_step(tell, report),),
            progress=lambda done, total, message: tell("progress", done=done, total=total, message=message),
            say=lambda line: tell("line", text=line),
            saved=lambda: tell("saved"),
        )
    tell("began")
    _here(work.train, folder)(work.output, context)


def _tell_step(tell: Callable[..., None], report: StepReport) -> None:
    tell("step", **asdict(report))


def _here(train: Train, folder: Path) -> Train:
    """Return a training that begins with the model where it lies on this machine."""
    start = folder / START
    if not start.is_file() or not isinstance(train, partial) or "start" not in train.keywords:
        return train
    return partial(train.func, *train.args, **{**train.keywords, "start": start.read_text(encoding="utf-8")})


def _check_versions() -> None:
    """See that all machines have the same PyTorch: another one computes and sends otherwise.

    Raises:
        AnalyticsError: they have not.
    """
    versions = sorted(set(gather_objects(str(torch.__version__).partition("+")[0])))
    if len(versions) > 1:
        raise AnalyticsError(
            f"The machines have different versions of PyTorch, {' and '.join(versions)}: install the same on all."
        )


if __name__ == "__main__":
    die_with_parent()  # torchrun
    sys.exit(main(Path(sys.argv[1])))
