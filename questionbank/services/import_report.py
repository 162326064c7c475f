"""What an import did, or would do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from questionbank.errors import LineProblem

__all__ = ["PROBLEMS_KEPT", "DuplicateLink", "ImportReport"]

PROBLEMS_KEPT = 1_000  # refused lines, and linked duplicates, that a report holds; all are counted


@dataclass(frozen=True, slots=True)
class DuplicateLink:
    """A line that asks what the bank, or an earlier line, asks already.

    Attributes:
        line: number of the line.
        question: id of the question it is linked to, None in a dry run where that is new itself.
        first_line: the earlier line that asks the same, None where the bank had it before.
    """

    line: int
    question: int | None
    first_line: int | None


@dataclass(slots=True)
class ImportReport:
    """What an import did; after a dry run, what it would do with the lines that are not refused.

    Attributes:
        rows: lines that are not blank, refused ones included.
        created: new questions.
        duplicates: lines linked to a question that asks the same; `links` are the first of them.
        refused: the first lines that cannot be used; `refused_count` counts them all.
        questions_tagged: questions that got at least one new tag.
        unread_columns: columns of a table that are not read.
        formula_problems: of a dry run, what is wrong with formulas; of the first `formulas_checked` questions.
        languages: new questions by language.
        written: whether the bank was changed.
        phases: seconds by phase.
    """

    name: str
    source: str
    hierarchy: str
    dry_run: bool = False
    rows: int = 0
    created: int = 0
    duplicates: int = 0
    links: list[DuplicateLink] = field(default_factory=list)
    refused: list[LineProblem] = field(default_factory=list)
    refused_count: int = 0
    concepts_created: int = 0
    questions_tagged: int = 0
    languages: dict[str, int] = field(default_factory=dict)
    unread_columns: list[str] = field(default_factory=list)
    formula_problems: list[LineProblem] = field(default_factory=list)
    formulas_checked: int = 0
    written: bool = False
    seconds: float = 0.0
    phases: dict[str, float] = field(default_factory=dict)

    def refuse(self, problem: LineProblem) -> None:
        """Count a refused line, and keep it if it is among the first."""
        self.refused_count += 1
        if len(self.refused) < PROBLEMS_KEPT:
            self.refused.append(problem)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON: for a run's result and for `--json`."""
        return {
            "name": self.name,
            "source": self.source,
            "hierarchy": self.hierarchy,
            "dry_run": self.dry_run,
            "written": self.written,
            "rows": self.rows,
            "created": self.created,
            "duplicates": self.duplicates,
            "links": [
                {"line": link.line, "question": link.question, "first_line": link.first_line}
                for link in self.links
            ],
            "refused_count": self.refused_count,
            "refused": [
                {"line": problem.line, "reason": problem.reason, "field": problem.field}
                for problem in self.refused
            ],
            "concepts_created": self.concepts_created,
            "questions_tagged": self.questions_tagged,
            "languages": self.languages,
            "unread_columns": self.unread_columns,
            "formula_problems": [
                {"line": problem.line, "reason": problem.reason} for problem in self.formula_problems
            ],
            "formulas_checked": self.formulas_checked,
            "seconds": round(self.seconds, 2),
            "phases": {phase: round(seconds, 3) for phase, seconds in self.phases.items()},
        }

    def refusal(self) -> str:
        """Return one sentence for whoever tried."""
        lines = "1 line" if self.refused_count == 1 else f"{self.refused_count:,} lines"
        return f"{lines} of {self.rows:,} in {self.name} cannot be imported; nothing was written."
