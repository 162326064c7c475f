"""Estimates of a training run's duration, from earlier training runs on the same machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import Max
from django.db.models.functions import Now

from analytics.catalog import CAPABILITIES
from analytics.configuration import config_from_strings
from analytics.errors import ConfigurationError
from questionbank.core.capability_catalog import training_of
from questionbank.core.capability_report import Report
from questionbank.jobs.run_selectors import WORKER_SILENT_AFTER
from questionbank.models import Run, WorkerHeartbeat

_LOOKED_AT = 50  # the latest training runs
_LENGTH = ("epochs", "max_steps", "batch_size")  # settings that change only the length of a training run
_INDIFFERENT = ("seed", "device")


@dataclass(frozen=True, slots=True)
class TrainingTime:
    """What is known about the duration of a training run.

    Attributes:
        seconds: the estimate; None if no similar training was done here.
        measured_at: when the training behind the estimate ended.
        shortest: seconds of the shortest training of this kind here, whatever its settings; None if there was none.
        longest: seconds of the longest one.
        first_seconds: the duration on two cores if `seconds` is None; None if unknown.
    """

    seconds: float | None = None
    measured_at: datetime | None = None
    shortest: float | None = None
    longest: float | None = None
    first_seconds: float | None = None


def expected_time(
    *, capability: str, settings: Mapping[str, str], parameters: Mapping[str, Any], report: Report | None
) -> TrainingTime | None:
    """Return a training run's expected duration: as measured in earlier ones, else as on two cores.

    Args:
        settings, parameters: as for `training_time`.
        report: the report on its data; None if not counted yet.

    Returns:
        None if two settings exclude each other; the request reports which.
    """
    time = training_time(capability=capability, settings=settings, parameters=parameters)
    training = training_of(capability)
    if time.seconds is not None or report is None or training is None:
        return time
    try:
        return replace(time, first_seconds=training.first_seconds(report, settings, parameters))
    except ConfigurationError:
        return None


def training_time(
    *, capability: str, settings: Mapping[str, str], parameters: Mapping[str, Any] | None = None
) -> TrainingTime:
    """Return a training run's duration, estimated from the latest one with the same settings except for its length.

    Args:
        settings: values by configuration field name, as for `config_from_strings`.
        parameters: the run's other parameters: values of the form's options, and ``hierarchies``.
    """
    config = _config(capability, settings)
    past = list(_past(capability))
    if not past:
        return TrainingTime()
    durations = [seconds for _run, seconds, _steps in past]
    shortest, longest = min(durations), max(durations)
    for run, seconds, steps in past:
        before = _config(capability, run.parameters.get("set", {}))
        if config is None or before is None or not _is_alike(capability, run, parameters or {}):
            continue
        if _kind(before) == _kind(config):
            share = _share(before, config, steps)
            if share is not None:
                return TrainingTime(seconds * share, run.finished_at, shortest, longest)
    return TrainingTime(shortest=shortest, longest=longest)


def _past(capability: str) -> Iterator[tuple[Run, float, int]]:
    """Yield uninterrupted training runs of the current training workers, latest first, with seconds and steps."""
    alive = WorkerHeartbeat.objects.filter(seen_at__gte=Now() - WORKER_SILENT_AFTER, queues__contains="train")
    runs = Run.objects.filter(
        kind=Run.Kind.TRAIN,
        capability=capability,
        state=Run.State.SUCCEEDED,
        attempts=1,
        deaths=0,
        pauses=0,
        worker__in=alive.values("name"),
    )
    for run in runs.annotate(steps=Max("metrics__step")).order_by("-finished_at")[:_LOOKED_AT]:
        if run.started_at and run.finished_at:
            yield run, (run.finished_at - run.started_at).total_seconds(), run.steps or 0


def _config(capability: str, settings: Mapping[str, str]) -> dict[str, Any] | None:
    try:
        return asdict(config_from_strings(CAPABILITIES[capability].config, dict(settings)))
    except ConfigurationError:  # from another version, or incomplete
        return None


def _kind(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that determine the time per step; all models of the bank count as one backbone."""
    kind = {name: value for name, value in config.items() if name not in (*_LENGTH, *_INDIFFERENT)}
    if str(kind.get("backbone", "")) == "in use" or str(kind.get("backbone", "")).startswith("model "):
        kind["backbone"] = "a model of the bank"
    return kind


def _is_alike(capability: str, run: Run, parameters: Mapping[str, Any]) -> bool:
    """Return whether a training run used the same data as this one would: the same values of the form's options."""
    training = training_of(capability)
    names = [option.name for option in training.options] if training else []
    answers = {name: parameters[name] for name in (*names, "hierarchies") if parameters.get(name) is not None}
    said = {name: run.parameters[name] for name in (*names, "hierarchies") if run.parameters.get(name) is not None}
    if training is not None and training.scope == "hierarchy":
        said["hierarchies"] = [run.parameters.get("hierarchy", "")]
    return answers == said


def _share(before: Mapping[str, Any], wanted: Mapping[str, Any], steps: int) -> float | None:
    """Return the ratio of a training run's length to that of one of `steps` steps; None if unknown."""
    if all(before.get(name) == wanted.get(name) for name in _LENGTH):
        return 1.0
    limit_before, limit = before.get("max_steps") or 0, wanted.get("max_steps") or 0
    was_cut = 0 < limit_before <= steps
    size = (wanted.get("batch_size") or 1) / (before.get("batch_size") or 1)
    needed = steps * (wanted.get("epochs") or 1) / (before.get("epochs") or 1) / size
    if was_cut and not 0 < limit <= needed:  # the number of steps per epoch was never measured
        return None
    if limit:
        needed = min(needed, limit)
    return needed * size / steps if steps else None
