"""From questions to a scorer: triplets, training, the verdict, export.

ParaQD (Gupta et al., 2022). Of the questions a fixed tenth is set apart: the encoder does not learn from it, and the
boundary of the score is set on its operators' pairs. The verdict is fitted on reviewers' decisions.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from analytics.artifacts import Manifest, data_sha256
from analytics.backbone.adapters import finish_adapters
from analytics.backbone.backbone import Backbone
from analytics.backbone.bert import load_trainable
from analytics.backbone.export import export_trained
from analytics.backbone.sources import DEFAULT_BACKBONE
from analytics.errors import DataError
from analytics.paraphrase.calibrating import (
    MAIN_METRIC,
    check_labels,
    decided_verdict,
    encoder_of,
    fitted_boundary,
    validation_metrics,
)
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.cross_encoder.reading import WEIGHTS_NAME
from analytics.paraphrase.cross_encoder.weights import write_pair_files
from analytics.paraphrase.export import STARTER_FOLDER
from analytics.paraphrase.pair_files import Material
from analytics.paraphrase.preparing import Prepared, prepared_material, report_triplets
from analytics.paraphrase.scoring.scorer import LEARNED_NAME, VERDICT_NAME
from analytics.paraphrase.scoring.verdict import Verdict
from analytics.paraphrase.scoring_task import ScoringTask
from analytics.paraphrase.triplets import (
    Triplet,
    question_number,
)
from analytics.records import ParaphrasePair
from analytics.training.context import (
    DEFAULT_CONTEXT,
    TrainingContext,
)
from analytics.training.distributed import broadcast_from_main
from analytics.training.interpolation import SHARES, interpolate_weights, starting_weights
from analytics.training.loop import train_configured
from analytics.training.manifest import with_provenance
from analytics.training.seeding import seed_everything
from analytics.training.stages import LoopSettings, Stage, TrainingResult


def fit_scorer(
    triplets: Sequence[Triplet],
    config: ParaphraseConfig,
    *,
    validation: Sequence[ParaphrasePair] = (),
    context: TrainingContext = DEFAULT_CONTEXT,
) -> tuple[Backbone, TrainingResult]:
    """Train an encoder on exactly these triplets; with validation pairs the weights of the best ranking are kept.

    Returns:
        The trained backbone, adapters merged, and how training ended.

    Raises:
        DataError: too few triplets, validation pairs of one label only, or the checkpoint is of another training.
        BackboneError: the backbone cannot be loaded.
        Cancelled: the context said so; the checkpoint is usable.
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
    """Train a scorer and write its artifact; `analytics.paraphrase.scoring.scorer.load_scorer` loads it.

    Args:
        material: questions and labelled pairs to learn from and to validate with, and what is kept out. By the ROC
            AUC of the validation pairs, the mean over their sources, the best weights are kept.
        config: the settings.
        output: the artifact's folder, written whole or not at all.
        context: name, provenance, checkpoint, progress and cancellation. The checkpoint's folder also keeps the
            triplets.
        start: what is trained further, where that is not what the settings name.

    Raises:
        DataError: too few triplets, or pairs of one label only.
        BackboneError: the backbone cannot be loaded.
        Cancelled: the context said so; the checkpoint is usable.
        ArtifactError: the folder cannot be written.
    """
    prepared = broadcast_from_main(partial(prepared_material, material, config, context))
    if not prepared.triplets:
        raise DataError("No triplet could be made of the questions.")
    check_labels(prepared.pairs)
    report = report_triplets(prepared.triplets)
    context.say(
        f"{report.triplets:,} triplets of {report.questions:,} questions; {prepared.kept_out:,} left out that test"
        f" sets hold; by closeness of wording alone their AUC is {report.distance_auc:.3f}."
    )
    if config.interpolate and not material.validation:
        context.say("No pairs to validate with: the trained weights are kept as they are.")
    begins_with = start or config.backbone
    backbone, result = fit_scorer(
        prepared.triplets,
        replace(config, backbone=begins_with),
        validation=material.validation,
        context=context,
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
    write_more = partial(
        write_scorer_files, verdict=verdict, learned=_learned(prepared), pair_reader=pair_reader
    )
    return broadcast_from_main(lambda: export_trained(backbone, output, about, write_more=write_more))


def pair_reader_weights(backbone: str) -> Path | None:
    """Return the pair reader that a new scorer takes over: of the scorer that it begins with, else the starter's.

    None for a scorer on another encoder than the default one, which no pair reader fits.
    """
    of_scorer, of_starter = Path(backbone) / WEIGHTS_NAME, STARTER_FOLDER / WEIGHTS_NAME
    if of_scorer.is_file():
        return of_scorer
    return of_starter if backbone == DEFAULT_BACKBONE and of_starter.is_file() else None


def write_scorer_files(
    folder: Path, *, verdict: Verdict, learned: np.ndarray, pair_reader: Path | None = None
) -> None:
    """Write what a scorer has beside its encoder: verdict, pair reader, the numbers of what it learned from."""
    if pair_reader is not None:
        write_pair_files(pair_reader, folder)
    (folder / VERDICT_NAME).write_text(json.dumps(verdict.as_dict(), indent=2) + "\n", encoding="utf-8")
    np.save(folder / LEARNED_NAME, learned)


def _learned(prepared: Prepared) -> np.ndarray:
    """Return the numbers of all questions and given pairs that the encoder or the verdict saw, sorted."""
    texts = {triplet.anchor for triplet in prepared.triplets} | {pair.original for pair in prepared.pairs}
    texts |= {triplet.positive for triplet in prepared.triplets if triplet.positive_operator == "given"}
    return np.unique(np.array([question_number(text) for text in texts], dtype=np.uint64))


def _data_hash(triplets: Sequence[Triplet]) -> str:
    return data_sha256((triplet.anchor, triplet.positive, triplet.negative) for triplet in triplets)
