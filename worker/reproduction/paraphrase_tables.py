"""The public sets behind ParaQD's tables, the arms, and rendering finished runs as the tables.

AQuA-RAT's dev and test, ASDiv and all evaluated pairs are kept out of training; they are matched ignoring
numbers, case, whitespace and punctuation.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from analytics.errors import DataError
from analytics.paraphrase.metrics import THRESHOLD, operator_accuracy
from analytics.paraphrase.operators.catalog import OPERATORS
from analytics.paraphrase.pair_files import read_pairs, without_unchanged
from analytics.paraphrase.triplets import load_kept_out
from analytics.records import ParaphrasePair
from analytics.splits import KeptOut
from questionbank.demo.bank import phrasing_pairs, story_pairs
from worker.paraphrase.evaluation import INTERVALS, Figures, PairResamples, intervals, mean_figures, operator_figures
from worker.reproduction.runs import Arm, read_arms, read_published
from worker.reproduction.tables import Runs, difference_cell, markdown_table, range_of, runs_by_arm, spread_cell

MEASURED_ON = {
    "aquarat_val": "AquaRAT validation (rule-made labels)",
    "aquarat_test": "AquaRAT",
    "sawp_test": "SAWP",
    "gsm_plus": "GSM-Plus (rewordings against changed questions)",
    "paramawps_valid": "ParaMAWPS validation (rewordings against another question)",
}
LABELLED = ("aquarat_val", "aquarat_test", "sawp_test")
TRAINED_ON = ("gsm8k", "mawps", "mathqa")

Rows = Sequence[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Source:
    """A set to train or evaluate on.

    Attributes:
        title: its name in the table.
        file: its file of rows; empty for generated sets.
        pairs: makes labelled pairs from the rows; None if the rows are questions.
    """

    title: str
    file: str = ""
    pairs: Callable[[Rows], list[ParaphrasePair]] | None = None


@dataclass(frozen=True)
class Material:
    """Training data; `overlap` counts, by set, the questions or pairs that a test set contains."""

    questions: list[str]
    given: list[ParaphrasePair]
    overlap: dict[str, int]


def _rewordings(rows: Rows) -> list[ParaphrasePair]:
    """Return pairs from ParaMAWPS: variant 0 is the original, a seed's last variant asks for another quantity."""
    seeds: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        seeds.setdefault(row["seed"], []).append(row)
    pairs = []
    for variants in seeds.values():
        original = next((row for row in variants if row["variant"] == 0), None)
        last = max(row["variant"] for row in variants)
        if original is None or original.get("answer") is None:
            continue
        for row in variants:
            equal = row.get("answer") == original["answer"]
            is_last = row["variant"] == last
            if row["variant"] and row.get("answer") is not None and equal != is_last:
                pairs.append(ParaphrasePair(row["id"], original["text"], row["text"], int(equal)))
    return pairs


def _changes(rows: Rows) -> list[ParaphrasePair]:
    """Return pairs from GSM-Plus: "problem understanding" rewords; variants with another answer are invalid."""
    pairs = []
    for row in rows:
        label = 1 if row["perturbation"] == "problem understanding" else 0
        if label or row.get("answer") != row.get("seed_answer"):
            pairs.append(ParaphrasePair(row["id"], row["seed_text"], row["text"], label))
    return pairs


SOURCES: dict[str, Source] = {
    "gsm8k": Source("GSM8K", "gsm8k/train"),
    "mawps": Source("MAWPS", "mawps/cv"),
    "mathqa": Source("MathQA", "mathqa/train_part"),
    "paramawps": Source("ParaMAWPS", "paramawps/train_part", _rewordings),
    "gsm_plus": Source("GSM-Plus", "gsm_plus/testmini", _changes),
    "demo": Source("phrasings of the demo patterns", pairs=lambda _none: phrasing_pairs()),
    "stories": Source("stories retold", pairs=lambda _none: story_pairs()),
}

_MADE_OF = {"gsm_plus": SOURCES["gsm_plus"], "paramawps_valid": Source("ParaMAWPS", "paramawps/valid", _rewordings)}


