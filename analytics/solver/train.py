"""Train a solver from word problems: targets, training stages, metrics on held-out problems, the artifact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from analytics.artifacts import Manifest, data_sha256
from analytics.backbone.adapters import finish_adapters
from analytics.backbone.backbone import Backbone
from analytics.backbone.bert import encode_bulk, load_trainable
from analytics.errors import DataError
from analytics.question_files import Problems, set_apart
from analytics.records import ProblemRecord
from analytics.solver.calibrating import Calibration, fit_confidence
from analytics.solver.confidence import load_confidence, save_confidence
from analytics.solver.config import SolverConfig
from analytics.solver.model import SolverModel, begin_with, round_decoder, save_solver, solver_before, solver_extra
from analytics.solver.reversing import candidate_pool
from analytics.solver.solution import alternatives
from analytics.solver.solving_task import PatternTask, SolvingTask, TextualTask, mine_triples
from analytics.solver.targets import SolverExample, SolverScores, Vocabulary, score_solutions, solver_examples
from analytics.solver.textual_pairs import TextualTriple, mine_textual_triples
from analytics.training.context import DEFAULT_CONTEXT, StepReport, TrainingContext
from analytics.training.device import inference_dtype, seed_everything
from analytics.training.distributed import broadcast_from_main
from analytics.training.loop import train_configured
from analytics.training.stages import LoopSettings, Stage, TrainingResult, with_provenance

Observer = Callable[[SolverModel, StepReport], None]
"""Inspects a solver during training, at every report; it must not change the weights."""

_MAIN_METRIC = "validation_answer_accuracy"


@dataclass(frozen=True)
class FittedSolver:
    """A trained solver in memory, adapters merged.

    Attributes:
        model: the solver.
        learned, validation: the training problems, and those held out for evaluation.
        metrics: metrics of its training.
    """

    model: SolverModel
    learned: list[SolverExample]
    validation: list[SolverExample]
    metrics: dict[str, Any]


def train_solver(
    problems: Problems,
    config: SolverConfig,
    output: Path,
    context: TrainingContext = DEFAULT_CONTEXT,
    *,
    start: str = "",
) -> Manifest:
    """Train a solver and write its artifact; `analytics.solver.served.load_solver` loads it.

    Args:
        problems: training, validation and test sets. If there are no validation problems, some training
            problems are held out.
        config: the settings; its backbone is loaded.
        output: the artifact's folder, written atomically.
        context: name, provenance, checkpoint, progress and cancellation.
        start: folder of an encoder or a solver to start from, instead of the configuration's backbone. A
            solver keeps its decoder, its constants and the way it reads numbers, whatever the settings, and
            its confidence if there are too few problems to fit a new one.

    Raises:
        DataError: too few problems have an equation that can be learned.
        BackboneError: the backbone cannot be loaded.
        Cancelled: the context requested it; the checkpoint is usable.
        ArtifactError: the folder cannot be written.
    """
    fitted = fit_problems(problems, config, context, start=start)
    model, learned, metrics = fitted.model, fitted.learned, fitted.metrics
    context.say("Fitting the confidence")
    calibration = broadcast_from_main(lambda: _calibration(model, fitted.validation, config))
    if calibration is not None:
        metrics["confidence"] = calibration.as_metrics()
    if problems.test:
        context.say(f"Solving {len(problems.test):,} test problems")
        scores = broadcast_from_main(lambda: measure_solver(model, problems.test, config))
        metrics["test"] = {name: round(value, 4) for name, value in scores.as_metrics().items()} | {
            "problems": scores.problems
        }
    about = Manifest(
        "solver",
        f"{model.backbone.name}-solver",
        metrics=metrics,
        data_hash=_data_hash(learned),
        extra={
            **solver_extra(model, most_tokens=config.most_tokens),
            "languages": _languages(learned),
            "problems": len(learned),
        },
    )
    about = with_provenance(
        about, replace(config, mask_numbers=model.mask_numbers), context, model.backbone, start=start
    )
    context.say("Exporting")
    # If there are too few problems to fit a confidence, that of the starting solver is better than none.
    before = load_confidence(Path(start or config.backbone).expanduser())
    confidence = calibration.confidence if calibration is not None else before
    write_more = partial(save_confidence, confidence) if confidence is not None else None
    return broadcast_from_main(lambda: save_solver(model, output, about, write_more=write_more))


def fit_problems(
    problems: Problems,
    config: SolverConfig,
    context: TrainingContext = DEFAULT_CONTEXT,
    *,
    start: str | Callable[[], Backbone] = "",
    observer: Observer | None = None,
) -> FittedSolver:
    """Train a solver on the training problems, without writing an artifact; see `fit_solver`.

    Args:
        problems: as for `train_solver`.
        config: the settings.
        context: provenance, checkpoint, progress and cancellation.
        start, observer: as for `fit_solver`.

    Raises:
        See `fit_solver`.
    """
    readable = solver_examples(problems.learned, most_tokens=config.most_tokens)
    if not readable:
        raise DataError("No problem has an equation that can be learned.")
    remaining, validation = set_apart(
        readable, solver_examples(problems.validation), measured=config.measured, rng=np.random.default_rng(config.seed)
    )
    learned = candidate_pool(remaining, config.augment, most_tokens=config.most_tokens)
    context.say(f"{len(learned):,} problems to learn from, {len(validation):,} to measure with meanwhile.")
    if left_out := len(problems.learned) - len(readable):
        context.say(f"Left out, because their equation is unreadable or too long: {left_out:,}.")
    model, result = fit_solver(learned, config, validation=validation, context=context, start=start, observer=observer)
    return FittedSolver(model, learned, validation, result.as_metrics())


def fit_solver(
    examples: Sequence[SolverExample],
    config: SolverConfig,
    *,
    validation: Sequence[SolverExample] = (),
    context: TrainingContext = DEFAULT_CONTEXT,
    start: str | Callable[[], Backbone] = "",
    observer: Observer | None = None,
) -> tuple[SolverModel, TrainingResult]:
    """Train a solver on exactly these problems, in one stage or, with a contrast, in two.

    Args:
        examples: problems with equations.
        config: the settings.
        validation: problems to evaluate on during training.
        context: provenance, checkpoint, progress and cancellation.
        start: folder of an encoder or a solver to start from, instead of the configuration's backbone; or a
            function that creates an encoder with random weights.
        observer: inspects the solver during training.

    Returns:
        The solver, adapters merged, and the training result.

    Raises:
        DataError: too few problems or triples, the encoder does not know their language, or the checkpoint
            belongs to another training.
        BackboneError: the backbone cannot be loaded.
        Cancelled: the context requested it; the checkpoint is usable.
    """
    seed_everything(config.seed)
    source = (start if isinstance(start, str) else "") or config.backbone
    backbone = (
        load_trainable(source, rank=config.adapter_rank, max_tokens=config.max_tokens, device=config.device)
        if isinstance(start, str)
        else start()
    )
    backbone.refuse_unknown_language([example.problem.text for example in examples])
    folder = Path(source).expanduser()
    before = solver_before(folder) if isinstance(start, str) else {}
    vocabulary = Vocabulary.of(examples, least_uses=config.least_uses).extended(before.get("constants", ()))
    mask_numbers = bool(before.get("mask_numbers", config.mask_numbers))
    model = SolverModel(
        backbone, vocabulary, dropout=config.dropout, drop_states=config.drop_states, mask_numbers=mask_numbers
    )
    if isinstance(start, str):
        begin_with(model, folder, examples)
    read = model.reader.read(examples)
    usable = [
        example
        for example, problem in zip(examples, read, strict=True)
        if vocabulary.writes(example) and problem.is_whole
    ]
    if len(usable) < len(examples):
        context.say(f"{len(examples) - len(usable):,} problems left out: rare constants, or cut texts.")
    held_out = partial(_validation_metrics, model, validation, config) if validation else None
    if observer is not None:
        context = context.with_callbacks(partial(observer, model))
    stages = _stages(model, usable, config, held_out)
    result = train_configured(stages, config, _data_hash(examples), context)
    finish_adapters(backbone)
    model.decoder.eval()
    round_decoder(model)
    return model, result


def _stages(
    model: SolverModel,
    examples: Sequence[SolverExample],
    config: SolverConfig,
    held_out: Callable[[], Mapping[str, float]] | None,
) -> list[Stage]:
    settings = LoopSettings.of(config, best_metric=_MAIN_METRIC if config.patience and held_out else "")
    task = (
        partial(TextualTask, model, *_textual_triples(model, examples, config), config, held_out)
        if config.contrast in ("textual", "both")
        else partial(SolvingTask, model, examples, config, held_out)
    )
    steps = _stage_steps(len(examples), config.epochs, config.max_steps, config)
    everything = Stage("equations", task, settings, steps=steps)
    if config.contrast in ("none", "textual"):
        return [everything]
    if config.positives == "foreign" and len(_languages(examples)) < 2:
        raise DataError("Positives in another language (positives=foreign) need problems in two languages.")
    triples = mine_triples(examples, positives=config.positives, negatives=config.negatives, seed=config.seed)
    first = replace(
        settings, epochs=config.contrast_epochs, max_steps=config.contrast_steps, best_metric="", patience=0
    )
    contrast = Stage(
        "contrast",
        partial(PatternTask, model, examples, triples, config, held_out),
        first,
        steps=_stage_steps(len(triples), config.contrast_epochs, config.contrast_steps, config),
    )
    return [contrast, everything]


def _textual_triples(
    model: SolverModel, examples: Sequence[SolverExample], config: SolverConfig
) -> tuple[list[SolverExample], int, list[TextualTriple]]:
    """Return the part of the pool used in triples, the number of its problems to be solved, and the triples."""
    pool = candidate_pool(examples, config.pool, most_tokens=config.most_tokens)
    vectors = None
    if config.text_strategy == "encoder":
        vectors = encode_bulk(model.backbone, [example.problem.text for example in pool])
    triples = mine_textual_triples(
        pool,
        anchors=len(examples),
        by_equation=config.equation_strategy,
        by_text=config.text_strategy,
        vectors=vectors,
        seed=config.seed,
    )
    used = sorted({row for triple in triples for row in (triple.positive, triple.negative) if row >= len(examples)})
    place = dict(zip(used, range(len(examples), len(examples) + len(used)), strict=True))
    return (
        [*examples, *(pool[row] for row in used)],
        len(examples),
        [
            replace(
                triple,
                positive=place.get(triple.positive, triple.positive),
                negative=place.get(triple.negative, triple.negative),
            )
            for triple in triples
        ],
    )


def _stage_steps(items: int, epochs: int, most: int, config: SolverConfig) -> int:
    """Return the optimiser steps of a stage, which must be known before it begins; `most` of 0 means no limit."""
    steps = items // config.batch_size // config.accumulate * epochs
    return min(steps, most) if most else steps


def measure_solver(model: SolverModel, problems: Sequence[ProblemRecord], config: SolverConfig) -> SolverScores:
    """Solve problems with a known equation and compare; those with an invalid equation count as wrong."""
    examples = solver_examples(problems)
    scores = _scores(model, examples, config)
    share = len(examples) / max(1, len(problems))
    return SolverScores(scores.equation_accuracy * share, scores.answer_accuracy * share, len(problems))


def _scores(model: SolverModel, examples: Sequence[SolverExample], config: SolverConfig) -> SolverScores:
    dtype = inference_dtype(model.device) if config.mixed_precision else torch.float32
    hypotheses = model.search(examples, beam=config.beam, most_tokens=config.most_tokens, dtype=dtype)
    written = [
        [model.vocabulary.token(candidate) for candidate in trees[0].candidates] if trees else []
        for trees in hypotheses
    ]
    return score_solutions(examples, written)


def _calibration(model: SolverModel, examples: Sequence[SolverExample], config: SolverConfig) -> Calibration | None:
    """Fit the confidence on held-out problems, solved in full precision, as in serving."""
    hypotheses = model.search(examples, beam=config.beam, most_tokens=config.most_tokens)
    solutions = [
        alternatives(example, trees, model.vocabulary) for example, trees in zip(examples, hypotheses, strict=True)
    ]
    return fit_confidence(examples, solutions)


def _validation_metrics(
    model: SolverModel, examples: Sequence[SolverExample], config: SolverConfig
) -> Mapping[str, float]:
    return _scores(model, examples, config).as_metrics("validation_")


def _languages(examples: Sequence[SolverExample]) -> list[str]:
    """Return the languages of more than a fiftieth of the problems, most common first."""
    counts = Counter(example.problem.language for example in examples)
    return [language for language, count in counts.most_common() if count * 50 > len(examples)]


def _data_hash(examples: Sequence[SolverExample]) -> str:
    return data_sha256((example.problem.text, *example.tokens) for example in examples)
