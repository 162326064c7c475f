"""QuesCo's tables: the public data sets, the arms, running them, and rendering finished runs as the tables.

Protocol: the first path of each question, common leading nodes dropped, `text` alone with whitespace collapsed, at most
1,500 characters, exact duplicates removed. A set is split by number-masked text, 80 % for training. An encoder is
trained on the training parts of all sets together; for MATH only on questions of its published train file.

A run is an arm with a seed, which determines the split of the sets and all sampling in training.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.backbone.backbone import Backbone
from analytics.backbone.bert import encode_bulk, load_backbone
from analytics.configuration import config_from_strings, named_values
from analytics.encoder.config import EncoderConfig
from analytics.encoder.examples import EncoderExample, examples_hash
from analytics.encoder.train import fit_encoder
from analytics.errors import DataError
from analytics.metrics import pearson
from analytics.question_files import QuestionRow, read_rows
from analytics.splits import KeptOut, grouped_split, groups_by_masked_text
from worker.bootstrap import paired_interval
from worker.encoder.representation import SplitSet, measure_set, plain_text
from worker.reproduction.runs import (
    Arm,
    Plan,
    Run,
    RunResult,
    Say,
    question_numbers,
    read_arms,
    run_context,
    run_missing,
)
from worker.reproduction.tables import Runs, difference_cell, markdown_table, range_of, runs_by_arm, spread_cell

_TEST_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class Source:
    """A public data set.

    Attributes:
        files: files that are read together.
        may_train: the files that an encoder may be trained on.
        levels: number of concept levels to evaluate.
        most: number of questions to probe, drawn with the seed of the split; 0 for all.
    """

    title: str
    folder: str
    files: tuple[str, ...]
    may_train: tuple[str, ...]
    levels: int
    most: int = 0


SOURCES: dict[str, Source] = {
    "tal": Source("TAL-SCQ5K English", "tal_scq_en", ("train",), ("train",), 3),
    "conceptmath": Source(
        "ConceptMath English", "conceptmath", ("elementary_en", "middle_en"), ("elementary_en", "middle_en"), 3
    ),
    "opl": Source("OPL", "opl", ("all",), ("all",), 3, most=4000),
    "math": Source("MATH", "math", ("train", "test"), ("train",), 1, most=3000),
    "eedi": Source("Eedi", "eedi", ("train",), (), 3),
    "omni": Source("Omni-MATH", "omni_math_rule", ("test",), (), 3),
}
TRAINED_ON = ("tal", "conceptmath", "opl", "math")
TRANSFER = ("eedi", "omni")
"""Never trained on: they show an encoder's quality on a hierarchy that it has not seen."""


@dataclass(frozen=True, slots=True)
class EncoderArm(Arm):
    """One row of a table.

    Attributes:
        vectors: ``encoder``, or ``tfidf`` for TF-IDF vectors.
    """

    vectors: str = "encoder"


ARMS = read_arms("encoder", EncoderArm)
"""The choices of `reproduce encoder --arms`."""


def split_sets(data: Path, names: Sequence[str], *, seed: int) -> dict[str, SplitSet]:
    """Read and split the named sets.

    Args:
        data: the folder with a subfolder per set.
        names: keys of `SOURCES`.
        seed: seed of the split.

    Raises:
        DataError: a set's files are missing.
    """
    return {name: _split_set(data, name, seed) for name in names}


def _split_set(data: Path, name: str, seed: int) -> SplitSet:
    source = SOURCES[name]
    rows: list[tuple[QuestionRow, bool]] = []
    for part in source.files:
        file = data / source.folder / f"{part}.jsonl.gz"
        if not file.is_file():
            raise DataError(f"{source.title} is not there: {file.parent.name}/{file.name} is missing.")
        rows += [(row, part in source.may_train) for row in read_rows(file) if row.paths]
    rows_by_text: dict[str, tuple[QuestionRow, bool]] = {}
    for row, may_train in rows:
        if text := plain_text(row):
            rows_by_text.setdefault(text, (row, may_train))
    rng = np.random.default_rng(seed)
    is_test = grouped_split(groups_by_masked_text(list(rows_by_text)), _TEST_SHARE, rng)
    tested = KeptOut.of(text for text, is_tested in zip(rows_by_text, is_test, strict=True) if is_tested)
    is_apart = is_test | np.array([not tested.holds(text) for text in rows_by_text], dtype=bool)
    is_probed = is_apart.copy()
    if source.most:
        is_probed[rng.permutation(len(rows_by_text))[source.most :]] = False
    whole = SplitSet.of(
        name,
        {text: row for text, (row, _may_train) in rows_by_text.items()},
        is_test=is_test,
        levels=source.levels,
        duplicates=len(rows) - len(rows_by_text),
    )
    may_train = is_apart & np.array([may_train for _row, may_train in rows_by_text.values()], dtype=bool)
    return replace(whole, is_probed=is_probed, may_train=may_train)


