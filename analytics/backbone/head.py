"""The layers after the pooling: none, one linear map, or two layers with a ReLU between them.

One linear map is the encoder's last layer (decision 30). Two layers are the pooler of "Learning by Analogy" (Yang et
al., section 3.1), which follows SimCLR's projection head (Chen et al., 2020): linear, ReLU, linear. The paper leaves
the width open; here the vector keeps its length, and two layers begin as no change at all where they are at least
twice as wide as it is long: ``relu(x) - relu(-x) = x``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

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
