"""Encode texts as unit vectors without torch, and find the nearest vectors.

The web process encodes a query or a pasted question with ONNX Runtime; `unknown_token_share` says how much of a text
a tokenizer's vocabulary covers. Batches have texts of similar length: padding costs as much to compute as words.

`HashedNgramEncoder` makes vectors of a text's wording, in any language, without a vocabulary. Two texts are similar
if they share many short runs of characters. Nothing has to be trained or downloaded, and every language works. Runs
have 1 to 4 characters, or 1 to 3 if one of them is Chinese, Japanese or Korean (measurements in docs/decisions/0015).
"""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
from tokenizers import Encoding, Tokenizer

from analytics.artifacts import Manifest, artifact_checksum, artifact_read, file_sha256
from analytics.errors import ArtifactError
from analytics.inference.onnx import GraphSession, open_session

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


def open_exported(folder: Path) -> ExportedEncoder:
    """Open an artifact with an exported encoder, of any capability; its session is opened once per process.

    Args:
        folder: the artifact's folder, with model.onnx and tokenizer.json.

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
    session = open_session(folder / MODEL_NAME, manifest.files[MODEL_NAME])
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


def load_encoder(folder: Path) -> OnnxEncoder:
    """Load an exported encoder of vectors.

    Args, Raises:
        See `open_exported`.
    """
    exported = open_exported(folder)
    if exported.manifest.extra.get("output", "vectors") != "vectors":
        raise ArtifactError(f"{folder} holds no encoder of vectors.")
    return OnnxEncoder(exported.manifest, exported.checksum, exported.tokenizer, exported.session)


def batches_by_length(lengths: Sequence[int], *, texts: int = 0, tokens: int = 0) -> Iterator[npt.NDArray[np.int64]]:
    """Yield the row numbers of each batch, longest texts first, so that memory use peaks at the start.

    Args:
        lengths: length of each text, in tokens.
        texts: maximum number of texts in a batch; 0 for no limit.
        tokens: maximum number of tokens in a batch, padding included; 0 for no limit. A single text may
            exceed it.

    >>> [batch.tolist() for batch in batches_by_length([2, 9, 3, 4], texts=2)]
    [[1, 3], [2, 0]]
    >>> [batch.tolist() for batch in batches_by_length([2, 9, 3, 4], tokens=8)]
    [[1], [3, 2], [0]]
    """
    order = np.argsort(-np.asarray(lengths, dtype=np.int64), kind="stable")
    start = 0
    while start < len(order):
        size = texts or len(order)
        if tokens:
            size = min(size, tokens // max(1, lengths[order[start]]))
        yield order[start : start + max(1, size)]
        start += max(1, size)


def padded_arrays(rows: Sequence[Sequence[int]], pad_id: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Pad rows of token ids; return ids and attention mask, both (rows, longest row).

    >>> [part.tolist() for part in padded_arrays([[5, 6], [7]], 0)]
    [[[5, 6], [7, 0]], [[1, 1], [1, 0]]]
    """
    width = max((1, *map(len, rows)))
    ids = np.full((len(rows), width), pad_id, dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(rows):
        ids[row, : len(tokens)], mask[row, : len(tokens)] = tokens, 1
    return ids, mask


_CHUNK_CHARACTERS = 100_000  # one chunk's arrays should fit in the processor's cache
_LONGEST_TEXT = 20_000  # characters; the rest adds nothing to how a question is worded
_SPACE = 0x20
_LONGEST, _LONGEST_CJK = 4, 3  # characters of a run
_HASH_BITS = np.uint64(40)  # the other 24 bits of a key hold the document's number within its chunk
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: odd, well mixed


class HashedNgramEncoder:
    """Encodes texts by their character n-grams, hashed with a sign into a fixed number of buckets.

    The value of a bucket is the signed sum of ``1 + log(count)`` over its n-grams; rows have length 1. The
    hash uses only integer arithmetic and is the same on every machine and in every process.

    >>> encoder = HashedNgramEncoder(dimension=512)
    >>> one, two, other = encoder.encode(["A car travels 60 km", "a  car travels 80 km", "Solve for x"])
    >>> float(one @ two) > 0.6 > 0.2 > float(one @ other)
    True
    """

    def __init__(self, dimension: int = 512) -> None:
        self.dimension = dimension
        self.name = f"char-ngrams-{dimension}"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Return (texts, dimension) float32: unit rows, or zeros for a text without a single n-gram."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        start, characters, chunk = 0, 0, []
        for index, text in enumerate(texts):
            chunk.append(_normalise(text))
            characters += len(chunk[-1])
            if characters >= _CHUNK_CHARACTERS or index == len(texts) - 1:
                vectors[start : index + 1] = self._encode_chunk(chunk)
                start, characters, chunk = index + 1, 0, []
        return vectors

    def _encode_chunk(self, texts: list[str]) -> np.ndarray:
        codes = np.frombuffer("".join(texts).encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
        document = np.repeat(np.arange(len(texts), dtype=np.uint64), [len(text) for text in texts])
        # The document number is above the hash: sorting groups equal n-grams of one document.
        keys = np.concatenate(
            [np.zeros(0, dtype=np.uint64)]
            + [
                owners << _HASH_BITS | _mix(grams) >> np.uint64(64) - _HASH_BITS
                for grams, owners in self._ngrams(codes, document)
            ]
        )
        keys.sort()
        first = np.flatnonzero(np.diff(keys, prepend=~keys[:1]))  # where a new n-gram begins
        values = 1.0 + np.log(np.diff(first, append=len(keys)))
        distinct = keys[first]
        values[(distinct & np.uint64(1)) == 1] *= -1
        place = (distinct >> np.uint64(1) & np.uint64(0xFFFFFFFF)) % np.uint64(self.dimension)
        cell = (distinct >> _HASH_BITS) * np.uint64(self.dimension) + place
        table = np.bincount(cell.astype(np.int64), weights=values, minlength=len(texts) * self.dimension)
        table = table.reshape(len(texts), self.dimension)
        norms = np.linalg.norm(table, axis=1, keepdims=True)
        return (table / np.where(norms > 0, norms, 1.0)).astype(np.float32)

    def _ngrams(self, codes: np.ndarray, document: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield, for each size, the hashes of all n-grams and the document that each belongs to."""
        cjk = np.concatenate(([0], np.cumsum(_is_cjk(codes))))
        grams = np.zeros_like(codes)
        for size in range(1, min(_LONGEST, len(codes)) + 1):
            # Polynomial hash of the run that starts at each position, extended by one character per
            # iteration.
            last = len(codes) - size + 1
            grams = grams[:last] * _MULTIPLIER + codes[size - 1 :] + np.uint64(1)
            same_document = document[:last] == document[size - 1 :]
            if size > _LONGEST_CJK:
                same_document &= cjk[size:] == cjk[:last]
            if size == 1:
                same_document &= codes != _SPACE
            keep = np.flatnonzero(same_document)
            yield grams[keep], document[keep]


def _normalise(text: str) -> str:
    """Normalise what looks alike: fold width and case, collapse whitespace, and pad with a space at both ends."""
    text = text[:_LONGEST_TEXT]
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    words = text.casefold().split()
    return f" {' '.join(words)} " if words else ""


def _mix(grams: np.ndarray) -> np.ndarray:
    grams = (grams ^ (grams >> np.uint64(32))) * _MULTIPLIER
    return grams ^ (grams >> np.uint64(29))


def _is_cjk(codes: np.ndarray) -> np.ndarray:
    """Return whether each code is Han, kana or hangul, where a character is about as informative as a word."""
    return (
        ((codes >= 0x3040) & (codes <= 0x30FF))
        | ((codes >= 0x3400) & (codes <= 0x9FFF))
        | ((codes >= 0xAC00) & (codes <= 0xD7A3))
        | ((codes >= 0x20000) & (codes <= 0x323AF))
    )


_CHUNK = 1024

Encode = Callable[[Sequence[str]], npt.NDArray[np.float32]]
"""Function that returns unit vectors of texts, (texts, dimension), in the given order."""


def nearest_rows(
    vectors: npt.NDArray[np.float32], others: npt.NDArray[np.float32], k: int = 10
) -> npt.NDArray[np.int64]:
    """Return the rows of the `k` others with the highest cosine to each vector, nearest first.

    Args:
        vectors: (questions, dimension) of length 1.
        others: (others, dimension) of length 1.

    Returns:
        (questions, k), or all others if there are fewer than k.
    """
    k = min(k, len(others))
    rows = np.empty((len(vectors), k), dtype=np.int64)
    for start in range(0, len(vectors), _CHUNK):
        rows[start : start + _CHUNK] = best_columns(vectors[start : start + _CHUNK] @ others.T, k)
    return rows


def best_columns(cosines: npt.NDArray[np.float32], k: int) -> npt.NDArray[np.int64]:
    """Return the columns of the `k` highest entries of each row, (rows, k), highest first."""
    best = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
    order = np.argsort(-np.take_along_axis(cosines, best, axis=1), axis=1, kind="stable")
    return np.take_along_axis(best, order, axis=1)
