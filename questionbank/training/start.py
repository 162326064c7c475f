"""The start of a training run: its backbone or model, the form's initial settings, and the expected duration.

The duration is estimated from earlier training runs on the same machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db.models import Max
from django.db.models.functions import Now

from analytics.backbone.sources import PACKAGED
from analytics.catalog import CAPABILITIES
from analytics.configuration import config_from_strings, field_specs
from analytics.errors import ConfigurationError
from questionbank.core.capability_catalog import has_general_model, training_of
from questionbank.core.capability_contract import QuickTraining, Training
from questionbank.core.capability_report import Report
from questionbank.core.errors import ValidationFailed
from questionbank.core.wording import whole_number
from questionbank.jobs.run_selectors import WORKER_SILENT_AFTER
from questionbank.models import ModelArtifact, Run, WorkerHeartbeat
from questionbank.registry.artifact_selectors import artifact_champion, artifact_champions

MODEL_IN_USE = "in use"
"""As a backbone: the model in use when the training is requested."""

_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)
_REGISTERED = re.compile(r"model ([0-9]{1,18})")  # as a backbone: a registered model by its id


@dataclass(frozen=True, slots=True)
class TrainingStart:
    """The initial state of a training form.

    Attributes:
        champion: the model in use, or the first of several.
        quick: the quick training that is offered; None if no model is in use.
    """

    champion: ModelArtifact | None
    quick: QuickTraining | None
    is_quick: bool
    settings: Mapping[str, Any]


def training_start(
    *, capability: str, training: Training, like: str = "", quick: bool = False, defaults: bool = False
) -> TrainingStart:
    """Return the initial state of a training form.

    Args:
        like: id of the model whose settings to start from.
    """
    champion = (
        next(iter(artifact_champions(capability=capability)), None)
        if training.scope == "language"
        else artifact_champion(capability=capability)
    )
    offered = training.quick if champion is not None else None
    if champion is not None and offered is not None and (quick or (offered.is_default and not (like or defaults))):
        # A quick training trains the champion further, so it uses its language.
        language = {"language": champion.scope} if champion.scope else {}
        return TrainingStart(champion, offered, True, {**offered.settings, **language})
    return TrainingStart(champion, offered, False, _settings_like(like, capability, training))


def _settings_like(number: str, capability: str, training: Training) -> Mapping[str, Any]:
    """Return the settings that a model of the capability was trained with; empty for anything else."""
    pk = whole_number(number)
    artifact = ModelArtifact.objects.filter(capability=capability, pk=pk).first() if pk else None
    if artifact is None:
        return {}
    like = training.settings_like(artifact.manifest)
    if like is not None:
        return like
    config = artifact.manifest.get("config", {})
    overrides = {"language": artifact.scope} if training.scope == "language" else {}
    # Start from a model for one language, so that the trained model is for the same language.
    is_for_one_language = artifact.scope and has_general_model(capability)
    if is_for_one_language or backbone_problem(config.get("backbone", "")):
        overrides["backbone"] = f"model {artifact.pk}"
    return {**config, **overrides}


def completed_settings(*, capability: str, settings: Mapping[str, str], scope: str = "") -> Mapping[str, str]:
    """Return the settings of a training run; without a backbone, add those that train the model in use further.

    They are unchanged if that is not the capability's default or no model is in use.

    Args:
        settings: values by configuration field name; they take precedence.
        scope: scope of the trained model: its language, if each language has its own.
    """
    training = training_of(capability)
    quick = training.quick if training else None
    if quick is None or not quick.is_default or "backbone" in settings:
        return settings
    if artifact_champion(capability=capability, scope=scope) is None:
        return settings
    return {**{name: str(value) for name, value in quick.settings.items()}, **settings}


def retraining_settings(*, capability: str, scope: str = "") -> dict[str, str]:
    """Return the settings with which a model is retrained by itself.

    Those of the quick training, which trains the model in use further; a kind without one is trained like the model in
    use. Without a model in use they are the defaults.
    """
    training, champion = training_of(capability), artifact_champion(capability=capability, scope=scope)
    if training is None or champion is None:
        return {}
    if training.quick is None:
        known = {spec.name for spec in field_specs(CAPABILITIES[capability].config)}
        config = champion.manifest.get("config", {})
        return {name: str(value) for name, value in config.items() if name in known}
    settings = {name: str(value) for name, value in training.quick.settings.items()}
    if settings.get("backbone") == MODEL_IN_USE:  # by its number: a language may have a model of its own
        settings["backbone"] = f"model {champion.pk}"
    return settings


def pinned_start(capability: str, settings: Mapping[str, str], scope: str = "") -> dict[str, Any]:
    """Return the parameters of a training run that starts from a registered model: ``start``, and ``set`` with its id.

    With these, the command shown for the trained model trains the same model further, whichever model serves by then.
    """
    title = CAPABILITIES[capability].title
    backbone = settings.get("backbone", "")
    numbered = _REGISTERED.fullmatch(backbone)
    if backbone == MODEL_IN_USE:
        start = artifact_champion(capability=capability, scope=scope)
        problem = f"“{title}”: no model is in use that could be trained further; name another backbone."
    elif numbered:
        start = ModelArtifact.objects.filter(capability=capability, pk=int(numbered[1])).first()
        problem = f"“{title}” has no model with the number {numbered[1]}."
    else:
        return {}
    if start is None:
        raise ValidationFailed.beside("backbone", problem)
    return {"set": {**settings, "backbone": f"model {start.pk}"}, "start": start.pk}


def backbone_problem(name: str) -> str:
    """Return why no worker could load a backbone: a missing folder, or a malformed name.

    Empty if one may be able to.
    """
    begins_here = not name or name == MODEL_IN_USE or _REGISTERED.fullmatch(name) or name in PACKAGED
    if begins_here or Path(name).expanduser().is_dir():
        return ""
    if name.startswith((".", "/", "~")):
        return f"There is no folder {name}."
    if not _HUB_ID.fullmatch(name):
        return f"“{name}” is neither a package name, a local folder nor a hub id."
    return ""


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
