"""The first rows of a table as an import would read them, so that a wrong column is seen before anything is queued."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from analytics.records import QuestionRecord
from questionbank.errors import ImportRefused, LineProblem, LineWarning
from questionbank.formats.catalog import read
from questionbank.formats.concept_rows import ConceptRow
from questionbank.formats.layout import FileLayout
from questionbank.services.formula_check import record_problems

ROWS_SHOWN = 10
_UNPACKED = 8 * 1024 * 1024  # bytes of a gzip file that are unpacked for ten rows


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """A row as it would be read: a question, a concept's name, or the reason why it would be refused."""

    line: int
    question: QuestionRecord | None = None
    concept: str = ""
    problem: str = ""
    warnings: list[str] = field(default_factory=list)


def import_preview(*, path: Path, layout: FileLayout, scale: str = "") -> list[PreviewRow]:
    """Read the first rows; `path` may be the beginning of a longer file.

    Raises:
        ImportRefused: not even the first row can be read.
    """
    rows: list[PreviewRow] = []
    warnings: list[str] = []
    try:
        for line, entry in read(path, layout=layout, scale=scale, unpacked_limit=_UNPACKED):
            if isinstance(entry, LineWarning):
                warnings.append(entry.reason)
            elif isinstance(entry, LineProblem):
                rows.append(PreviewRow(line, problem=entry.reason))
            elif isinstance(entry, ConceptRow):
                rows.append(PreviewRow(line, concept=" > ".join(entry.path) or entry.name))
            else:
                rows.append(PreviewRow(line, question=entry, warnings=warnings + record_problems(entry)))
                warnings = []
            if len(rows) == ROWS_SHOWN:
                break
    except ImportRefused:
        if not rows:
            raise
    return rows
