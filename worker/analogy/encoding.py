"""Encoding thousands of word problems with a retriever that may be no row of the registry."""

from __future__ import annotations

from pathlib import Path

from analytics.analogy.capability import ANALOGY
from analytics.analogy.retriever import Retriever
from analytics.retrieval import Encode
from questionbank.models import ModelArtifact
from questionbank.selectors.registry.artifacts import artifact_folder


def retriever_bulk_encode(model: str, retriever: Retriever) -> Encode:
    """Return the function that encodes many problems with a retriever.

    Args:
        model: its folder, or how a command named the registered one.
        retriever: as it serves.
    """
    if Path(model).is_dir():
        return ANALOGY.encode_many(Path(model))
    registered = ModelArtifact.objects.filter(checksum=retriever.checksum).latest("pk")
    return ANALOGY.encode_many(artifact_folder(registered))
