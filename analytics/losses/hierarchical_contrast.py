"""Supervised contrast at every level of a hierarchy at once.

Khosla et al. (NeurIPS 2020), Eq. 2 (positives summed outside the logarithm), averaged over the levels as
Zhang et al. (CVPR 2022), "Use All The Labels", Eq. 3. Not in QuesCo: its RINCE sums a rank's positives inside
the logarithm, where the nearest one dominates.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class HierarchicalContrastLoss(nn.Module):
    r"""Pull each question towards all that share its concept, level by level.

    For an anchor :math:`q`, its positives :math:`P^i` of the ranks 1 .. i and all candidates :math:`A`,

    .. math:: L = \frac{1}{L} \sum_{i=1}^{L} \operatorname{mean}_q \frac{-1}{|P^i|} \sum_{p \in P^i}
                  \log \frac{\exp(h(q, p) / \tau)}{\sum_{a \in A} \exp(h(q, a) / \tau)}

    A level counts the anchors that have a positive there and something farther to be distinguished from.

    Args:
        levels: L, the depth of the hierarchy.
        temperature: tau.

    Raises:
        ValueError: levels below 1, or a temperature that is not positive.

    >>> loss = HierarchicalContrastLoss(1, temperature=1.0)
    >>> similarities = torch.tensor([[0.5, -0.5]])
    >>> round(loss(similarities, torch.tensor([[1, 2]])).item(), 4)  # log(1 + exp(-1))
    0.3133
    """

    def __init__(self, levels: int, temperature: float = 0.1) -> None:
        super().__init__()
        if levels < 1 or temperature <= 0:
            raise ValueError(f"levels and temperature must be positive, not {levels} and {temperature}")
        self.levels, self.temperature = levels, temperature

    def forward(self, similarities: Tensor, ranks: Tensor) -> Tensor:
        """Return the loss; 0, with zero gradients, if no anchor has anything to be distinguished from.

        Args:
            similarities: (anchors, candidates) dot products h of unit vectors; any floating type.
            ranks: (anchors, candidates) integers 1 .. levels + 1; pairs of other ranks are ignored.

        Raises:
            ValueError: shapes differ.
        """
        if similarities.shape != ranks.shape or similarities.dim() != 2:
            shapes = f"{tuple(similarities.shape)} and {tuple(ranks.shape)}"
            raise ValueError(f"expected two matrices of one shape, got {shapes}")
        logits = similarities.float() / self.temperature
        counted = (ranks >= 1) & (ranks <= self.levels + 1)
        logits = logits.masked_fill(~counted, torch.finfo(logits.dtype).min)
        log_shares = logits - torch.logsumexp(logits, dim=1, keepdim=True)
        total = 0.0 * similarities.float().sum()
        for bound in range(1, self.levels + 1):
            positives = counted & (ranks <= bound)
            usable = positives.any(dim=1) & (counted & ~positives).any(dim=1)
            # Masking instead of selection, whose size the host would have to wait for.
            means = log_shares.masked_fill(~positives, 0.0).sum(dim=1) / positives.sum(dim=1).clamp(min=1)
            total = total - (means * usable).sum() / usable.sum().clamp(min=1)
        return total / self.levels
