"""The last layer of an encoder, fitted on the vectors of all questions at once (ours, decision 30).

Metric learning: one linear map after the pooling, after which questions that share concepts are near. The
transformer is frozen, so each question is encoded once and a batch may hold two thousand of them, instead of
the sixteen of a transformer training step. Contrast depends on how much of a hierarchy a batch covers: at
this size, every concept has several questions in it. Distances between hierarchies are undefined; such pairs
are left out.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn.functional import dropout, normalize

from analytics.atomic_file import written_aside
from analytics.backbone.backbone import Backbone, Head, set_head
from analytics.backbone.bert import encode_bulk
from analytics.backbone.export import for_serving
from analytics.concept_paths import encode_paths
from analytics.encoder.config import EncoderConfig
from analytics.encoder.examples import EncoderExample
from analytics.encoder.objectives import RankTable, TaskContrast, task_contrast
from analytics.errors import DataError
from analytics.losses import HierarchicalContrastLoss
from analytics.records import ConceptPath
from analytics.training.context import TrainingContext
from analytics.training.device import seed_everything
from analytics.training.stages import LoopSettings, Stage, Step, Task

METRIC_STAGE = "last_layer"
"""Name of the stage that fits the last layer."""

PART = 1_024  # texts that are encoded and cached together
VECTORS_PREFIX = "vectors-"  # of the files next to a checkpoint that cache them

# Chosen on held-out questions of the public sets' training parts (decision 30).
_BATCH = 2048
_LEARNING_RATE = 1e-3
_TEMPERATURE = 0.1
_DROPOUT = 0.3  # of the entries of the input vectors
_GRIDS = 32  # task grids drawn per step


@dataclass(frozen=True, slots=True)
class WeighedTasks:
    """Task grids with the encoder's vectors of their questions, (questions, dimension), and their loss weight."""

    contrast: TaskContrast
    vectors: npt.NDArray[np.float32]
    weight: float


class MetricTask(Task):
    """A linear map, initialised to the identity.

    Args:
        backbone: the encoder, on the training device; `attach` adds the layer to it.
        vectors: (questions, dimension) from the unchanged encoder, of length 1.
        examples: the questions; they need concepts.
        config: provides the levels (deeper parts of a path are ignored) and the seed.
        held_out: computes held-out metrics of the encoder.
        tasks: task grids, their vectors and the weight of their contrast, if any.

    Raises:
        DataError: as `check_examples`.
    """

    def __init__(
        self,
        backbone: Backbone,
        vectors: npt.NDArray[np.float32],
        examples: Sequence[EncoderExample],
        config: EncoderConfig,
        *,
        held_out: Callable[[], Mapping[str, float]] | None = None,
        tasks: WeighedTasks | None = None,
    ) -> None:
        check_examples(examples, config.levels)
        self.backbone, self.before, self.held_out = backbone, backbone.head, held_out
        device = backbone.device
        self.vectors = torch.from_numpy(vectors).to(device)
        paths, hierarchies = encode_paths(
            [example.paths for example in examples], config.levels, [example.hierarchy for example in examples]
        )
        self.rank_table = RankTable(paths, hierarchies, device)
        self.layer = nn.Linear(vectors.shape[1], vectors.shape[1], bias=False).to(device)
        nn.init.eye_(self.layer.weight)
        self.loss = HierarchicalContrastLoss(config.levels, _TEMPERATURE)
        self.tasks = tasks
        self.size = min(_BATCH, len(examples))
        self.seed = config.seed

    def modules(self) -> Mapping[str, nn.Module]:
        """Return the layer."""
        return {"layer": self.layer}

    def parameter_groups(self) -> Sequence[Mapping[str, Any]]:
        """Return the layer's weights, without decay, which would pull them to 0 instead of to their initial values."""
        return [{"params": list(self.layer.parameters()), "weight_decay": 0.0}]

    def batches_per_epoch(self) -> int:
        """Return the number of batches; incomplete last ones are dropped."""
        return len(self.vectors) // self.size

    def batches(self, epoch: int) -> Iterator[npt.NDArray[np.int64]]:
        """Yield row numbers, drawn from (seed, epoch) alone."""
        order = np.random.default_rng((self.seed, epoch)).permutation(len(self.vectors))
        for batch in range(self.batches_per_epoch()):
            yield order[batch * self.size : (batch + 1) * self.size]

    def losses(self, batch: npt.NDArray[np.int64], step: Step) -> Mapping[str, Tensor]:
        """Return the contrast of every question in the batch with every other, and the task contrast."""
        rows = torch.from_numpy(batch).to(self.vectors.device, non_blocking=True)
        unit = normalize(self._read(self.vectors[rows]), dim=1)
        loss = self.loss(unit @ unit.T, self.rank_table.ranks(rows, rows))
        if self.tasks is None:
            return {"loss": loss}
        drawn = self.tasks.contrast.draw(step.number)
        vectors = torch.from_numpy(self.tasks.vectors[drawn]).to(self.vectors.device, non_blocking=True)
        term = self.tasks.contrast(drawn, self._read(vectors))
        return {"loss": loss + self.tasks.weight * term, "loss_tasks": term}

    def _read(self, vectors: Tensor) -> Tensor:
        return self.layer(dropout(vectors, _DROPOUT)).float()

    def evaluate(self) -> Mapping[str, float]:
        """Return held-out metrics of the encoder followed by the layer."""
        self.attach()
        return super().evaluate()

    def attach(self) -> None:
        """Put the layer after the encoder, on top of any existing one."""
        fitted = self.layer.weight.detach()
        head = Head.linear(fitted) if self.before is None else self.before.followed_by(fitted)
        set_head(self.backbone, head)


