"""A report on what a training run would learn from, shown above the form to train a model."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.core.cache import cache
from django.db.models import Count, Max

from questionbank.models import Question, QuestionTag

_CACHE_SECONDS = 3600

Column = Literal["count", "share", "scale"]
"""How a table shows its cells: whole numbers, percentages, or numbers from 0 to 1 with a bar."""


@dataclass(frozen=True, slots=True)
class Row:
    """A count of a report.

    Attributes:
        name: its name in code.
        label: its name on the page; a count without one is not listed.
    """

    name: str
    count: int
    label: str = ""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table, with a cell per column; None if a value was not measured."""

    label: str
    cells: tuple[float | None, ...]
    is_left_out: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a report.

    Attributes:
        title: its name for screen readers.
        labels: heading of the rows' labels.
        columns: kind of each column, by heading.
    """

    title: str
    labels: str
    columns: Mapping[str, Column]
    rows: tuple[TableRow, ...]

    @property
    def lines(self) -> list[tuple[TableRow, list[tuple[float | None, Column]]]]:
        """Each row, and its cells with their kinds."""
        kinds = self.columns.values()
        return [(row, list(zip(row.cells, kinds, strict=True))) for row in self.rows]


@dataclass(frozen=True, slots=True)
class Report:
    """What a training run would learn from.

    Attributes:
        rows: the counts.
        advice: sentences on what is missing or doubtful.
        tables: counts by language, level or decision.
        questions: a sentence on the counted questions; by default the page states the chosen hierarchies.
        introduction: further sentences above the counts.
        note: an explanation below the tables.
        examples: name of the URL of a page with examples.
    """

    rows: tuple[Row, ...] = ()
    advice: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    questions: str = ""
    introduction: str = ""
    note: str = ""
    examples: str = ""

    def count(self, name: str) -> int:
        """Return the count with this name."""
        return next(row.count for row in self.rows if row.name == name)

    @property
    def listed(self) -> list[Row]:
        """The counts that the page lists."""
        return [row for row in self.rows if row.label]


@dataclass(frozen=True, slots=True)
class CachedReport:
    """A report on the bank, cached for an hour while neither the bank nor any of the `versions` changes.

    Attributes:
        count: computes it, for the questions tagged in some hierarchies or for all (None).
        labels: returns the number of labels and responses that a model with a scope learns from.
        versions: returns versions of other data that it depends on.
    """

    name: str
    count: Callable[[Sequence[str] | None], Report]
    labels: Callable[[str], int]
    versions: Callable[[], Sequence[str]] = tuple

    def __call__(self, *, hierarchies: Sequence[str] | None = None) -> Report:
        """Return the report, computing it if it is not cached: this takes seconds in a large bank."""
        report = self.cached(hierarchies=hierarchies)
        if report is None:
            report = self.count(hierarchies)
            cache.set(self._key(hierarchies), report, _CACHE_SECONDS)
        return report

    def cached(self, *, hierarchies: Sequence[str] | None = None) -> Report | None:
        """Return the report if it is cached, else None."""
        report: Report | None = cache.get(self._key(hierarchies))
        return report

    def data(self, scope: str) -> dict[str, Any]:
        """Return ``{"version", "labels"}`` of the data; the version changes when there is something new to learn."""
        labels = self.labels(scope)
        return {"version": hashlib.sha256(f"{self._key(None)}/{labels}".encode()).hexdigest(), "labels": labels}

    def _key(self, hierarchies: Sequence[str] | None) -> str:
        chosen = "all" if hierarchies is None else sorted(hierarchies)
        questions = Question.unrestricted.aggregate(count=Count("pk"), last=Max("updated_at"))
        tags = QuestionTag.objects.aggregate(count=Count("pk"), last=Max("pk"))
        version = "/".join([f"{questions}/{tags}", *self.versions(), str(chosen)])
        return f"{self.name}-training-report/{hashlib.sha256(version.encode()).hexdigest()}"
