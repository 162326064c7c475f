"""The rows of a list of answers: cells between bars or tabs, a line as it stands, points that a row names."""

from __future__ import annotations

from questionbank.documents.paper import Line


def full_text(line: Line) -> str:
    """Return a line as it stands, its number before its text."""
    return f"{line.number} {line.text}".strip()


def row_cells(text: str) -> list[str] | None:
    """Return the cells of a row of a table in our notation; None where a text is none."""
    if not (text.startswith("|") and text.endswith("|") and len(text) > 2):
        return None
    return [cell.strip() for cell in text[1:-1].split("|")]
