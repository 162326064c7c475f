"""What the folder of every trained model says of its training."""

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
    """Return the manifest of a model that was trained on an encoder, with what every training says.

    Args:
        about: what this training alone says; its name is that of a model to which the context gives none.
        config: of the training.
        context: name, licence, parent and command.
        backbone: the trained encoder.
        start: folder of the model that the training began with, if not with the configuration's encoder.
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
