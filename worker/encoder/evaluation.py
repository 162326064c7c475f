"""`manage.py evaluate encoder`: the model that the options name, measured on labelled questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from questionbank.errors import NotFound, ValidationFailed
from questionbank.models import ModelArtifact
from questionbank.selectors.models.artifacts import artifact_champion
from worker.encoder.encoding import artifact_backbone
from worker.evaluation.encoder import evaluate_encoder

__all__ = ["evaluate_encoder_model"]


def evaluate_encoder_model(options: Mapping[str, Any]) -> dict[str, Any]:
    """Measure the encoder in use, or the one with the number ``model``, on ``data``.

    Raises:
        ValidationFailed: no data is given.
        NotFound: there is no such encoder.
    """
    if options["data"] is None:
        raise ValidationFailed("evaluate encoder needs --data: a question file, or a folder of sets.")
    from analytics.backbone.bert import encode_bulk

    artifact = _encoder_artifact(options["model"])
    backbone = artifact_backbone(artifact)
    return evaluate_encoder(
        options["data"],
        lambda texts: encode_bulk(backbone, texts),
        name=artifact.name,
        language=options["language"],
        pairs=options["pairs"],
    )


def _encoder_artifact(model: str) -> ModelArtifact:
    if model == "default":
        artifact = artifact_champion(capability="encoder")
    else:
        artifact = ModelArtifact.objects.filter(
            capability="encoder", pk=model if model.isdecimal() else 0
        ).first()
    if artifact is None:
        raise NotFound(f"There is no encoder with the id {model}.")
    return artifact
