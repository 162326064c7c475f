"""Triplet loss on cosine distances: ParaQD (Gupta et al., DASFAA 2022), section 3.4."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity


class TripletLoss(nn.Module):
    r"""Require the negative to be farther from the anchor than the positive, by a margin.

    .. math:: \ell = \max(0, \alpha - d(a, n) + d(a, p)), \qquad d(x, y) = 1 - \cos(x, y)

    The paper sums over the questions; the mean is taken here, so that the step does not grow with the batch.

    Args:
        margin: alpha; distances lie in 0..2, so a larger margin can never be met.

    Raises:
        ValueError: the margin lies outside 0..2.

    >>> loss = TripletLoss(margin=0.5)
    >>> anchor, positive = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.6, 0.8]])
    >>> round(loss(anchor, positive, torch.tensor([[0.0, 1.0]])).item(), 4)  # 0.5 - 1 + 0.4 is below 0
    0.0
    >>> round(loss(anchor, positive, torch.tensor([[0.8, 0.6]])).item(), 4)  # 0.5 - 0.2 + 0.4
    0.7
    """

    def __init__(self, margin: float = 0.5) -> None:
        super().__init__()
        if not 0 <= margin <= 2:
            raise ValueError(f"margin must lie in 0..2, not {margin}")
        self.margin = margin

    def forward(self, anchors: Tensor, positives: Tensor, negatives: Tensor) -> Tensor:
        """Return the mean over the triplets.

        Args:
            anchors, positives, negatives: (batch, dimension) each, unnormalised.

        Raises:
            ValueError: the shapes differ.
        """
        if not anchors.shape == positives.shape == negatives.shape:
            raise ValueError(
                f"anchors {tuple(anchors.shape)}, positives {tuple(positives.shape)} and negatives"
                f" {tuple(negatives.shape)} differ in shape"
            )
        anchors = anchors.float()
        near = 1 - cosine_similarity(anchors, positives.float())
        far = 1 - cosine_similarity(anchors, negatives.float())
        return torch.relu(self.margin - far + near).mean()
