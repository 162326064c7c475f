"""A transformer that reads both texts of a pair together, and its weights in storage."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import nn

from analytics.artifacts import file_sha256
from analytics.backbone.backbone import Backbone, mean_pool, padded_batch
from analytics.backbone.bert import load_backbone
from analytics.backbone.export import write_graph
from analytics.errors import BackboneError
from analytics.inference.encode import TOKENIZER_NAME
from analytics.paraphrase.pair_reading import (
    GRAPH_NAME,
    PAIR_TOKENS,
    WEIGHTS_NAME,
    ServedPairReader,
    load_served_pair_reader,
)

_WIDTH = 192


class PairReader(nn.Module):
    """Transformer and head.

    Attributes:
        transformer: a Hugging Face encoder with two token types.
        separator: token id that ends a text.
    """

    def __init__(self, transformer: Any, dimension: int, separator: int) -> None:
        super().__init__()
        self.transformer = transformer
        self.separator = separator
        self.words = nn.Linear(dimension, 1)
        self.head = nn.Sequential(nn.Linear(3 * dimension, _WIDTH), nn.GELU(), nn.Linear(_WIDTH, 1))

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Read pairs.

        Args:
            input_ids: (pairs, tokens), both texts with their separators.
            attention_mask: (pairs, tokens), 1 for a token and 0 for padding.

        Returns:
            Log-odds that each pair is valid (pairs,), and that each token changes the meaning (pairs,
            tokens).
        """
        ends = (input_ids == self.separator).long()
        segments = (ends.cumsum(1) - ends).clamp(max=1) * attention_mask
        states = self.transformer(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=segments
        ).last_hidden_state.float()
        words = self.words(states).squeeze(-1)
        weights = words.masked_fill(attention_mask == 0, -1e4).softmax(1).unsqueeze(-1)
        pooled = torch.cat([states[:, 0], mean_pool(states, attention_mask), (weights * states).sum(1)], dim=1)
        return self.head(pooled).squeeze(-1), words


_SEPARATOR = "[SEP]"
_TRANSFORMER = "transformer."


def load_pair_reader(weights: Path, backbone: Backbone) -> PairReader:
    """Build a pair reader from its file and the encoder that it modifies.

    Raises:
        BackboneError: the file cannot be read or is for other weights, or the encoder cannot read two texts
            at once.
    """
    tensors, about = _read(weights)
    if about.get("backbone_sha256", backbone.weights_hash) != backbone.weights_hash:
        raise BackboneError(f"The pair reader in {weights.name} was trained on other weights than {backbone.name}.")
    separator = backbone.tokenizer.token_to_id(_SEPARATOR)
    if separator is None or getattr(backbone.model.config, "type_vocab_size", 0) < 2:
        raise BackboneError(f"The encoder {backbone.name} does not read two texts at once.")
    reader = PairReader(backbone.model, backbone.dimension, separator)
    state = reader.state_dict()
    try:
        for key, tensor in tensors.items():
            name, _, part = key.rpartition(".")
            if part == "A":
                state[_TRANSFORMER + name] = state[_TRANSFORMER + name] + tensors[f"{name}.B"].float() @ tensor.float()
            elif part != "B":
                state[key] = tensor.float()
        reader.load_state_dict(state)
    except (KeyError, RuntimeError) as error:
        raise BackboneError(f"The pair reader in {weights.name} does not fit the encoder.") from error
    return reader.eval()


def write_pair_files(weights: Path, folder: Path) -> None:
    """Write a pair reader into a scorer's folder: its weights, and the graph for serving.

    Raises:
        BackboneError: the weights cannot be read, or do not belong to a packaged encoder.
    """
    backbone = load_backbone(device="cpu")
    write_pair_graph(load_pair_reader(weights, backbone), backbone, folder)
    if weights.resolve() != (folder / WEIGHTS_NAME).resolve():
        shutil.copyfile(weights, folder / WEIGHTS_NAME)


def served_pair_reader(weights: Path, folder: Path) -> ServedPairReader:
    """Return a served pair reader for some weights, writing its files into a folder.

    Raises:
        BackboneError: as for `write_pair_files`.
    """
    backbone = load_backbone(device="cpu")
    backbone.tokenizer.save(str(folder / TOKENIZER_NAME))
    write_pair_files(weights, folder)
    return load_served_pair_reader(folder, file_sha256(folder / GRAPH_NAME), backbone.pad_id)


def write_pair_graph(reader: PairReader, backbone: Backbone, folder: Path) -> None:
    """Write the ONNX graph of a pair reader, which `analytics.paraphrase.pair_reading` runs."""
    write_graph(
        _Table(reader).eval(),
        folder / GRAPH_NAME,
        output="states",
        max_tokens=PAIR_TOKENS,
        batch=_batch(backbone, ("a + b = 12", "find it"), ("find the area of a circle", "a + b")),
        others=[
            _batch(backbone, ("a + b = 12", "c")),
            _batch(backbone, ("one " * 40, "two " * 30), ("a", "b"), ("c", "d e f")),
        ],
    )


class _Table(torch.nn.Module):
    """Map ids and mask to (pairs, tokens): the pair's log-odds of validity at its first token, and the words'."""

    def __init__(self, reader: PairReader) -> None:
        super().__init__()
        self.reader = reader

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        valid, words = self.reader(input_ids, attention_mask)
        return torch.cat([valid.unsqueeze(1), words[:, 1:]], dim=1)


def _batch(backbone: Backbone, *pairs: tuple[str, str]) -> tuple[torch.Tensor, torch.Tensor]:
    encodings = backbone.tokenizer.encode_batch(list(pairs))
    return padded_batch([encoding.ids for encoding in encodings], backbone.pad_id)


def _read(weights: Path) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    try:
        with safe_open(weights, framework="pt") as file:
            return {key: file.get_tensor(key) for key in file.keys()}, dict(file.metadata() or {})  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise BackboneError(f"The pair reader in {weights} cannot be read: {error}") from error
