"""Running the arms of ParaQD's tables one after another; each run is stored, so the command can be stopped.

Settings are chosen only on the validation pairs (`aquarat_val`): the weights that rank them best are kept. The
test sets are evaluated once, at the end of a run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.artifacts import Manifest
from analytics.atomic_file import write_text
from analytics.backbone.bert import encode_bulk, load_backbone
from analytics.configuration import config_from_strings, named_values
from analytics.inference.encode import Encode
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.metrics import RULES, encoder_of, fit_verdict, fitted_boundary, rule_first
from analytics.paraphrase.preparing import Prepared, kept_or_prepared, prepare, report_triplets, set_apart
from analytics.paraphrase.scorer import Scorer, cosines, weigh_pairs
from analytics.paraphrase.train import fit_scorer
from analytics.paraphrase.verdict import Verdict, stretched
from analytics.records import ParaphrasePair
from analytics.splits import KeptOut
from worker.paraphrase.evaluation import figures_of
from worker.reproduction.paraphrase_baselines import baseline_triplets
from worker.reproduction.paraphrase_tables import (
    ARMS,
    LABELLED,
    MEASURED_ON,
    SOURCES,
    TRAINED_ON,
    Material,
    ParaphraseArm,
    measured_pairs,
    operators_of,
    paraphrase_tables,
    training_material,
    unchanged_pairs,
    with_untrained,
)
from worker.reproduction.runs import (
    Plan,
    Run,
    RunResult,
    Say,
    progress_callback,
    question_numbers,
    run_context,
    run_missing,
)
from worker.reproduction.tables import map_of_pairs

_MEASURED_TOKENS = 256
_VALIDATION = "aquarat_val"
_MAPPED = ("aquarat_test", "sawp_test")


@dataclass(frozen=True)
class ParaphrasePlan(Plan):
    """The runs to execute; `validation` is the number of pairs used to choose the best weights."""

    validation: int = 600


def paraphrase_paper_tables(output: Path, options: Mapping[str, Any], say: Say) -> str:
    """Train and evaluate the arms chosen by the options, and return the tables as Markdown."""
    config = config_from_strings(ParaphraseConfig, named_values(options["set"]))
    defaults = Plan(list(ARMS), list(dict.fromkeys([config.seed, 1, 2])), TRAINED_ON, LABELLED)
    plan = ParaphrasePlan.of(options, config, defaults)
    plan = replace(plan, arms=with_untrained(plan.arms))
    return paraphrase_tables(reproduce_paraphrase(options["data"], output, plan, say=say))


def reproduce_paraphrase(
    data: Path, output: Path, plan: ParaphrasePlan, *, say: Say = lambda _line: None
) -> list[Path]:
    """Run the missing parts of a plan.

    Args:
        data: the folder with a subfolder per public set.
        output: gets a folder for each arm and seed.
        plan: the runs to execute.
        say: called with a line of text for each event.

    Returns:
        The folders of the runs, in order.

    Raises:
        DataError: an arm or a set is unknown, a set is missing, or a folder holds a run with other settings.
    """
    plan.refuse_unknown(ARMS, SOURCES, MEASURED_ON)
    return run_missing(
        output,
        [(arm, seed) for seed in plan.seeds for arm in plan.arms if ARMS[arm].trains or seed == plan.seeds[0]],
        lambda arm, seed: _settings(plan, arm, seed),
        plan.config,
        lambda run: _run(run, plan, data),
        say,
    )


def _settings(plan: ParaphrasePlan, arm: str, seed: int) -> dict[str, Any]:
    """Return the settings that identify a run; equal settings give equal figures."""
    chosen = ARMS[arm]
    config = chosen.config(replace(plan.config, seed=seed), encoder=["backbone"] if chosen.encodes else [])
    settings = {"arm": arm, "seed": seed, "measured_on": list(plan.measured_on), "config": config}
    if chosen.trains:
        settings |= {"trained_on": list(plan.trained_on), "questions": plan.questions, "validation": plan.validation}
    return settings


@dataclass(frozen=True)
class _Trained:
    """The results of a training run: encoder, scorer, notes, and the training texts."""

    encode: Encode
    scorer: Scorer
    notes: dict[str, Any]
    learned: KeptOut


def _run(run: Run, plan: ParaphrasePlan, data: Path) -> RunResult:
    arm = ARMS[run.arm]
    trained = _train(run, plan, data) if arm.trains else None
    encode = trained.encode if trained else None
    if arm.encodes and encode is None:
        backbone = load_backbone(plan.config.backbone, max_tokens=_MEASURED_TOKENS, device=plan.config.device)
        encode = partial(encode_bulk, backbone)
    scorer = trained.scorer if trained else None
    learned = trained.learned if trained else KeptOut()
    measured: dict[str, Any] = {}
    outcomes: dict[str, npt.NDArray[Any]] = {}
    for name in plan.measured_on:
        run.say(f"measuring on {MEASURED_ON[name]}")
        pairs = measured_pairs(data, name)
        scores, judged = _scores(arm, scorer, encode, pairs)
        measured[name] = {
            "pairs": len(pairs),
            "unchanged_and_left_out": unchanged_pairs(data, name),
            "learned_from": sum(learned.holds(pair.original) or learned.holds(pair.paraphrase) for pair in pairs),
            "operators": operators_of(data, name),
            "score": figures_of(pairs, scores, threshold=arm.threshold),
        }
        outcomes |= {
            f"{name}/pair": question_numbers([f"{pair.original}\0{pair.paraphrase}" for pair in pairs]),
            f"{name}/label": np.array([pair.label for pair in pairs], dtype=np.int64),
            f"{name}/score": np.array(scores, dtype=np.float64),
        }
        if judged is not None:
            measured[name]["verdict"] = figures_of(pairs, judged, threshold=0.0)
            outcomes[f"{name}/verdict"] = np.array(judged, dtype=np.float64)
        if encode is not None and not arm.rule and name in _MAPPED:
            title = f"{arm.title} on {MEASURED_ON[name]}"
            picture = map_of_pairs(pairs, encode, title)
            write_text(run.folder / f"{name}.svg", picture)
    return RunResult(trained.notes if trained else {}, measured, outcomes)


def _train(run: Run, plan: ParaphrasePlan, data: Path) -> _Trained:
    config = ParaphraseConfig(**run.settings["config"])
    material, kept_out = training_material(
        data, plan.trained_on, measured=plan.measured_on, questions=plan.questions, seed=config.seed
    )
    overlap = ", ".join(f"{count:,} of {SOURCES[name].title}" for name, count in material.overlap.items())
    run.say(f"left out because a test set holds them: {overlap}")
    validation = measured_pairs(data, _VALIDATION, most=plan.validation, seed=0)
    prepared = kept_or_prepared(
        run.folder / "checkpoint",
        json.dumps(run.settings, sort_keys=True),
        lambda: _prepare(run, material, kept_out, config, validation),
    )
    report = report_triplets(prepared.triplets)
    run.say(f"{report.triplets:,} triplets of {report.questions:,} questions")
    trained, result = fit_scorer(prepared.triplets, config, validation=validation, context=run_context(run))
    trained.tokenizer.enable_truncation(_MEASURED_TOKENS)
    encode = encoder_of(replace(trained, max_tokens=_MEASURED_TOKENS), config)
    verdict = _operators_verdict(encode, prepared.pairs, config)
    notes = {
        "questions": len(material.questions),
        "given": len(material.given),
        "left_out_as_a_test_set_holds_them": material.overlap,
        "triplets": len(prepared.triplets),
        "steps": result.step,
        "seconds": round(result.seconds, 1),
        "loss": result.loss,
        "triplets_report": {
            "distance_auc": report.distance_auc,
            "positive_farther": report.positive_farther,
            "negatives": report.negatives,
        },
        "validation": result.best,
        "verdict": verdict.as_dict(),
    }
    texts = {triplet.anchor for triplet in prepared.triplets} | {pair.original for pair in prepared.pairs}
    texts |= {text for pair in material.given for text in pair.texts}
    scorer = Scorer(Manifest(capability="paraphrase", name=run.arm), "", encode, verdict)
    return _Trained(encode, scorer, notes, KeptOut.of(texts))


def _operators_verdict(encode: Encode, pairs: Sequence[ParaphrasePair], config: ParaphraseConfig) -> Verdict:
    """Return a verdict fitted on operators' pairs, like those of the paper's sets; it weights the score."""
    boundary = fitted_boundary(encode, pairs, config)
    texts = [pair.texts for pair in pairs]
    _findings, features = weigh_pairs(texts, stretched(cosines(texts, encode), boundary).tolist())
    return fit_verdict(features, [int(pair.label or 0) for pair in pairs], boundary=boundary)


def _prepare(
    run: Run, material: Material, kept_out: KeptOut, config: ParaphraseConfig, labelled: Sequence[ParaphrasePair]
) -> Prepared:
    """Prepare the triplets of the arm; the pairs for the verdict are the operators' in every arm."""
    arm = ARMS[run.arm]
    if not arm.baseline:
        return prepare(material.questions, config, given=material.given, kept_out=kept_out)
    is_apart = set_apart(material.given)
    apart = [text for text in material.questions if is_apart(text)]
    triplets = baseline_triplets(
        arm.baseline,
        [text for text in material.questions if not is_apart(text)],
        config,
        labelled_by=labelled if arm.pseudo_labels else (),
        checkpoints=run.folder / "checkpoint",
        callbacks=[progress_callback(run.say)],
    )
    return replace(prepare(apart, config, given=material.given, kept_out=kept_out), triplets=triplets)


def _scores(
    arm: ParaphraseArm, scorer: Scorer | None, encode: Encode | None, pairs: Sequence[ParaphrasePair]
) -> tuple[list[float], list[float] | None]:
    """Return the score of each pair, and the verdict's probability stretched to [-1, 1], if any."""
    texts = [pair.texts for pair in pairs]
    if scorer is not None:
        pair_scores = scorer.score(texts)
        return [pair_score.score for pair_score in pair_scores], [
            2 * pair_score.probability - 1 for pair_score in pair_scores
        ]
    rules = [RULES[arm.rule](*pair) for pair in texts] if arm.rule else []
    if encode is None:
        return rules, None
    near = cosines(texts, encode)
    if not rules:
        return near, None
    return [rule_first(rule, cosine) for rule, cosine in zip(rules, near, strict=True)], None
