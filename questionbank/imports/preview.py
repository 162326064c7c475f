"""A preview of an import, with the problems of its formulas."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from analytics.records import QuestionRecord
from analytics.text.formulas import segment_text
from questionbank.bank.question_fields import latex_warnings
from questionbank.core.errors import ImportRefused, LineProblem, LineWarning
from questionbank.formats.catalog import read
from questionbank.formats.concept_rows import ConceptRow
from questionbank.formats.layout import FileLayout
from questionbank.formulas import FormulaRefused, formula_mathml, split_definitions

_SHOWN = 60  # characters of a formula in a warning


def formula_problems(text: str) -> list[str]:
    r"""Return formulas that cannot be rendered, and unbalanced delimiters.

    >>> formula_problems(r"Solve $x = 2$."), len(formula_problems(r"Solve $\frac{1}{$."))
    ([], 2)
    """
    problems = latex_warnings(text)
    definitions = ""
    for segment in segment_text(text):
        own, rest = split_definitions(segment.body)
        definitions += own
        if segment.kind == "text" or not rest.strip():
            continue
        try:
            formula_mathml(rest, definitions=definitions)
        except FormulaRefused:
            source = segment.source if len(segment.source) <= _SHOWN else segment.source[:_SHOWN] + "…"
            problems.append(f"The formula {source} cannot be drawn.")
    return problems


def record_problems(record: QuestionRecord) -> list[str]:
    """Return the problems of a question's text, options, answer and solution, without repetitions."""
    parts = (record.text, *(option.text for option in record.options), record.answer, record.solution)
    return list(dict.fromkeys(problem for part in parts for problem in formula_problems(part)))


ROWS_SHOWN = 10
_UNPACKED = 8 * 1024 * 1024  # bytes of a gzip file that are decompressed for ten rows


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """A row as it would be read: a question, a concept's name, or the reason for refusal."""

    line: int
    question: QuestionRecord | None = None
    concept: str = ""
    problem: str = ""
    warnings: list[str] = field(default_factory=list)


def import_preview(*, path: Path, layout: FileLayout, scale: str = "") -> list[PreviewRow]:
    """Read the first rows; `path` may be only the beginning of a longer file.

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