def check_examples(examples: Sequence[EncoderExample], levels: int) -> None:
    """Check that a last layer can learn anything from these questions.

    Raises:
        DataError: in no hierarchy do two questions share a concept that a third one does not have.
    """
    tagged: Counter[str] = Counter()
    sharing: Counter[tuple[str, ConceptPath]] = Counter()
    for example in examples:
        if example.paths:
            tagged[example.hierarchy] += 1
            sharing.update(
                {(example.hierarchy, path[: depth + 1]) for path in example.paths for depth in range(levels)}
            )
    if not any(1 < count < tagged[hierarchy] for (hierarchy, _path), count in sharing.items()):
        raise DataError(
            "A last layer needs questions that share a concept, and others of the same hierarchy that do not."
        )


def _encode_kept(backbone: Backbone, texts: Sequence[str], context: TrainingContext) -> npt.NDArray[np.float32]:
    """Encode texts part by part, caching parts in the checkpoint's folder.

    Returns:
        (texts, dimension) float32.
    """
    parts = [np.zeros((0, backbone.dimension), dtype=np.float32)]
    for start in range(0, len(texts), PART):
        part = texts[start : start + PART]
        tell = partial(_tell_part, context, start, len(texts))
        checkpoint = None if context.checkpoints is None else context.checkpoints / _part_name(backbone, part)
        if checkpoint is not None and checkpoint.is_file():
            parts.append(np.load(checkpoint))
            tell(len(part), len(part))
            continue
        parts.append(encode_bulk(backbone, part, progress=tell, cancel=context.cancel))
        if checkpoint is not None:
            checkpoint.parent.mkdir(parents=True, exist_ok=True)
            with written_aside(checkpoint) as stream:
                np.save(stream, parts[-1])
    return np.concatenate(parts)


def _weighed_tasks(backbone: Backbone, config: EncoderConfig, context: TrainingContext) -> WeighedTasks | None:
    """Return the task contrast with its input vectors; None if `task_contrast` returns None."""
    contrast = task_contrast(backbone, config, grids=_GRIDS)
    if contrast is None:
        return None
    vectors = _encode_kept(backbone, contrast.batches.texts, context)
    return WeighedTasks(contrast, vectors, config.task_weight)


def _part_name(backbone: Backbone, texts: Sequence[str]) -> str:
    content = json.dumps([backbone.weights_hash, backbone.max_tokens, *texts])
    return f"{VECTORS_PREFIX}{hashlib.sha256(content.encode()).hexdigest()[:32]}.npy"


def _tell_part(context: TrainingContext, start: int, total: int, done: int, _of: int) -> None:
    context.progress(start + done, total, "Encoding the questions")


def metric_stage(
    backbone: Backbone,
    examples: Sequence[EncoderExample],
    config: EncoderConfig,
    context: TrainingContext,
    held_out: Callable[[], Mapping[str, float]] | None = None,
) -> Stage:
    """Return the stage that fits the last layer of an encoder; an existing layer is extended.

    Args:
        backbone: the encoder; its adapters are merged when the stage begins.
        examples: the training questions; those without a concept are ignored.
        config: provides `metric_steps`, levels and seed.
        context: its checkpoint folder caches the vectors, so that an interrupted training does not encode
            them again.
        held_out: computes held-out metrics of the encoder with its new layer.
    """
    tagged = [example for example in examples if example.paths]

    def objective() -> MetricTask:
        seed_everything(config.seed)
        served = for_serving(backbone)  # the layer follows the served encoder, which truncates texts later
        try:
            vectors = _encode_kept(served, [example.text for example in tagged], context)
            tasks = _weighed_tasks(served, config, context)
        finally:
            backbone.tokenizer.enable_truncation(backbone.max_tokens)
        return MetricTask(backbone, vectors, tagged, config, held_out=held_out, tasks=tasks)

    return Stage(
        METRIC_STAGE,
        objective,
        LoopSettings(
            learning_rate=_LEARNING_RATE,
            weight_decay=0.0,
            evaluate_every=config.metric_steps,
            checkpoint_every=config.checkpoint_every,
        ),
        steps=config.metric_steps,
        finish=MetricTask.attach,
    )
