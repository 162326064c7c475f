"""Hashed character n-grams: vectors of a text's wording, in any language, without a vocabulary.

Two texts are similar if they share many short runs of characters. Nothing has to be trained or downloaded,
and every language works. Runs have 1 to 4 characters, or 1 to 3 if one of them is Chinese, Japanese or Korean
(measurements in docs/decisions/0015).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

import numpy as np

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
