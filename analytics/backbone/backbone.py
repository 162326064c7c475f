"""An encoder in memory: transformer, tokenizer, pooling, and an optional head."""

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
from transformers import PreTrainedModel

from analytics.backbone.head import Head, pooled_vectors, token_states
from analytics.backbone.sources import HEAD_NAME, MULTILINGUAL_BACKBONE
from analytics.errors import BackboneError, DataError
from analytics.inference.vocabulary import UNKNOWN_SHARE_LIMIT, unknown_token_share
from analytics.length_batches import batches_by_length, padded_arrays
from analytics.training.device import sent

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
