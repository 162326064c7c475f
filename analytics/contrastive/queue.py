"""A first-in-first-out memory of keys with their labels (MoCo, He et al. 2020, section 3.2)."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

EMPTY = -1
"""Label of a place that has not been filled yet."""


class MemoryQueue(nn.Module):
    """The newest `size` keys; wraps around, takes batches of any size, and is saved with the model.

    Unlike the published code of QuesCo it begins empty rather than full of random vectors, so that early
    negatives are questions and not noise.

    Args:
        size: number of keys kept.
        dimension: length of a key.

    Raises:
        ValueError: size or dimension below 1.

    Attributes:
        keys: (size, dimension); only the first `len(queue)` places are filled.
        labels: (size,) integers, `EMPTY` in places not filled.
    """

    keys: Tensor
    labels: Tensor
    position: Tensor

    def __init__(self, size: int, dimension: int) -> None:
        super().__init__()
        if size < 1 or dimension < 1:
            raise ValueError(f"size and dimension must be at least 1, not {size} and {dimension}")
        self.size = size
        self.register_buffer("keys", torch.zeros(size, dimension))
        self.register_buffer("labels", torch.full((size,), EMPTY, dtype=torch.long))
        self.register_buffer("position", torch.zeros((), dtype=torch.long))
        self._filled = 0  # on the host, so that no step has to wait for the device to count
        self.register_load_state_dict_post_hook(self._count_filled)

    def __len__(self) -> int:
        return self._filled

    def _count_filled(self, *_ignored: Any) -> None:
        self._filled = int((self.labels != EMPTY).sum())

    @torch.no_grad()
    def enqueue(self, keys: Tensor, labels: Tensor) -> None:
        """Add keys, dropping the oldest; of a batch larger than the queue the last ones stay.

        Args:
            keys: (batch, dimension).
            labels: (batch,) integers of at least 0, e.g. row numbers of the questions.

        Raises:
            ValueError: shapes do not fit.
        """
        if keys.shape != (len(labels), self.keys.shape[1]):
            raise ValueError(f"keys {tuple(keys.shape)} do not fit {len(labels)} labels and this queue")
        keys, labels = keys[-self.size :], labels[-self.size :]
        places = (self.position + torch.arange(len(labels), device=self.keys.device)) % self.size
        self.keys[places] = keys.detach().to(self.keys)
        self.labels[places] = labels.to(self.labels)
        self.position.copy_((self.position + len(labels)) % self.size)
        self._filled = min(self._filled + len(labels), self.size)

    def filled(self) -> tuple[Tensor, Tensor]:
        """Return copies of the keys (filled, dimension) and labels (filled,), in no particular order.

        Copies, because a loss is differentiated after the next keys have been written.
        """
        count = len(self)
        return self.keys[:count].clone(), self.labels[:count].clone()
