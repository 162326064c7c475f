"""Running the arms of the encoder's tables one after another; each run is stored, so the command can be stopped.

A run is an arm with a seed: the seed determines the split of the sets and all sampling in training. Its folder holds
``figures.json`` and ``outcomes.npz``, written when it is finished, and during training a checkpoint.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.backbone.backbone import Backbone
from analytics.backbone.bert import encode_bulk, load_backbone
from analytics.configuration import config_from_strings, config_to_dict, named_values
from analytics.encoder.config import EncoderConfig
from analytics.encoder.examples import examples_hash
from analytics.encoder.train import fit_encoder
from worker.encoder.representation import SplitSet, measure_set
from worker.encoder.reproduction.data import SOURCES, TRAINED_ON, TRANSFER, pretraining_examples, split_sets
from worker.encoder.reproduction.table import ARMS, encoder_tables
from worker.reproduction.runs import Plan, Run, RunResult, Say, question_numbers, run_context, run_missing

_MEASURED_TOKENS = 128


_DEFAULTS = Plan(list(ARMS), [0, 1, 2], TRAINED_ON, (*TRAINED_ON, *TRANSFER))


def encoder_paper_tables(output: Path, options: Mapping[str, Any], say: Say) -> str:
    """Train and evaluate the arms chosen by the options, and return the tables as Markdown."""
    config = config_from_strings(EncoderConfig, named_values(options["set"]))
    plan = Plan.of(options, config, _DEFAULTS)
    return encoder_tables(reproduce_encoder(options["data"], output, plan, say=say))


def reproduce_encoder(data: Path, output: Path, plan: Plan, *, say: Say = lambda _line: None) -> list[Path]:
    """Run the missing parts of a plan, with a folder per arm and seed; each seed splits the sets differently.

    Raises:
        DataError: an arm or a set is unknown, a set is missing, or a folder holds a run with other settings.
    """
    names = sorted({*plan.trained_on, *plan.measured_on})
    plan.refuse_unknown(ARMS, SOURCES, SOURCES)

    @lru_cache(maxsize=1)  # the arms of a seed share its splits
    def sets(seed: int) -> dict[str, SplitSet]:
        return split_sets(data, names, seed=seed)

    return run_missing(
        output,
        [(arm, seed) for seed in plan.seeds for arm in plan.arms],
        lambda arm, seed: _settings(plan, arm, seed),
        config_to_dict(type(plan.config)()),
        lambda run: _run(run, plan, sets(run.seed)),
        say,
    )


def _settings(plan: Plan, arm: str, seed: int) -> dict[str, Any]:
    """Return the settings that identify a run; equal settings give equal figures."""
    chosen = ARMS[arm]
    config = replace(plan.config, seed=seed, **(chosen.settings or {}))
    trains = chosen.settings is not None
    return {
        "arm": arm,
        "seed": seed,
        "trained_on": list(plan.trained_on) if trains else [],
        "measured_on": list(plan.measured_on),
        "config": config_to_dict(config) if trains else {"backbone": config.backbone},
    }


def _run(run: Run, plan: Plan, sets: Mapping[str, SplitSet]) -> RunResult:
    training: dict[str, Any] = {}
    if ARMS[run.arm].vectors == "tfidf":
        encode: Callable[[SplitSet], npt.NDArray[np.float32]] = _tfidf
    else:
        backbone, training = _encoder(run, plan, sets)

        def encode(split_set: SplitSet) -> npt.NDArray[np.float32]:
            return encode_bulk(backbone, split_set.texts)

    measured: dict[str, Any] = {}
    outcomes: dict[str, npt.NDArray[Any]] = {}
    for name in plan.measured_on:
        run.say(f"measuring on {SOURCES[name].title}")
        probed = sets[name].probed()
        figures, arrays = measure_set(probed, encode(probed))
        measured[name] = figures
        outcomes |= {f"{name}/{key}": value for key, value in arrays.items()}
        outcomes[f"{name}/question"] = question_numbers([probed.texts[row] for row in np.flatnonzero(probed.is_test)])
    return RunResult(training, measured, outcomes)


def _encoder(run: Run, plan: Plan, sets: Mapping[str, SplitSet]) -> tuple[Backbone, dict[str, Any]]:
    """Return an arm's encoder, trained if the arm trains one, and notes on its training."""
    config = EncoderConfig(**run.settings["config"])
    if ARMS[run.arm].settings is None:
        return load_backbone(config.backbone, max_tokens=_MEASURED_TOKENS, device=config.device), {}
    examples, leaked = pretraining_examples(sets, plan.trained_on)
    trained, result = fit_encoder(examples, config, context=run_context(run))
    trained.tokenizer.enable_truncation(_MEASURED_TOKENS)
    return replace(trained, max_tokens=_MEASURED_TOKENS), {
        "questions": len(examples),
        "left_out_as_another_set_tests_with_them": leaked,
        "data_hash": examples_hash(examples),
        "steps": result.step,
        "seconds": round(result.seconds, 1),
        "loss": result.loss,
    }


def _tfidf(split_set: SplitSet) -> npt.NDArray[np.float32]:
    """Return unit TF-IDF vectors (questions, 4,096) of words, numbers and LaTeX commands, fitted on training texts."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(
        token_pattern=r"\\[a-z]+|\w+|[-+*/=<>^_|%]",  # noqa: S106
        sublinear_tf=True,
        max_features=4096,
        dtype=np.float32,
    )
    vectorizer.fit([split_set.texts[row] for row in np.flatnonzero(~split_set.is_test)])
    dense: npt.NDArray[np.float32] = vectorizer.transform(split_set.texts).toarray()
    return dense