def training_material(
    data: Path, names: Sequence[str], *, measured: Sequence[str] = (), questions: int = 0, seed: int = 0
) -> tuple[Material, KeptOut]:
    """Read the training data, without anything that a test set contains.

    Args:
        data: the folder with a subfolder per public set.
        names: keys of `SOURCES`.
        measured: keys of `MEASURED_ON`, kept out as well.
        questions: maximum number per set, sampled with `seed`; 0 for all.

    Raises:
        DataError: a set, or one that is kept out, is missing or damaged.
    """
    kept_out = load_kept_out(data).and_of(
        text for name in measured if name in _MADE_OF for pair in _every_pair(data, name) for text in pair.texts
    )
    material = Material([], [], {})
    for name in names:
        source = SOURCES[name]
        rows = _read(data / f"{source.file}.jsonl.gz") if source.file else []
        if source.pairs is not None:
            pairs = source.pairs(rows)
            usable = [
                pair for pair in pairs if not kept_out.holds(pair.original) and not kept_out.holds(pair.paraphrase)
            ]
            material.overlap[name] = len(pairs) - len(usable)
            material.given.extend(_drawn(usable, questions, seed))
            continue
        texts, overlap = kept_out.split(dict.fromkeys(row["text"] for row in rows))
        material.overlap[name] = overlap
        material.questions.extend(_drawn(texts, questions, seed))
    return material, kept_out


def measured_pairs(data: Path, name: str, *, most: int = 0, seed: int = 0) -> list[ParaphrasePair]:
    """Return the labelled pairs of a set of `MEASURED_ON`, or a sample of `most` of them.

    Raises:
        DataError: the set is missing or damaged.
    """
    pairs = without_unchanged(_every_pair(data, name))
    return _drawn([replace(pair, id=pair.id or str(row)) for row, pair in enumerate(pairs)], most, seed)


def operators_of(data: Path, name: str) -> dict[str, Any]:
    """Return how often the operators behind an evaluated set produced what they intended (section 4.5).

    The hand-labelled sets do not name the operators. Their rows come in couples, for each question a positive
    operator's output and then a negative one's: interpreted this way, both sets together give the paper's averages.

    Raises:
        DataError: the set is missing or damaged.
    """
    if name in _MADE_OF:
        return {}
    pairs = _every_pair(data, name)
    if any(pair.operator for pair in pairs):
        return operator_figures(without_unchanged(pairs))
    if [pair.original for pair in pairs[::2]] != [pair.original for pair in pairs[1::2]]:
        return {}
    meant = [1 - row % 2 for row in range(len(pairs))]
    labels = [int(pair.label or 0) for pair in pairs]
    return {**operator_accuracy(meant, labels), "labels_are_what_was_meant": meant == labels}


def unchanged_pairs(data: Path, name: str) -> int:
    """Return how many invalid pairs of an evaluated set are left out because an operator changed nothing."""
    pairs = _every_pair(data, name)
    return len(pairs) - len(without_unchanged(pairs))


def _every_pair(data: Path, name: str) -> list[ParaphrasePair]:
    made_of = _MADE_OF.get(name)
    if made_of is None or made_of.pairs is None:
        return read_pairs(data / "paraqd" / f"{name}.jsonl.gz")
    return made_of.pairs(_read(data / f"{made_of.file}.jsonl.gz"))


def _drawn(rows: list[Any], most: int, seed: int) -> list[Any]:
    if not most or len(rows) <= most:
        return rows
    return [rows[row] for row in sorted(np.random.default_rng(seed).permutation(len(rows))[:most])]


def _read(path: Path) -> list[dict[str, Any]]:
    try:
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            return [json.loads(line) for line in stream]
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise DataError(f"{path.parent.name}/{path.name} cannot be read: {error}.") from error


@dataclass(frozen=True, slots=True)
class ParaphraseArm(Arm):
    """One row of a table.

    Attributes:
        rule: a key of `analytics.paraphrase.metrics.RULES`, used instead of an encoder or before it.
        encodes: whether an encoder's cosine is (a part of) the score.
        baseline: one of `worker.reproduction.paraphrase_baselines.BASELINES`, which makes the triplets instead of the
            operators.
        pseudo_labels: whether the baseline labels its augmentations.
    """

    rule: str = ""
    encodes: bool = True
    baseline: str = ""
    pseudo_labels: bool = False

    @property
    def threshold(self) -> float:
        """The paper's 0.5; a rule before a cosine maps everything that it accepts above 0."""
        return 0.0 if self.rule and self.encodes else THRESHOLD


def _without_each_operator(whole: ParaphraseArm) -> dict[str, ParaphraseArm]:
    """Return the ablations of an arm: one per operator of the paper."""
    return {
        f"without-{operator.name.replace('_', '-')}": ParaphraseArm(
            f"ParaQD without {operator.label}", {**(whole.settings or {}), "without": operator.name}
        )
        for operator in OPERATORS
        if operator.is_training and operator.is_paper
    }


