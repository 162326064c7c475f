"""The question encoder: a backbone, masked mean pooling, and a projector used in pre-training only.

QuesCo (Ning et al., AAAI 2023), section "Pre-training": the mean of the last layer's token states is the
question's representation; a projector maps it to the space in which it is contrasted.
"""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn.functional import normalize

from analytics.backbone.pooling import pooled_vectors


class QuestionEncoder(nn.Module):
    """Token ids to a representation, and to a unit vector in the contrasted space.

    Args:
        transformer: a Hugging Face encoder.
        hidden: length of its token states.
        projection: length of the contrasted vectors; 0: the representations themselves are contrasted.
        head: that the encoder already has after its pooling; it stays as it is.
    """

    def __init__(
        self, transformer: nn.Module, hidden: int, projection: int, head: nn.Module | None = None
    ) -> None:
        super().__init__()
        self.transformer = transformer
        self.head = None if head is None else head.requires_grad_(False)
        self.projector: nn.Module = nn.Identity()
        if projection:
            self.projector = nn.Sequential(
                nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, projection)
            )

    def represent(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Map (batch, tokens) to (batch, hidden), not normalised; padding does not count."""
        return pooled_vectors(self.transformer, self.head, input_ids, attention_mask)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Map (batch, tokens) to unit vectors (batch, projection, or hidden without a projector)."""
        return normalize(self.projector(self.represent(input_ids, attention_mask)).float(), dim=1)
