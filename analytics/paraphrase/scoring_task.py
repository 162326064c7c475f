"""What the training loop runs for a paraphrase scorer: triplets through one encoder.

Where the configuration says `combine`, the triplets of one question are learned together: its positives, each against
each of its negatives. Every text is then encoded once, and four triplets give up to sixteen.

ParaQD (Gupta et al., 2022), section 3.4: the triplet loss on cosine distances; section 5.4: multiple negatives
ranking instead. The encoder's vectors are mean-pooled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, product
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from analytics.backbone.backbone import Backbone
from analytics.errors import DataError
from analytics.losses.multiple_negatives import MultipleNegativesRankingLoss
from analytics.losses.triplet import TripletLoss
from analytics.paraphrase.config import TOGETHER, ParaphraseConfig
from analytics.paraphrase.triplets import Triplet
from analytics.paraphrase.words.typed_text import typed_text
from analytics.training.batching import length_grouped_batches
from analytics.training.distributed import gather_objects, gather_rows
from analytics.training.parameters import decay_groups
from analytics.training.stages import Step, Task


class ScoringTask(Task):
    """Implements `analytics.training.stages.Task`.

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
        groups = _groups(triplets) if config.combine else [[row] for row in range(len(triplets))]
        given_groups = [rows for rows in groups if any(triplets[row].is_given for row in rows)]
        self.groups = groups + given_groups * (config.given_passes - 1)
        self.lengths = [
            len(encoding.ids)
            for encoding in backbone.tokenizer.encode_batch_fast(
                [self._read(triplets[rows[0]].anchor) for rows in self.groups]
            )
        ]

    def modules(self) -> Mapping[str, nn.Module]:
        """Return what a checkpoint holds."""
        return {"encoder": self.backbone.model}

    def parameter_groups(self) -> Sequence[Mapping[str, Any]]:
        """Return the encoder's."""
        return decay_groups(self.backbone.model.parameters())

    def batches_per_epoch(self) -> int:
        """Return the number of batches; incomplete last ones are dropped."""
        return len(self.groups) // self.config.groups_per_batch

    def batches(self, epoch: int) -> Iterator[list[Triplet]]:
        """Yield triplets of questions of about one length, drawn from seed and epoch alone, so resumable."""
        rng = np.random.default_rng((self.config.seed, epoch))
        for numbers in length_grouped_batches(self.lengths, self.config.groups_per_batch, rng):
            yield [self.triplets[row] for number in numbers for row in self.groups[number]]

    def losses(self, batch: list[Triplet], _step: Step) -> Mapping[str, Tensor]:
        """Return the loss and its terms."""
        texts = list(dict.fromkeys(chain.from_iterable(self._learned(batch))))
        vectors = gather_rows(self.backbone.embed_texts([self._read(text) for text in texts]).float())
        rows = {text: row for row, text in enumerate(chain.from_iterable(gather_objects(texts)))}
        learned = self._learned(list(chain.from_iterable(gather_objects(batch))))  # the whole batch's
        places = torch.tensor([[rows[text] for text in texts] for texts in learned], device=vectors.device)
        anchors, positives, negatives = (vectors[column] for column in places.T)
        losses: dict[str, Tensor] = {}
        if self.config.loss in ("triplet", "both"):
            losses["loss_triplet"] = self.triplet_loss(anchors, positives, negatives)
        if self.config.loss in ("mnrl", "both"):
            pairs, others = places[:, :2].unique(dim=0), places[:, 2].unique()
            same = pairs[:, 0, None] == pairs[None, :, 0]
            losses["loss_ranking"] = self.ranking_loss(
                vectors[pairs[:, 0]], vectors[pairs[:, 1]], vectors[others], same
            )
        return {"loss": torch.stack(list(losses.values())).sum(), **losses}

    def after_step(self) -> None:
        """Do nothing: nothing follows."""

    def evaluate(self) -> Mapping[str, float]:
        """Return held-out metrics of the encoder."""
        return self._evaluate(self.backbone) if self._evaluate else {}

    def _learned(self, batch: Sequence[Triplet]) -> list[tuple[str, str, str]]:
        return _combined(batch) if self.config.combine else [_texts(triplet) for triplet in batch]

    def _read(self, text: str) -> str:
        return typed_text(text) if self.config.typed_numbers else text


def _texts(triplet: Triplet) -> tuple[str, str, str]:
    return triplet.anchor, triplet.positive, triplet.negative


def _groups(triplets: Sequence[Triplet]) -> list[list[int]]:
    """Return the rows of triplets with one anchor, at most `TOGETHER` each."""
    by_anchor: dict[str, list[int]] = {}
    for row, triplet in enumerate(triplets):
        by_anchor.setdefault(triplet.anchor, []).append(row)
    return [
        rows[start : start + TOGETHER]
        for rows in by_anchor.values()
        for start in range(0, len(rows), TOGETHER)
    ]


def _combined(batch: Sequence[Triplet]) -> list[tuple[str, str, str]]:
    """Return each positive of an anchor with each of its negatives."""
    by_anchor: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for triplet in batch:
        positives, negatives = by_anchor.setdefault(triplet.anchor, ({}, {}))
        positives[triplet.positive] = negatives[triplet.negative] = None
    return [
        (anchor, positive, negative)
        for anchor, (positives, negatives) in by_anchor.items()
        for positive, negative in product(positives, negatives)
    ]
