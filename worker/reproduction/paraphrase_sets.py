"""The public sets of the paraphrase tables: training data and evaluation data.

AQuA-RAT's dev and test, ASDiv and all evaluated pairs are kept out of training; they are matched ignoring
numbers, case, whitespace and punctuation.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from analytics.errors import DataError
from analytics.paraphrase.pair_files import read_pairs, without_unchanged
from analytics.paraphrase.scoring.metrics import operator_accuracy
from analytics.paraphrase.triplets import load_kept_out
from analytics.records import ParaphrasePair
from analytics.splits import KeptOut
from questionbank.demo.bank import phrasing_pairs, story_pairs
from worker.paraphrase.evaluation import operator_figures

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
