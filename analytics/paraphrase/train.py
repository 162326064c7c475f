"""Train a scorer from questions: triplets, training, the verdict, export."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from analytics.artifacts import Manifest, artifact_amend, data_sha256
from analytics.backbone.adapters import finish_adapters
from analytics.backbone.backbone import Backbone
from analytics.backbone.bert import load_trainable
from analytics.backbone.export import export_starter, export_trained
from analytics.backbone.sources import DEFAULT_BACKBONE
from analytics.errors import DataError
from analytics.losses import MultipleNegativesRankingLoss, TripletLoss
from analytics.paraphrase.config import TOGETHER, ParaphraseConfig
from analytics.paraphrase.cross_encoder import write_pair_files
from analytics.paraphrase.metrics import (
    MAIN_METRIC,
    check_labels,
    decided_verdict,
    encoder_of,
    fitted_boundary,
    validation_metrics,
)
from analytics.paraphrase.pair_files import Material
from analytics.paraphrase.pair_reading import WEIGHTS_NAME
from analytics.paraphrase.preparing import Prepared, prepared_material, report_triplets
from analytics.paraphrase.scorer import LEARNED_NAME, VERDICT_NAME, typed_text
from analytics.paraphrase.triplets import Triplet, question_number
from analytics.paraphrase.verdict import Verdict
from analytics.records import ParaphrasePair
from analytics.training.context import DEFAULT_CONTEXT, TrainingContext
from analytics.training.device import seed_everything
from analytics.training.distributed import broadcast_from_main, gather_objects, gather_rows
from analytics.training.loop import train_configured
from analytics.training.stages import (
    LoopSettings,
    Stage,
    Step,
    Task,
    TrainingResult,
    decay_groups,
    length_grouped_batches,
    with_provenance,
)

SHARES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4)
"""Interpolation coefficients to try; on a tie the first is taken."""

_NOT_SCALED = ".lora_A."  # only one of an adapter's two factors is scaled, so that their product is


def starting_weights(model: nn.Module) -> dict[str, Tensor]:
    """Return copies of the weights that a training run will change; call it before training begins."""
    return {
        name: weight.detach().clone()
        for name, weight in model.named_parameters()
        if weight.requires_grad and _NOT_SCALED not in name
    }


@torch.no_grad()
def interpolate_weights(
    model: nn.Module, start: dict[str, Tensor], judge: Callable[[], float], shares: Sequence[float] = SHARES
) -> float:
    """Set a trained model to the best weights on the line from its starting weights.

    Wortsman et al. (CVPR 2022), "Robust fine-tuning of zero-shot models": training on synthetic examples forgets
    some of what the pretrained weights knew; between the two there are weights that rank better than either end,
    even on data of another kind.

    Args:
        model: trained; its weights are changed in place.
        start: its `starting_weights`.
        judge: called after each set of weights is loaded into the model; higher is better.
        shares: coefficients from start (0) to end (1).

    Returns:
        The chosen coefficient.
    """
    weights = dict(model.named_parameters())
    end = {name: weights[name].detach().clone() for name in start}

    def go(share: float) -> None:
        for name, first in start.items():
            weights[name].copy_(torch.lerp(first, end[name], share))

    figures = []
    for share in shares:
        go(share)
        figures.append(judge())
    best = max(range(len(shares)), key=lambda place: figures[place])
    go(shares[best])
    return shares[best]


STARTER_FOLDER = Path(__file__).parent / "starter"


class ScoringTask(Task):
    """Implements `analytics.training.stages.Task`.

    Args:
        backbone: trained in place, on the training device.
        triplets: the training triplets.
        config: the configuration.
        evaluate: computes held-out metrics of the backbone.

    Raises:
        DataError: there are fewer triplets than a batch.
    """

    def __init__(
        self,
        backbone: Backbone,
        triplets: Sequence[Triplet],
        config: ParaphraseConfig,
        evaluate: Callable[[Backbone], Mapping[str, float]] | None = None,
    ) -> None:
        if len(triplets) < config.batch_size:
            raise DataError(f"Training needs at least {config.batch_size} triplets, there are {len(triplets)}.")
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
        """Return the modules to save in checkpoints."""
        return {"encoder": self.backbone.model}

    def parameter_groups(self) -> Sequence[Mapping[str, Any]]:
        """Return the encoder's parameter groups."""
        return decay_groups(self.backbone.model.parameters())

    def batches_per_epoch(self) -> int:
        """Return the number of batches; incomplete last ones are dropped."""
        return len(self.groups) // self.config.groups_per_batch

    def batches(self, epoch: int) -> Iterator[list[Triplet]]:
        """Yield triplets of questions of similar length, drawn from seed and epoch alone, so it can resume."""
        rng = np.random.default_rng((self.config.seed, epoch))
        for numbers in length_grouped_batches(self.lengths, self.config.groups_per_batch, rng):
            yield [self.triplets[row] for number in numbers for row in self.groups[number]]

    def losses(self, batch: list[Triplet], _step: Step) -> Mapping[str, Tensor]:
        """Return the loss and its terms."""
        texts = list(dict.fromkeys(chain.from_iterable(self._learned(batch))))
        vectors = gather_rows(self.backbone.embed_texts([self._read(text) for text in texts]).float())
        rows = {text: row for row, text in enumerate(chain.from_iterable(gather_objects(texts)))}
        learned = self._learned(list(chain.from_iterable(gather_objects(batch))))  # of the whole batch
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
        """Do nothing."""

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
    """Return the rows of triplets that share an anchor, at most `TOGETHER` each."""
    by_anchor: dict[str, list[int]] = {}
    for row, triplet in enumerate(triplets):
        by_anchor.setdefault(triplet.anchor, []).append(row)
    return [rows[start : start + TOGETHER] for rows in by_anchor.values() for start in range(0, len(rows), TOGETHER)]


