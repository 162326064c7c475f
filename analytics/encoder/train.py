"""Train an encoder artifact from questions: pre-training, the last layer, held-out metrics, export.

The baseline of domain-adaptive pre-training (DAPT, Gururangan et al., ACL 2020) is masked-language modelling on the
bank's questions with BERT's masking (Devlin et al., 2019): 15 % of the tokens are predicted, of which 80 % are
masked, 10 % replaced and 10 % unchanged. The head is tied to the token embeddings, because a sentence encoder comes
without one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, gelu

from analytics.artifacts import MANIFEST_NAME, Manifest, artifact_read, file_sha256
from analytics.backbone.adapters import adapter_files, finish_adapters
from analytics.backbone.backbone import Backbone
from analytics.backbone.bert import encode_bulk, load_trainable
from analytics.backbone.export import export_trained
from analytics.concept_paths import retrieval_hits
from analytics.encoder.config import EncoderConfig
from analytics.encoder.examples import PACKAGED_GRIDS, EncoderExample, examples_hash, split_held_out
from analytics.encoder.metric_layer import check_examples, metric_stage
from analytics.encoder.pretraining import PretrainingTask
from analytics.errors import DataError
from analytics.inference.encode import nearest_rows
from analytics.records import ConceptPath
from analytics.training.context import DEFAULT_CONTEXT, TrainingContext
from analytics.training.device import seed_everything
from analytics.training.distributed import broadcast_from_main
from analytics.training.loop import train_configured
from analytics.training.stages import (
    LoopSettings,
    Stage,
    Step,
    Task,
    TrainingResult,
    length_grouped_batches,
    with_provenance,
)

_IGNORED = -100
_SHARE = 0.15  # of the tokens are predicted


class MaskedLanguageHead(nn.Module):
    """Map token states to scores for every token: BERT's transform, then the transposed embedding table.

    Args:
        embeddings: (tokens, hidden), shared with the encoder.
    """

    def __init__(self, embeddings: nn.Parameter) -> None:
        super().__init__()
        hidden = embeddings.shape[1]
        self.transform = nn.Linear(hidden, hidden)
        self.norm = nn.LayerNorm(hidden)
        self.embeddings = embeddings
        self.bias = nn.Parameter(torch.zeros(len(embeddings)))

    def forward(self, states: Tensor) -> Tensor:
        """Map (tokens to predict, hidden) to (tokens to predict, vocabulary)."""
        return self.norm(gelu(self.transform(states))) @ self.embeddings.T + self.bias


def mask_tokens(
    ids: Tensor, mask: Tensor, *, mask_id: int, vocabulary: int, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Return the masked input and the targets to predict.

    Args:
        ids: (batch, tokens); the first and last token of a row are never predicted.
        mask: (batch, tokens), 0 at padding.
        mask_id: id of the mask token.
        vocabulary: size of the vocabulary from which replacements are drawn.
        generator: random generator.

    Returns:
        Masked ids, and targets (batch, tokens) that are -100 where no token is to be predicted.
    """
    inner = mask.bool().clone()
    inner[:, 0] = False
    inner[torch.arange(len(ids)), mask.sum(dim=1) - 1] = False
    draw = torch.rand(ids.shape, generator=generator).to(ids.device)
    chosen = inner & (draw < _SHARE)
    targets = torch.where(chosen, ids, torch.full_like(ids, _IGNORED))
    how = torch.rand(ids.shape, generator=generator).to(ids.device)
    others = torch.randint(vocabulary, ids.shape, generator=generator).to(ids.device)
    hidden = torch.where(chosen & (how < 0.8), torch.full_like(ids, mask_id), ids)
    return torch.where(chosen & (how >= 0.9), others, hidden), targets


