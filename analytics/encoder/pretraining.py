"""Contrastive pre-training of a question encoder: the task that the training loop runs.

QuesCo (Ning et al., AAAI 2023), "Pre-training", with a memory queue and a momentum encoder after MoCo. A
step: the questions go through the query encoder, their augmented versions through the key encoder; every
key in the queue gets its rank by the distance of concepts; RINCE (Eq. 4) compares them.

Where the published code differs the paper decides: the denominator's terms have their own temperatures, the
queue begins empty, and a question's own older keys are left out.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from analytics.backbone.backbone import Backbone
from analytics.contrastive.momentum import MomentumEncoder
from analytics.contrastive.queue import MemoryQueue
from analytics.encoder.augment.pipeline import Augmenter
from analytics.encoder.config import EncoderConfig
from analytics.encoder.examples import EncoderExample
from analytics.encoder.khar import NO_CONCEPT, encode_paths
from analytics.encoder.model import QuestionEncoder
from analytics.encoder.objectives import JointHeads, task_contrast
from analytics.encoder.rank_table import RankTable
from analytics.errors import DataError
from analytics.losses.rince import RINCELoss
from analytics.training.batching import length_grouped_batches
from analytics.training.distributed import gather
from analytics.training.parameters import decay_groups
from analytics.training.stages import Step, Task

_GRIDS = 3  # for a step: some 50 questions


class PretrainingTask(Task):
    """QuesCo: questions near those of near concepts, by a momentum encoder and a queue.

    Args:
        backbone: where the query encoder starts, on the device that computes; it is trained in place.
        examples: the training questions.
        config: how to train.
        held_out: metrics of the query encoder.

    Raises:
        DataError: fewer questions than two batches, or none with a concept where concepts are ranked.
    """

    def __init__(
        self,
        backbone: Backbone,
        examples: Sequence[EncoderExample],
        config: EncoderConfig,
        held_out: Callable[[], Mapping[str, float]] | None = None,
    ) -> None:
        if len(examples) < 2 * config.batch_size:
            raise DataError(
                f"Pre-training needs at least {2 * config.batch_size} questions, there are {len(examples)}."
            )
        if config.ranking != "none" and not any(example.paths for example in examples):
            raise DataError("No question has a concept: choose the ranking 'none', or tag some.")
        self.backbone, self.examples, self.config = backbone, examples, config
        self.held_out = held_out
        device = backbone.device
        self.query_encoder = QuestionEncoder(
            backbone.model, backbone.dimension, config.projection, backbone.head
        ).to(device)
        self.key_encoder = MomentumEncoder(self.query_encoder, config.momentum)
        size = min(config.queue_size, len(examples) // 2)
        self.queue = MemoryQueue(size, config.projection or backbone.dimension).to(device)
        self.loss = RINCELoss(config.rank_temperatures(), one_temperature=config.one_temperature).to(device)
        self.augmenter = Augmenter.from_config(config)
        self.rank_table = RankTable(*self._encode_paths(), device, farthest=config.levels + 1)
        self._last_ranks: Tensor | None = None
        self.lengths = [
            len(encoding.ids)
            for encoding in backbone.tokenizer.encode_batch_fast([example.text for example in examples])
        ]
        self.heads: JointHeads | None = None
        if config.concept_weight or config.difficulty_weight:
            self.heads = JointHeads(examples, backbone.dimension, config.levels).to(device)
        self.tasks = task_contrast(backbone, config, grids=_GRIDS)
        if config.freeze_embeddings:
            backbone.model.get_input_embeddings().requires_grad_(False)

    def _encode_paths(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the paths to rank by: none without ranking; where finest concepts are classes, each is one concept."""
        if self.config.ranking == "none":
            return np.full((len(self.examples), 1, 1), NO_CONCEPT), np.zeros(
                len(self.examples), dtype=np.int64
            )
        hierarchies = [example.hierarchy for example in self.examples]
        if self.config.ranking == "finest":
            finest = [tuple((repr(path),) for path in example.paths) for example in self.examples]
            return encode_paths(finest, 1, hierarchies)
        return encode_paths([example.paths for example in self.examples], self.config.levels, hierarchies)

    def modules(self) -> Mapping[str, nn.Module]:
        heads = {} if self.heads is None else {"heads": self.heads}
        return {
            "query_encoder": self.query_encoder,
            "key_encoder": self.key_encoder,
            "queue": self.queue,
            **heads,
        }

    def parameter_groups(self) -> Sequence[Mapping[str, Any]]:
        """Return the query encoder's, and those of the heads."""
        heads = () if self.heads is None else self.heads.parameters()
        return decay_groups((*self.query_encoder.parameters(), *heads))

    def batches(self, epoch: int) -> Iterator[tuple[np.ndarray, list[str], list[str]]]:
        """Yield row numbers, texts and second views; drawn from (seed, epoch, row) alone, so resumable."""
        rng = np.random.default_rng((self.config.seed, epoch))
        for rows in length_grouped_batches(self.lengths, self.config.batch_size, rng):
            texts = [self.examples[row].text for row in rows]
            views = [
                self._second_view(self.examples[row], random.Random(f"{self.config.seed}/{epoch}/{row}"))
                for row in rows
            ]
            yield rows, texts, views

    def _second_view(self, example: EncoderExample, rng: random.Random) -> str:
        if example.solution and rng.random() < self.config.solution_view:
            return example.solution
        return self.augmenter(example.text, rng)

    def losses(self, batch: tuple[np.ndarray, list[str], list[str]], step: Step) -> Mapping[str, Tensor]:
        """Return the loss and its terms by rank; the keys of the batch enter the queue."""
        rows, texts, views = batch
        representations = self.query_encoder.represent(*self.backbone.batch(texts))
        queries = normalize(self.query_encoder.projector(representations).float(), dim=1)
        keys = self.key_encoder(*self.backbone.batch(views))
        queued, labels = self.queue.filled()
        similarities = torch.cat([(queries * keys).sum(dim=1, keepdim=True), queries @ queued.T], dim=1)
        numbers = torch.from_numpy(rows).to(keys.device, non_blocking=True)
        terms = self.loss.by_rank(similarities, self._ranks(numbers, labels))
        self.queue.enqueue(gather(keys), gather(numbers))
        means = terms.mean(dim=0)
        by_rank = {f"loss_rank_{rank}": mean for rank, mean in enumerate(means)}
        besides = self._losses_besides(rows, representations, step)
        weights = {
            "loss_concepts": self.config.concept_weight,
            "loss_difficulty": self.config.difficulty_weight,
            "loss_tasks": self.config.task_weight,
        }
        loss = means.sum()
        for name, term in besides.items():
            loss = loss + weights[name] * term
        return {"loss": loss, **by_rank, **besides}

    def _losses_besides(self, rows: np.ndarray, representations: Tensor, step: Step) -> dict[str, Tensor]:
        """Return the terms that are not the paper's, as far as they have a weight."""
        terms = {} if self.heads is None else dict(self.heads.losses(rows, representations))
        if self.tasks is not None:
            drawn = self.tasks.draw(step.number)
            together = self.backbone.batch(self.tasks.texts(drawn))
            terms["loss_tasks"] = self.tasks(drawn, self.query_encoder.represent(*together))
        return terms

    def _ranks(self, rows: Tensor, queued: Tensor) -> Tensor:
        """Return the ranks (batch, 1 + queued): 0 for the augmented question, then the rank of every key."""
        self._last_ranks = self.rank_table.ranks(rows, queued, views=1, out=self._last_ranks)
        return self._last_ranks

    def after_step(self) -> None:
        """Let the key encoder follow."""
        self.key_encoder.update(self.query_encoder)