_READ = read_arms("paraphrase", ParaphraseArm)
ARMS = {**_READ, **_without_each_operator(_READ["paraqd"])}
"""The choices of `reproduce paraphrase --arms`."""

PUBLISHED: Mapping[str, Mapping[str, Mapping[str, float]]] = read_published("paraphrase")
"""By evaluated set and by row."""

_UNTRAINED = ("same-numbers", "frozen", "rule-frozen")


def with_untrained(arms: Sequence[str]) -> list[str]:
    """Prepend the untrained baselines that a trained scorer must beat, if any of the arms is trained."""
    if not any(arm in ARMS and ARMS[arm].trains for arm in arms):
        return list(arms)
    return [*(arm for arm in _UNTRAINED if arm not in arms), *arms]


_COLUMNS = {
    "auc": "ROC AUC",
    "macro_f1": "macro F1",
    "paper_macro_f1": "macro F1 (paper's)",
    "separation": "separation",
    "weighted_f1": "weighted F1",
    "paper_weighted_f1": "weighted F1 (paper's)",
    "positive_mean": "mean valid",
    "negative_mean": "mean invalid",
}
_REFERENCES = ("same-numbers", "rule-frozen", "paraqd")
"""Arms that the others are compared with; the first two are baselines that a scorer must beat."""


@dataclass(frozen=True)
class _Row:
    """A row of a set's tables: an arm's score, or its verdict, over seeds.

    Attributes:
        runs: figures of each seed.
        drawn: figures for each resample, averaged over seeds.
    """

    title: str
    runs: list[dict[str, Any]]
    drawn: Figures

    def mean(self, name: str) -> float:
        return float(np.mean([run[name] for run in self.runs]))


def paraphrase_tables(folders: Sequence[Path]) -> str:
    """Return Markdown: for each evaluated set, tables of arms, of differences from baselines, and of confusion.

    An arm has a row for its score and, if it was fitted, one for the verdict that combines it with the findings.

    Args:
        folders: folders of finished runs, as `reproduce_paraphrase` returns them.

    Raises:
        DataError: runs were evaluated on different pairs.
    """
    runs = runs_by_arm(folders)
    every = [figures for arm_runs in runs.values() for figures, _outcomes in arm_runs]
    parts = [_settings_line(every)]
    for name in MEASURED_ON:
        if any(name in run["sets"] for run in every):
            parts += _tables_of_set(name, runs)
    return "\n\n".join(parts) + "\n"


def _settings_line(runs: Sequence[Mapping[str, Any]]) -> str:
    lines = [f"Machine: {'; '.join(sorted({run['machine'] for run in runs}))}."]
    trained = [run for run in runs if run["training"]]
    if trained:
        first = trained[0]
        config, overlap = first["settings"]["config"], first["training"]["left_out_as_a_test_set_holds_them"]
        counts = ", ".join(f"{SOURCES[name].title} {count:,}" for name, count in overlap.items())
        steps = sorted({run["training"]["steps"] for run in trained})
        seeds = dict.fromkeys(run["settings"]["seed"] for run in trained)
        lines.append(
            f"Learned from {', '.join(SOURCES[name].title for name in first['settings']['trained_on'])};"
            f" left out because a test set holds them: {counts}. {config['backbone']}, {range_of(steps)} steps of"
            f" {config['batch_size']} triplets, margin {config['margin']:g}, learning rate"
            f" {config['learning_rate']:g}; the best weights on validation pairs are kept. Seeds"
            f" {', '.join(map(str, seeds))}; what is not trained is measured once.{_stand_ins(config)}"
        )
    lines.append(
        "± is the standard deviation over seeds, in brackets stands the 95 % bootstrap interval over pairs. A verdict's"
        " figures are those of its probability, stretched to -1 .. 1, at one half. The paper's EM_Math is private, and"
        " PAWP is not among the sets."
    )
    return " ".join(lines)


def _stand_ins(config: Mapping[str, Any]) -> str:
    models = {
        "f1 (also in UDA) is the rule paraphraser": config["translator_there"],
        "f9 is the lossy summariser": config["weak_paraphraser"],
        "SSMBA fills masked words in by a head that is trained here": "",
    }
    return f" Stand-ins for models: {'; '.join(text for text, model in models.items() if not model)}."


