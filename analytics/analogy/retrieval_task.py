"""What the training loop runs for the retriever: questions and their positives through one encoder.

Yang et al., "Learning by Analogy", Eq. 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from analytics.analogy.config import AnalogyConfig
from analytics.analogy.examples import AnalogyExample, Positives, retriever_text
from analytics.backbone.backbone import Backbone
from analytics.errors import DataError
from analytics.losses.hierarchical_contrast import HierarchicalContrastLoss
from analytics.losses.info_nce import InfoNCELoss
from analytics.training.batching import length_grouped_batches
from analytics.training.distributed import gather_objects, gather_rows
from analytics.training.stages import Step, Task

_LEFT_OUT = 0  # rank of a pair that does not count


class RetrievalTask(Task):
    """Questions near those that compute the same.

    Args:
        backbone: trained in place with its head, on the device that computes.
        examples: each shares its key with another.
        config: how.
        held_out: metrics on problems that are not learned from.

    Raises:
        DataError: fewer examples than a batch.
    """

    def __init__(
        self,
        backbone: Backbone,
        examples: Sequence[AnalogyExample],
        config: AnalogyConfig,
        held_out: Callable[[], Mapping[str, float]] | None = None,
    ) -> None:
        if len(examples) < config.batch_size:
            raise DataError(
                f"Training needs at least {config.batch_size} problems whose graph another one has;"
                f" there are {len(examples)}: {config.batch_size - len(examples)} are missing."
            )
        self.backbone, self.config, self.held_out = backbone, config, held_out
        self.texts = [retriever_text(example.problem.text, slots=config.slot_text) for example in examples]
        self.lengths = [len(row.ids) for row in backbone.tokenizer.encode_batch_fast(self.texts)]
        self.positives = Positives([example.graph.graph for example in examples])
        self.info_nce = InfoNCELoss(config.temperature)
        self.contrast = HierarchicalContrastLoss(1, config.temperature)
        if config.freeze_embeddings:
            backbone.model.get_input_embeddings().requires_grad_(False)

    def modules(self) -> Mapping[str, nn.Module]:
        head = {} if self.backbone.head is None else {"head": self.backbone.head}
        return {"encoder": self.backbone.model, **head}

    def batches(self, epoch: int) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
        """Yield rows and their positives, drawn again from (seed, epoch) alone, so resumable."""
        rng = np.random.default_rng((self.config.seed, epoch))
        positives = self.positives.draw(rng)
        for rows in length_grouped_batches(self.lengths, self.config.batch_size, rng):
            yield rows, positives[rows]

    def losses(
        self, batch: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]], _step: Step
    ) -> Mapping[str, Tensor]:
        """Return the loss of Eq. 1, or of the contrast with all positives of the batch."""
        embedded = self.backbone.embed_texts([self.texts[row] for row in np.concatenate(batch)])
        unit = normalize(embedded.float(), dim=1)
        queries, keys = map(gather_rows, unit.split(len(batch[0])))  # of the whole batch, as everything below
        anchors, positives = map(np.concatenate, zip(*gather_objects(batch), strict=True))
        vectors = torch.cat([queries, keys])  # (2 * batch, dimension)
        rows = np.concatenate([anchors, positives])
        if self.config.all_positives:
            ranks = torch.from_numpy(self._ranks(rows)).to(vectors.device)
            return {"loss": self.contrast(vectors @ vectors.T, ranks)}
        codes = self.positives.codes
        left_out = torch.from_numpy(codes[anchors][:, None] == codes[rows][None, :]).to(vectors.device)
        return {"loss": self.info_nce(queries, keys, vectors, left_out)}

    def _ranks(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return ranks: 1 for a positive, 2 for a negative."""
        codes = self.positives.codes[rows]
        ranks = np.where(codes[:, None] == codes[None, :], 1, 2)
        ranks[rows[:, None] == rows[None, :]] = _LEFT_OUT  # a question, and its second copy in the batch
        return ranks.astype(np.int64)
