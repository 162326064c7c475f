"""The arms of the papers' tables, the public sets of word problems, and the runs: planned, executed and stored.

A paper's arms and published figures are in a TOML file next to this module. A stopped reproduction resumes.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import time
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt
import torch

from analytics.artifacts import Manifest, artifact_read
from analytics.atomic_file import write_json, written_aside
from analytics.backbone.sources import DEFAULT_BACKBONE, MULTILINGUAL_BACKBONE
from analytics.configuration import config_to_dict
from analytics.errors import ArtifactError, DataError
from analytics.metrics import rounded
from analytics.question_files import Problems, read_problems
from analytics.training.context import Callback, StepReport, TrainingContext

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Arm:
    """One way to obtain a model, as a row of a table.

    Attributes:
        title: its name in the tables.
        settings: differences from the configuration that all arms share; None if nothing is trained.
    """

    title: str
    settings: Mapping[str, Any] | None = None

    @property
    def trains(self) -> bool:
        """Whether a model is trained."""
        return self.settings is not None

    def config(self, shared: Any, encoder: Sequence[str] = ("backbone",)) -> dict[str, Any]:
        """Return the configuration that a run of the arm is identified by.

        Args:
            shared: the configuration that all arms share, which the arm's settings override.
            encoder: the settings of an arm that trains nothing.
        """
        if self.settings is None:
            return {name: getattr(shared, name) for name in encoder}
        return config_to_dict(replace(shared, **self.settings))


AnyArm = TypeVar("AnyArm", bound=Arm)


def read_arms(capability: str, kind: type[AnyArm]) -> dict[str, AnyArm]:
    """Return the arms of a capability's paper by name, in their file's order; each TOML table has an arm's fields."""
    return {name: kind(**row) for name, row in _read(capability)["arms"].items()}


def read_published(capability: str) -> Any:
    """Return the published figures from the same file."""
    return _read(capability)["published"]


@cache
def _read(capability: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / f"{capability}.toml").read_text(encoding="utf-8"))


Say = Callable[[str], Any]
FIGURES, OUTCOMES, SEED = "figures.json", "outcomes.npz", "seed-"


@dataclass(frozen=True)
class Plan:
    """The runs to execute. Capabilities add their own fields.

    Attributes:
        arms: names of the capability's arms.
        seeds: seeds for sampling and training.
        trained_on: sets to train on.
        measured_on: sets to evaluate on; word problems are also evaluated on the set that was trained on.
        questions: maximum number of questions per set to train on, and to test on; 0 for all.
        config: configuration that all arms share, overridden by an arm's own settings.
    """

    arms: Sequence[str]
    seeds: Sequence[int]
    trained_on: Sequence[str]
    measured_on: Sequence[str] = ()
    questions: int = 0
    config: Any = None

    @classmethod
    def of(cls, options: Mapping[str, Any], config: Any, defaults: Plan, **more: Any) -> Self:
        """Return the plan for a command's options, with defaults for options not given.

        Args:
            options: options parsed with `worker.reproduction.__main__.add_arguments`.
            config: configuration that all arms share.
            defaults: default arms, seeds and sets.
            more: the capability's own fields.
        """
        return cls(
            arms=options["arms"] or defaults.arms,
            seeds=options["seeds"] or defaults.seeds,
            trained_on=options["train_on"] or defaults.trained_on,
            measured_on=options.get("measure_on") or defaults.measured_on,
            questions=options.get("questions", 0),
            config=config,
            **more,
        )

    def refuse_unknown(self, arms: Collection[str], trained_on: Collection[str], measured_on: Collection[str]) -> None:
        """Raise DataError if an arm or a set is unknown."""
        kinds = (
            ("Arms", self.arms, arms),
            ("learned from", self.trained_on, trained_on),
            ("measured", self.measured_on, measured_on),
        )
        if unknown := [name for _kind, names, known in kinds for name in names if name not in known]:
            there = "; ".join(f"{kind}: {', '.join(known)}" for kind, _names, known in kinds)
            raise DataError(f"Not known: {', '.join(unknown)}. {there}.")


@dataclass(frozen=True, slots=True)
class Run:
    """An arm with a seed.

    Attributes:
        settings: settings that identify it; equal settings give equal figures.
        folder: the folder it is stored in.
        say: called with a line of text for each event.
    """

    arm: str
    seed: int
    settings: dict[str, Any]
    folder: Path
    say: Say

    @property
    def checkpoint(self) -> Path:
        """The folder of its training's checkpoint, deleted once the run is finished."""
        return self.folder / "checkpoint"


