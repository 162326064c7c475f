"""From questions to a scorer: triplets, training, the verdict, export.

ParaQD (Gupta et al., 2022). Of the questions a fixed tenth is set apart: the encoder does not learn from it, and the
verdict that joins score and findings is fitted on its operators' pairs.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from analytics.artifacts import Manifest, data_sha256
from analytics.backbone.adapters import finish_adapters
from analytics.backbone.bert import Backbone, encode_bulk, load_trainable
from analytics.backbone.export import export_trained
from analytics.backbone.sources import DEFAULT_BACKBONE, license_with_backbone
from analytics.configuration import config_to_dict, training_identity, training_settings
from analytics.errors import ArtifactError, DataError
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.cross_encoder.reading import WEIGHTS_NAME
from analytics.paraphrase.cross_encoder.weights import served_pair_reader, write_pair_files
from analytics.paraphrase.operators.catalog import (
    ParaphraseOperator,
    select_operators,
    with_functions,
)
from analytics.paraphrase.pair_files import Material, read_material
from analytics.paraphrase.scoring.fitting import calibrate_bias, fit_boundary, fit_verdict
from analytics.paraphrase.scoring.metrics import pair_metrics, roc_auc
from analytics.paraphrase.scoring.scorer import LEARNED_NAME, VERDICT_NAME, cosines, weigh_pairs
from analytics.paraphrase.scoring.verdict import READING_CAP, UNCAPPED, UNSTRETCHED, Verdict, stretched
from analytics.paraphrase.scoring_task import ScoringTask
from analytics.paraphrase.seq2seq import training_functions
from analytics.paraphrase.starter import STARTER_FOLDER
from analytics.paraphrase.triplet_report import report_triplets
from analytics.paraphrase.triplets import (
    KeptOut,
    Triplet,
    make_triplets,
    question_number,
    triplet_pairs,
)
from analytics.paraphrase.words.typed_text import reading_typed
from analytics.records import ParaphrasePair
from analytics.retrieval import Encode
from analytics.splits import is_held_out, linked_texts, masked_text
from analytics.training.callbacks import History
from analytics.training.checkpoint import kept_or_made
from analytics.training.context import (
    DEFAULT_CONTEXT,
    DEFAULT_FILES,
    FileOptions,
    Progress,
    Say,
    TrainingContext,
)
from analytics.training.device import pick_device
from analytics.training.distributed import broadcast_from_main
from analytics.training.files import file_training
from analytics.training.interpolation import SHARES, interpolate_weights, starting_weights
from analytics.training.loop import LoopSettings, TrainingResult, train_loop
from analytics.training.seeding import seed_everything

_CALIBRATED_QUESTIONS = 500
_MAIN_METRIC = "validation_auc"


@dataclass(frozen=True)
class Prepared:
    """Everything that a training reads, made once and kept beside its checkpoint.

    Attributes:
        triplets: what the encoder learns.
        pairs: labelled pairs of the questions set apart, for the verdict.
        kept_out: questions and given pairs that were left out because a test set holds them.
    """

    triplets: list[Triplet]
    pairs: list[ParaphrasePair]
    kept_out: int


def training_operators(config: ParaphraseConfig) -> tuple[ParaphraseOperator, ...]:
    """Return the operators that a configuration asks for, models in place of stand-ins where it names some.

    Raises:
        BackboneError: a model cannot be loaded.
    """
    operators = select_operators(extra=config.extra_operators, without=config.left_out())
    return with_functions(operators, training_functions(config, device=config.device))


def prepare(
    questions: Sequence[str],
    config: ParaphraseConfig,
    *,
    given: Sequence[ParaphrasePair] = (),
    kept_out: KeptOut | None = None,
    context: TrainingContext = DEFAULT_CONTEXT,
) -> Prepared:
    """Make the triplets to learn, and the pairs for the verdict.

    Progress is reported before each question that is learned from.

    Raises:
        Cancelled: the context said so.
        BackboneError: a model for an operator cannot be loaded.
    """
    divided = _divide(questions, given, kept_out or KeptOut())
    operators = training_operators(config)
    triplets = make_triplets(
        divided.learned,
        operators,
        count=config.triplets_per_question,
        far_share=config.far_share,
        seed=config.seed,
        given=divided.given_learned,
        progress=context.progress_of("Making triplets"),
        cancel=context.cancel,
    )
    pairs = _pairs_apart(divided, operators, config, cancel=context.cancel)
    context.check("Training was stopped while its triplets were made.")
    return Prepared(triplets, pairs, divided.left_out)


def pairs_set_apart(
    questions: Sequence[str],
    config: ParaphraseConfig,
    *,
    given: Sequence[ParaphrasePair] = (),
    kept_out: KeptOut | None = None,
) -> list[ParaphrasePair]:
    """Make the pairs for the verdict alone: those that `prepare` makes of the same.

    Raises:
        BackboneError: a model for an operator cannot be loaded.
    """
    divided = _divide(questions, given, kept_out or KeptOut())
    return _pairs_apart(divided, training_operators(config), config)


@dataclass(frozen=True)
class _Divided:
    """Questions and labelled pairs to learn from, and those set apart; `left_out` are in a test set."""

    learned: list[str]
    apart: list[str]
    given_learned: list[ParaphrasePair]
    given_apart: list[ParaphrasePair]
    left_out: int


def _divide(questions: Sequence[str], given: Sequence[ParaphrasePair], kept_out: KeptOut) -> _Divided:
    usable, left_out = kept_out.split(dict.fromkeys(questions))
    labelled = [pair for pair in given if pair.label is not None]
    allowed = [
        pair for pair in labelled if not kept_out.holds(pair.original) and not kept_out.holds(pair.paraphrase)
    ]
    is_apart = set_apart(allowed)
    return _Divided(
        learned=[text for text in usable if not is_apart(text)],
        apart=[text for text in usable if is_apart(text)],
        given_learned=[pair for pair in allowed if not is_apart(pair.original)],
        given_apart=[pair for pair in allowed if is_apart(pair.original)],
        left_out=left_out + len(labelled) - len(allowed),
    )


def _pairs_apart(
    divided: _Divided,
    operators: Sequence[ParaphraseOperator],
    config: ParaphraseConfig,
    *,
    cancel: Callable[[], bool] | None = None,
) -> list[ParaphrasePair]:
    chosen = np.random.default_rng(config.seed).permutation(len(divided.apart))[:_CALIBRATED_QUESTIONS]
    made = make_triplets(
        [divided.apart[row] for row in sorted(chosen)],
        operators,
        count=config.triplets_per_question,
        far_share=config.far_share,
        seed=config.seed,
        check_positives=False,  # where the findings had chosen them, they could not be weighed against the score
        cancel=cancel,
    )
    pairs = {(pair.original, pair.paraphrase): pair for pair in (*triplet_pairs(made), *divided.given_apart)}
    return list(pairs.values())


def set_apart(given: Sequence[ParaphrasePair]) -> Callable[[str], bool]:
    """Return whether a question is set apart for the verdict: all texts that labelled pairs link are, or none."""
    linked = linked_texts((pair.original, pair.paraphrase) for pair in given)
    return lambda text: is_held_out(linked.get(masked_text(text), text))


def fit_scorer(
    triplets: Sequence[Triplet],
    config: ParaphraseConfig,
    *,
    validation: Sequence[ParaphrasePair] = (),
    context: TrainingContext = DEFAULT_CONTEXT,
) -> tuple[Backbone, Callable[[Path], None] | None, TrainingResult]:
    """Train an encoder on exactly these triplets; with validation pairs the weights of the best ranking are kept.

    Returns:
        The trained backbone, adapters merged; what writes the adapter into a folder, where one was trained;
        and how training ended.

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
    device = pick_device(config.device)
    task = ScoringTask(backbone, triplets, config, evaluate)
    start = starting_weights(backbone.model) if config.interpolate and evaluate else {}
    result = train_loop(
        task,
        LoopSettings.of(config, device, best_metric=_MAIN_METRIC if validation else ""),
        device=device,
        context=context,
        identity=training_identity(config, _data_hash(triplets)),
    )
    if start:
        figures: list[dict[str, float]] = []

        def judge() -> float:
            figures.append(broadcast_from_main(lambda: dict(task.evaluate())))
            return figures[-1][_MAIN_METRIC]

        share = interpolate_weights(backbone.model, start, judge)
        result = replace(result, best=figures[SHARES.index(share)] | {"share_of_training": share})
    return backbone, finish_adapters(backbone), result