def pretraining_examples(sets: Mapping[str, SplitSet], trained_on: Sequence[str]) -> tuple[list[EncoderExample], int]:
    """Return the questions to train an encoder on, and how many were left out because another set tests on them.

    A question that occurs in the test part of any set, ignoring numbers, is left out.
    """
    tested = KeptOut.of(
        text
        for tested_set in sets.values()
        for text, is_test in zip(tested_set.texts, tested_set.is_test, strict=True)
        if is_test
    )
    examples: list[EncoderExample] = []
    leaked = 0
    for name in trained_on:
        training_set = sets[name]
        for row in np.flatnonzero(training_set.may_train & ~training_set.is_test):
            if tested.holds(training_set.texts[row]):
                leaked += 1
                continue
            difficulty = training_set.difficulties[row]
            examples.append(
                EncoderExample(
                    text=training_set.texts[row],
                    paths=(training_set.paths[row],),
                    hierarchy=name,
                    solution=training_set.solutions[row],
                    difficulty=None if np.isnan(difficulty) else float(difficulty),
                )
            )
    return examples, leaked


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
        plan.config,
        lambda run: _run(run, plan, sets(run.seed)),
        say,
    )


def _settings(plan: Plan, arm: str, seed: int) -> dict[str, Any]:
    return {
        "arm": arm,
        "seed": seed,
        "trained_on": list(plan.trained_on) if ARMS[arm].trains else [],
        "measured_on": list(plan.measured_on),
        "config": ARMS[arm].config(replace(plan.config, seed=seed)),
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
    if not ARMS[run.arm].trains:
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


_REFERENCES = ("quesco", "quesco-close", "joint", "joint-layer")
"""Arms that the others are compared with: the first one, and the last one that was run."""

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of a table: how to read it from a set's figures, and how to compute it for one resample."""

    title: str
    read: Callable[[Mapping[str, Any]], float | None]
    outcomes: tuple[str, ...]
    statistic: Callable[..., float]
    lower_is_better: bool = False


def _mean(values: Array) -> float:
    return float(np.nanmean(values))


def _root_mean_square(values: Array) -> float:
    return float(np.sqrt(np.nanmean(values**2)))


def _columns(levels: int) -> list[_Column]:
    columns: list[_Column] = []
    for level in range(1, levels + 1):
        for key, short in (("accuracy", "acc"), ("macro_f1", "F1"), ("precision_at_10", "p@10")):
            outcome = {"accuracy": f"accuracy_{level}", "precision_at_10": f"precision_{level}"}.get(key, "")
            columns.append(
                _Column(
                    f"L{level} {short}",
                    lambda figures, level=level, key=key: figures["levels"].get(str(level), {}).get(key),  # type: ignore[misc]
                    (outcome,) if outcome else (),
                    _mean,
                )
            )
    columns += [
        _Column("MAE", _of_difficulty("mae"), ("difficulty_error",), _mean, lower_is_better=True),
        _Column("RMSE", _of_difficulty("rmse"), ("difficulty_error",), _root_mean_square, lower_is_better=True),
        _Column("Pearson", _of_difficulty("pearson"), ("difficulty", "difficulty_truth"), _pearson),
        _Column("DOA", _of_difficulty("doa"), (), _mean),
        _Column("distance ρ", lambda figures: figures.get("distance", {}).get("spearman"), (), _mean),
    ]
    return columns


def _of_difficulty(key: str) -> Callable[[Mapping[str, Any]], float | None]:
    return lambda figures: figures.get("difficulty", {}).get(key)


def _pearson(predicted: Array, truth: Array) -> float:
    is_labelled = ~np.isnan(truth)
    return pearson(truth[is_labelled], predicted[is_labelled])


def encoder_tables(folders: Sequence[Path]) -> str:
    """Return Markdown: a table of arms per set, and the differences of QuesCo, and of our arm, from each.

    Args:
        folders: folders of finished runs, as `reproduce_encoder` returns them.
    """
    runs = runs_by_arm(folders)
    measured = [
        name for name in SOURCES if any(name in run[0]["sets"] for arm_runs in runs.values() for run in arm_runs)
    ]
    parts = [_settings_line(runs)]
    parts += [_table_of_set(name, runs) for name in measured]
    return "\n\n".join(parts) + "\n"


def _settings_line(runs: Runs) -> str:
    trained = [run[0] for arm_runs in runs.values() for run in arm_runs if run[0]["training"]]
    machines = sorted({run[0]["machine"] for arm_runs in runs.values() for run in arm_runs})
    lines = [f"Machine: {'; '.join(machines)}."]
    if trained:
        first = trained[0]
        config = first["settings"]["config"]
        questions = sorted({figures["training"]["questions"] for figures in trained})
        leaked = sorted({figures["training"]["left_out_as_another_set_tests_with_them"] for figures in trained})
        lines.append(
            f"Trained on {', '.join(SOURCES[name].title for name in first['settings']['trained_on'])}"
            f" ({range_of(questions)} questions; {range_of(leaked)} left out because another set tests with them):"
            f" {first['training']['steps']} steps of {config['batch_size']}, at most {config['max_tokens']} tokens,"
            f" learning rate {config['learning_rate']:g}, momentum {config['momentum']:g}."
        )
    return " ".join(lines)


def _table_of_set(name: str, runs: Runs) -> str:
    having = {arm: [run for run in arm_runs if name in run[0]["sets"]] for arm, arm_runs in runs.items()}
    having = {arm: arm_runs for arm, arm_runs in having.items() if arm_runs}
    figures = next(iter(having.values()))[0][0]["sets"][name]
    columns = [
        column
        for column in _columns(SOURCES[name].levels)
        if any(column.read(run[0]["sets"][name]) is not None for arm_runs in having.values() for run in arm_runs)
    ]
    rows = [
        [
            ARMS[arm].title,
            str(len(having[arm])),
            *(spread_cell([column.read(run[0]["sets"][name]) for run in having[arm]]) for column in columns),
        ]
        for arm in ARMS
        if arm in having
    ]
    parts = [
        f"**{SOURCES[name].title}** ({figures['questions']:,} questions, {figures['test']:,} of them tested;"
        f" {figures['exact_duplicates_removed']:,} exact duplicates removed){_difficulty_note(figures)}",
        markdown_table(["arm", "seeds", *(column.title for column in columns)], rows),
    ]
    present = [reference for reference in _REFERENCES if reference in having]
    extremes = dict.fromkeys([*present[:1], *present[-1:]])
    parts += [_differences(name, reference, having, columns) for reference in extremes]
    return "\n\n".join(parts)


def _difficulty_note(figures: Mapping[str, Any]) -> str:
    difficulty = figures.get("difficulty")
    if not difficulty:
        return ""
    return (
        f". Without any text: constant median MAE {difficulty['median_mae']:.3f}; mean of the true concept"
        f" MAE {difficulty['true_concept_mae']:.3f}, Pearson {difficulty['true_concept_pearson']:.3f}"
    )


def _differences(name: str, reference: str, having: Runs, columns: Sequence[_Column]) -> str:
    paired = [column for column in columns if column.outcomes]
    rows = [
        [ARMS[arm].title, *(_difference(name, having[reference], having[arm], column) for column in paired)]
        for arm in ARMS
        if arm in having and arm != reference
    ]
    return (
        f"{SOURCES[name].title}: *{ARMS[reference].title}* less the arm, 95 % paired bootstrap over the test questions;"
        " bold: better beyond the interval, italics: worse.\n\n"
        + markdown_table(["arm", *(column.title for column in paired)], rows)
    )


def _difference(
    name: str,
    reference: Sequence[tuple[dict[str, Any], Any]],
    rival: Sequence[tuple[dict[str, Any], Any]],
    column: _Column,
) -> str:
    by_seed = {run[0]["settings"]["seed"]: run[1] for run in reference}
    keys = [f"{name}/{key}" for key in column.outcomes]
    reference_arrays: list[list[Array]] = [[] for _key in keys]
    rival_arrays: list[list[Array]] = [[] for _key in keys]
    questions: list[npt.NDArray[np.int64]] = []
    for figures, arrays in rival:
        partner = by_seed.get(figures["settings"]["seed"])
        if partner is None or any(key not in both for both in (partner, arrays) for key in keys):
            continue
        shared, left, right = np.intersect1d(
            partner[f"{name}/question"], arrays[f"{name}/question"], return_indices=True
        )
        questions.append(shared)
        for place, key in enumerate(keys):
            reference_arrays[place].append(partner[key][left])
            rival_arrays[place].append(arrays[key][right])
    if not reference_arrays[0]:
        return "-"
    value, low, high = paired_interval(
        column.statistic,
        [np.concatenate(part) for part in reference_arrays],
        [np.concatenate(part) for part in rival_arrays],
        questions=np.concatenate(questions),
    )
    return difference_cell(value, low, high, lower_is_better=column.lower_is_better)
