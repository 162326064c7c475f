"""An encoder in memory: transformer, tokenizer, pooling to one vector per text, and an optional head."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import PreTrainedModel

from analytics.backbone.sources import HEAD_NAME, MULTILINGUAL_BACKBONE
from analytics.errors import BackboneError, DataError
from analytics.inference.encode import UNKNOWN_SHARE_LIMIT, batches_by_length, padded_arrays, unknown_token_share
from analytics.training.device import sent


def mean_pool(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return the mean of the token states where the mask is 1, excluding padding.

    QuesCo's published code includes padding in pre-training and excludes it in evaluation; here it is always
    excluded, so that a vector does not depend on the rest of the batch.

    Args:
        states: (batch, tokens, hidden).
        mask: (batch, tokens), 1 for a token and 0 for padding.

    Returns:
        (batch, hidden); zeros for a row without tokens.

    >>> states = torch.tensor([[[2.0], [4.0], [9.0]]])
    >>> mean_pool(states, torch.tensor([[1, 1, 0]]))
    tensor([[3.]])
    """
    weights = mask.unsqueeze(-1).to(states.dtype)  # (batch, tokens, 1)
    return (states * weights).sum(1) / weights.sum(1).clamp(min=1)


def token_states(transformer: nn.Module, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
    """Return the states of a Hugging Face encoder's last layer, (batch, tokens, hidden), given ids and mask.

    On a GPU the mask is passed in the form that transformers would convert it to; otherwise transformers
    checks whether the mask hides anything, which synchronises with the device.
    """
    mask = attention_mask
    if mask.is_cuda and getattr(transformer.config, "_attn_implementation", "") == "sdpa":
        mask = mask[:, None, None].bool().expand(-1, 1, mask.shape[1], -1)
    states: torch.Tensor = transformer(input_ids=input_ids, attention_mask=mask).last_hidden_state
    return states


def pooled_vectors(
    transformer: nn.Module, head: nn.Module | None, input_ids: torch.Tensor, attention_mask: torch.Tensor
) -> torch.Tensor:
    """Return an encoder's vectors for token ids: the mean state, passed through the head if there is one.

    Args:
        transformer: a Hugging Face encoder.
        head: maps (batch, dimension) to the same shape (`analytics.backbone.backbone`), or None.
        input_ids: (batch, tokens).
        attention_mask: (batch, tokens).

    Returns:
        (batch, dimension) float32, with gradients, unnormalised.
    """
    states = token_states(transformer, input_ids, attention_mask)
    pooled = mean_pool(states.float(), attention_mask)
    if head is None:
        return pooled
    vectors: torch.Tensor
    if torch.is_autocast_enabled(pooled.device.type):  # small products, not worth half precision
        with torch.autocast(pooled.device.type, enabled=False):
            vectors = head(pooled)
    else:
        vectors = head(pooled)
    return vectors


_LINEAR = "metric"  # name under which a single linear map is stored
_LAYERS = ("first", "second")


class Head(nn.Module):
    """One or two linear layers from (batch, dimension) to (batch, dimension), computed in float32.

    Args:
        layers: one without a bias, or two with biases.
    """

    def __init__(self, layers: Sequence[nn.Linear]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)

    @classmethod
    def linear(cls, weight: Tensor) -> Head:
        """Return a head with a single linear map (dimension, dimension)."""
        layer = nn.Linear(weight.shape[1], weight.shape[0], bias=False)
        layer.weight = nn.Parameter(weight.detach().clone().float())
        return cls([layer])

    @classmethod
    def two_layer(cls, dimension: int) -> Head:
        """Return a head of two layers with a hidden size of twice the dimension, initialised to the identity."""
        first, second = nn.Linear(dimension, 2 * dimension), nn.Linear(2 * dimension, dimension)
        identity = torch.eye(dimension)
        first.weight = nn.Parameter(torch.cat([identity, -identity]))
        second.weight = nn.Parameter(torch.cat([identity, -identity], dim=1))
        nn.init.zeros_(first.bias)
        nn.init.zeros_(second.bias)
        return cls([first, second])

    @classmethod
    def of(cls, tensors: Mapping[str, Tensor]) -> Head:
        """Return the head that `tensors` describes.

        Raises:
            KeyError: a tensor is missing.
            ValueError: their shapes do not fit together.
        """
        if _LINEAR in tensors:
            return cls.linear(tensors[_LINEAR])
        layers = []
        for name in _LAYERS:
            weight, bias = tensors[f"{name}.weight"].float(), tensors[f"{name}.bias"].float()
            if weight.dim() != 2 or bias.shape != weight.shape[:1]:
                raise ValueError(f"the {name} layer has a weight {tuple(weight.shape)} and a bias {tuple(bias.shape)}")
            layer = nn.Linear(weight.shape[1], weight.shape[0])
            layer.weight, layer.bias = nn.Parameter(weight), nn.Parameter(bias)
            layers.append(layer)
        if layers[1].in_features != layers[0].out_features:
            raise ValueError(f"{layers[0].out_features} values go into a layer of {layers[1].in_features}")
        return cls(layers)

    @property
    def shape(self) -> tuple[int, int]:
        """Output and input dimension."""
        first, last = self._ends()
        return last.out_features, first.in_features

    def tensors(self) -> dict[str, Tensor]:
        """Return the weights by their storage names."""
        if len(self.layers) == 1:
            return {_LINEAR: self._ends()[0].weight.detach()}
        return {
            f"{name}.{kind}": tensor.detach()
            for name, layer in zip(_LAYERS, self._ends(), strict=True)
            for kind, tensor in (("weight", layer.weight), ("bias", layer.bias))
        }

    @torch.no_grad()
    def followed_by(self, weight: Tensor) -> Head:
        """Return this head followed by a linear map (dimension, dimension), merged into its last layer."""
        changed = Head.of(self.tensors())
        last = changed._ends()[1]
        weight = weight.to(last.weight.device)
        last.weight = nn.Parameter(weight @ last.weight)
        if last.bias is not None:
            last.bias = nn.Parameter(weight @ last.bias)
        return changed

    def frozen_copy(self, device: torch.device) -> Head:
        """Return a copy without gradients, rounded to half precision, the storage format."""
        stored = {name: tensor.half().float() for name, tensor in self.tensors().items()}
        return Head.of(stored).to(device).eval().requires_grad_(False)

    def forward(self, pooled: Tensor) -> Tensor:
        """Map (batch, dimension) float32 to the same."""
        values: Tensor = self.layers[0](pooled)
        for layer in list(self.layers)[1:]:
            values = layer(torch.relu(values))
        return values

    def _ends(self) -> tuple[nn.Linear, nn.Linear]:
        first, last = self.layers[0], self.layers[-1]
        assert isinstance(first, nn.Linear)  # noqa: S101 - for the type checker
        assert isinstance(last, nn.Linear)  # noqa: S101
        return first, last


_TEXTS_TOGETHER = 32
_SAMPLED = 256  # texts, or up to twice as many


@dataclass
class Backbone:
    """A pretrained encoder with its tokenizer, and masked mean pooling over its last layer.

    Attributes:
        name: display name; not a path.
        model: the transformer.
        tokenizer: truncates to `max_tokens` but does not pad.
        dimension: length of a text's vector.
        max_tokens: longer texts are truncated; the limit includes special tokens.
        pad_id: token id used for padding.
        unknown_id: token id for unknown tokens; -1 if nothing can be unknown.
        weights_hash: SHA-256 of the weights.
        head: layers after the pooling, trained so that similar texts are near; None if there are none. Set by
            `set_head`.
        adapter: files of the low-rank adapter that was trained and merged, by name; empty if there is none.
    """

    name: str
    model: PreTrainedModel
    tokenizer: Tokenizer
    dimension: int
    max_tokens: int
    pad_id: int
    unknown_id: int
    weights_hash: str
    head: Head | None = None
    adapter: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def device(self) -> torch.device:
        """Device of the weights."""
        return next(self.model.parameters()).device

    def batch(self, texts: Sequence[str]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return token ids and mask of a few texts, both (batch, tokens), on the model's device."""
        return self._padded(self._token_ids(texts))

    def _token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        return [encoding.ids for encoding in self.tokenizer.encode_batch_fast(list(texts))]

    def _padded(self, rows: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
        ids, mask = padded_batch(rows, self.pad_id)
        return sent(ids, self.device), sent(mask, self.device)

    def unknown_share(self, texts: Sequence[str]) -> float:
        """Return the share of the texts' tokens that the vocabulary lacks."""
        return unknown_token_share(self.tokenizer, self.unknown_id, texts)

    def refuse_unknown_language(self, texts: Sequence[str]) -> None:
        """Refuse texts of which the vocabulary lacks too many tokens; a few hundred of them are sampled.

        Raises:
            DataError: too many tokens are unknown; the message gives the share and what to do.
        """
        share = self.unknown_share(texts[:: max(1, len(texts) // _SAMPLED)])
        if share > UNKNOWN_SHARE_LIMIT:
            raise DataError(
                f"The encoder {self.name} does not know {share:.0%} of the problems' tokens: choose another backbone,"
                f" such as {MULTILINGUAL_BACKBONE} for Chinese."
            )

    def embed(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Return mean-pooled vectors (batch, dimension) in float32, after the head, with gradients, unnormalised."""
        return pooled_vectors(self.model, self.head, input_ids, attention_mask)

    def embed_texts(self, texts: Sequence[str]) -> torch.Tensor:
        """Return `embed` vectors of a training batch, (texts, dimension), in the given order.

        On a CPU, texts of similar length are batched together to save padding.
        """
        rows = self._token_ids(texts)
        if self.device.type != "cpu" or len(rows) <= _TEXTS_TOGETHER:
            return self.embed(*self._padded(rows))
        batches = list(batches_by_length([len(row) for row in rows], texts=_TEXTS_TOGETHER))
        vectors = torch.cat([self.embed(*self._padded([rows[row] for row in batch])) for batch in batches])
        return vectors[torch.from_numpy(np.argsort(np.concatenate(batches)))]

    def token_states(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Return the states of the last layer (batch, tokens, dimension) in float32, with gradients."""
        return token_states(self.model, input_ids, attention_mask).float()


def set_head(backbone: Backbone, head: Head) -> None:
    """Put a head after the pooling, replacing any existing one.

    It is rounded to half precision, the storage format, and has no gradients.

    Raises:
        BackboneError: it takes vectors of another length.
    """
    if head.shape != (backbone.dimension, backbone.dimension):
        raise BackboneError(f"The last layer does not fit {backbone.name}: {head.shape} for {backbone.dimension}.")
    backbone.head = head.frozen_copy(backbone.device)
    backbone.weights_hash = weights_sha256(backbone.model, backbone.head)


def save_head(backbone: Backbone, folder: Path) -> None:
    """Write the layers after the pooling into a folder, in half precision; nothing if there are none."""
    if backbone.head is not None:
        tensors = {
            name: tensor.to("cpu", torch.float16).contiguous() for name, tensor in backbone.head.tensors().items()
        }
        save_file(tensors, folder / HEAD_NAME)


def load_head(backbone: Backbone, folder: Path) -> None:
    """Load the layers that `save_head` wrote.

    Raises:
        BackboneError: the file is damaged, or the layers take vectors of another length.
    """
    try:
        head = Head.of(load_file(folder / HEAD_NAME))
    except (SafetensorError, OSError, KeyError, ValueError, IndexError) as error:
        raise BackboneError(f"The last layer in {folder} cannot be read: {error}") from error
    set_head(backbone, head)


def weights_sha256(model: torch.nn.Module, head: Head | None = None) -> str:
    """Return the SHA-256 over all named weights, for an encoder whose weights are not in a single file."""
    digest = hashlib.sha256()
    named = model.state_dict() | ({} if head is None else head.tensors())
    for name, tensor in sorted(named.items()):
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().contiguous().view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


def padded_batch(rows: Sequence[Sequence[int]], pad_id: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Pad rows of token ids; return ids and attention mask, both (rows, longest row)."""
    ids, mask = padded_arrays(rows, pad_id)
    return torch.from_numpy(ids), torch.from_numpy(mask)
