"""The report of an import or a dry run: the reasons for refused lines, and the fields in which questions differ."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from questionbank.bank.history_selectors import SHOWN_FIELDS, field_shown
from questionbank.core.errors import LineProblem, LineWarning
from questionbank.core.wording import counted
from questionbank.formats.catalog import FORMATS, with_companions
from questionbank.formats.columns import OPTIONAL_FIELDS
from questionbank.formats.layout import DELIMITERS, FileLayout
from questionbank.formats.lines import ENCODINGS
from questionbank.models import Question

_LONGEST = 2_000  # most characters of a value that are shown
_NOT_IN_HISTORY = {"source_id": "identifier", "equation": "equation", "concepts": "concepts"}


def differences_shown(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return (field, before, after) for each field that differs, in the order used by the history.

    Args:
        before, after: field values, in the format of `questionbank.imports.updates.question_fields`.
    """
    differences = [
        (str(Question._meta.get_field(name).verbose_name), *_pair(name, before, after))  # type: ignore[union-attr]
        for name in SHOWN_FIELDS
        if name in after
    ]
    differences += [(label, *_pair(name, before, after)) for name, label in _NOT_IN_HISTORY.items() if name in after]
    differences = [row for row in differences if row[1] != row[2]]
    return differences or [("details", "other details of its item in the file", "changed")]