def encoder_of(backbone: Backbone, config: ParaphraseConfig) -> Encode:
    """Return bulk encoding by a scorer's backbone of texts as the configuration has them read."""
    encode = partial(encode_bulk, backbone)
    return reading_typed(encode) if config.typed_numbers else encode


def calibrate(
    encode: Encode,
    pairs: Sequence[ParaphrasePair],
    config: ParaphraseConfig,
    *,
    validation: Sequence[ParaphrasePair] = (),
    pair_reader: Path | None = None,
) -> Verdict:
    """Fit the verdict of a trained encoder on labelled pairs that it did not learn from.

    Args:
        encode: `encoder_of` the backbone.
        pairs: with labels; most are operators' outputs.
        config: whether the score is stretched.
        validation: pairs on which the bias is set; each source must hold both labels. Without them it is that of
            `pairs`.
        pair_reader: weights of what reads the pairs for the verdict, where the scorer has it.

    Raises:
        DataError: there are not pairs of both labels.
    """
    _check_labels(pairs)
    with tempfile.TemporaryDirectory() as place:
        read = served_pair_reader(pair_reader, Path(place)).read if pair_reader else None
        near = cosines([(pair.original, pair.paraphrase) for pair in pairs], encode)
        labels = [int(pair.label or 0) for pair in pairs]
        boundary = fit_boundary(near, labels) if config.stretch else UNSTRETCHED

        def features(labelled: Sequence[ParaphrasePair], scores: Sequence[float]) -> list[tuple[float, ...]]:
            texts = [(pair.original, pair.paraphrase) for pair in labelled]
            return weigh_pairs(texts, stretched(scores, boundary).tolist(), read(texts) if read else ())[1]

        score_cap = READING_CAP if pair_reader else UNCAPPED
        verdict = fit_verdict(features(pairs, near), labels, boundary=boundary, score_cap=score_cap)
        if not validation:
            return verdict
        near = cosines([(pair.original, pair.paraphrase) for pair in validation], encode)
        return calibrate_bias(
            verdict,
            features(validation, near),
            [int(pair.label or 0) for pair in validation],
            [pair.source for pair in validation],
        )


