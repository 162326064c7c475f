"""Public sets of word problems as used by reproductions: their training and test parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from analytics.backbone.sources import DEFAULT_BACKBONE, MULTILINGUAL_BACKBONE
from analytics.errors import DataError
from analytics.problem_files import Problems, read_problems


@dataclass(frozen=True, slots=True)
class ProblemSet:
    """A public data set.

    Attributes:
        title: its name in the tables.
        learned: training file or folder, relative to the data folder.
        tested: a separate test file, if the first one has no test part.
        folds: number of cross-validation folds; 0 if it has a test part.
        backbone: the encoder to train from unless another is named; empty for the default one.
        foreign: set in another language that multilingual arms are also trained on; empty if there is none.
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
        "MathQA (adapted val)", "mathqa/train_part.jsonl.gz", tested="mathqa_adapted/val.jsonl.gz", foreign="math23k"
    ),
}
"""By the word that ``--train-on`` takes, as a whole or as one fold: ``asdiv_a/fold-0``."""


def set_backbone(known: ProblemSet, chosen: str) -> str:
    """Return the encoder that a set's arms are trained from: the named one, else the set's own.

    >>> set_backbone(PROBLEM_SETS["mawps"], DEFAULT_BACKBONE), set_backbone(PROBLEM_SETS["math23k"], DEFAULT_BACKBONE)
    ('all-MiniLM-L6-v2', 'multilingual-e5-small')
    """
    return known.backbone if known.backbone and chosen == DEFAULT_BACKBONE else chosen


def part_names(chosen: str, sets: Mapping[str, ProblemSet] = PROBLEM_SETS) -> list[str]:
    """Return the runs of a set, one per fold: ``asdiv_a`` or ``asdiv_a/fold-3``.

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
        raise DataError(f"There is no set {chosen}; there are {', '.join(sets)}, and folds as asdiv_a/fold-0.")
    return names


def part_problems(data: Path, part: str, sets: Mapping[str, ProblemSet] = PROBLEM_SETS, *, most: int = 0) -> Problems:
    """Return the problems of a run; no training or validation problem has a test problem's text.

    Args:
        data: folder with a subfolder per public data set.
        part: a name from `part_names`.
        sets: the sets that the part's name refers to.
        most: maximum number of training problems, and of test problems; 0 for all.

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
    """Return a note on the folds and seeds that were run, unless it is all folds with one seed.

    >>> scope_note(PROBLEM_SETS["mawps"], (0,), (1, 2))
    ' (fold 0, 2 seeds)'
    """
    notes = []
    if len(folds) < known.folds:
        notes.append(f"fold{'s' if len(folds) > 1 else ''} {', '.join(map(str, folds))}")
    if len(seeds) > 1:
        notes.append(f"{len(seeds)} seeds")
    return f" ({', '.join(notes)})" if notes else ""
