"""The lines of a test paper: `{{ role|role_name }}`, why it was guessed (`role_reason`), and `{{ line|line_text }}`."""

from __future__ import annotations

from django import template

from questionbank.papers.forms import ROLE_NAMES
from questionbank.papers.line_roles import ROLE_REASONS
from questionbank.papers.paper_lines import Line, Role, row_cells

register = template.Library()


@register.filter
def role_name(role: Role) -> str:
    """Return the display name of a role."""
    return ROLE_NAMES[role]


@register.filter
def role_reason(rule: str) -> str:
    """Return the sentence that says why a line got its role; empty for a rule of another release."""
    return ROLE_REASONS.get(rule, "")


@register.filter
def line_text(line: Line) -> str:
    """Return the text of a line for rendering; a table row becomes a table with one row."""
    cells = row_cells(line.text)
    if cells is None:
        return line.text
    row = " & ".join(cell.replace("&", r"\&") for cell in cells)
    return rf"\begin{{tabular}}{{{'c' * len(cells)}}}{row}\end{{tabular}}"