class MaskedLanguageTask(Task):
    """Predicts masked tokens.

    Args:
        backbone: trained in place.
        examples: the questions; only their texts are used.
        config: the configuration.
        held_out: computes held-out metrics of the encoder.

    Raises:
        DataError: too few questions, or the vocabulary has no mask token.
    """

    def __init__(
        self,
        backbone: Backbone,
        examples: Sequence[EncoderExample],
        config: EncoderConfig,
        held_out: Callable[[], Mapping[str, float]] | None = None,
    ) -> None:
        mask_id = backbone.tokenizer.token_to_id("[MASK]")
        if mask_id is None:
            mask_id = backbone.tokenizer.token_to_id("<mask>")
        if mask_id is None:
            raise DataError(f"The encoder {backbone.name} has no token for a masked word.")
        if len(examples) < config.batch_size:
            raise DataError(f"Pre-training needs at least {config.batch_size} questions, there are {len(examples)}.")
        self.backbone, self.config, self.mask_id = backbone, config, mask_id
        self.texts = [example.text for example in examples]
        self.held_out = held_out
        table = cast(nn.Parameter, backbone.model.get_input_embeddings().weight)
        table.requires_grad_(not config.freeze_embeddings)
        self.vocabulary = table.shape[0]
        self.head = MaskedLanguageHead(table).to(backbone.device)
        self.lengths = [len(encoding.ids) for encoding in backbone.tokenizer.encode_batch_fast(self.texts)]

    def modules(self) -> Mapping[str, nn.Module]:
        return {"transformer": self.backbone.model, "head": self.head}

    def batches(self, epoch: int) -> Iterator[np.ndarray]:
        """Yield row numbers, preceded by a seed for the masks."""
        rng = np.random.default_rng((self.config.seed, epoch))
        for index, rows in enumerate(length_grouped_batches(self.lengths, self.config.batch_size, rng)):
            yield np.concatenate([[(self.config.seed * 7919 + epoch) * 1_000_003 + index], rows])

    def losses(self, batch: np.ndarray, _step: Step) -> Mapping[str, Tensor]:
        """Return the cross-entropy of the masked tokens."""
        generator = torch.Generator().manual_seed(int(batch[0]))
        ids, mask = self.backbone.batch([self.texts[row] for row in batch[1:]])
        hidden, targets = mask_tokens(ids, mask, mask_id=self.mask_id, vocabulary=self.vocabulary, generator=generator)
        states = self.backbone.model(input_ids=hidden, attention_mask=mask).last_hidden_state
        chosen = targets != _IGNORED
        if not chosen.any():  # a batch of very short questions
            return {"loss": 0.0 * states.sum()}
        return {"loss": cross_entropy(self.head(states[chosen]).float(), targets[chosen])}


_MEASURED, _AMONG = 500, 2_000  # held-out questions, and training questions to retrieve from
_MAIN_METRIC = "held_out_precision_at_10"


def train_encoder(
    examples: Sequence[EncoderExample],
    config: EncoderConfig,
    output: Path,
    context: TrainingContext = DEFAULT_CONTEXT,
    *,
    start: str = "",
) -> Manifest:
    """Pre-train an encoder and write its artifact; `analytics.inference.encode.load_encoder` loads it.

    Args:
        examples: questions to learn from. Those of the fixed held-out part (`analytics.splits.is_held_out`)
            are removed, counted, and used for evaluation. If concepts are ranked, questions without one are
            left out.
        config: the settings; its backbone is loaded.
        output: the artifact's folder, written atomically.
        context: name, provenance, checkpoint, progress and cancellation.
        start: encoder to load instead of the configuration's backbone.

    Raises:
        DataError: there are too few questions, or none has a concept.
        BackboneError: the backbone cannot be loaded.
        Cancelled: the context requested it; the checkpoint is usable.
        ArtifactError: the folder cannot be written.
    """
    remaining, kept_out = split_held_out(examples)
    learned = _with_rank(remaining, config)
    context.say(f"{len(learned):,} questions to learn from; {len(kept_out):,} left out for the fixed held-out part.")
    if len(learned) < len(remaining):
        context.say(f"{len(remaining) - len(learned):,} questions left out: without a concept they cannot be ranked.")
    backbone, result = fit_encoder(learned, config, held_out=kept_out, start=start, context=context)
    context.say("Exporting")
    about = Manifest(
        "encoder",
        f"{backbone.name}-quesco",
        metrics=result.as_metrics(measured_on="held_out"),
        data_hash=examples_hash(learned),
        extra={
            "questions": len(learned),
            "questions_held_out": len(kept_out),
            "hierarchies": dict(Counter(example.hierarchy for example in learned)),
            **({"task_grids_hash": file_sha256(PACKAGED_GRIDS)} if config.task_weight else {}),
            **_begun_with(Path(start or config.backbone)),
        },
    )
    about = with_provenance(about, config, context, backbone, start=start)
    return broadcast_from_main(lambda: export_trained(backbone, output, about))


def _begun_with(encoder: Path) -> dict[str, Any]:
    """Return the provenance of the model that training started from, if it was one of ours."""
    if not (encoder / MANIFEST_NAME).is_file():
        return {}
    manifest = artifact_read(encoder)
    return {
        "begun_with": {
            "name": manifest.name,
            "config": dict(manifest.config),
            "data_hash": manifest.data_hash,
            "license_note": manifest.license_note,
            "command": manifest.extra.get("command", ""),
        }
    }


