"""A trained retriever for serving: it encodes texts as unit vectors with ONNX Runtime. Torch-free."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from analytics.analogy.datastore import Datastore, kept_examples, load_datastore, save_datastore
from analytics.analogy.examples import retriever_text
from analytics.artifacts import Manifest, artifact_amend, artifact_read
from analytics.errors import ArtifactError, DataError
from analytics.inference.encode import OnnxEncoder, load_encoder
from analytics.problem_files import read_problems

_REMEMBERED = 4_096  # texts whose vectors are cached
_LONGEST_REMEMBERED = 2_000  # characters of a cached text


class ServedRetriever:
    """Encodes problems as vectors; problems with the same computation get nearby vectors.

    It caches the vectors of the most recent texts: the vector that helps to solve a problem also finds its
    exemplars.

    Attributes:
        name, dimension, manifest, checksum: those of the artifact.
        slots: whether it reads numbers as their slots.
        datastore: its datastore of solved problems, if any.
    """

    def __init__(self, encoder: OnnxEncoder, *, slots: bool, datastore: Datastore | None = None) -> None:
        self._encoder, self.slots, self.datastore = encoder, slots, datastore
        self.name, self.dimension = encoder.name, encoder.dimension
        self.checksum = encoder.checksum
        self._vectors: dict[str, np.ndarray] = {}
        self._lock = threading.Lock()

    @property
    def manifest(self) -> Manifest:
        """The artifact's manifest."""
        return self._encoder.manifest

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Return unit vectors, (texts, dimension) float32, in the given order."""
        read = self._read(texts)
        with self._lock:
            vectors = {text: self._vectors[text] for text in read if text in self._vectors}
        new = list(dict.fromkeys(text for text in read if text not in vectors))
        if new:
            vectors |= {text: vector.copy() for text, vector in zip(new, self._encoder.encode(new), strict=True)}
            with self._lock:
                self._vectors |= {text: vectors[text] for text in new if len(text) <= _LONGEST_REMEMBERED}
                for text in list(islice(self._vectors, max(0, len(self._vectors) - _REMEMBERED))):
                    del self._vectors[text]  # the oldest
        return np.array([vectors[text] for text in read], dtype=np.float32).reshape(-1, self.dimension)

    def forget(self) -> None:
        """Clear the cache of vectors."""
        with self._lock:
            self._vectors.clear()

    def unknown_share(self, texts: Sequence[str]) -> float:
        """Return the share of the texts' tokens that the vocabulary lacks."""
        return self._encoder.unknown_share(self._read(texts))

    def _read(self, texts: Sequence[str]) -> list[str]:
        return [retriever_text(text, slots=self.slots) for text in texts]


def load_retriever(folder: Path) -> ServedRetriever:
    """Load a retriever's artifact, or an encoder's, which is untrained for analogy.

    Raises:
        ArtifactError: the folder is not such an artifact, or is incomplete.
        ChecksumError: a file differs from its recorded SHA-256.
    """
    encoder = load_encoder(folder)
    if encoder.manifest.capability not in ("analogy", "encoder"):
        raise ArtifactError(f"{folder} holds no retriever of analogous problems.")
    return ServedRetriever(
        encoder, slots=bool(encoder.manifest.extra.get("slot_text", False)), datastore=load_datastore(folder)
    )


def give_datastore(model: Path, problems: Path) -> Datastore:
    """Replace a retriever's datastore by one of a file's problems, or of a folder's training problems.

    Raises:
        ArtifactError, DataError: the model or the problems cannot be read, or no problem has a graph.
    """
    retriever = load_retriever(model)
    examples = kept_examples(read_problems(problems).learned)
    if not examples:
        raise DataError(f"No problem of {problems} has an equation, a program or calculations that can be read.")
    datastore = Datastore.of(examples, retriever.encode([example.problem.text for example in examples]))
    artifact_amend(model, artifact_read(model), partial(save_datastore, datastore))
    return datastore
