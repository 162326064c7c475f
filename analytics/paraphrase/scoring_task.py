"""What the training loop runs for a paraphrase scorer: triplets through one encoder.

ParaQD (Gupta et al., 2022), section 3.4: the triplet loss on cosine distances; section 5.4: multiple negatives
ranking instead. The encoder's vectors are mean-pooled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from analytics.backbone.bert import Backbone
from analytics.errors import DataError
from analytics.losses.multiple_negatives import MultipleNegativesRankingLoss
from analytics.losses.triplet import TripletLoss
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.triplets import Triplet
from analytics.training.batching import length_grouped_batches

__all__ = ["ScoringTask"]


class ScoringTask:
    """Implements `analytics.training.loop.Task`.

    Args:
        backbone: trained in place, on the device that computes.
        triplets: what is learned.
        config: how.
        evaluate: held-out metrics, called with the backbone.

    Raises:
        DataError: fewer triplets than a batch.
    """

    def __init__(
        self,
        backbone: Backbone,
        triplets: Sequence[Triplet],
        config: ParaphraseConfig,
        evaluate: Callable[[Backbone], Mapping[str, float]] | None = None,
    ) -> None:
        if len(triplets) < config.batch_size:
            raise DataError(
                f"Training needs at least {config.batch_size} triplets, there are {len(triplets)}."
            )
        self.backbone, self.triplets, self.config = backbone, triplets, config
        self._evaluate = evaluate
        self.triplet_loss = TripletLoss(config.margin)
        self.ranking_loss = MultipleNegativesRankingLoss(config.scale)
        self.lengths = [
            len(one.ids) for one in backbone.tokenizer.encode_batch_fast([one.anchor for one in triplets])
        ]

    def modules(self) -> Mapping[str, nn.Module]:
        """What a checkpoint holds."""
        return {"encoder": self.backbone.model}

    def parameter_groups(self) -> Sequence[Mapping[str, Any]]:
        """Biases and layer norms without weight decay."""
        trained = [one for one in self.backbone.model.parameters() if one.requires_grad]
        return [
            {"params": [one for one in trained if one.dim() > 1]},
            {"params": [one for one in trained if one.dim() <= 1], "weight_decay": 0.0},
        ]

    def batches_per_epoch(self) -> int:
        """Incomplete last batches are dropped."""
        return len(self.triplets) // self.config.batch_size

    def batches(self, epoch: int) -> Iterator[list[Triplet]]:
        """Triplets of about one length, drawn from seed and epoch alone, so resumable."""
        rng = np.random.default_rng((self.config.seed, epoch))
        for rows in length_grouped_batches(self.lengths, self.config.batch_size, rng):
            yield [self.triplets[row] for row in rows]

    def losses(self, batch: list[Triplet]) -> Mapping[str, Tensor]:
        """The loss and its terms."""
        anchors = [one.anchor for one in batch]
        texts = [*anchors, *(one.positive for one in batch), *(one.negative for one in batch)]
        vectors = self.backbone.embed(*self.backbone.batch(texts)).float()
        parts = vectors.chunk(3)
        losses: dict[str, Tensor] = {}
        if self.config.loss in ("triplet", "both"):
            losses["loss_triplet"] = self.triplet_loss(*parts)
        if self.config.loss in ("mnrl", "both"):
            names = np.unique(anchors, return_inverse=True)[1]
            same = torch.from_numpy(names[:, None] == names[None, :])
            losses["loss_ranking"] = self.ranking_loss(*parts, same)
        return {"loss": torch.stack(list(losses.values())).sum(), **losses}

    def after_step(self) -> None:
        """Nothing follows."""

    def evaluate(self) -> Mapping[str, float]:
        """Held-out metrics of the encoder."""
        return self._evaluate(self.backbone) if self._evaluate else {}
