"""The problems that the starters of the solvers and of the retriever are trained on.

``python -m worker.solver.starter_data --data ../shared/data --output FOLDER`` writes the English ones, with
``--language zh`` the Chinese ones.

English: MAWPS, its rewordings in ParaMAWPS, the training split of GSM8K and a sample of MathQA, each without its
longest texts, and the demo bank without the questions that it holds out. 213 problems of our own
(`written_problems.jsonl`, written by people who had seen none of the others) are used for validation, so that a
solver's confidence holds for texts unlike its training problems. Problems that match, ignoring numbers and
punctuation, one that the starters are evaluated on are left out, and so is every rewording of such a problem. MathQA's
validation problems have near copies in its own training split: here only equal texts are left out. Synthetic
problems are used for training only.

``--learned``, ``--measured`` and ``--longest`` choose other problems, so that a model can be evaluated on MAWPS, for
instance.

Chinese: the training splits of Math23K and UnbiasedMWP; for Math23K's published test problems only equal texts are
left out.

Writes ``train.jsonl.gz`` and ``val.jsonl.gz``; `python -m analytics train solver` reads the folder. The starters
themselves are made by `python -m worker.starters`, from the problems that its recipes name.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from analytics.json_lines import read_objects
from analytics.splits import KeptOut, is_held_out
from analytics.text.fingerprints import story_key, text_key
from questionbank.demo.bank import demo_questions
from questionbank.problem_writing.everyday import everyday_rows
from questionbank.problem_writing.stories import synthetic_rows


@dataclass(frozen=True, slots=True)
class StarterSets:
    """Training data of a starter for one language.

    Attributes:
        learned: each training set, with the number of problems to use; 0 for all.
        measured: evaluation sets: problems that match theirs, ignoring numbers, are left out.
        equal_texts: sets for which only equal texts are left out.
        reworded: sets in which the rows of one seed are rewordings of one problem.
        synthetic: number of problems generated from stories.
        everyday: number of problems generated from kinds of everyday problems.
        longest: maximum characters per problem; a CPU takes twice as long for twice the text.
    """

    learned: Mapping[str, int]
    measured: tuple[str, ...]
    equal_texts: tuple[str, ...]
    reworded: tuple[str, ...] = ()
    synthetic: int = 0
    everyday: int = 0
    longest: int = 260


STARTER_SETS = {
    "en": StarterSets(
        learned={"mawps/cv": 0, "paramawps/train_part": 0, "gsm8k/train": 0, "mathqa/train_part": 5_000},
        measured=("asdiv_a/cv", "asdiv/all", "gsm8k/test", "gsm_plus/testmini", "aqua_rat/dev", "aqua_rat/test"),
        equal_texts=("mathqa/dev", "mathqa_adapted/val"),
        reworded=("paramawps/train_part", "paramawps/valid", "paramawps/test"),
        synthetic=12_000,
        everyday=32_000,
    ),
    "zh": StarterSets(
        learned={"math23k/train": 0, "unbiased_mwp/train": 0},
        measured=("cmath/test", "unbiased_mwp/test", "ape210k/valid", "ape210k/test"),
        equal_texts=("math23k/dev", "math23k/test"),
        longest=120,
    ),
}
"""By language."""

VALIDATION = 400
_WRITTEN = Path(__file__).with_name("written_problems.jsonl")
SEED = 0
_FIELDS = ("text", "language", "equation", "answer", "numbers", "program", "calculations")

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SetCounts:
    """Number of problems in a set, and how many were left out or used."""

    problems: int
    measured_on: int
    repeated: int
    used: int

    def __str__(self) -> str:
        return (
            f"{self.problems:,} problems, {self.measured_on:,} left out as measured on, {self.repeated:,} repeat"
            f" another one, {self.used:,} used"
        )


@dataclass(frozen=True, slots=True)
class _Measured:
    """Texts that must not be trained on.

    Attributes:
        but_for_numbers: texts that match whatever their numbers.
        texts: keys of texts that match only with the same numbers, in any notation.
    """

    but_for_numbers: KeptOut
    texts: Set[str]

    def holds(self, row: Row) -> bool:
        """Return whether a problem is used for evaluation."""
        return self.but_for_numbers.holds(row["text"]) or text_key(row["text"]) in self.texts


def starter_rows(data: Path, sets: StarterSets, language: str) -> tuple[list[Row], dict[str, SetCounts]]:
    """Return the problems of the public sets, the demo bank in this language, and generated ones, set by set.

    Returns:
        The problems, and by set name how many there were and why some were left out.
    """
    bank = [asdict(record) for record in demo_questions() if record.equation and record.language == language]
    measured = _measured(data, sets, bank)
    used: set[str] = set()
    chosen: dict[str, list[Row]] = {}
    counts: dict[str, SetCounts] = {}
    for name, most in sets.learned.items():
        rows = [
            row for row in _rows(data, name) if row.get("numbers_aligned", True) and len(row["text"]) <= sets.longest
        ]
        fair = [row for row in rows if not measured.holds(row)]
        new = list({text_key(row["text"]): row for row in fair if text_key(row["text"]) not in used}.values())
        drawn = random.Random(SEED).sample(new, most) if most and most < len(new) else new  # noqa: S311
        used.update(text_key(row["text"]) for row in drawn)
        chosen[name] = drawn
        counts[name] = SetCounts(len(rows), len(rows) - len(fair), len(fair) - len(new), len(drawn))
    ours = {
        "demo": bank,
        "written": [row for _number, row in read_objects(_WRITTEN) if row["language"] == language],
        "synthetic": list(synthetic_rows(sets.synthetic, SEED)),
        "everyday": list(_everyday(sets.everyday)),
    }
    for name, rows in ours.items():
        chosen[name] = [row for row in rows if not measured.holds(row)]
        counts[name] = SetCounts(len(rows), len(rows) - len(chosen[name]), 0, len(chosen[name]))
    rows = [
        {field: row[field] for field in _FIELDS if row.get(field)} | {"id": f"{name}/{row['id']}"}
        for name, set_rows in chosen.items()
        for row in set_rows
    ]
    return rows, counts


@cache
def _everyday(count: int) -> list[Row]:
    return list(everyday_rows(count, SEED))


def _measured(data: Path, sets: StarterSets, bank: Sequence[Row]) -> _Measured:
    held_out = [row["text"] for row in bank if is_held_out(row["text"])]
    measured = KeptOut.of((*held_out, *(row["text"] for name in sets.measured for row in _rows(data, name))))
    reworded = [row for name in sets.reworded for row in _rows(data, name)]
    seeds = {row["seed"] for row in reworded if measured.holds(row["text"])}
    return _Measured(
        measured.and_of(row["text"] for row in reworded if row["seed"] in seeds),
        {text_key(row["text"]) for name in sets.equal_texts for row in _rows(data, name)},
    )


def _rows(data: Path, name: str) -> Iterator[Row]:
    for _number, row in read_objects(_path(data, name)):
        yield dict(row)


def _path(data: Path, name: str) -> Path:
    return data / f"{name}.jsonl.gz"


def _name_and_count(text: str) -> tuple[str, int]:
    name, _, count = text.partition("=")
    if not (count or "0").isdecimal():
        raise argparse.ArgumentTypeError("a name of a set, with =COUNT or without")
    return name, int(count or 0)


def divide(rows: Sequence[Row], data: Path, reworded: Sequence[str]) -> tuple[list[Row], list[Row]]:
    """Split rows into training rows and `VALIDATION` or a few more validation rows, at random.

    Problems that match except for numbers, and rewordings of one problem, stay together; generated problems are
    only used for training, and written ones only for validation.
    """
    seeds = {story_key(row["text"]): row["seed"] for name in reworded for row in _rows(data, name)}
    groups: dict[str, list[Row]] = {}
    ours: dict[str, list[Row]] = {"synthetic": [], "everyday": [], "written": []}
    for row in rows:
        name = str(row["id"]).partition("/")[0]
        if name in ours:
            ours[name].append(row)
            continue
        story = story_key(row["text"])
        groups.setdefault(f"seed {seeds[story]}" if story in seeds else story, []).append(row)
    names = list(groups)
    random.Random(SEED).shuffle(names)  # noqa: S311
    validation: list[Row] = []
    while names and len(validation) < VALIDATION:
        validation += groups[names.pop()]
    learned = [row for name in names for row in groups[name]] + ours["synthetic"] + ours["everyday"]
    random.Random(SEED).shuffle(learned)  # noqa: S311
    return learned, validation + ours["written"]


def write_problems(data: Path, output: Path, sets: StarterSets, language: str) -> dict[str, SetCounts]:
    """Write the training and validation problems into a folder, and return the counts of each set."""
    rows, counts = starter_rows(data, sets, language)
    learned, validation = divide(rows, data, sets.reworded)
    output.mkdir(parents=True, exist_ok=True)
    write_rows(output / "val.jsonl.gz", validation)
    write_rows(output / "train.jsonl.gz", learned)
    return counts


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write rows as compressed JSON Lines."""
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def main(arguments: list[str] | None = None) -> int:
    """Write the two files."""
    parser = argparse.ArgumentParser(description="Write the problems that starters are trained on.")
    parser.add_argument("--data", type=Path, required=True, help="folder of the public data sets")
    parser.add_argument("--output", type=Path, required=True, help="folder to write to")
    parser.add_argument("--language", choices=tuple(STARTER_SETS), default="en")
    parser.add_argument("--synthetic", type=int, help="number of problems made from stories, in place of the usual one")
    parser.add_argument("--everyday", type=int, help="number of everyday problems, in place of the usual one")
    parser.add_argument(
        "--learned",
        nargs="+",
        type=_name_and_count,
        metavar="SET[=COUNT]",
        help="sets to learn from in place of the usual ones, such as gsm8k/train mathqa/train_part=5000",
    )
    parser.add_argument(
        "--measured",
        nargs="+",
        metavar="SET",
        help="sets to measure on in place of the usual ones; problems equal to theirs are left out",
    )
    parser.add_argument("--longest", type=int, help="maximum characters per problem, in place of the usual one")
    options = parser.parse_args(arguments)
    sets = STARTER_SETS[options.language]
    if not (sets.synthetic or (options.synthetic is None and options.everyday is None)):
        parser.error("generated problems are English")
    given = {name: getattr(options, name) for name in ("synthetic", "everyday", "learned", "measured", "longest")}
    given |= {"learned": dict(options.learned)} if options.learned else {}
    sets = replace(sets, **{name: value for name, value in given.items() if value is not None})
    if missing := [name for name in (*sets.learned, *sets.measured) if not _path(options.data, name).is_file()]:
        parser.error(f"There is no set {missing[0]} in {options.data}.")
    for name, count in write_problems(options.data, options.output, sets, options.language).items():
        sys.stdout.write(f"{name}: {count}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
