"""A question's text as safe HTML with its tables in columns and its parts in a list.

`questionbank.rendering` renders prose and formulas; this module adds the structure that
`analytics.text.question_layout` finds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from html import escape

from analytics.text.question_layout import Block, text_blocks
from questionbank.rendering import render_inline, render_question

_FEWEST_ITEMS = 2
_WIDE_TABLE = 6  # from this many columns, a table may be wider than a small screen


@lru_cache(maxsize=2_048)
def render_laid_out(text: str) -> str:
    """Return a question's text as HTML blocks; never raises, like `render_question`."""
    return "".join(_render(block) for block in text_blocks(text))


def render_excerpt(text: str, limit: int = 0) -> str:
    r"""Return a text as one line of HTML, like `render_inline`; a table is reduced to its cells, row by row.

    >>> render_excerpt("Find y.\n\n| x | 1 |\n|---|---|\n| y | 2 |")
    'Find y. x, 1; y, 2 '
    """
    if "\n" in text and ("|" in text or "\t" in text):
        text = "".join(map(_cells_or_text, text_blocks(text)))
    return render_inline(text, limit)


def _cells_or_text(block: Block) -> str:
    if block.kind != "table":
        return block.text
    return "\n" + "; ".join(", ".join(filter(None, row)) for row in block.rows) + "\n"


def _render(block: Block) -> str:
    if block.kind == "table":
        return _table(block.rows)
    if block.kind == "parts":
        items = (
            f'<li><span class="part-label">{escape(label)}</span><div>{render_laid_out(text)}</div></li>'
            for label, text in block.parts
        )
        return f'<ol class="parts">{"".join(items)}</ol>'
    return "".join(_with_lists(block.text))


def _with_lists(text: str) -> Iterator[str]:
    """Yield prose, and the lists in it: at least two lines that begin with ``- ``, or with ``1. `` and so on."""
    prose: list[str] = []
    lines = text.split("\n")
    place = 0
    while place < len(lines):
        items, numbers = _items(lines[place:])
        if len(items) < _FEWEST_ITEMS or "".join(prose).count("$") % 2:
            prose.append(lines[place])
            place += 1
            continue
        if any(line.strip() for line in prose):
            yield render_question("\n".join(prose))
        prose = []
        tag = "ol" if numbers else "ul"
        inner = "".join(f"<li>{render_inline(item)}</li>" for item in items)
        yield f'<{tag} class="question-list">{inner}</{tag}>'
        place += len(items)
    if any(line.strip() for line in prose):
        yield render_question("\n".join(prose))


def _items(lines: Sequence[str]) -> tuple[list[str], bool]:
    """Return the items of the list that begins here, and whether they are numbered starting from 1."""
    items: list[str] = []
    is_numbered = lines[0].startswith("1. ")
    for place, line in enumerate(lines, start=1):
        mark = f"{place}. " if is_numbered else "- "
        if not line.startswith(mark) or line.count("$") % 2:
            break
        items.append(line.removeprefix(mark))
    return items, is_numbered


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = ("".join(f"<td>{render_inline(cell)}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{cells}</tr>" for cells in lines)
    # A table wider than the screen scrolls, which requires keyboard focus.
    is_wide = len(rows[0]) >= _WIDE_TABLE
    focus = ' tabindex="0" role="group" aria-label="table"' if is_wide else ""
    return f'<div class="table-scroll"{focus}><table class="question-table"><tbody>{body}</tbody></table></div>'
