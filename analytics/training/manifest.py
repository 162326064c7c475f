"""Manifest fields that every trained model shares."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from analytics.artifacts import Manifest
from analytics.backbone.backbone import Backbone
from analytics.backbone.sources import license_with_backbone
from analytics.configuration import config_to_dict
from analytics.training.context import TrainingContext


def with_provenance(
    about: Manifest, config: Any, context: TrainingContext, backbone: Backbone, *, start: str = ""
) -> Manifest:
    """Return the manifest of a model trained on an encoder, completed with the provenance of its training.

    Args:
        about: fields specific to this training; its name is used if the context gives none.
        config: the training's configuration.
        context: name, licence, parent and command.
        backbone: the trained encoder.
        start: folder of the model that training started from, if not the configuration's encoder.
    """
    return replace(
        about,
        name=context.name or about.name,
        config=config_to_dict(config),
        seed=config.seed,
        license_note=license_with_backbone(context.license_note, start or config.backbone),
        parent=context.parent,
        extra={**about.extra, "device": str(backbone.device), "command": context.command},
    )
