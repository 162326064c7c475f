"""A causal model of the Llama family in ONNX Runtime, such as SmolLM2, for use without PyTorch.

Half-precision weights are loaded from a transformers folder, one of our adapters may be added to them, and
they are passed to the graph of `analytics.language_model.llama_graph` when it is opened (decision 153).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load_file

from analytics.errors import ArtifactError
from analytics.inference.onnx import graph_session

Array = npt.NDArray[np.float32]

_EMBEDDINGS, _HEAD = "model.embed_tokens.weight", "lm_head.weight"
_ADAPTER_PREFIX = "base_model.model."
_ADAPTER_SCALE = 2.0  # alpha over rank, in all our adapters
_HIDDEN = np.float32(-1e9)  # added to attention scores of masked positions


@dataclass
class Memory:
    """The key-value cache of a batch, with one row per text.

    Attributes:
        kept: alternating keys and values of the layers, each (rows, key heads, positions, head width).
        is_read: whether a position holds a token, (rows, positions); texts end at the same position.
    """

    kept: list[Array]
    is_read: npt.NDArray[np.bool_]

    def of(self, rows: Sequence[int]) -> Memory:
        """Return the cache of some rows, which may repeat."""
        chosen = list(rows)
        return Memory([kept[chosen] for kept in self.kept], self.is_read[chosen])


class Llama:
    """A causal model. Thread-safe.

    Args:
        graph: file written by `write_llama_graph` for this kind of model.
        weights: weights by transformers' names, as returned by `_weights`. The dictionary is emptied.
        config: transformers' ``config.json``.

    Attributes:
        window: maximum context length in tokens.

    Raises:
        ArtifactError: the graph belongs to another model.
    """

    def __init__(self, graph: Path, weights: dict[str, Array], config: dict[str, Any]) -> None:
        self._embeddings = weights.pop(_EMBEDDINGS)
        self._head = weights.pop(_HEAD, self._embeddings)
        heads, groups = int(config["num_attention_heads"]), int(config["num_key_value_heads"])
        width = int(config["hidden_size"]) // heads
        self.window = int(config["max_position_embeddings"])
        theta = config.get("rope_theta") or config["rope_parameters"]["rope_theta"]
        self._turns = float(theta) ** -(np.arange(0, width, 2, dtype=np.float32) / width)
        self._session = graph_session(graph, threads=1, weights=weights)
        self._kept = [each.name for each in self._session.get_inputs() if each.name.startswith(("keys_", "values_"))]
        self._empty = groups, 0, width

    def read(self, texts: Sequence[Sequence[int]]) -> tuple[Array, Memory]:
        """Process the tokens of some texts; return the last states, (texts, width), and the cache."""
        longest = max(map(len, texts))
        ids = np.array([[0] * (longest - len(text)) + list(text) for text in texts])
        is_read = np.array([[False] * (longest - len(text)) + [True] * len(text) for text in texts])
        empty = np.zeros((len(texts), *self._empty), dtype=np.float32)
        memory = Memory([empty] * len(self._kept), np.zeros((len(texts), 0), dtype=bool))
        return self._forward(ids, is_read, memory)

    def read_on(self, memory: Memory, tokens: Sequence[int]) -> tuple[Array, Memory]:
        """Process one more token per row; return the same as `read`."""
        ids = np.array(tokens)[:, None]
        return self._forward(ids, np.ones_like(ids, dtype=bool), memory)

    def logits(self, states: Array, tokens: Sequence[int]) -> Array:
        """Return the logits of some next tokens for each state, (rows, width): (rows, tokens)."""
        scores: Array = states @ self._head[list(tokens)].astype(np.float32).T
        return scores

    def _forward(
        self, ids: npt.NDArray[np.int_], is_new: npt.NDArray[np.bool_], memory: Memory
    ) -> tuple[Array, Memory]:
        count = ids.shape[1]
        is_read = np.concatenate([memory.is_read, is_new], axis=1)
        places = np.maximum(is_read.cumsum(axis=1)[:, -count:] - 1, 0)
        angles = places[..., None].astype(np.float32) * self._turns
        before = is_read.shape[1] - count
        may_see = np.tril(np.ones((count, before + count), dtype=bool), before)[None] & is_read[:, None]
        given = {
            "states": self._embeddings[ids].astype(np.float32),
            "cosine": np.cos(angles),
            "sine": np.sin(angles),
            "hidden": np.where(may_see, np.float32(0), _HIDDEN)[:, None],
            **dict(zip(self._kept, memory.kept, strict=True)),
        }
        states, *kept = self._session.run(None, given)
        return states[:, -1], Memory(kept, is_read)


def _weights(path: Path) -> dict[str, Array]:
    """Load weights one by one: matrices in float32, transposed to (input, output); embeddings in half precision."""
    weights: dict[str, Array] = {}
    with safe_open(path, framework="numpy") as file:
        for name in file.keys():  # noqa: SIM118 - not a mapping
            tensor = file.get_tensor(name)
            is_table = name in (_EMBEDDINGS, _HEAD)  # token tables, of which few rows are used
            weights[name] = tensor if is_table else np.ascontiguousarray(tensor.T, dtype=np.float32)
    return weights


def load_llama(folder: Path, graph: Path, *, adapter: Path | None = None) -> Llama:
    """Load a model with its graph, optionally adding an adapter to its weights.

    Raises:
        ArtifactError: a file is missing or damaged, or the graph or the adapter does not match the weights.
    """
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        weights = _weights(folder / "model.safetensors")
        changes = load_file(adapter) if adapter is not None else {}
        for name, into in changes.items():
            layer, is_first, _rest = name.partition(".lora_A.weight")
            if is_first:
                out_of = changes[f"{layer}.lora_B.weight"].astype(np.float32)
                change = np.float32(_ADAPTER_SCALE) * (into.astype(np.float32).T @ out_of.T)
                weights[f"{layer.removeprefix(_ADAPTER_PREFIX)}.weight"] += change
        return Llama(graph, weights, config)
    except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
        raise ArtifactError(f"The language model in {folder} cannot be read: {error}") from error