def fit_encoder(
    examples: Sequence[EncoderExample],
    config: EncoderConfig,
    *,
    held_out: Sequence[EncoderExample] = (),
    start: str = "",
    context: TrainingContext = DEFAULT_CONTEXT,
) -> tuple[Backbone, TrainingResult]:
    """Train a backbone on exactly these questions, in up to two stages: the transformer, then a last layer.

    Args:
        examples: the training questions.
        config: the settings.
        held_out: questions to evaluate on.
        start: encoder to load instead of the configuration's backbone.
        context: checkpoint, progress and cancellation. The checkpoint's folder also caches the vectors that a
            last layer is fitted on.

    Returns:
        The trained backbone, adapters merged, and the training result.

    Raises:
        DataError: there are too few questions, none has a concept, or the checkpoint belongs to another
            training.
        BackboneError: the backbone cannot be loaded.
        Cancelled: the context requested it; the checkpoint is usable.
    """
    if config.metric_steps:
        check_examples(examples, config.levels)
    generator = seed_everything(config.seed)
    source = start or config.backbone
    trains_transformer = config.objective != "last-layer"
    backbone = load_trainable(
        source,
        rank=config.adapter_rank if trains_transformer else 0,
        max_tokens=config.max_tokens,
        device=config.device,
    )
    measure = None
    if held_out:
        measure = partial(_Evaluation(examples, held_out, config.levels, generator), backbone)
    backbone.adapter = adapter_files(Path(source))  # a last layer does not change it
    stages = []
    if trains_transformer:
        stages.append(_transformer_stage(backbone, examples, config, measure))
    if config.metric_steps:
        stages.append(metric_stage(backbone, examples, config, context, measure))
    data_hash = examples_hash(examples)
    if config.task_weight:
        data_hash += file_sha256(PACKAGED_GRIDS)
    result = train_configured(stages, config, data_hash, context)
    return backbone, result


def _transformer_stage(
    backbone: Backbone,
    examples: Sequence[EncoderExample],
    config: EncoderConfig,
    measure: Callable[[], Mapping[str, float]] | None,
) -> Stage:
    make = PretrainingTask if config.objective == "contrast" else MaskedLanguageTask
    settings = LoopSettings.of(config, best_metric=_MAIN_METRIC if config.patience and measure else "")
    task = partial(make, backbone, examples, config, measure)
    return Stage("transformer", task, settings, finish=lambda _task: finish_adapters(backbone))


class _Evaluation:
    """Held-out precision at 10 among training questions, level by level."""

    def __init__(
        self,
        examples: Sequence[EncoderExample],
        held_out: Sequence[EncoderExample],
        levels: int,
        rng: np.random.Generator,
    ) -> None:
        self.levels = levels
        self.held_out = _sample([example for example in held_out if example.paths], _MEASURED, rng)
        self.among = _sample([example for example in examples if example.paths], _AMONG, rng)

    def __call__(self, backbone: Backbone) -> dict[str, float]:
        if not self.held_out or not self.among:
            return {}
        vectors = encode_bulk(backbone, [example.text for example in (*self.held_out, *self.among)])
        figures = precision_at_k(
            vectors[: len(self.held_out)],
            vectors[len(self.held_out) :],
            [_with_hierarchy(example) for example in self.held_out],
            [_with_hierarchy(example) for example in self.among],
            levels=self.levels + 1,
        )
        by_level = {level - 1: value for level, value in figures.items() if level > 1}
        if not by_level:
            return {}
        return {
            _MAIN_METRIC: float(np.mean(list(by_level.values()))),
            **{f"{_MAIN_METRIC}_level_{level}": value for level, value in by_level.items()},
        }


def _with_rank(examples: list[EncoderExample], config: EncoderConfig) -> list[EncoderExample]:
    """Return the questions that the objective can compare with others, or report and return all if there are none.

    If concepts are ranked, a question without one has no rank to any other and would only take up space in
    the queue.
    """
    if config.objective == "last-layer":
        return [example for example in examples if example.paths] or examples
    if config.objective != "contrast" or config.ranking == "none":
        return examples
    ordered = config.difficulty_weight > 0
    return [
        example for example in examples if example.paths or (ordered and example.difficulty is not None)
    ] or examples


def _with_hierarchy(example: EncoderExample) -> list[tuple[str, ...]]:
    return [(example.hierarchy, *path) for path in example.paths]


def _sample(examples: Sequence[EncoderExample], size: int, rng: np.random.Generator) -> list[EncoderExample]:
    return [examples[row] for row in sorted(rng.permutation(len(examples))[:size])]


def precision_at_k(
    vectors: npt.NDArray[np.float32],
    others: npt.NDArray[np.float32],
    paths: Sequence[Sequence[ConceptPath]],
    other_paths: Sequence[Sequence[ConceptPath]],
    *,
    levels: int,
) -> dict[int, float]:
    """Return the mean share of the ten nearest that share the concept path, for the levels 1 .. `levels` that occur."""
    nearest = nearest_rows(vectors, others)
    figures = {}
    for level in range(1, levels + 1):
        hits = retrieval_hits(nearest, paths, other_paths, level)
        if not np.isnan(hits).all():
            figures[level] = float(np.nanmean(hits))
    return figures
