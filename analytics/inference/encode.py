"""Encode texts as unit vectors without torch, as the web process does for a query or a pasted question.

`unknown_token_share` says how much of a text a tokenizer's vocabulary covers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from tokenizers import Encoding, Tokenizer

from analytics.artifacts import Manifest, artifact_checksum, artifact_read, file_sha256
from analytics.errors import ArtifactError
from analytics.inference.onnx import GraphSession, open_session
from analytics.length_batches import batches_by_length, padded_arrays

UNKNOWN_SHARE_LIMIT = 0.1
"""Share above which an encoder does not know a language, and its vectors should not be used for it."""


def unknown_token_share(tokenizer: Tokenizer, unknown_id: int, texts: Sequence[str]) -> float:
    """Return the share of the texts' tokens that the vocabulary lacks; 0 if there are no tokens.

    Unknown symbols, such as emoji, do not count: they reveal nothing about the language.
    """
    encodings = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    total = sum(len(encoding.ids) for encoding in encodings)
    unknown = sum(unknown_words(encoding, unknown_id, text) for encoding, text in zip(encodings, texts, strict=True))
    return unknown / total if total else 0.0


def known_languages(texts: Iterable[tuple[str, str]], unknown_share: Callable[[Sequence[str]], float]) -> set[str]:
    """Return the languages that an encoder knows.

    Args:
        texts: pairs of a language and a text in that language.
        unknown_share: function that returns the share of the texts' tokens that the encoder's vocabulary
            lacks.
    """
    by_language: dict[str, list[str]] = {}
    for language, text in texts:
        by_language.setdefault(language, []).append(text)
    return {language for language, own in by_language.items() if unknown_share(own) <= UNKNOWN_SHARE_LIMIT}


def unknown_words(encoding: Encoding, unknown_id: int, text: str) -> int:
    """Return the number of unknown tokens in a text that contain a letter or a digit."""
    return sum(
        any(map(str.isalnum, text[start:end]))
        for token, (start, end) in zip(encoding.ids, encoding.offsets, strict=True)
        if token == unknown_id
    )


MODEL_NAME = "model.onnx"
TOKENIZER_NAME = "tokenizer.json"
_BATCH_TOKENS = 4096

_tokenizers: dict[tuple[str, int | None], Tokenizer] = {}  # 11 MB each
_lock = threading.Lock()


class TextEncoder(Protocol):
    """Anything that encodes each text as a vector of length 1."""

    name: str
    dimension: int

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Return (texts, dimension) float32: rows of length 1, or zeros for a text without content."""


@runtime_checkable
class VocabularyEncoder(TextEncoder, Protocol):
    """An encoder that knows only some languages."""

    def unknown_share(self, texts: Sequence[str]) -> float:
        """Return the share of the texts' tokens that its vocabulary lacks; see `UNKNOWN_SHARE_LIMIT`."""


class OnnxEncoder:
    """An exported encoder. Thread-safe.

    Attributes:
        name: the artifact's name.
        dimension: length of the vectors.
        max_tokens: longer texts are truncated.
        manifest: the artifact's manifest.
        checksum: identifies the artifact.
    """

    def __init__(self, manifest: Manifest, checksum: str, tokenizer: Tokenizer, session: GraphSession) -> None:
        self.manifest = manifest
        self.checksum = checksum
        self.name = manifest.name
        self.dimension = int(manifest.extra["dimension"])
        self.max_tokens = int(manifest.extra["max_tokens"])
        self._unknown_id = int(manifest.extra["unknown_id"])
        self._pad_id = int(manifest.extra["pad_id"])
        self._tokenizer = tokenizer
        self._session = session

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Return unit vectors, (texts, dimension) float32, in the given order."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        rows = [encoding.ids for encoding in self._tokenizer.encode_batch_fast(list(texts))]
        for members in batches_by_length([len(row) for row in rows], tokens=_BATCH_TOKENS):
            ids, mask = padded_arrays([rows[member] for member in members], self._pad_id)
            vectors[members] = self._session.run(ids, mask)
        return vectors

    def unknown_share(self, texts: Sequence[str]) -> float:
        """Return the share of the texts' tokens that the vocabulary lacks; see `UNKNOWN_SHARE_LIMIT`."""
        return unknown_token_share(self._tokenizer, self._unknown_id, texts)


@dataclass(frozen=True, slots=True)
class ExportedEncoder:
    """The parts of an artifact with an exported encoder; the tokenizer truncates but does not pad."""

    manifest: Manifest
    checksum: str
    tokenizer: Tokenizer
    session: GraphSession


def open_exported(folder: Path, *, threads: int | None = None) -> ExportedEncoder:
    """Open an artifact with an exported encoder, of any capability; its session is opened once per process.

    Args:
        folder: the artifact's folder, with model.onnx and tokenizer.json.
        threads: threads per call; by default 2 if there are that many cores.

    Raises:
        ArtifactError: the folder is not an encoder artifact, or is incomplete.
        ChecksumError: a file differs from its recorded SHA-256.
    """
    folder = Path(folder)
    manifest = artifact_read(folder)
    missing = {"dimension", "max_tokens", "unknown_id", "pad_id"} - manifest.extra.keys()
    if missing or not {MODEL_NAME, TOKENIZER_NAME} <= manifest.files.keys():
        raise ArtifactError(f"{folder} holds no exported encoder.")
    checksum = artifact_checksum(folder)
    tokenizer = shared_tokenizer(folder, int(manifest.extra["max_tokens"]))
    session = open_session(folder / MODEL_NAME, manifest.files[MODEL_NAME], threads=threads)
    return ExportedEncoder(manifest, checksum, tokenizer, session)


def shared_tokenizer(folder: Path, max_tokens: int | None = None) -> Tokenizer:
    """Return the tokenizer of a model folder; models on the same backbone share one, which must not be modified.

    Args:
        folder: the model's folder, which contains tokenizer.json.
        max_tokens: longer texts are truncated; by default none are.

    Raises:
        ArtifactError: the file cannot be read.
    """
    try:
        key = file_sha256(folder / TOKENIZER_NAME), max_tokens
        with _lock:
            tokenizer = _tokenizers.get(key)
            if tokenizer is None:
                tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_NAME))
                tokenizer.no_padding()
                if max_tokens is None:
                    tokenizer.no_truncation()
                else:
                    tokenizer.enable_truncation(max_tokens)
                _tokenizers[key] = tokenizer
            return tokenizer
    except Exception as error:  # the package raises nothing more specific
        raise ArtifactError(f"The tokenizer in {folder} cannot be read.") from error


def load_encoder(folder: Path, *, threads: int | None = None) -> OnnxEncoder:
    """Load an exported encoder of vectors.

    Args, Raises:
        See `open_exported`.
    """
    exported = open_exported(folder, threads=threads)
    if exported.manifest.extra.get("output", "vectors") != "vectors":
        raise ArtifactError(f"{folder} holds no encoder of vectors.")
    return OnnxEncoder(exported.manifest, exported.checksum, exported.tokenizer, exported.session)