def balanced_sources(pairs: Sequence[ParaphrasePair]) -> list[ParaphrasePair]:
    """Return the pairs of those sources that hold both labels."""
    labels: dict[str, set[int | None]] = {}
    for pair in pairs:
        labels.setdefault(pair.source, set()).add(pair.label)
    return [pair for pair in pairs if labels[pair.source] >= {0, 1}]


def _check_labels(pairs: Sequence[ParaphrasePair]) -> None:
    if {int(pair.label or 0) for pair in pairs} != {0, 1}:
        raise DataError("Too few questions could be set apart to fit the verdict on; give more questions.")


def train_scorer(
    material: Material,
    config: ParaphraseConfig,
    output: Path,
    context: TrainingContext = DEFAULT_CONTEXT,
) -> Manifest:
    """Train a scorer and write its artifact; `analytics.paraphrase.scoring.scorer.load_scorer` loads it.

    Args:
        material: questions and labelled pairs to learn from and to validate with, and what is kept out. By the ROC
            AUC of the validation pairs, the mean over their sources, the best weights are kept.
        config: the settings; its backbone is loaded.
        output: the artifact's folder, written whole or not at all.
        context: name, provenance, checkpoint, progress and cancellation. The checkpoint's folder also keeps the
            triplets.

    Raises:
        DataError: too few triplets, or pairs of one label only.
        BackboneError: the backbone cannot be loaded.
        Cancelled: the context said so; the checkpoint is usable.
        ArtifactError: the folder cannot be written.
    """
    prepared = broadcast_from_main(partial(_prepared_material, material, config, context))
    if not prepared.triplets:
        raise DataError("No triplet could be made of the questions.")
    _check_labels(prepared.pairs)
    report = report_triplets(prepared.triplets)
    context.say(
        f"{report.triplets:,} triplets of {report.questions:,} questions; {prepared.kept_out:,} left out that test"
        f" sets hold; by closeness of wording alone their AUC is {report.distance_auc:.3f}."
    )
    if config.interpolate and not material.validation:
        context.say("No pairs to validate with: the trained weights are kept as they are.")
    history = History()
    backbone, adapter, result = fit_scorer(
        prepared.triplets, config, validation=material.validation, context=context.with_callbacks(history)
    )
    context.say(f"Fitting the verdict on {len(prepared.pairs):,} pairs of questions set apart")
    validation = balanced_sources(material.validation)
    encode = encoder_of(backbone, config)
    pair_reader = pair_reader_weights(config.backbone)
    verdict = broadcast_from_main(
        lambda: calibrate(encode, prepared.pairs, config, validation=validation, pair_reader=pair_reader)
    )
    context.say("Exporting")
    about = _manifest(config, context, prepared, result, history)
    about = replace(
        about,
        name=context.name or f"{backbone.name}-paraqd",
        extra=about.extra
        | {
            "triplets": report.triplets,
            "questions": report.questions,
            "given_pairs": len(material.given),
            "distance_auc": round(report.distance_auc, 4),
            "validation_pairs": len(material.validation),
            "device": str(backbone.device),
        },
    )
    write_more = partial(
        write_scorer_files, verdict=verdict, learned=_learned(prepared), pair_reader=pair_reader
    )
    return broadcast_from_main(
        lambda: export_trained(backbone, output, about, adapter=adapter, write_more=write_more)
    )


