"""From one state per token to one vector per text: the pooling, and the layers that may follow it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn


def mean_pool(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return the mean of the token states where the mask is 1; padding does not count.

    QuesCo's published code averages over padding too in pre-training and without it in evaluation; here
    it is without padding everywhere, so that a vector does not depend on what else is in the batch.

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


def token_states(
    transformer: nn.Module, input_ids: torch.Tensor, attention_mask: torch.Tensor
) -> torch.Tensor:
    """Return the states of a Hugging Face encoder's last layer, (batch, tokens, hidden), from ids and mask alike.

    On a GPU the mask is given as transformers would make it: else it reads back whether the mask hides anything, and
    waits for everything that was computed before.
    """
    mask = attention_mask
    if mask.is_cuda and getattr(transformer.config, "_attn_implementation", "") == "sdpa":
        mask = mask[:, None, None].bool().expand(-1, 1, mask.shape[1], -1)
    states: torch.Tensor = transformer(input_ids=input_ids, attention_mask=mask).last_hidden_state
    return states


def pooled_vectors(
    transformer: nn.Module,
    head: nn.Module | None,
    input_ids: torch.Tensor,
    attention_mask: torch.Tensor,
) -> torch.Tensor:
    """Return what an encoder makes of token ids: the mean state, through the head if there is one.

    Args:
        transformer: a Hugging Face encoder.
        head: (batch, dimension) to the same (`analytics.backbone.head`), or None.
        input_ids: (batch, tokens).
        attention_mask: (batch, tokens).

    Returns:
        (batch, dimension) float32, with gradients, not normalised.
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


_LINEAR = "metric"  # the name under which one linear map is stored
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
        """Return one linear map (dimension, dimension)."""
        layer = nn.Linear(weight.shape[1], weight.shape[0], bias=False)
        layer.weight = nn.Parameter(weight.detach().clone().float())
        return cls([layer])

    @classmethod
    def two_layer(cls, dimension: int) -> Head:
        """Return two layers with a hidden one of twice the dimension, which begin as no change at all."""
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
                raise ValueError(
                    f"the {name} layer has a weight {tuple(weight.shape)} and a bias {tuple(bias.shape)}"
                )
            layer = nn.Linear(weight.shape[1], weight.shape[0])
            layer.weight, layer.bias = nn.Parameter(weight), nn.Parameter(bias)
            layers.append(layer)
        if layers[1].in_features != layers[0].out_features:
            raise ValueError(f"{layers[0].out_features} values go into a layer of {layers[1].in_features}")
        return cls(layers)

    @property
    def shape(self) -> tuple[int, int]:
        """Length of what comes out, and of what goes in."""
        first, last = self._ends()
        return last.out_features, first.in_features

    def tensors(self) -> dict[str, Tensor]:
        """Return the weights by the names under which they are stored."""
        if len(self.layers) == 1:
            return {_LINEAR: self._ends()[0].weight.detach()}
        return {
            f"{name}.{kind}": tensor.detach()
            for name, layer in zip(_LAYERS, self._ends(), strict=True)
            for kind, tensor in (("weight", layer.weight), ("bias", layer.bias))
        }

    @torch.no_grad()
    def followed_by(self, weight: Tensor) -> Head:
        """Return this head followed by a linear map (dimension, dimension), which its last layer takes in."""
        changed = Head.of(self.tensors())
        last = changed._ends()[1]
        weight = weight.to(last.weight.device)
        last.weight = nn.Parameter(weight @ last.weight)
        if last.bias is not None:
            last.bias = nn.Parameter(weight @ last.bias)
        return changed

    def frozen_copy(self, device: torch.device) -> Head:
        """Return a copy in half precision's accuracy, as it is stored, without gradients."""
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