def _combined(batch: Sequence[Triplet]) -> list[tuple[str, str, str]]:
    """Combine each positive of an anchor with each of its negatives."""
    by_anchor: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for triplet in batch:
        positives, negatives = by_anchor.setdefault(triplet.anchor, ({}, {}))
        positives[triplet.positive] = negatives[triplet.negative] = None
    return [
        (anchor, positive, negative)
        for anchor, (positives, negatives) in by_anchor.items()
        for positive, negative in product(positives, negatives)
    ]


def fit_scorer(
    triplets: Sequence[Triplet],
    config: ParaphraseConfig,
    *,
    validation: Sequence[ParaphrasePair] = (),
    context: TrainingContext = DEFAULT_CONTEXT,
) -> tuple[Backbone, TrainingResult]:
    """Train an encoder on exactly these triplets; with validation pairs, the weights that rank best are kept.

    Returns:
        The trained backbone, adapters merged, and the training result.

    Raises:
        DataError: too few triplets, validation pairs of one label only, or the checkpoint belongs to another
            training.
        BackboneError: the backbone cannot be loaded.
        Cancelled: the context requested it; the checkpoint is usable.
    """
    seed_everything(config.seed)
    backbone = load_trainable(
        config.backbone, rank=config.adapter_rank, max_tokens=config.max_tokens, device=config.device
    )
    evaluate = partial(validation_metrics, validation, config) if validation else None
    task = ScoringTask(backbone, triplets, config, evaluate)
    start = starting_weights(backbone.model) if config.interpolate and evaluate else {}
    settings = LoopSettings.of(config, best_metric=MAIN_METRIC if validation else "")
    stage = Stage("training", lambda: task, settings)
    result = train_configured([stage], config, _data_hash(triplets), context)
    if start:
        figures: list[dict[str, float]] = []

        def judge() -> float:
            figures.append(broadcast_from_main(lambda: dict(task.evaluate())))
            return figures[-1][MAIN_METRIC]

        share = interpolate_weights(backbone.model, start, judge)
        result = replace(result, best=figures[SHARES.index(share)] | {"share_of_training": share})
    finish_adapters(backbone)
    return backbone, result