def _prepared_material(material: Material, config: ParaphraseConfig, context: TrainingContext) -> Prepared:
    """Return what a stopped training of the same material had prepared, or what is prepared now."""
    identity = json.dumps(
        [
            training_settings(config),
            list(material.questions),
            [astuple(pair) for pair in material.given],
            sorted(material.kept_out.keys),
        ]
    )
    make = partial(
        prepare, material.questions, config, given=material.given, kept_out=material.kept_out, context=context
    )
    return kept_or_prepared(context.checkpoints, identity, make)


def _manifest(
    config: ParaphraseConfig,
    context: TrainingContext,
    prepared: Prepared,
    result: TrainingResult,
    history: History,
) -> Manifest:
    """Return the manifest, as far as it does not speak of the backbone."""
    return Manifest(
        capability="paraphrase",
        name=context.name,
        config=config_to_dict(config),
        metrics=result.as_metrics(loss=history.last("loss")),
        seed=config.seed,
        data_hash=_data_hash(prepared.triplets),
        license_note=license_with_backbone(context.license_note, config.backbone),
        parent=context.parent,
        extra={
            "kept_out": prepared.kept_out,
            "verdict_pairs": len(prepared.pairs),
            "command": context.command,
        },
    )


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


def train_from_files(
    data: Path,
    output: Path,
    config: ParaphraseConfig,
    files: FileOptions = DEFAULT_FILES,
    context: TrainingContext = DEFAULT_CONTEXT,
) -> Manifest:
    """Train a scorer on the questions and labelled pairs of a file or a folder: `read_material`.

    A checkpoint lies beside the output while it trains; the same command goes on from it.

    Raises:
        AnalyticsError: the data cannot be used, the backbone cannot be loaded, or the folder not written.
    """
    files.refuse_hierarchy("A paraphrase scorer")
    with file_training("paraphrase", data, output, config, files, context) as (config, context):
        material = read_material(data, language=files.language)
        return train_scorer(material, config, output, replace(context, progress=_thousands(context.say)))


