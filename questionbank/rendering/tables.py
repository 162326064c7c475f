r"""``tabular`` as an HTML table, whose cells are mixed text."""

from __future__ import annotations

import re
from collections.abc import Callable

from analytics.text.formulas import segment_text

_WIDE_TABLE = 6  # columns beyond which a table may be wider than a small screen
TABLE = re.compile(r"\\begin\s*\{tabular[*x]?\}\s*(?:\[[a-z]*\]\s*)?(?=\{)")
_END_OF_TABLE = re.compile(r"\\end\s*\{tabular[*x]?\}\s*$")
_TABLE_MARK = re.compile(
    r"\\\\(?:\[[^\]]{0,20}\]|\s*\[\s*-?[\d.]+\s*(?:pt|em|ex|cm|mm|in)\s*\])?|\\newline\b|\\(?:hline|toprule|midrule|bottomrule)(?![a-z])|\\cline\s*\{[^{}]*\}"
    r"|\\noalign\s*\{[^{}]*\}|\\&|&"
)
_SPAN = re.compile(r"\\multicolumn\s*\{(\d{1,2})\}\s*\{[^{}]*\}\s*\{(.*)\}$", re.DOTALL)


def table_html(source: str, start: int, cell_html: Callable[[str], str]) -> str:
    """Return a ``tabular`` as an HTML table.

    Args:
        source: the environment. start: where its columns begin. cell_html: what shows a cell's text.
    """
    body = _END_OF_TABLE.sub("", source[_closing_brace(source, start) + 1 :])
    rows = [row for row in _cells(body) if any(cell.strip() for cell in row)]
    html: list[str] = []
    for row in rows:
        html.append("<tr>")
        for cell in row:
            span = _SPAN.match(cell.strip())
            content = cell_html(span[2] if span else cell.strip())
            html.append(f'<td colspan="{int(span[1])}">' if span else "<td>")
            html.append(f"{content}</td>")
        html.append("</tr>")
    columns = max((len(row) for row in rows), default=0)
    focus = ' tabindex="0" role="group" aria-label="table"' if columns >= _WIDE_TABLE else ""
    table = f'<table class="question-table"><tbody>{"".join(html)}</tbody></table>'
    return f'<div class="table-scroll"{focus}>{table}</div>'


def _closing_brace(text: str, start: int) -> int:
    depth = 0
    for index in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        if depth == 0:
            return index
    return len(text)


def _cells(body: str) -> list[list[str]]:
    """Split the body of a table into rows of cells, never inside a formula."""
    rows: list[list[str]] = [[""]]
    for segment in segment_text(body):
        if segment.kind == "formula":
            rows[-1][-1] += segment.source
            continue
        start = 0
        for mark in _TABLE_MARK.finditer(segment.source):
            rows[-1][-1] += segment.source[start : mark.start()]
            start = mark.end()
            if mark[0] == "&":
                rows[-1].append("")
            elif mark[0].startswith(("\\\\", "\\newline")) or _is_lost_break(mark[0], rows[-1]):
                rows.append([""])
            elif mark[0] == r"\&":
                rows[-1][-1] += mark[0]
        rows[-1][-1] += segment.source[start:]
    return rows


def _is_lost_break(mark: str, row: list[str]) -> bool:
    r"""Return whether a line is drawn behind a row that did not end: some banks lost the ``\\\\`` before it."""
    return mark.startswith((r"\h", r"\c", r"\t", r"\m", r"\b")) and any(cell.strip() for cell in row)
