"""A question's text as safe HTML with its tables in columns and its parts in a list.

`questionbank.rendering` shows prose and formulas; here stands around it what `analytics.text.question_layout` finds.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from html import escape

from analytics.text.question_layout import Block, text_blocks
from questionbank.rendering import ENGLISH_LABELS, Labels, render_inline, render_question

_WIDE_TABLE = 6  # columns that may be wider than a small screen


@lru_cache(maxsize=2_048)
def render_laid_out(text: str, labels: Labels = ENGLISH_LABELS) -> str:
    """Return a question's text as HTML blocks; never raises, as `render_question` never does."""
    return "".join(_render(block, labels) for block in text_blocks(text))


def _render(block: Block, labels: Labels) -> str:
    if block.kind == "table":
        return _table(block.rows, labels)
    if block.kind == "parts":
        items = (
            f'<li><span class="part-label">{escape(label)}</span><div>{render_laid_out(text, labels)}</div></li>'
            for label, text in block.parts
        )
        return f'<ol class="parts">{"".join(items)}</ol>'
    return render_question(block.text, labels)


def _table(rows: Sequence[Sequence[str]], labels: Labels) -> str:
    lines = ("".join(f"<td>{render_inline(cell, 0, labels)}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{cells}</tr>" for cells in lines)
    # A table wider than the screen scrolls, which needs the keyboard's focus.
    is_wide = len(rows[0]) >= _WIDE_TABLE
    focus = f' tabindex="0" role="group" aria-label="{escape(labels.table)}"' if is_wide else ""
    return (
        f'<div class="table-scroll"{focus}><table class="question-table"><tbody>{body}</tbody></table></div>'
    )