def _tables_of_set(name: str, runs: Runs) -> list[str]:
    having = {arm: [run for run in runs[arm] if name in run[0]["sets"]] for arm in ARMS if arm in runs}
    having = {arm: arm_runs for arm, arm_runs in having.items() if arm_runs}
    rows = _rows(name, having)
    figures = [run[0]["sets"][name] for arm_runs in having.values() for run in arm_runs]
    tables = [_head(name, figures), _main_table(name, rows)]
    tables += [_differences(reference, rows) for reference in _REFERENCES if (reference, "score") in rows]
    return [*tables, _confusion(rows)]


def _rows(name: str, runs: Runs) -> dict[tuple[str, str], _Row]:
    """Return the rows by arm and by ``"score"`` or ``"verdict"``."""
    first = next(iter(runs.values()))[0][1]
    draws = PairResamples.of(first[f"{name}/label"].tolist())
    rows: dict[tuple[str, str], _Row] = {}
    for arm, arm_runs in runs.items():
        for _figures, outcomes in arm_runs:
            if not np.array_equal(outcomes[f"{name}/pair"], first[f"{name}/pair"]):
                raise DataError(f"The runs of {arm} were measured on other pairs of {MEASURED_ON[name]}.")
        for kind, suffix, threshold in (
            ("score", "", ARMS[arm].threshold),
            ("verdict", ", with findings (verdict)", 0.0),
        ):
            if all(kind in figures["sets"][name] for figures, _outcomes in arm_runs):
                rows[arm, kind] = _Row(
                    ARMS[arm].title + suffix,
                    [figures["sets"][name][kind] for figures, _outcomes in arm_runs],
                    mean_figures(
                        [draws.figures(arrays[f"{name}/{kind}"], threshold=threshold) for _figures, arrays in arm_runs]
                    ),
                )
    return rows


def _head(name: str, figures: Sequence[Mapping[str, Any]]) -> str:
    run = figures[0]
    learned = sorted({run["learned_from"] for run in figures})
    lines = [
        f"**{MEASURED_ON[name]}** ({run['pairs']:,} pairs, {run['score']['valid']:,} of them valid; {range_of(learned)}"
        " of them learned from)."
    ]
    if run["unchanged_and_left_out"]:
        lines.append(f"{run['unchanged_and_left_out']:,} that an operator left unchanged are left out.")
    operators = run["operators"]
    if operators and operators["labels_are_what_was_meant"]:
        lines.append("The labels say no more than what the operators meant.")
    elif operators:
        lines.append(
            f"The operators that made the pairs: precision {operators['precision']:.3f}, recall"
            f" {operators['recall']:.3f}, accuracy {operators['accuracy']:.3f} (the paper, mean of its sets:"
            " 0.40, 0.59, 0.56)."
        )
    return " ".join(lines)


def _main_table(name: str, rows: Mapping[tuple[str, str], _Row]) -> str:
    lines = []
    for row in rows.values():
        bounds = intervals(row.drawn)
        cells = []
        for key in _COLUMNS:
            cell = spread_cell([run[key] for run in row.runs])
            cells.append(cell + (" [{:.3f}, {:.3f}]".format(*bounds[key]) if key in bounds else ""))
        lines.append([row.title, str(len(row.runs)), *cells])
    for title, figures in PUBLISHED.get(name, {}).items():
        cells = [f"{figures[key]:.3f}" if key in figures else "-" for key in _COLUMNS]
        lines.append([f"*{title}, as published*", "-", *cells])
    return markdown_table(["arm", "seeds", *_COLUMNS.values()], lines)


def _differences(reference: str, rows: Mapping[tuple[str, str], _Row]) -> str:
    base = rows[reference, "score"]
    lines = []
    for row in rows.values():
        if row is not base:
            bounds = intervals(row.drawn, base.drawn)
            cells = [difference_cell(row.mean(key) - base.mean(key), *bounds[key]) for key in INTERVALS]
            lines.append([row.title, *cells])
    return (
        f"Arms less *{base.title}*, 95 % paired bootstrap over pairs; bold: better beyond the interval,"
        f" italics: worse.\n\n{markdown_table(['arm', *(_COLUMNS[key] for key in INTERVALS)], lines)}"
    )


def _confusion(rows: Mapping[tuple[str, str], _Row]) -> str:
    lines = []
    for row in rows.values():
        counts = np.mean([run["confusion"] for run in row.runs], axis=0).ravel()
        lines.append([row.title, *(f"{count:.4g}" for count in counts)])
    called = [f"{label} called {answer}" for label, answer in product(("invalid", "valid"), repeat=2)]
    return f"Confusion (Figure 4 of the paper), mean over seeds:\n\n{markdown_table(['arm', *called], lines)}"
