"""Finished runs, read and shown as Markdown tables and maps: pooled outcomes, their intervals, and cells."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from analytics.atomic_file import write_text
from analytics.inference.encode import Encode
from analytics.probes.projection import Matrix, project_vectors
from analytics.records import ParaphrasePair
from questionbank.core.charts import SHAPES
from questionbank.core.errors import ValidationFailed
from worker.bootstrap import mean_interval, paired_difference
from worker.reproduction.runs import FIGURES, OUTCOMES, SEED, ProblemSet, scope_note

NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A stored run.

    Attributes:
        fold: index of its part among the set's parts.
        part: the part of the set that it was trained on.
    """

    fold: int
    part: str
    seed: int
    folder: Path

    def figures(self) -> dict[str, Any]:
        """Return its figures by evaluated set."""
        sets: dict[str, Any] = json.loads((self.folder / FIGURES).read_text(encoding="utf-8"))["sets"]
        return sets

    def outcomes(self) -> dict[str, npt.NDArray[Any]]:
        """Return its arrays by ``set/name``."""
        with np.load(self.folder / OUTCOMES) as stored:
            return {key: stored[key] for key in stored.files}


Runs = Mapping[str, Sequence[tuple[dict[str, Any], Mapping[str, npt.NDArray[Any]]]]]
"""The figures and outcomes of each seed, by arm."""


def runs_by_arm(folders: Sequence[Path]) -> Runs:
    """Return the results of finished runs.

    Args:
        folders: the folders, as `run_missing` returns them.
    """
    runs: dict[str, list[tuple[dict[str, Any], Mapping[str, npt.NDArray[Any]]]]] = {}
    for folder in folders:
        figures = json.loads((folder / FIGURES).read_text(encoding="utf-8"))
        with np.load(folder / OUTCOMES) as outcomes:
            runs.setdefault(figures["settings"]["arm"], []).append((figures, dict(outcomes)))
    return runs


def finished_runs(output: Path, parts: Sequence[str], arm: str) -> list[FinishedRun]:
    """Return an arm's finished runs on the parts of a set, by part and seed."""
    return [
        FinishedRun(fold, part, int(file.parent.name.removeprefix(SEED)), file.parent)
        for fold, part in enumerate(parts)
        for file in sorted((output / part / arm).glob(f"{SEED}*/{FIGURES}"))
    ]


def spread_cell(values: Sequence[float | None]) -> str:
    """Return the mean, and with several values their standard deviation; None values are ignored.

    >>> spread_cell([0.5]), spread_cell([0.5, 0.7]), spread_cell([None])
    ('0.500', '0.600 ± 0.141', '-')
    """
    numbers = [value for value in values if value is not None]
    if not numbers:
        return "-"
    spread = f" ± {np.std(numbers, ddof=1):.3f}" if len(numbers) > 1 else ""
    return f"{np.mean(numbers):.3f}{spread}"


def difference_cell(value: float, low: float, high: float, *, lower_is_better: bool = False) -> str:
    """Return a difference with its interval: bold if better beyond the interval, in italics if worse.

    >>> difference_cell(0.2, 0.1, 0.3), difference_cell(0.2, 0.1, 0.3, lower_is_better=True)
    ('**+0.200 [+0.100, +0.300]**', '*+0.200 [+0.100, +0.300]*')
    """
    shown = f"{value:+.3f} [{low:+.3f}, {high:+.3f}]"
    better, worse = (high < 0, low > 0) if lower_is_better else (low > 0, high < 0)
    return f"**{shown}**" if better else f"*{shown}*" if worse else shown


def range_of(values: Sequence[int]) -> str:
    """Return ascending numbers as a readable range.

    >>> range_of([1200]), range_of([3, 5, 9])
    ('1,200', '3-9')
    """
    return f"{values[0]:,}" if len(values) == 1 else f"{values[0]:,}-{values[-1]:,}"


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; rows that are too short are padded with empty cells.

    >>> print(markdown_table(["", "all", "few"], [["frozen", "0.5"]]))
    | | all | few |
    |---|---|---|
    | frozen | 0.5 | |
    """
    filled = [[*row, *[""] * (len(headings) - len(row))] for row in (headings, *rows)]
    lines = ["|" + "".join(f" {cell} |" if cell else " |" for cell in row) for row in filled]
    return "\n".join([lines[0], "|" + "---|" * len(headings), *lines[1:]])


def titled_table(title: str, headings: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Return a titled Markdown table with named rows; without rows, a note that it was not run.

    >>> print(titled_table("Accuracy", ["all"], [("frozen", ["0.5"])]))
    ### Accuracy
    <BLANKLINE>
    | | all |
    |---|---|
    | frozen | 0.5 |
    """
    body = markdown_table(["", *headings], [[name, *cells] for name, cells in rows]) if rows else NOT_RUN
    return f"### {title}\n\n{body}"


Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Pooled:
    """Results of an arm on a set, pooled over all folds and seeds that were run, one row per question and seed.

    Attributes:
        questions: a number for each row's question; runs of the same question share it.
        columns: arrays by name.
        folds, seeds: the folds and seeds that were run.
    """

    questions: npt.NDArray[np.int64]
    columns: Mapping[str, Array]
    folds: tuple[int, ...]
    seeds: tuple[int, ...]

    @classmethod
    def of(cls, runs: Sequence[FinishedRun], arrays: Iterable[Mapping[str, Array]]) -> Self:
        """Pool runs and their outcomes; ``question`` identifies the rows.

        Args:
            runs: at least one.
            arrays: arrays of each run, by name.
        """
        by_run = [
            {**run_arrays, "seed": np.full(len(run_arrays["question"]), run.seed)}
            for run, run_arrays in zip(runs, arrays, strict=True)
        ]
        columns = {name: np.concatenate([run_arrays[name] for run_arrays in by_run]) for name in by_run[0]}
        return cls(
            questions=columns.pop("question"),
            columns=columns,
            folds=tuple(sorted({run.fold for run in runs})),
            seeds=tuple(sorted({run.seed for run in runs})),
        )

    def take(self, rows: Array) -> Pooled:
        """Return some of the rows."""
        columns = {name: column[rows] for name, column in self.columns.items()}
        return replace(self, questions=self.questions[rows], columns=columns)

    def interval(self, column: str) -> tuple[float, float, float]:
        """Return the mean of a column with its 95 % bootstrap interval over questions: mean, low, high."""
        values = self.columns[column].astype(float).tolist()
        return mean_interval(self.questions.tolist(), values, np.random.default_rng(0))

    def scope(self, problem_set: ProblemSet) -> str:
        """Return a note on the folds and seeds that were run, unless they are all folds with one seed."""
        return scope_note(problem_set, self.folds, self.seeds)


