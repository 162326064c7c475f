"""Contrastive pre-training of a question encoder: momentum contrast, the model, and the task for the training loop."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from analytics.backbone.backbone import Backbone, pooled_vectors
from analytics.concept_paths import NO_CONCEPT, encode_paths
from analytics.encoder.augmentation import Augmenter
from analytics.encoder.config import EncoderConfig
from analytics.encoder.examples import EncoderExample
from analytics.encoder.objectives import JointHeads, RankTable, task_contrast
from analytics.errors import DataError
from analytics.losses import RINCELoss
from analytics.training.distributed import gather
from analytics.training.stages import Step, Task, decay_groups, length_grouped_batches


class MomentumEncoder(nn.Module):
    """The key encoder: a copy of the query encoder that follows its weights as an exponential moving average.

    ``key = momentum * key + (1 - momentum) * query``; it receives no gradient, and runs in evaluation mode,
    without dropout, unless `train` is called on it.

    Args:
        query_encoder: the encoder to follow; not registered as a submodule, so its weights are not saved
            twice.
        momentum: share of its own weights retained in an update.

    Raises:
        ValueError: momentum outside 0 .. 1.
    """

    def __init__(self, query_encoder: nn.Module, momentum: float = 0.999) -> None:
        super().__init__()
        if not 0 <= momentum <= 1:
            raise ValueError(f"momentum must lie in 0 .. 1, not {momentum}")
        self.momentum = momentum
        self.encoder = copy.deepcopy(query_encoder).requires_grad_(False)

    def forward(self, *args: Any, **options: Any) -> Any:
        """Return the copy's output, without a gradient."""
        with torch.no_grad():
            return self.encoder(*args, **options)

    @torch.no_grad()
    def update(self, query_encoder: nn.Module) -> None:
        """Update the weights towards the query encoder by one step; buffers are copied."""
        for key_parameter, parameter in zip(self.encoder.parameters(), query_encoder.parameters(), strict=True):
            key_parameter.lerp_(parameter.detach().to(key_parameter), 1 - self.momentum)
        for key_buffer, buffer in zip(self.encoder.buffers(), query_encoder.buffers(), strict=True):
            key_buffer.copy_(buffer)


EMPTY = -1
"""Label of an unfilled slot."""


class MemoryQueue(nn.Module):
    """Ring buffer of the newest `size` keys; it takes batches of any size and is saved with the model.

    Unlike in QuesCo's published code, it begins empty rather than filled with random vectors, so that early
    negatives are questions, not noise.

    Args:
        size: maximum number of keys.
        dimension: length of a key.

    Raises:
        ValueError: size or dimension below 1.

    Attributes:
        keys: (size, dimension); only the first `len(queue)` slots are filled.
        labels: (size,) integers, `EMPTY` in unfilled slots.
    """

    keys: Tensor
    labels: Tensor
    position: Tensor

    def __init__(self, size: int, dimension: int) -> None:
        super().__init__()
        if size < 1 or dimension < 1:
            raise ValueError(f"size and dimension must be at least 1, not {size} and {dimension}")
        self.size = size
        self.register_buffer("keys", torch.zeros(size, dimension))
        self.register_buffer("labels", torch.full((size,), EMPTY, dtype=torch.long))
        self.register_buffer("position", torch.zeros((), dtype=torch.long))
        self._filled = 0  # on the host, so that no step has to wait for the device
        self.register_load_state_dict_post_hook(self._count_filled)

    def __len__(self) -> int:
        return self._filled

    def _count_filled(self, *_ignored: Any) -> None:
        self._filled = int((self.labels != EMPTY).sum())

    @torch.no_grad()
    def enqueue(self, keys: Tensor, labels: Tensor) -> None:
        """Add keys, dropping the oldest; if a batch is larger than the queue, its last keys are stored.

        Args:
            keys: (batch, dimension).
            labels: (batch,) integers of at least 0, e.g. row numbers of the questions.

        Raises:
            ValueError: shapes do not fit.
        """
        if keys.shape != (len(labels), self.keys.shape[1]):
            raise ValueError(f"keys {tuple(keys.shape)} do not fit {len(labels)} labels and this queue")
        keys, labels = keys[-self.size :], labels[-self.size :]
        places = (self.position + torch.arange(len(labels), device=self.keys.device)) % self.size
        self.keys[places] = keys.detach().to(self.keys)
        self.labels[places] = labels.to(self.labels)
        self.position.copy_((self.position + len(labels)) % self.size)
        self._filled = min(self._filled + len(labels), self.size)

    def filled(self) -> tuple[Tensor, Tensor]:
        """Return copies of the keys (filled, dimension) and labels (filled,), in no particular order.

        They are copies, because the backward pass runs after the next keys have been written.
        """
        count = len(self)
        return self.keys[:count].clone(), self.labels[:count].clone()


