"""Ranking InfoNCE: several ranks of positives, each with its own temperature.

QuesCo (Ning et al., AAAI 2023), section "Pre-training", Eq. 4, after Hoffmann et al. (AAAI 2022).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

LEFT_OUT = -1
"""Rank of a pair that appears in neither numerator nor denominator."""


class RINCELoss(nn.Module):
    r"""Pull questions of a nearer rank closer than those of every farther one.

    For an anchor :math:`q` and candidates :math:`Q^i` of rank :math:`i = 0 .. L + 1`,

    .. math:: \ell_i = -\log \frac{\sum_{p \in Q^i} \exp(h(q, p) / \tau_i)}
                                  {\sum_{j \ge i} \sum_{p \in Q^j} \exp(h(q, p) / \tau_j)},
              \qquad L_{rank} = \sum_{i=0}^{L} \ell_i

    with the positives summed inside the logarithm and every term of the denominator at its own rank's
    temperature. Rank L + 1 is only ever a negative. A rank without candidates adds nothing, nor does one
    without farther candidates to be distinguished from.

    Args:
        temperatures: tau of the ranks 0 .. L + 1.
        one_temperature: compute a whole term, denominator included, at the temperature of its positives, as
            the published code does. Compared to Eq. 4 this pushes harder on the negatives, which Eq. 4 has at
            the highest temperature.

    Raises:
        ValueError: fewer than two temperatures, or one that is not positive.

    >>> loss = RINCELoss((0.5, 1.0, 1.0))
    >>> similarities = torch.tensor([[0.5, 0.2, -0.3]])
    >>> round(loss(similarities, torch.tensor([[0, 1, 2]])).item(), 4)  # 0.5434 + 0.4741
    1.0175
    """

    temperatures: Tensor

    def __init__(self, temperatures: Sequence[float], *, one_temperature: bool = False) -> None:
        super().__init__()
        self.one_temperature = one_temperature
        if len(temperatures) < 2 or min(temperatures) <= 0:
            raise ValueError("RINCE needs a positive temperature for each of the ranks 0 .. L + 1")
        self.register_buffer("temperatures", torch.tensor(temperatures, dtype=torch.float32))

    def forward(self, similarities: Tensor, ranks: Tensor) -> Tensor:
        """Return the mean over the anchors of the sum over ranks.

        Args:
            similarities: (anchors, candidates) dot products h of unit vectors; any floating type.
            ranks: (anchors, candidates) integers 0 .. L + 1, or `LEFT_OUT`.
        """
        return self.by_rank(similarities, ranks).sum(dim=1).mean()

    def by_rank(self, similarities: Tensor, ranks: Tensor) -> Tensor:
        """Return the terms l_0 .. l_L of every anchor, (anchors, L + 1) in float32; 0 where a rank is absent.

        Raises:
            ValueError: the shapes differ. A rank without a temperature is not an error.
        """
        if similarities.shape != ranks.shape or similarities.dim() != 2:
            shapes = f"{tuple(similarities.shape)} and {tuple(ranks.shape)}"
            raise ValueError(f"expected two matrices of one shape, got {shapes}")
        if self.one_temperature:
            return self._at_one_temperature(similarities.float(), ranks)
        # In float32 even under autocast: exp(1 / 0.1) exceeds what half precision can sum exactly.
        values = similarities.float()
        nowhere = torch.finfo(values.dtype).min
        per_rank = torch.stack(  # log of the sum over each rank, (anchors, L + 2)
            [
                torch.logsumexp((values / temperature).masked_fill(ranks != rank, nowhere), dim=1)
                for rank, temperature in enumerate(self.temperatures)
            ],
            dim=1,
        )
        present = torch.stack([(ranks == rank).any(dim=1) for rank in range(len(self.temperatures))], dim=1)
        per_rank = per_rank.masked_fill(~present, nowhere)
        # log of the sum over ranks >= i, from the last rank backwards
        from_rank = torch.logcumsumexp(per_rank.flip(1), dim=1).flip(1)
        terms = from_rank[:, :-1] - per_rank[:, :-1]
        # Without farther candidates the term is log 1, whose gradient is rounding noise that Adam would
        # follow.
        farther = present.flip(1).cumsum(dim=1).flip(1)[:, 1:] > 0
        return torch.where(present[:, :-1] & farther, terms, torch.zeros_like(terms))

    def _at_one_temperature(self, similarities: Tensor, ranks: Tensor) -> Tensor:
        nowhere = torch.finfo(similarities.dtype).min
        terms = []
        for rank, temperature in enumerate(self.temperatures[:-1]):
            logits = similarities / temperature
            positives = ranks == rank
            above = torch.logsumexp(logits.masked_fill(~positives, nowhere), dim=1)
            below = torch.logsumexp(logits.masked_fill(ranks < rank, nowhere), dim=1)  # LEFT_OUT is below all
            terms.append(torch.where(positives.any(dim=1), below - above, torch.zeros_like(above)))
        return torch.stack(terms, dim=1)
