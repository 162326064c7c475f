"""Encoding thousands of word problems with PyTorch; see `worker.encoder.encoding`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from analytics.analogy.examples import retriever_text
from analytics.analogy.retriever import Retriever
from analytics.retrieval import Encode
from questionbank.models import ModelArtifact
from questionbank.selectors.registry.artifacts import artifact_source
from worker.encoder.encoding import bulk_encode as encode_texts


def bulk_encode(artifact: ModelArtifact, cancel: Callable[[], bool]) -> Encode:
    """Return the function that encodes many problems as the retriever reads them: with numbers, or their slots."""
    encode = encode_texts(artifact, cancel)
    slots = bool(artifact.manifest["extra"].get("slot_text", False))
    return lambda texts: encode([retriever_text(text, slots=slots) for text in texts])


def retriever_bulk_encode(model: str, retriever: Retriever) -> Encode:
    """Return the function that encodes many problems with a retriever that may be no row of the registry.

    Args:
        model: its folder, or how a command named the registered one.
        retriever: as it serves.
    """
    from analytics.backbone.bert import encode_bulk, load_backbone

    if Path(model).is_dir():
        source = model
    else:
        source = artifact_source(ModelArtifact.objects.filter(checksum=retriever.checksum).latest("pk"))
    backbone = load_backbone(source, max_tokens=retriever.manifest.extra["max_tokens"])
    return lambda texts: encode_bulk(
        backbone, [retriever_text(text, slots=retriever.slots) for text in texts]
    )
