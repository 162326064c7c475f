"""The first rows of a table as an import would read them, so that a wrong column is seen before anything is queued."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from analytics.records import QuestionRecord
from questionbank.errors import ImportRefused, LineProblem
from questionbank.formats.concept_rows import ConceptRow
from questionbank.formats.csv_layout import CsvLayout
from questionbank.formats.csv_table import read_csv
from questionbank.formats.fields import FileScale
from questionbank.services.formula_check import record_problems

__all__ = ["ROWS_SHOWN", "PreviewRow", "import_preview"]

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


def import_preview(*, path: Path, layout: CsvLayout, scale: str = "") -> list[PreviewRow]:
    """Read the first rows; `path` may be the beginning of a longer file.

    Raises:
        ImportRefused: not even the first row can be read.
    """
    rows: list[PreviewRow] = []
    entries = read_csv(path, layout=layout, scale=FileScale(scale), unpacked_limit=_UNPACKED)
    try:
        for line, entry in islice(entries, ROWS_SHOWN):
            if isinstance(entry, LineProblem):
                rows.append(PreviewRow(line, problem=entry.reason))
            elif isinstance(entry, ConceptRow):
                rows.append(PreviewRow(line, concept=" > ".join(entry.path) or entry.name))
            else:
                rows.append(PreviewRow(line, question=entry, warnings=record_problems(entry)))
    except ImportRefused:
        if not rows:
            raise
    return rows