def train_scorer(
    material: Material,
    config: ParaphraseConfig,
    output: Path,
    context: TrainingContext = DEFAULT_CONTEXT,
    *,
    start: str = "",
) -> Manifest:
    """Train a scorer and write its artifact; `analytics.paraphrase.scorer.load_scorer` loads it.

    Args:
        material: questions and labelled pairs for training and validation, and exclusions. The best weights
            are chosen by the ROC AUC of the validation pairs, averaged over their sources.
        config: the settings.
        output: the artifact's folder, written atomically.
        context: name, provenance, checkpoint, progress and cancellation. The checkpoint's folder also caches
            the triplets.
        start: encoder or scorer to continue training, if not the one in the settings.

    Raises:
        DataError: too few triplets, or pairs of one label only.
        BackboneError: the backbone cannot be loaded.
        Cancelled: the context requested it; the checkpoint is usable.
        ArtifactError: the folder cannot be written.
    """
    prepared = broadcast_from_main(partial(prepared_material, material, config, context))
    if not prepared.triplets:
        raise DataError("No triplet could be made from the questions.")
    check_labels(prepared.pairs)
    report = report_triplets(prepared.triplets)
    context.say(
        f"{report.triplets:,} triplets of {report.questions:,} questions; {prepared.kept_out:,} questions left"
        f" out that test sets contain; AUC by closeness of wording alone: {report.distance_auc:.3f}."
    )
    if config.interpolate and not material.validation:
        context.say("No pairs to validate with: the trained weights are kept as they are.")
    begins_with = start or config.backbone
    backbone, result = fit_scorer(
        prepared.triplets, replace(config, backbone=begins_with), validation=material.validation, context=context
    )
    encode = encoder_of(backbone, config)
    pair_reader = pair_reader_weights(begins_with)

    def fit() -> Verdict:
        boundary = fitted_boundary(encode, prepared.pairs, config)
        return decided_verdict(material.decided, boundary=boundary, pair_reader=pair_reader)

    verdict = broadcast_from_main(fit)
    if verdict.pairs:
        context.say(f"The verdict is fitted on {verdict.pairs:,} decisions of reviewers.")
    context.say("Exporting")
    about = Manifest(
        "paraphrase",
        f"{backbone.name}-paraqd",
        metrics=result.as_metrics(),
        data_hash=_data_hash(prepared.triplets),
        extra={
            "triplets": report.triplets,
            "questions": report.questions,
            "given_pairs": len(material.given),
            "distance_auc": round(report.distance_auc, 4),
            "validation_pairs": len(material.validation),
            "kept_out": prepared.kept_out,
            "verdict_pairs": verdict.pairs,
        },
    )
    about = with_provenance(about, config, context, backbone)
    write_more = partial(write_scorer_files, verdict=verdict, learned=_learned(prepared), pair_reader=pair_reader)
    return broadcast_from_main(lambda: export_trained(backbone, output, about, write_more=write_more))


def pair_reader_weights(backbone: str) -> Path | None:
    """Return the pair reader for a new scorer: that of the scorer it starts from, otherwise the starter's.

    None for a scorer on an encoder other than the default one, which has no matching pair reader.
    """
    of_scorer, of_starter = Path(backbone) / WEIGHTS_NAME, STARTER_FOLDER / WEIGHTS_NAME
    if of_scorer.is_file():
        return of_scorer
    return of_starter if backbone == DEFAULT_BACKBONE and of_starter.is_file() else None


def write_scorer_files(folder: Path, *, verdict: Verdict, learned: np.ndarray, pair_reader: Path | None = None) -> None:
    """Write a scorer's files besides its encoder: verdict, pair reader, and the hashes of its training texts."""
    if pair_reader is not None:
        write_pair_files(pair_reader, folder)
    (folder / VERDICT_NAME).write_text(json.dumps(verdict.as_dict(), indent=2) + "\n", encoding="utf-8")
    np.save(folder / LEARNED_NAME, learned)


def _learned(prepared: Prepared) -> np.ndarray:
    """Return the sorted hashes of all questions and given pairs that the encoder or the verdict saw."""
    texts = {triplet.anchor for triplet in prepared.triplets} | {pair.original for pair in prepared.pairs}
    texts |= {triplet.positive for triplet in prepared.triplets if triplet.positive_operator == "given"}
    return np.unique(np.array([question_number(text) for text in texts], dtype=np.uint64))


def _data_hash(triplets: Sequence[Triplet]) -> str:
    return data_sha256((triplet.anchor, triplet.positive, triplet.negative) for triplet in triplets)


def export_scorer(output: Path, *, backbone: str = "", adapter: Path | None = None) -> Manifest:
    """Write the scorer artifact of a starter's folder, which `analytics.paraphrase.scorer.load_scorer` loads.

    Args:
        output: the artifact's folder.
        backbone: packaged name, local folder or hub id; empty for the default.
        adapter: the starter's folder, by default the program's own.

    Raises:
        BackboneError: the backbone, the adapter or the pair reader cannot be loaded.
        ArtifactError: the starter's folder is missing or damaged, or the output cannot be written.
    """
    starter = adapter or STARTER_FOLDER
    manifest = export_starter(output, starter, backbone=backbone)
    if WEIGHTS_NAME not in manifest.files:
        return manifest
    return artifact_amend(output, manifest, lambda aside: write_pair_files(starter / WEIGHTS_NAME, aside))
