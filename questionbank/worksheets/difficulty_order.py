"""The order of a worksheet's questions from the easiest to the hardest, section by section."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OrderedRow:
    """A row of a worksheet.

    Attributes:
        is_fixed: it stays where it is, between what is above and what is below: a section, a description.
        shared: the text that it shares with others; rows in a row that share one stay together.
        difficulty: on any scale on which harder questions are higher; None where it is not known.
    """

    key: int
    is_fixed: bool = False
    shared: str = ""
    difficulty: float | None = None


def by_difficulty(rows: Iterable[OrderedRow]) -> list[int]:
    """Return the keys of rows in the order of their difficulty; what is not known comes last, as it stood.

    >>> by_difficulty([OrderedRow(1, difficulty=60), OrderedRow(2), OrderedRow(3, difficulty=20), OrderedRow(4, True)])
    [3, 1, 2, 4]
    """
    order: list[int] = []
    block: list[list[OrderedRow]] = []
    for row in rows:
        if row.is_fixed:
            order += [*_ordered(block), row.key]
            block = []
        elif block and row.shared and block[-1][0].shared == row.shared:
            block[-1].append(row)
        else:
            block.append([row])
    return [*order, *_ordered(block)]


def _ordered(block: Iterable[list[OrderedRow]]) -> list[int]:
    return [row.key for group in sorted(block, key=_mean) for row in group]


def _mean(group: list[OrderedRow]) -> float:
    known = [row.difficulty for row in group if row.difficulty is not None]
    return sum(known) / len(known) if known else math.inf
