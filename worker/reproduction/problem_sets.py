"""Public sets of word problems as reproductions use them: what is learned from, and what is tested with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from analytics.backbone.sources import DEFAULT_BACKBONE, MULTILINGUAL_BACKBONE
from analytics.errors import DataError
from analytics.problem_files import Problems, read_problems


@dataclass(frozen=True, slots=True)
class ProblemSet:
    """A public set.

    Attributes:
        title: as the tables say it.
        learned: file or folder under the data folder.
        tested: another file to test with, where the first has no test part.
        folds: of its cross-validation; 0 where it has a test part.
        backbone: the encoder to train from unless another is named; empty: the default one.
        foreign: the set in another language that multilingual arms learn from as well; empty: there is none.
    """

    title: str
    learned: str
    tested: str = ""
    folds: int = 0
    backbone: str = ""
    foreign: str = ""


PROBLEM_SETS: dict[str, ProblemSet] = {
    "asdiv_a": ProblemSet("ASDiv-A", "asdiv_a/cv.jsonl.gz", folds=5),
    "mawps": ProblemSet("MAWPS", "mawps/cv.jsonl.gz", folds=5),
    "math23k": ProblemSet("Math23K", "math23k", backbone=MULTILINGUAL_BACKBONE, foreign="mathqa"),
    "mathqa": ProblemSet(
        "MathQA (adapted val)",
        "mathqa/train_part.jsonl.gz",
        tested="mathqa_adapted/val.jsonl.gz",
        foreign="math23k",
    ),
}
"""By the word that ``--train-on`` takes, whole or as one fold: ``asdiv_a/fold-0``."""


def set_backbone(known: ProblemSet, chosen: str) -> str:
    """Return the encoder that a set's arms are trained from: the one that was named, else the set's own.

    >>> set_backbone(PROBLEM_SETS["mawps"], DEFAULT_BACKBONE), set_backbone(PROBLEM_SETS["math23k"], DEFAULT_BACKBONE)
    ('all-MiniLM-L6-v2', 'multilingual-e5-small')
    """
    return known.backbone if known.backbone and chosen == DEFAULT_BACKBONE else chosen


def part_names(chosen: str, sets: Mapping[str, ProblemSet] = PROBLEM_SETS) -> list[str]:
    """Return the runs that a set makes, one for each fold: ``asdiv_a`` or ``asdiv_a/fold-3``.

    Raises:
        DataError: there is no such set or fold.
    """
    name, _, fold = chosen.partition("/")
    problem_set = sets.get(name)
    names: list[str] = []
    if problem_set is not None:
        names = [f"{name}/fold-{number}" for number in range(problem_set.folds)] or [name]
    if fold:
        names = [chosen] if chosen in names else []
    if not names:
        raise DataError(
            f"There is no set {chosen}; there are {', '.join(sets)}, and folds as asdiv_a/fold-0."
        )
    return names


def part_problems(
    data: Path, part: str, sets: Mapping[str, ProblemSet] = PROBLEM_SETS, *, most: int = 0
) -> Problems:
    """Return the problems of a run; none that is learned from or validated with has a test problem's text.

    Args:
        data: folder with a folder for each public set.
        part: as `part_names` gives it.
        sets: that have the part.
        most: learn from so many at most, and test with so many; 0 for all.

    Raises:
        DataError: the set is missing or cannot be read.
    """
    name, _, fold = part.partition("/fold-")
    chosen = sets[name]
    problems = read_problems(data / chosen.learned, fold=int(fold) if fold else -1)
    if chosen.tested:
        problems = replace(problems, test=read_problems(data / chosen.tested).learned)
    problems = problems.without_leaks()
    most = most or len(problems.learned) + len(problems.test)
    return replace(problems, learned=problems.learned[:most], test=problems.test[:most])


def scope_note(known: ProblemSet, folds: tuple[int, ...], seeds: tuple[int, ...]) -> str:
    """Say which folds and seeds were run, where it is not all folds with one seed.

    >>> scope_note(PROBLEM_SETS["mawps"], (0,), (1, 2))
    ' (fold 0, 2 seeds)'
    """
    notes = []
    if len(folds) < known.folds:
        notes.append(f"fold{'s' if len(folds) > 1 else ''} {', '.join(map(str, folds))}")
    if len(seeds) > 1:
        notes.append(f"{len(seeds)} seeds")
    return f" ({', '.join(notes)})" if notes else ""
