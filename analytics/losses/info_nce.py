"""InfoNCE: one positive among negatives (van den Oord et al., 2018)."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class InfoNCELoss(nn.Module):
    r"""Cross-entropy of the positive among all candidates.

    .. math:: \ell = -\log \frac{\exp(h(q, k^+) / \tau)}{\exp(h(q, k^+) / \tau) + \sum_k \exp(h(q, k) / \tau)}

    Args:
        temperature: tau.

    Raises:
        ValueError: the temperature is not positive.

    >>> loss = InfoNCELoss(temperature=1.0)
    >>> query, key = torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 0.0]])
    >>> round(loss(query, key, torch.tensor([[0.0, 1.0]])).item(), 4)  # log(1 + exp(-1))
    0.3133
    """

    def __init__(self, temperature: float = 0.05) -> None:
        super().__init__()
        if temperature <= 0:
            raise ValueError(f"temperature must be positive, not {temperature}")
        self.temperature = temperature

    def forward(self, queries: Tensor, keys: Tensor, negatives: Tensor, left_out: Tensor | None = None) -> Tensor:
        """Return the mean over the queries.

        Args:
            queries: (batch, dimension) unit vectors.
            keys: (batch, dimension), the positive of each query.
            negatives: (negatives, dimension), shared by all queries.
            left_out: (batch, negatives) bool, negatives to ignore for a query.

        Raises:
            ValueError: queries and keys differ in shape.
        """
        if queries.shape != keys.shape:
            raise ValueError(f"queries {tuple(queries.shape)} and keys {tuple(keys.shape)} differ in shape")
        queries = queries.float()
        positive = (queries * keys.float()).sum(dim=1, keepdim=True)  # (batch, 1)
        others = queries @ negatives.float().T  # (batch, negatives)
        if left_out is not None:
            others = others.masked_fill(left_out, torch.finfo(others.dtype).min)
        logits = torch.cat([positive, others], dim=1) / self.temperature
        return (torch.logsumexp(logits, dim=1) - logits[:, 0]).mean()