class QuestionEncoder(nn.Module):
    """Map token ids to a representation, and to a unit vector in the contrastive space.

    Args:
        transformer: a Hugging Face encoder.
        hidden: length of its token states.
        projection: length of the contrasted vectors; 0 contrasts the representations themselves.
        head: the encoder's existing head after its pooling; it is not trained.
    """

    def __init__(self, transformer: nn.Module, hidden: int, projection: int, head: nn.Module | None = None) -> None:
        super().__init__()
        self.transformer = transformer
        self.head = None if head is None else head.requires_grad_(False)
        self.projector: nn.Module = nn.Identity()
        if projection:
            self.projector = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, projection))

    def represent(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Map (batch, tokens) to (batch, hidden), unnormalised, ignoring padding."""
        return pooled_vectors(self.transformer, self.head, input_ids, attention_mask)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Map (batch, tokens) to unit vectors (batch, projection), or (batch, hidden) without a projector."""
        return normalize(self.projector(self.represent(input_ids, attention_mask)).float(), dim=1)


_GRIDS = 3  # per step: about 50 questions


class PretrainingTask(Task):
    """QuesCo: pull questions with similar concepts together, using a momentum encoder and a queue.

    Args:
        backbone: initial query encoder, on the training device; it is trained in place.
        examples: the training questions.
        config: the configuration.
        held_out: computes held-out metrics of the query encoder.

    Raises:
        DataError: there are fewer questions than two batches, or concepts are ranked and no question has one.
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
        self.query_encoder = QuestionEncoder(backbone.model, backbone.dimension, config.projection, backbone.head).to(
            device
        )
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
        """Return the paths to rank by: none without ranking; single concepts if finest concepts are classes."""
        if self.config.ranking == "none":
            return np.full((len(self.examples), 1, 1), NO_CONCEPT), np.zeros(len(self.examples), dtype=np.int64)
        hierarchies = [example.hierarchy for example in self.examples]
        if self.config.ranking == "finest":
            finest = [tuple((repr(path),) for path in example.paths) for example in self.examples]
            return encode_paths(finest, 1, hierarchies)
        return encode_paths([example.paths for example in self.examples], self.config.levels, hierarchies)

    def modules(self) -> Mapping[str, nn.Module]:
        heads = {} if self.heads is None else {"heads": self.heads}
        return {"query_encoder": self.query_encoder, "key_encoder": self.key_encoder, "queue": self.queue, **heads}

    def parameter_groups(self) -> Sequence[Mapping[str, Any]]:
        """Return the parameter groups of the query encoder and the heads."""
        heads = () if self.heads is None else self.heads.parameters()
        return decay_groups((*self.query_encoder.parameters(), *heads))

    def batches(self, epoch: int) -> Iterator[tuple[np.ndarray, list[str], list[str]]]:
        """Yield row numbers, texts and second views; drawn from (seed, epoch, row) alone, so it can resume."""
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
        """Return the loss and its terms by rank, and add the batch's keys to the queue."""
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
        """Return the loss terms that are not in the paper, for those with a non-zero weight."""
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
        """Update the key encoder."""
        self.key_encoder.update(self.query_encoder)
