"""What the tables of all reproductions write in their cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

NOT_RUN = "not run"


def spread_cell(values: Sequence[float | None]) -> str:
    """Return the mean, and with several values their standard deviation; None is left out.

    >>> spread_cell([0.5]), spread_cell([0.5, 0.7]), spread_cell([None])
    ('0.500', '0.600 ± 0.141', '-')
    """
    numbers = [value for value in values if value is not None]
    if not numbers:
        return "-"
    spread = f" ± {np.std(numbers, ddof=1):.3f}" if len(numbers) > 1 else ""
    return f"{np.mean(numbers):.3f}{spread}"


def difference_cell(value: float, low: float, high: float, *, lower_is_better: bool = False) -> str:
    """Return a difference with its interval: bold where it is better beyond it, in italics where it is worse.

    >>> difference_cell(0.2, 0.1, 0.3), difference_cell(0.2, 0.1, 0.3, lower_is_better=True)
    ('**+0.200 [+0.100, +0.300]**', '*+0.200 [+0.100, +0.300]*')
    """
    shown = f"{value:+.3f} [{low:+.3f}, {high:+.3f}]"
    better, worse = (high < 0, low > 0) if lower_is_better else (low > 0, high < 0)
    return f"**{shown}**" if better else f"*{shown}*" if worse else shown


def range_of(values: Sequence[int]) -> str:
    """Return rising numbers as people write them.

    >>> range_of([1200]), range_of([3, 5, 9])
    ('1,200', '3-9')
    """
    return f"{values[0]:,}" if len(values) == 1 else f"{values[0]:,}-{values[-1]:,}"


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown; a row that is too short is filled up with empty cells.

    >>> print(markdown_table(["", "all", "few"], [["frozen", "0.5"]]))
    | | all | few |
    |---|---|---|
    | frozen | 0.5 | |
    """
    filled = [[*row, *[""] * (len(headings) - len(row))] for row in (headings, *rows)]
    lines = ["|" + "".join(f" {cell} |" if cell else " |" for cell in row) for row in filled]
    return "\n".join([lines[0], "|" + "---|" * len(headings), *lines[1:]])


def titled_table(title: str, headings: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Return a table in markdown, each row with its name; without rows it was not run.

    >>> print(titled_table("Accuracy", ["all"], [("frozen", ["0.5"])]))
    ### Accuracy
    <BLANKLINE>
    | | all |
    |---|---|
    | frozen | 0.5 |
    """
    body = markdown_table(["", *headings], [[name, *cells] for name, cells in rows]) if rows else NOT_RUN
    return f"### {title}\n\n{body}"