@dataclass(frozen=True, slots=True)
class RunResult:
    """The results of a run.

    Attributes:
        training: notes on its training; empty if nothing was trained.
        sets: figures by evaluated set.
        outcomes: arrays over the evaluated items, by ``set/name``.
    """

    training: Mapping[str, Any]
    sets: Mapping[str, Any]
    outcomes: Mapping[str, npt.NDArray[Any]]


def run_missing(
    output: Path,
    wanted: Iterable[tuple[str, int]],
    settings_of: Callable[[str, int], dict[str, Any]],
    config: Any,
    measure: Callable[[Run], RunResult],
    say: Say,
) -> list[Path]:
    """Execute the runs that are not stored yet, one after another.

    Args:
        output: gets a folder for each arm and seed.
        wanted: arms with seeds.
        settings_of: returns the settings that identify a run; ``config`` is its training configuration.
        config: a configuration of the same class: a run older than a setting used the setting's default, and settings
            that no longer exist are ignored.
        measure: executes a run.
        say: called with a line of text for each event.

    Returns:
        The folders of the runs, in order.

    Raises:
        DataError: a folder holds a run with other settings.
    """
    folders = []
    defaults = config_to_dict(type(config)())
    for arm, seed in wanted:
        run = Run(
            arm, seed, settings_of(arm, seed), output / arm / f"{SEED}{seed}", _prefixed(say, f"{arm}, seed {seed}")
        )
        folders.append(run.folder)
        if _is_done(run, defaults):
            run.say("kept from before")
            continue
        run.folder.mkdir(parents=True, exist_ok=True)
        started = time.monotonic()
        result = measure(run)
        _keep(run, result, time.monotonic() - started)
    return folders


def _is_done(run: Run, defaults: Mapping[str, Any]) -> bool:
    """Return whether its folder holds the finished run.

    Raises:
        DataError: it holds a run with other settings.
    """
    folder = run.folder
    path = folder / FIGURES
    if not path.is_file():
        return False
    before = json.loads(path.read_text(encoding="utf-8"))["settings"]
    known = {name: value for name, value in before["config"].items() if name in defaults}
    lacking = set(run.settings["config"]) - set(known)
    before["config"] = known | {name: defaults[name] for name in lacking if name in defaults}
    if before != run.settings:
        raise DataError(
            f"{folder} holds a run with other settings; give another --output, or remove it to run it again."
        )
    return True


def _keep(run: Run, result: RunResult, seconds: float) -> None:
    """Write a finished run's results, the figures last: they mark it as finished."""
    folder = run.folder
    with written_aside(folder / OUTCOMES) as stream:
        np.savez_compressed(stream, **result.outcomes)  # type: ignore[arg-type]
    body = {
        "settings": run.settings,
        "training": rounded(result.training),
        "machine": _machine(),
        "seconds": round(seconds, 1),
        "sets": rounded(result.sets),
    }
    write_json(folder / FIGURES, body)
    shutil.rmtree(run.checkpoint, ignore_errors=True)


def _machine() -> str:
    """Return the machine that the figures were computed on."""
    cores = os.cpu_count() or 0
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else f"{cores} cores"
    return f"{platform.machine()}, {device}, torch {torch.__version__}"