def validation_metrics(
    pairs: Sequence[ParaphrasePair], config: ParaphraseConfig, backbone: Backbone
) -> dict[str, float]:
    """Return metrics of all pairs; the AUC is the sources' mean, as sets of one label each would give it away."""
    scores = cosines([(pair.original, pair.paraphrase) for pair in pairs], encoder_of(backbone, config))
    figures = pair_metrics([int(pair.label or 0) for pair in pairs], scores)
    by_source: dict[str, list[tuple[int, float]]] = {}
    for pair, score in zip(pairs, scores, strict=True):
        by_source.setdefault(pair.source, []).append((int(pair.label or 0), score))
    areas = {
        source: roc_auc([label for label, _ in rows], [score for _, score in rows])
        for source, rows in by_source.items()
        if {label for label, _ in rows} == {0, 1}
    }
    several = {f"{_MAIN_METRIC}_{source}": area for source, area in areas.items()} if len(areas) > 1 else {}
    return {
        _MAIN_METRIC: fmean(areas.values()) if areas else figures.auc,
        **several,
        "validation_separation": figures.separation,
        "validation_macro_f1": figures.macro_f1,
        "validation_paper_macro_f1": figures.paper_macro_f1,
    }


def kept_or_prepared(folder: Path | None, identity: str, make: Callable[[], Prepared]) -> Prepared:
    """Return what a stopped training was doing, or what is made anew; then kept in the folder.

    Args:
        folder: of the checkpoint; None keeps nothing.
        identity: settings, questions and what is kept out; triplets of others are not taken.
        make: makes them.

    Raises:
        ArtifactError: what is kept cannot be read.
    """
    if folder is None:
        return make()
    path = folder / f"triplets-{hashlib.sha256(identity.encode()).hexdigest()[:16]}.json.gz"
    body = kept_or_made(path, lambda: _as_rows(make()))
    try:
        return Prepared(
            [Triplet(*row) for row in body["triplets"]],
            [ParaphrasePair(*row) for row in body["pairs"]],
            body["kept_out"],
        )
    except (TypeError, KeyError) as error:
        raise ArtifactError(f"{path} cannot be read; remove it to start over.") from error


def _thousands(say: Say) -> Progress:
    """Say after every thousand questions that their triplets are made."""

    def tell(done: int, total: int, _message: str) -> None:
        if done and done % 1000 == 0:
            say(f"Triplets of {done:,} of {total:,} questions made")

    return tell


def _as_rows(prepared: Prepared) -> dict[str, Any]:
    return {
        "triplets": [astuple(triplet) for triplet in prepared.triplets],
        "pairs": [astuple(pair) for pair in prepared.pairs],
        "kept_out": prepared.kept_out,
    }


def _learned(prepared: Prepared) -> np.ndarray:
    """Return the numbers of all questions and given pairs that the encoder or the verdict saw, sorted."""
    texts = {triplet.anchor for triplet in prepared.triplets} | {pair.original for pair in prepared.pairs}
    texts |= {triplet.positive for triplet in prepared.triplets if triplet.positive_operator == "given"}
    return np.unique(np.array([question_number(text) for text in texts], dtype=np.uint64))


def _data_hash(triplets: Sequence[Triplet]) -> str:
    return data_sha256((triplet.anchor, triplet.positive, triplet.negative) for triplet in triplets)
