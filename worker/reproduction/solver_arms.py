"""The arms of Pattern-CL's and Textual-CL's tables: one line each, as settings of the solver's configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analytics.errors import DataError
from analytics.problem_files import Problems, read_problems

__all__ = ["ARMS", "SETS", "Arm", "SolverSet", "part_names", "part_problems"]


@dataclass(frozen=True, slots=True)
class Arm:
    """One way to get a solver.

    Attributes:
        title: as the tables say it.
        settings: what differs from the configuration that all arms share; None: nothing is trained.
    """

    title: str
    settings: Mapping[str, Any] | None = None


def _pattern(**settings: Any) -> dict[str, Any]:
    return {"contrast": "pattern", **settings}


def _textual(**settings: Any) -> dict[str, Any]:
    return {"contrast": "textual", **settings}


_STRATEGIES = {
    f"textual-{equation}-{text}": Arm(
        f"Textual-CL, {equation}, {text}",
        _textual(pool="train", equation_strategy=equation, text_strategy=text),
    )
    for equation in ("exact", "nearest")
    for text in ("random", "encoder", "bleu")
    if (equation, text) != ("exact", "bleu")  # that is textual-train
}
_MARGINS = {
    f"margin-{margin}": Arm(f"Pattern-CL, margin {margin}", _pattern(margin=margin))
    for margin in (0.05, 0.1, 0.15, 0.3)
}

ARMS: dict[str, Arm] = {
    "retrieve-tfidf": Arm("retrieve and apply, TF-IDF"),
    "retrieve-encoder": Arm("retrieve and apply, frozen encoder"),
    "frozen": Arm("frozen encoder, trained decoder", {"contrast": "none", "freeze_encoder": True}),
    "none": Arm("no contrast", {"contrast": "none"}),
    "pattern": Arm("Pattern-CL", _pattern()),
    "textual": Arm("Textual-CL, RODA + QR + train", _textual(pool="roda+qr")),
    "both": Arm("both contrasts", {"contrast": "both", "pool": "roda+qr"}),
    "textual-train": Arm("Textual-CL, train", _textual(pool="train")),
    "textual-roda": Arm("Textual-CL, RODA + train", _textual(pool="roda")),
    "textual-qr": Arm("Textual-CL, QR + train", _textual(pool="qr")),
    **_STRATEGIES,
    "pattern-same": Arm("Pattern-CL, positives of the same structure", _pattern(positives="same")),
    "pattern-random": Arm("Pattern-CL, random negatives", _pattern(negatives="random")),
    **_MARGINS,
    "alpha-1": Arm("Pattern-CL, alpha 1", _pattern(contrast_weight=1.0)),
    "stage-1": Arm("Pattern-CL, alpha 5, stage I and one step more", _pattern(max_steps=1)),
    "alpha-1-stage-1": Arm(
        "Pattern-CL, alpha 1, stage I and one step more", _pattern(contrast_weight=1.0, max_steps=1)
    ),
    "qr-none": Arm("QR learned too, no contrast", {"contrast": "none", "augment": "qr"}),
    "qr-textual": Arm("QR learned too, Textual-CL", _textual(augment="qr", pool="train")),
    "roda-none": Arm("RODA learned too, no contrast", {"contrast": "none", "augment": "roda"}),
    "roda-textual": Arm("RODA learned too, Textual-CL", _textual(augment="roda", pool="train")),
}
"""What `reproduce solver --arms` takes."""


@dataclass(frozen=True, slots=True)
class SolverSet:
    """A public set.

    Attributes:
        title: as the tables say it.
        learned: file or folder under the data folder.
        tested: another file to test with, where the first has no test part.
        folds: of its cross-validation; 0 where it has a test part.
    """

    title: str
    learned: str
    tested: str = ""
    folds: int = 0


SETS: dict[str, SolverSet] = {
    "asdiv_a": SolverSet("ASDiv-A", "asdiv_a/cv.jsonl.gz", folds=5),
    "mawps": SolverSet("MAWPS", "mawps/cv.jsonl.gz", folds=5),
    "math23k": SolverSet("Math23K", "math23k"),
    "mathqa": SolverSet(
        "MathQA (adapted val)", "mathqa/train_part.jsonl.gz", tested="mathqa_adapted/val.jsonl.gz"
    ),
}
"""What `reproduce solver --train-on` takes, whole or as one fold: ``asdiv_a/fold-0``."""


def part_names(chosen: str) -> list[str]:
    """Return the runs that a set makes, one for each fold: ``asdiv_a`` or ``asdiv_a/fold-3``.

    Raises:
        DataError: there is no such set or fold.
    """
    name, _, fold = chosen.partition("/")
    known = SETS.get(name)
    names = [] if known is None else [f"{name}/fold-{number}" for number in range(known.folds)] or [name]
    if fold:
        names = [chosen] if chosen in names else []
    if not names:
        raise DataError(
            f"There is no set {chosen}; there are {', '.join(SETS)}, and folds as asdiv_a/fold-0."
        )
    return names


def part_problems(data: Path, part: str, *, most: int = 0) -> Problems:
    """Return the problems of a run; none is learned from whose text a test problem has.

    Args:
        data: folder with a folder for each public set.
        part: as `part_names` gives it.
        most: learn from so many at most, and test with so many; 0 for all.

    Raises:
        DataError: the set is missing or cannot be read.
    """
    name, _, fold = part.partition("/fold-")
    chosen = SETS[name]
    problems = read_problems(data / chosen.learned, fold=int(fold) if fold else -1)
    tested = read_problems(data / chosen.tested).learned if chosen.tested else problems.test
    texts = {problem.text for problem in tested}
    learned = tuple(problem for problem in problems.learned if problem.text not in texts)
    most = most or len(learned) + len(tested)
    return Problems(learned[:most], problems.validation, tested[:most])