def question_numbers(texts: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return a number for each text, by which outcomes of two runs are matched row by row."""
    digests = [hashlib.sha256(text.encode()).digest()[:8] for text in texts]
    return np.array([int.from_bytes(digest, "big", signed=True) for digest in digests], dtype=np.int64)


def _prefixed(say: Say, run: str) -> Say:
    """Prefix every line with the run's name."""
    return lambda line: say(f"{run}: {line}")


def progress_callback(say: Say) -> Callback:
    """Return a callback that reports the progress of a training run every 50 steps."""

    def tell(report: StepReport) -> None:
        if report.step % 50 == 0 or report.step == report.steps:
            losses = (value for name, value in report.metrics.items() if name.startswith("loss"))
            loss = report.metrics.get("loss", next(losses, float("nan")))  # the last layer's loss has its own name
            left = report.seconds_left / 60
            say(f"step {report.step} of {report.steps}, loss {loss:.3f}, {left:.1f} min left")

    return tell


def wanted_runs(
    arms: Sequence[str], known: Mapping[str, Arm], *, parts: Sequence[str], seeds: Sequence[int]
) -> list[tuple[str, int]]:
    """Return the runs of a plan, ``part/arm`` with a seed; an arm that trains nothing has only the first seed.

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
    """Return the folder of a run's model and notes on its training; train it if needed.

    Args:
        run: the model is in its folder until the run has been evaluated.
        config: the training configuration.
        train: trains into a folder, resuming from the context's checkpoint.
    """
    folder = run.folder / "model"
    if not _is_model(folder, config):
        shutil.rmtree(folder, ignore_errors=True)
        train(folder, run_context(run))
    return folder, dict(artifact_read(folder).metrics)


def run_context(run: Run) -> TrainingContext:
    """Return the context of a run's training, with the checkpoint next to the figures."""
    return TrainingContext(checkpoints=run.checkpoint, callbacks=(progress_callback(run.say),), say=run.say)


def _is_model(folder: Path, config: Any) -> bool:
    """Return whether the folder holds the model of a training run that has not been evaluated yet."""
    try:
        return artifact_read(folder).config == config_to_dict(config)
    except ArtifactError:
        return False


@dataclass(frozen=True, slots=True)
class ProblemSet:
    """A public data set.

    Attributes:
        title: its name in the tables.
        learned: training file or folder, relative to the data folder.
        tested: a separate test file, if the first one has no test part.
        folds: number of cross-validation folds; 0 if it has a test part.
        backbone: the encoder to train from unless another is named; empty for the default one.
        foreign: set in another language that multilingual arms are also trained on; empty if there is none.
    """

    title: str
    learned: str
    tested: str = ""
    folds: int = 0
    backbone: str = ""
    foreign: str = ""


PROBLEM_SETS: dict[str, ProblemSet] = {
    "asdiv_a": ProblemSet("ASDiv-A", "asdiv_a/cv.jsonl.gz", folds=5),
    "mawps": ProblemSet("MAWPS", "mawps/cv.jsonl.gz", folds=5),
    "math23k": ProblemSet("Math23K", "math23k", backbone=MULTILINGUAL_BACKBONE, foreign="mathqa"),
    "mathqa": ProblemSet(
        "MathQA (adapted val)", "mathqa/train_part.jsonl.gz", tested="mathqa_adapted/val.jsonl.gz", foreign="math23k"
    ),
}
"""By the word that ``--train-on`` takes, as a whole or as one fold: ``asdiv_a/fold-0``."""


def set_backbone(known: ProblemSet, chosen: str) -> str:
    """Return the encoder that a set's arms are trained from: the named one, else the set's own.

    >>> set_backbone(PROBLEM_SETS["mawps"], DEFAULT_BACKBONE), set_backbone(PROBLEM_SETS["math23k"], DEFAULT_BACKBONE)
    ('all-MiniLM-L6-v2', 'multilingual-e5-small')
    """
    return known.backbone if known.backbone and chosen == DEFAULT_BACKBONE else chosen


def part_names(chosen: str, sets: Mapping[str, ProblemSet] = PROBLEM_SETS) -> list[str]:
    """Return the runs of a set, one per fold: ``asdiv_a`` or ``asdiv_a/fold-3``.

    Raises:
        DataError: there is no such set or fold.
    """
    name, _, fold = chosen.partition("/")
    problem_set = sets.get(name)
    names: list[str] = []
    if problem_set is not None:
        names = [f"{name}/fold-{number}" for number in range(problem_set.folds)] or [name]
    if fold:
        names = [chosen] if chosen in names else []
    if not names:
        raise DataError(f"There is no set {chosen}; there are {', '.join(sets)}, and folds as asdiv_a/fold-0.")
    return names


def part_problems(data: Path, part: str, sets: Mapping[str, ProblemSet] = PROBLEM_SETS, *, most: int = 0) -> Problems:
    """Return the problems of a run; no training or validation problem has a test problem's text.

    Args:
        data: folder with a subfolder per public data set.
        part: a name from `part_names`.
        sets: the sets that the part's name refers to.
        most: maximum number of training problems, and of test problems; 0 for all.

    Raises:
        DataError: the set is missing or cannot be read.
    """
    name, _, fold = part.partition("/fold-")
    chosen = sets[name]
    problems = read_problems(data / chosen.learned, fold=int(fold) if fold else -1)
    if chosen.tested:
        problems = replace(problems, test=read_problems(data / chosen.tested).learned)
    problems = problems.without_leaks()
    most = most or len(problems.learned) + len(problems.test)
    return replace(problems, learned=problems.learned[:most], test=problems.test[:most])


def scope_note(known: ProblemSet, folds: tuple[int, ...], seeds: tuple[int, ...]) -> str:
    """Return a note on the folds and seeds that were run, unless it is all folds with one seed.

    >>> scope_note(PROBLEM_SETS["mawps"], (0,), (1, 2))
    ' (fold 0, 2 seeds)'
    """
    notes = []
    if len(folds) < known.folds:
        notes.append(f"fold{'s' if len(folds) > 1 else ''} {', '.join(map(str, folds))}")
    if len(seeds) > 1:
        notes.append(f"{len(seeds)} seeds")
    return f" ({', '.join(notes)})" if notes else ""
