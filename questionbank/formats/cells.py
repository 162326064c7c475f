r"""Cells of a CSV file: lists inside a cell, and text that a spreadsheet must not run.

Concept paths stand as ``Algebra > Equations; Geometry > Circles``. In a name, ``\>``, ``\;`` and ``\\``
stand for the plain sign.

A cell that begins with ``=``, ``+``, ``-`` or ``@`` would be a formula in a spreadsheet program. Such a
cell is written with an apostrophe before it, which reading takes away again; numbers stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_GUARDED = re.compile(r"'+[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_PIECE = re.compile(r"\\[\\;>]|[;>]|[^\\;>]+|\\")


def guard_cell(value: str) -> str:
    """Make a cell harmless in a spreadsheet.

    >>> guard_cell("=1+1"), guard_cell("-5"), guard_cell("x=1")
    ("'=1+1", '-5', 'x=1')
    """
    if _FORMULA.match(value) and not _NUMBER.fullmatch(value):
        return "'" + value
    return value


def unguard_cell(value: str) -> str:
    """Undo `guard_cell`.

    >>> unguard_cell("'=1+1"), unguard_cell("'tis")
    ('=1+1', "'tis")
    """
    return value[1:] if _GUARDED.match(value) else value


def _escape(name: str) -> str:
    return name.replace("\\", "\\\\").replace(";", "\\;").replace(">", "\\>")


def join_list(items: Iterable[str]) -> str:
    """Join several values in one cell."""
    return "; ".join(_escape(item) for item in items)


def join_paths(paths: Iterable[Sequence[str]]) -> str:
    r"""Join concept paths in one cell.

    >>> join_paths([("Algebra", "Equations"), ("Size > 10",)])
    'Algebra > Equations; Size \\> 10'
    """
    return "; ".join(" > ".join(_escape(name) for name in path) for path in paths)


def split_paths(cell: str) -> list[list[str]]:
    r"""Return the paths of one cell, names trimmed; a path may hold an empty name, which the caller refuses.

    >>> split_paths("Algebra > Equations; Size \\> 10;")
    [['Algebra', 'Equations'], ['Size > 10']]
    """
    paths: list[list[str]] = [[""]]
    for piece in _PIECE.findall(cell):
        if piece == ";":
            paths.append([""])
        elif piece == ">":
            paths[-1].append("")
        else:
            paths[-1][-1] += piece[1] if len(piece) == 2 and piece[0] == "\\" else piece
    tidy = [[name.strip() for name in path] for path in paths]
    return [path for path in tidy if path != [""]]


def split_list(cell: str) -> list[str]:
    """Return the values of one cell; the sign > has no meaning among them.

    >>> split_list("11; 2")
    ['11', '2']
    """
    return [" > ".join(path) for path in split_paths(cell)]
