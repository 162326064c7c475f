"""A causal model of the Llama family in NumPy, for programs without PyTorch: SmolLM2 among them.

Touvron et al., "LLaMA" (2023); grouped queries after Ainslie et al. (2023). Half-precision weights are read from a
folder of transformers; an adapter of ours may be added to them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load_file

from analytics.errors import ArtifactError

Array = npt.NDArray[np.float32]

_EMBEDDINGS = "model.embed_tokens.weight"
_ADAPTER_PREFIX = "base_model.model."
_ADAPTER_SCALE = 2.0  # alpha over rank, in every adapter of ours


@dataclass
class Memory:
    """What the model has read of some texts, a row each.

    Attributes:
        keys, values: by layer, (rows, key heads, places, head width).
        is_read: whether a place holds a token, (rows, places); texts end at the same place.
    """

    keys: list[Array]
    values: list[Array]
    is_read: npt.NDArray[np.bool_]

    def of(self, rows: Sequence[int]) -> Memory:
        """Return the memory of some rows, which may repeat."""
        chosen = list(rows)
        return Memory(
            [keys[chosen] for keys in self.keys],
            [values[chosen] for values in self.values],
            self.is_read[chosen],
        )


class ArrayLlama:
    """A causal model; one instance may serve many threads.

    Args:
        weights: by transformers' names, float32; the embeddings, of which few rows are read, may be float16.
        config: transformers' ``config.json``.

    Attributes:
        window: tokens that it reads at most.
    """

    def __init__(self, weights: Mapping[str, Array], config: Mapping[str, Any]) -> None:
        self._weights = weights
        self._layers = int(config["num_hidden_layers"])
        self._heads, self._groups = int(config["num_attention_heads"]), int(config["num_key_value_heads"])
        self._width = int(config["hidden_size"]) // self._heads
        self._epsilon = float(config["rms_norm_eps"])
        self.window = int(config["max_position_embeddings"])
        theta = config.get("rope_theta") or config["rope_parameters"]["rope_theta"]
        self._turns = float(theta) ** -(np.arange(0, self._width, 2, dtype=np.float32) / self._width)

    def read(self, texts: Sequence[Sequence[int]]) -> tuple[Array, Memory]:
        """Read the tokens of some texts; return the last states, (texts, width), and the memory."""
        longest = max(map(len, texts))
        ids = np.array([[0] * (longest - len(text)) + list(text) for text in texts])
        is_read = np.array([[False] * (longest - len(text)) + [True] * len(text) for text in texts])
        empty = np.zeros((len(texts), self._groups, 0, self._width), dtype=np.float32)
        memory = Memory([empty] * self._layers, [empty] * self._layers, np.zeros((len(texts), 0), dtype=bool))
        return self._forward(ids, is_read, memory)

    def read_on(self, memory: Memory, tokens: Sequence[int]) -> tuple[Array, Memory]:
        """Read one more token of each row; return as `read`."""
        ids = np.array(tokens)[:, None]
        return self._forward(ids, np.ones_like(ids, dtype=bool), memory)

    def logits(self, states: Array, tokens: Sequence[int]) -> Array:
        """Return how strongly each state, (rows, width), expects some tokens next: (rows, tokens)."""
        name = "lm_head.weight" if "lm_head.weight" in self._weights else _EMBEDDINGS
        scores: Array = states @ self._weights[name][list(tokens)].astype(np.float32).T
        return scores

    def _forward(
        self, ids: npt.NDArray[np.int_], is_new: npt.NDArray[np.bool_], memory: Memory
    ) -> tuple[Array, Memory]:
        weights, rows, count = self._weights, *ids.shape
        is_read = np.concatenate([memory.is_read, is_new], axis=1)
        places = np.maximum(is_read.cumsum(axis=1)[:, -count:] - 1, 0)
        angles = places[..., None].astype(np.float32) * self._turns
        turn = np.concatenate([angles, angles], axis=-1)[:, None]  # (rows, 1, count, head width)
        cosine, sine = np.cos(turn), np.sin(turn)
        past = is_read.shape[1] - count
        may_see = np.tril(np.ones((count, past + count), dtype=bool), past)[None] & is_read[:, None]
        hidden = np.where(may_see, np.float32(0), np.float32(-1e9))[:, None, None]
        states: Array = weights[_EMBEDDINGS][ids].astype(np.float32)
        after = Memory([], [], is_read)
        for layer in range(self._layers):
            name = f"model.layers.{layer}."
            read = self._normed(states, f"{name}input_layernorm.weight")
            query, key, value = (
                (read @ weights[f"{name}self_attn.{part}_proj.weight"].T)
                .reshape(rows, count, -1, self._width)
                .transpose(0, 2, 1, 3)
                for part in "qkv"
            )
            key = np.concatenate([memory.keys[layer], _turned(key, cosine, sine)], axis=2)
            value = np.concatenate([memory.values[layer], value], axis=2)
            after.keys.append(key)
            after.values.append(value)
            query = _turned(query, cosine, sine).reshape(rows, self._groups, -1, count, self._width)
            scores = query @ key[:, :, None].swapaxes(-1, -2) / np.float32(self._width**0.5) + hidden
            scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
            scores /= scores.sum(axis=-1, keepdims=True)
            mixed = (scores @ value[:, :, None]).reshape(rows, self._heads, count, self._width)
            mixed = mixed.transpose(0, 2, 1, 3).reshape(rows, count, -1)
            states = states + mixed @ weights[f"{name}self_attn.o_proj.weight"].T
            read = self._normed(states, f"{name}post_attention_layernorm.weight")
            gate = read @ weights[f"{name}mlp.gate_proj.weight"].T
            gate = (
                gate / (1 + np.exp(-np.clip(gate, -60, 60))) * (read @ weights[f"{name}mlp.up_proj.weight"].T)
            )
            states = states + gate @ weights[f"{name}mlp.down_proj.weight"].T
        return self._normed(states[:, -1], "model.norm.weight"), after

    def _normed(self, states: Array, name: str) -> Array:
        size = np.sqrt(np.mean(states * states, axis=-1, keepdims=True) + np.float32(self._epsilon))
        normed: Array = states / size * self._weights[name]
        return normed


def _turned(heads: Array, cosine: Array, sine: Array) -> Array:
    """Return heads, (rows, heads, count, head width), turned by their places: rotary embeddings."""
    first, second = np.split(heads, 2, axis=-1)
    turned = heads * cosine + np.concatenate([-second, first], axis=-1) * sine
    return np.asarray(turned, dtype=np.float32)


def _weights(path: Path) -> dict[str, Array]:
    """Read weights one by one, in float32; the embeddings, a fifth of them, stay in half precision."""
    weights: dict[str, Array] = {}
    with safe_open(path, framework="numpy") as file:
        for name in file.keys():  # noqa: SIM118 - it is no mapping
            tensor = file.get_tensor(name)
            weights[name] = tensor if name == _EMBEDDINGS else tensor.astype(np.float32)
    return weights


def load_array_llama(folder: Path, *, adapter: Path | None = None) -> ArrayLlama:
    """Load a model, and add an adapter to its weights.

    Raises:
        ArtifactError: a file is missing or damaged, or the adapter fits other weights.
    """
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        weights = _weights(folder / "model.safetensors")
        changes = load_file(adapter) if adapter is not None else {}
        for name, into in changes.items():
            layer, is_first, _rest = name.partition(".lora_A.weight")
            if is_first:
                out_of = changes[f"{layer}.lora_B.weight"].astype(np.float32)
                change = np.float32(_ADAPTER_SCALE) * (out_of @ into.astype(np.float32))
                weights[f"{layer.removeprefix(_ADAPTER_PREFIX)}.weight"] += change
        return ArrayLlama(weights, config)
    except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
        raise ArtifactError(f"The language model in {folder} cannot be read: {error}") from error
