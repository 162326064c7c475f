"""How problems gather by prototype equation while an arm is trained: Pattern-CL's Figure 2, the part by epochs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from analytics.atomic_file import write_json, write_text
from analytics.records import ProblemRecord
from analytics.solver.model import SolverModel
from analytics.solver.representation import clustering_index, layer_states
from analytics.solver.train import Observer
from analytics.training.callbacks import StepReport
from worker.reproduction.runs import Run
from worker.solver.outcomes import outcomes_of
from worker.solver.reproduction.representation import known, prototype_map, readable


def moment(share: float, step: int, index: float | None, answer_accuracy: float) -> dict[str, Any]:
    """Return what is kept of a moment.

    Args:
        share: of the training that is done.
        step: optimiser steps done.
        index: clustering of the test problems by prototype equation, last layer; None if there is none.
        answer_accuracy: on the test problems.
    """
    return {"share": share, "step": step, "index": index, "answer_accuracy": answer_accuracy}


def moment_observer(run: Run, problems: Sequence[ProblemRecord], count: int, title: str) -> Observer:
    """Return what measures a solver at evenly spaced moments of its training, all but the end.

    A moment is measured at the training's first report after it, and once, also where the training is resumed.

    Args:
        run: its folder gets a map for each moment; the figures stay next to the checkpoint until the run is finished.
        problems: that the solver is tested with.
        count: of the moments, with the end.
        title: printed above the maps, followed by the step.
    """
    _rows, examples, prototypes = readable(problems)

    def observe(model: SolverModel, report: StepReport) -> None:
        number = report.step * count // report.steps
        kept = run.checkpoint / _name(number, count)
        if not examples or not 0 < number < count or kept.is_file():
            return
        run.say(f"measuring the encoder after {report.step:,} steps")
        states = layer_states(model, examples).first[-1]
        outcomes = outcomes_of(model, problems)
        accuracy = float(np.mean([outcome.is_answer_right for outcome in outcomes]))
        picture = prototype_map(states, prototypes, f"{title}, step {report.step:,}")
        write_text(run.folder / f"prototypes-{number}-of-{count}.svg", picture)
        run.checkpoint.mkdir(exist_ok=True)
        index = known(clustering_index(states, prototypes))
        write_json(kept, moment(number / count, report.step, index, accuracy))

    return observe


def kept_moments(run: Run, count: int) -> list[dict[str, Any]]:
    """Return the moments that an unfinished run keeps, in order."""
    files = [run.checkpoint / _name(number, count) for number in range(1, count)]
    return [json.loads(file.read_text(encoding="utf-8")) for file in files if file.is_file()]


def _name(number: int, count: int) -> str:
    return f"moment-{number}-of-{count}.json"
