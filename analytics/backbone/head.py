"""Pooling, from one state per token to one vector per text, and the layers that may follow it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn


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
        head: maps (batch, dimension) to the same shape (`analytics.backbone.head`), or None.
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
