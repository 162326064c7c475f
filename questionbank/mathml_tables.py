r"""Rules and alignment of the tables of a formula: ``array{|c|r|}``, ``\hline``, ``align``.

MathML Core has no attribute for a rule or the alignment of a column, and latex2mathml reports the rows' rules so
that they cannot be told apart. So rules travel through the converter as characters of the private use area, which
:func:`mark_rules` writes into the source and :func:`arrange_table` takes out of the tree again; what a table looks
like leaves here as classes, which ``static/css/formulas.css`` draws.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

__all__ = ["TABLE_CLASSES", "arrange_table", "mark_rules", "without_marks"]

_RULE = "\ue000"
_COLUMNS_FROM, _COLUMNS_TO = 0xE100, 0xF8FF
_MARKS = re.compile("[\ue000-\uf8ff]")
_HORIZONTAL = re.compile(r"\\(?:hline|toprule|midrule|bottomrule|hdashline)(?![a-zA-Z])")
_ARRAY = re.compile(r"(\\begin\{array\}\s*)\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}")
_REPEATED = re.compile(r"\*\s*\{?(\d{1,2})\}?\s*\{([^{}]*)\}")
_COLUMN_WIDTH = re.compile(r"[@!><]\s*\{[^{}]*\}|([pmbX])\s*(?:\{[^{}]*\})?")

TABLE_CLASSES: dict[str, set[str]] = {
    "mtable": {"formula-aligned"},
    "mtd": {"cell-left", "cell-right", "rule-above", "rule-below", "rule-before", "rule-after"},
}
"""Every class that a formula may carry."""


def without_marks(latex: str) -> str:
    """Return a formula without characters of the private use area: none of them prints, and rules travel as such."""
    return _MARKS.sub("", latex)


def mark_rules(latex: str) -> tuple[str, list[str]]:
    r"""Return a formula whose rules are marked, and the columns of its arrays as letters and bars.

    >>> mark_rules(r"\begin{array}{|*{2}{c}|p{2cm}}\hline 1&2&3\end{array}")
    ('\\begin{array}{ccl}\ue100\ue000 1&2&3\\end{array}', ['|cc|l'])
    """
    arrays: list[str] = []

    def columns(match: re.Match[str]) -> str:
        spec = _REPEATED.sub(lambda repeated: repeated[2] * min(int(repeated[1]), 40), match[2])
        spec = _COLUMN_WIDTH.sub(lambda width: "l" if width[1] else "", spec)
        spec = "".join(letter for letter in spec if letter in "lcr|")
        letters = spec.replace("|", "") or "c"
        if letters == spec or _COLUMNS_FROM + len(arrays) > _COLUMNS_TO:
            return f"{match[1]}{{{letters}}}"
        arrays.append(spec)
        return f"{match[1]}{{{letters}}}{chr(_COLUMNS_FROM + len(arrays) - 1)}"

    if "array" in latex:
        latex = _ARRAY.sub(columns, latex)
    return _HORIZONTAL.sub(_RULE, latex), arrays


def arrange_table(table: Element, arrays: list[str]) -> None:
    """Give a table and its cells their classes, and take the marks out of it."""
    aligned = table.get("columnspacing", "").startswith("0em")
    if aligned:
        table.set("class", "formula-aligned")
    rows = [row for row in table if row.tag == "mtr"]
    columns = ""
    ruled: set[int] = set()
    for index, row in enumerate(rows):
        for mark in _take_marks(row[0]) if len(row) else ():
            if mark == _RULE:
                ruled.add(index)
            elif ord(mark) - _COLUMNS_FROM < len(arrays):
                columns = arrays[ord(mark) - _COLUMNS_FROM]
    while rows and not any(len(cell) for cell in rows[-1]):
        table.remove(rows.pop())
    before, after = _vertical_rules(columns)
    for index, row in enumerate(rows):
        for column, cell in enumerate(row):
            classes = [f"cell-{side}" for side in ("left", "right") if cell.get("columnalign") == side]
            if index in ruled:
                classes.append("rule-above")
            if index == len(rows) - 1 and index + 1 in ruled:
                classes.append("rule-below")
            if column in before:
                classes.append("rule-before")
            if column in after:
                classes.append("rule-after")
            if classes:
                cell.set("class", " ".join(classes))


def _take_marks(cell: Element) -> Iterator[str]:
    """Take the marks off the start of a row; each stands in an identifier of its own."""
    while len(cell) and cell[0].tag == "mi" and _MARKS.fullmatch(cell[0].text or ""):
        yield cell[0].text or ""
        cell.remove(cell[0])


def _vertical_rules(columns: str) -> tuple[set[int], set[int]]:
    """Return the columns with a rule before them, and those with a rule behind them: the last alone."""
    before: set[int] = set()
    count = 0
    for letter in columns:
        if letter == "|":
            before.add(count)
        else:
            count += 1
    after = {count - 1} if count in before else set()
    return before - {count}, after
