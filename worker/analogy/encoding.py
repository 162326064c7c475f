"""Encoding thousands of word problems with PyTorch; see `worker.encoder.encoding`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from analytics.analogy.examples import retriever_text
from questionbank.models import ModelArtifact
from worker.encoder.encoding import bulk_encode as encode_texts
from worker.reporting import RunReporter

__all__ = ["bulk_encode"]


def bulk_encode(
    artifact: ModelArtifact, reporter: RunReporter
) -> Callable[[Sequence[str]], npt.NDArray[np.float32]]:
    """Return the function that encodes many problems as the retriever reads them: with numbers, or their slots."""
    encode = encode_texts(artifact, reporter)
    slots = bool(artifact.manifest["extra"].get("slot_text", False))
    return lambda texts: encode([retriever_text(text, slots=slots) for text in texts])