def difference(questions: Array, values: Array, reference: Array) -> tuple[float, float, float]:
    """Return the mean of some values minus the reference's, with its paired 95 % bootstrap interval over questions."""
    columns = [values.astype(float).tolist(), reference.astype(float).tolist()]
    drawn = paired_difference(questions.tolist(), columns, "mean", np.random.default_rng(0))
    return drawn["difference"], drawn["low"], drawn["high"]


def put_table(document: Path, name: str, table: str) -> None:
    """Replace the text between ``<!-- begin NAME -->`` and ``<!-- end NAME -->``.

    Raises:
        ValidationFailed: the document is missing, or does not contain both markers once, in this order.
    """
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    text = document.read_text(encoding="utf-8") if document.is_file() else ""
    before, mark, rest = text.partition(begin)
    _old, ended, after = rest.partition(end)
    if not mark or not ended or begin in rest or end in after:
        raise ValidationFailed(f"{document} must have the lines {begin} and {end} once.")
    write_text(document, f"{before}{begin}\n\n{table.strip()}\n\n{end}{after}")


_SIDE, _EDGE, _HEAD = 640, 24, 72
_LOOKS = (("#1d2522", 3), ("#0068a8", 0), ("#c04a00", 2), ("#2d7a3e", 1))  # colour and shape number
_METHODS = {"tsne": "t-SNE", "pca": "principal components"}


def map_of_pairs(pairs: Sequence[ParaphrasePair], encode: Encode, title: str) -> str:
    """Draw questions, their valid and their invalid paraphrases (ParaQD, Figures 2 and 3), as `map_of_groups`.

    Args:
        title: printed above the map, followed by the method.
    """
    groups = {
        "question": list(dict.fromkeys(pair.original for pair in pairs)),
        "valid paraphrase": [pair.paraphrase for pair in pairs if pair.label == 1],
        "invalid paraphrase": [pair.paraphrase for pair in pairs if pair.label == 0],
    }
    vectors = encode([text for texts in groups.values() for text in texts])
    ends = np.cumsum([len(texts) for texts in groups.values()])[:-1]
    return map_of_groups(dict(zip(groups, np.split(vectors, ends), strict=True)), title)


def map_of_groups(groups: Mapping[str, Matrix], title: str) -> str:
    """Lay out groups of vectors together, and draw them as SVG; deterministic.

    Args:
        groups: name of the group -> (vectors, dimension); at most four.
        title: printed above the map, followed by the method.
    """
    map_ = project_vectors(np.concatenate(list(groups.values())))
    ends = np.cumsum([len(vectors) for vectors in groups.values()])[:-1]
    parts = dict(zip(groups, np.split(map_.coordinates, ends), strict=True))
    return map_svg(parts, f"{title}: {_METHODS[map_.method]}")


def map_svg(groups: Mapping[str, Matrix], title: str) -> str:
    """Draw points within -1 .. 1 as a standalone picture, each group with its own colour and shape.

    Args:
        groups: name of the group -> (points, 2); at most four.
        title: printed above the picture.
    """
    height = _SIDE + _HEAD
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SIDE} {height}" width="{_SIDE}" height="{height}"'
        ' role="img" font-family="sans-serif" font-size="14">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{_SIDE}" height="{height}" fill="#fff"/>',
        f'<text x="{_EDGE}" y="28" fill="#1d2522">{escape(title)}</text>',
    ]
    left = _EDGE
    for (name, points), (colour, shape) in zip(groups.items(), _LOOKS, strict=False):
        label = f"{name} ({len(points):,})"
        lines += [
            f'<g fill="{colour}"><path d="{SHAPES[shape]}" transform="translate({left} 42)"/>',
            f'<text x="{left + 22}" y="55">{escape(label)}</text></g>',
            f'<g fill="{colour}" fill-opacity="0.6">',
        ]
        lines += [
            f'<path d="{SHAPES[shape]}" transform="translate({x:.1f} {y:.1f}) scale(0.5)"/>' for x, y in _places(points)
        ]
        lines.append("</g>")
        left += 40 + 8 * len(label)
    return "\n".join([*lines, "</svg>", ""])


def _places(points: Matrix) -> list[tuple[float, float]]:
    """Return the position of the upper left corner of each symbol, 8 wide."""
    half = _SIDE / 2 - _EDGE
    return [(_SIDE / 2 + half * x - 4, _HEAD + _SIDE / 2 - half * y - 4) for x, y in points.tolist()]
