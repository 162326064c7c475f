"""The start of a training run: a backbone, a registered model or the one in use, and the form's initial settings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analytics.backbone.sources import PACKAGED
from analytics.catalog import CAPABILITIES
from analytics.configuration import field_specs
from questionbank.core.capability_catalog import has_general_model, training_of
from questionbank.core.capability_contract import QuickTraining, Training
from questionbank.core.errors import ValidationFailed
from questionbank.core.wording import whole_number
from questionbank.models import ModelArtifact
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
