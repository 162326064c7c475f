"""Multiple negatives ranking: every other text of the batch is a negative (Henderson et al., 2017).

ParaQD (Gupta et al., DASFAA 2022), section 5.4, compares the triplet loss with it.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, normalize


class MultipleNegativesRankingLoss(nn.Module):
    r"""Cross-entropy of an anchor's own positive among all positives and negatives of the batch.

    .. math:: \ell_i = -\log \frac{\exp(s \cos(a_i, p_i))}{\sum_{c \in P \cup N} \exp(s \cos(a_i, c))}

    where P and N are the positives and the negatives of the whole batch.

    Args:
        scale: s, the inverse of a temperature.

    Raises:
        ValueError: the scale is not positive.

    >>> loss = MultipleNegativesRankingLoss(scale=1.0)
    >>> anchor, negative = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0]])
    >>> round(loss(anchor, anchor, negative).item(), 4)  # log(1 + exp(-1))
    0.3133
    """

    def __init__(self, scale: float = 20.0) -> None:
        super().__init__()
        if scale <= 0:
            raise ValueError(f"scale must be positive, not {scale}")
        self.scale = scale

    def forward(self, anchors: Tensor, positives: Tensor, negatives: Tensor, same: Tensor | None = None) -> Tensor:
        """Return the mean over the anchors.

        Args:
            anchors, positives: (batch, dimension) each, unnormalised.
            negatives: (any number, dimension).
            same: (batch, batch) bool, True where two rows have the same anchor; their positives are not
                negatives of one another.

        Raises:
            ValueError: the shapes do not fit together.
        """
        if anchors.shape != positives.shape or anchors.shape[1:] != negatives.shape[1:]:
            raise ValueError(
                f"anchors {tuple(anchors.shape)}, positives {tuple(positives.shape)} and negatives"
                f" {tuple(negatives.shape)} do not fit together"
            )
        candidates = normalize(torch.cat([positives, negatives]).float(), dim=1)
        logits = self.scale * normalize(anchors.float(), dim=1) @ candidates.T  # (batch, candidates)
        targets = torch.arange(len(anchors), device=logits.device)
        if same is not None:
            others = same.to(logits.device) & ~torch.eye(len(anchors), dtype=torch.bool, device=logits.device)
            left_out = torch.zeros_like(logits, dtype=torch.bool)
            left_out[:, : len(anchors)] = others
            logits = logits.masked_fill(left_out, torch.finfo(logits.dtype).min)
        return cross_entropy(logits, targets)
