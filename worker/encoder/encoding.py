"""Encoding thousands of questions with PyTorch, which is quicker than ONNX Runtime once it is loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from analytics.retrieval import Encode
from questionbank.models import ModelArtifact
from questionbank.selectors.registry.artifacts import artifact_source

if TYPE_CHECKING:
    from analytics.backbone.backbone import Backbone


def bulk_encode(artifact: ModelArtifact, cancel: Callable[[], bool]) -> Encode:
    """Return the function that encodes many texts with an encoder; it stops where `cancel` says so."""
    from analytics.backbone.bert import encode_bulk

    backbone = artifact_backbone(artifact)
    return lambda texts: encode_bulk(backbone, texts, cancel=cancel)


def artifact_backbone(artifact: ModelArtifact) -> Backbone:
    """Return an encoder's weights for bulk encoding."""
    from analytics.backbone.bert import load_backbone

    return load_backbone(artifact_source(artifact), max_tokens=artifact.manifest["extra"]["max_tokens"])