def _pair(name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[str, str]:
    return _short(name, before.get(name)), _short(name, after.get(name))


def _short(name: str, value: Any) -> str:
    if name == "concepts":
        text = "; ".join(" > ".join(path) for path in value or ())
    else:
        text = str(value or "") if name in _NOT_IN_HISTORY else field_shown(name, value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


_LINES_KEPT = 5
_VALUES_KEPT = 4
_VALUES_TOLD_APART = 1_000
_GROUPS_KEPT = 200
# The parts that vary between lines with the same mistake: quoted values, formulas, numbers.
_PARTICULAR = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\$[^$]*\$|\\\(.*?\\\)|\\\[.*?\\\]|\d[\d,.]*")
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\$[^$]*\$")
_OTHERS = "other reasons; fix the ones above first"


@dataclass(slots=True)
class ReasonGroup:
    """Lines with the same mistake.

    Attributes:
        field: the field concerned; empty for the line as a whole.
        reason: reason of the first line.
        lines: the first line numbers.
        values: further values with the same mistake, as quoted in the reasons; `others` counts the rest.
    """

    field: str
    reason: str
    count: int = 0
    lines: list[int] = dataclasses.field(default_factory=list)
    values: list[str] = dataclasses.field(default_factory=list)
    _seen: set[str] = dataclasses.field(default_factory=set)

    @property
    def others(self) -> int:
        """Number of further values."""
        return max(len(self._seen) - 1 - len(self.values), 0)

    def add(self, line: int, reason: str, *, more: int = 0) -> None:
        """Count a line, and `more` others whose line numbers are unknown."""
        self.count += 1 + more
        if len(self.lines) < _LINES_KEPT and line not in self.lines:
            self.lines.append(line)
        match = _QUOTED.search(reason)
        if match and match[0] not in self._seen and len(self._seen) < _VALUES_TOLD_APART:
            if self._seen and len(self.values) < _VALUES_KEPT:
                self.values.append(match[0])
            self._seen.add(match[0])

    def as_dict(self) -> dict[str, Any]:
        """Return the group as JSON."""
        names = ("field", "reason", "count", "lines", "values", "others")
        return {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        lines = f"line {self.lines[0]:,}" if self.count == 1 else f"{self.count:,} lines"
        also = f" (also {', '.join(self.values)}" if self.values else ""
        also += f" and {self.others:,} others)" if also and self.others else ")" if also else ""
        first = f"; first in {_listed(self.lines)}" if self.count > 1 else ""
        return f"{lines}: {self.reason}{also}{first}"


def _listed(lines: Sequence[int]) -> str:
    return ("line " if len(lines) == 1 else "lines ") + ", ".join(f"{line:,}" for line in lines)


class ReasonGroups:
    """All reasons for refusals in a file, grouped by what they have in common; bounded in size for any file."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str], ReasonGroup] = {}

    def add(self, line: int, field: str, reason: str, *, more: int = 0) -> None:
        """Count a line with this reason, and `more` others whose line numbers are unknown."""
        key = (field, _PARTICULAR.sub("…", reason))
        group = self._groups.get(key)
        if group is None:
            if len(self._groups) >= _GROUPS_KEPT:
                key, field, reason = ("", _OTHERS), "", _OTHERS
            group = self._groups.setdefault(key, ReasonGroup(field, reason))
        group.add(line, reason, more=more)

    def ordered(self) -> list[ReasonGroup]:
        """Return the groups, largest first."""
        return sorted(self._groups.values(), key=lambda group: -group.count)


SOURCES_KEPT = 20  # sets listed for a file with many
PROBLEMS_KEPT = 1_000  # refused lines, and linked duplicates, in a report; all are counted

NOT_KEPT = {  # fields that a linked line may have but its question lacks -> their names for people
    "answer": "the answer",
    "solution": "the worked solution",
    "options": "weights of and feedback to options",
    "accepted": "other accepted answers, their weights, tolerances and feedback",
    "pairs": "pairs to match",
    "blanks": "the answers of gaps",
    "parts": "the answers of parts",
    "feedback": "feedback to students",
    "hints": "hints",
    "points": "points",
    "tags": "tags",
}
Fields = dict[str, Any]
CHANGES_KEPT = 200  # changed questions in a report with their differences; all are counted


@dataclass(frozen=True, slots=True)
class DuplicateLink:
    """A line that asks the same as a question of the bank or an earlier line, with the same answer or none.

    Attributes:
        line: number of the line.
        question: id of the question it is linked to; None in a dry run if that question is new itself.
        first_line: the earlier line that asks the same; None if the question was already in the bank.
    """

    line: int
    question: int | None
    first_line: int | None


@dataclass(frozen=True, slots=True)
class Totals:
    """Totals of the staged rows.

    Attributes:
        changed: new questions with the identifier of another question of their set that the person may change.
        others: lines of new questions with the identifier of a question that they may not change.
        not_kept: fields of linked lines that are dropped: field name, number of lines, the first lines.
    """

    created: int
    duplicates: int
    languages: dict[str, int]
    links: list[DuplicateLink]
    changed: int
    others: list[int]
    not_kept: list[tuple[str, int, list[int]]]


@dataclass(slots=True)
class ItemChange:
    """A question whose line has changed.

    Attributes:
        before, after: the fields that differ.
        is_conflict: whether a person has edited the question since it was imported.
    """

    line: int
    question: int
    before: Fields
    after: Fields
    is_conflict: bool = False


@dataclass(slots=True)
class KnownLines:
    """The lines of a file that match questions of the bank.

    Attributes:
        kept_retired: number of questions that were retired since, and remain so.
    """

    count: int = 0
    changes: list[ItemChange] = field(default_factory=list)
    kept_retired: int = 0

    @property
    def updates(self) -> list[ItemChange]:
        """Changes that do not require a choice."""
        return [change for change in self.changes if not change.is_conflict]

    @property
    def conflicts(self) -> list[ItemChange]:
        """Changes of questions that a person has edited since the import."""
        return [change for change in self.changes if change.is_conflict]


@dataclass(slots=True)
class KnownReport:
    """Outcome for lines that match questions from an earlier import of the file.

    Attributes:
        changes: the first changed ones, each with its line, its question, whether it waits for a choice, and its
            differences as (field, before, after).
        vanished: number of the set's questions that are missing from the file; `vanished_questions` lists the first.
    """

    unchanged: int = 0
    updated: int = 0
    conflicts: int = 0
    kept_retired: int = 0
    vanished: int = 0
    changes: list[dict[str, Any]] = field(default_factory=list)
    vanished_questions: list[int] = field(default_factory=list)


@dataclass(slots=True)
class ImportReport:
    """The result of an import; after a dry run, what it would do with the lines that are not refused.

    Attributes:
        rows: number of non-blank lines, including refused ones; for a format without lines, the number of questions.
        concept_rows: lines that only name a concept, or categories of a quiz.
        created: new questions.
        duplicates: lines linked to a question that asks the same; `links` holds the first.
        refused: the first lines that cannot be used; `refused_count` counts all of them, `reasons` groups them.
        warnings: changes made to lines during the import, and suspicious lines, grouped.
        stopped_at: line after which reading stopped, because no line before it was valid; otherwise 0.
        without: fields that were left out.
        known: lines that match questions from an earlier import; None if the import does not update.
        changed_elsewhere: if it does not, new questions with the identifier of another question of their set.
        questions_tagged: questions that got at least one new tag.
        layout: how the file is read; None if it has no columns.
        sources: the sets named by its questions, or the default set; the largest first, limited in number.
        label: name of its format.
        unit: what is counted, such as a line or a question; `place` is what positions refer to.
        notes: what was done with whole columns.
        unread_columns: columns of a table, or fields of JSON objects, that are not read.
        formulas_checked: number of questions, from the first, whose formulas a dry run has checked.
        templates, without_figure: new questions that draw their numbers, or that lack a figure; in a dry run, among
            the first `formulas_checked` questions.
        languages: new questions by language.
        written: whether the bank was changed.
        phases: seconds by phase.
    """

    name: str
    source: str
    hierarchy: str
    sources: list[str] = field(default_factory=list)
    dry_run: bool = False
    rows: int = 0
    concept_rows: int = 0
    created: int = 0
    duplicates: int = 0
    known: KnownReport | None = None
    changed_elsewhere: int = 0
    links: list[DuplicateLink] = field(default_factory=list)
    refused: list[LineProblem] = field(default_factory=list)
    refused_count: int = 0
    concepts_created: int = 0
    questions_tagged: int = 0
    languages: dict[str, int] = field(default_factory=dict)
    reasons: ReasonGroups = field(default_factory=ReasonGroups)
    warnings: ReasonGroups = field(default_factory=ReasonGroups)
    stopped_at: int = 0
    without: Sequence[str] = ()
    layout: FileLayout | None = None
    label: str = ""
    unit: str = "line"
    place: str = "line"
    notes: list[str] = field(default_factory=list)
    unread_columns: list[str] = field(default_factory=list)
    formulas_checked: int = 0
    templates: int = 0
    without_figure: int = 0
    _refused_for: Counter[frozenset[str]] = field(default_factory=Counter)
    written: bool = False
    seconds: float = 0.0
    phases: dict[str, float] = field(default_factory=dict)

    def refuse(self, problem: LineProblem) -> None:
        """Count a refused line, and store it if it is among the first."""
        self.refused_count += 1
        parts = problem.parts or ((problem.field, problem.reason),)
        for name, reason in parts:
            self.reasons.add(problem.line, name, reason)
        self._refused_for[frozenset(name for name, _reason in parts)] += 1
        if len(self.refused) < PROBLEMS_KEPT:
            self.refused.append(problem)

    def warn(self, warning: LineWarning) -> None:
        """Count a line's warning."""
        self.warnings.add(warning.line, warning.field, warning.reason)

    def link(self, totals: Totals) -> None:
        """Record which lines are linked to questions that ask the same, and which of their fields are dropped."""
        self.duplicates, self.links = totals.duplicates, totals.links
        for name, count, lines in totals.not_kept:
            reason = f"it is linked to a question that asks the same; this is not kept: {NOT_KEPT[name]}"
            for line in lines:
                self.warnings.add(line, name, reason, more=count - len(lines) if line == lines[-1] else 0)

    def compare(self, known: KnownLines, vanished: Sequence[int]) -> None:
        """Record the comparison of the file's lines with earlier imports."""
        self.known = KnownReport(
            unchanged=known.count - len(known.changes) - known.kept_retired,
            updated=len(known.updates),
            conflicts=len(known.conflicts),
            kept_retired=known.kept_retired,
            vanished=len(vanished),
            changes=[
                {
                    "line": change.line,
                    "question": change.question,
                    "is_conflict": change.is_conflict,
                    "differences": differences_shown(change.before, change.after),
                }
                for change in known.changes[:CHANGES_KEPT]
            ],
            vanished_questions=list(vanished[:PROBLEMS_KEPT]),
        )

    @property
    def to_leave_out(self) -> dict[str, int]:
        """Number of refused lines that could be imported by leaving out a field, for each such field."""
        able = {name for names in self._refused_for for name in names if name in OPTIONAL_FIELDS}
        saved: Counter[str] = Counter()
        for names, count in self._refused_for.items():
            if names <= with_companions(able):
                saved.update(dict.fromkeys(names & able, count))
        return dict(saved.most_common())

    @property
    def wants_vectors(self) -> bool:
        """Whether there are new questions or changed texts."""
        return bool(self.created or (self.known and self.known.updated))

    @property
    def read_as(self) -> str:
        """Short description of how the file is read: format, encoding, delimiter, header."""
        if self.layout is None:
            return self.label
        layout = self.layout
        encoding = ENCODINGS[layout.encoding]
        if not layout.is_table:
            return f"{FORMATS['jsonl'].label}, {encoding}"
        header = f"header in row {layout.header_line:,}" if layout.header_line else "no header"
        if layout.sheet:
            return f"Workbook, sheet {layout.sheet!r}, {header}"
        return f"{FORMATS['csv'].label}, {encoding}, separated by {DELIMITERS[layout.delimiter]}, {header}"

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON, for a run's result and for `--json`."""
        plain = {name: getattr(self, name) for name in _PLAIN}
        return plain | {
            "known": asdict(self.known) if self.known else None,
            "links": [asdict(link) for link in self.links],
            "refused": [
                {"line": problem.line, "reason": problem.reason, "field": problem.field} for problem in self.refused
            ],
            "reasons": [group.as_dict() for group in self.reasons.ordered()],
            "warnings": [group.as_dict() for group in self.warnings.ordered()],
            "to_leave_out": self.to_leave_out,
            "without": list(self.without),
            "read_as": self.read_as,
            "unit": self.unit,
            "place": self.place,
            "columns": [list(pair) for pair in self.layout.pairs] if self.layout else [],
            "seconds": round(self.seconds, 2),
            "phases": {phase: round(seconds, 3) for phase, seconds in self.phases.items()},
        }

    def refusal(self) -> str:
        """Return a one-sentence refusal for the importer."""
        lines = counted(self.refused_count, self.unit, f"{self.unit}s")
        return f"{lines} of {self.rows:,} in {self.name} cannot be imported; nothing was written."


_PLAIN = {column.name for column in fields(ImportReport)} - {"_refused_for", "label", "layout"}
"""The report's fields in its JSON, most of them unchanged."""
