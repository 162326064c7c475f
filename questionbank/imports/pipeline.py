"""From a file to the bank in one transaction: read, stage, match, insert, tag.

All or nothing: a refused line, a damaged file, a cancellation or a crash leaves the bank unchanged.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from django.db import connection, transaction

from analytics.errors import Cancelled
from analytics.records import ConceptPath, QuestionRecord
from analytics.text.formulas import segment_text
from analytics.text.wholeness import draws_numbers, needs_figure
from questionbank.bank.attachment_services import AttachmentStore
from questionbank.bank.concept_services import (
    concept_paths_ensure,
    concept_paths_known,
    hierarchy_ensure,
    paths_with_ancestors,
)
from questionbank.bank.question_fields import latex_warnings
from questionbank.bank.search_index import search_index_settle
from questionbank.core.database import advisory_lock
from questionbank.core.errors import ImportRefused, LineWarning, ValidationFailed
from questionbank.formats import ConceptRow, Entry, Format, read, resolve_concept_rows
from questionbank.formats.layout import FileLayout
from questionbank.formats.scales import scale_of_set
from questionbank.formulas import FormulaRefused, formula_mathml, split_definitions
from questionbank.imports.options import ImportOptions
from questionbank.imports.report import SOURCES_KEPT, ImportReport, KnownLines
from questionbank.imports.shares import FORMULAS_CHECKED, shared
from questionbank.imports.staging import IMPORT_LOCK, StagedQuestion, StagedRows, Staging, staged_question
from questionbank.imports.updates import apply_updates, known_lines, vanished_questions
from questionbank.jobs.progress import Tell
from questionbank.models import KnowledgeHierarchy, User
from questionbank.people.school_selectors import Shows, shows_to
from questionbank.people.school_services import questions_fit

ROWS_AT_ONCE = 5_000
HOPELESS_LINES = 100_000  # reading stops if this many lines are refused before any valid one
_FORMULA_SHOWN = 60  # characters of a formula in a warning
STEPS = 1_000  # progress steps: half for reading, half for writing
SOMEBODY_ELSES = (
    "somebody else’s question in this set has this identifier; it stays unchanged, and this line becomes a new question"
)


class Entries(Protocol):
    """What an import reads: a file's questions (`questionbank.formats.catalog.QuestionFile`) or another source."""

    label: str

    @property
    def format(self) -> Format | None: ...

    @property
    def layout(self) -> FileLayout | None: ...

    @property
    def unread(self) -> list[str]: ...

    @property
    def notes(self) -> list[str]: ...

    def __iter__(self) -> Iterator[tuple[int, Entry | StagedQuestion]]: ...


@dataclass(frozen=True, slots=True)
class ImportTask:
    """What to import, how, and for whom.

    Attributes:
        path: path of the file; if `entries` is given, only the file's name is used.
        run_id: id of the importing job; it is stored with everything the import creates.
        entries: read instead of a file.
    """

    path: Path
    options: ImportOptions
    user: User | None = None
    run_id: int | None = None
    entries: Entries | None = None


class _Watch:
    """Progress, cancellation and timing of an import."""

    def __init__(self, tell: Tell | None, should_stop: Callable[[], bool] | None) -> None:
        self._tell = tell
        self._should_stop = should_stop
        self.phases: dict[str, float] = {}

    def tell(self, step: int, message: str) -> None:
        if self._should_stop is not None and self._should_stop():
            raise Cancelled("The import was cancelled; nothing was written.")
        if self._tell is not None:
            self._tell(step, STEPS, message)

    def reading(self, done: int, total: int) -> None:
        self.tell(STEPS // 2 * done // max(total, 1), "Reading the file")

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            self.phases[name] = self.phases.get(name, 0.0) + time.perf_counter() - began


class _Refused(Exception):
    """Rolls back the transaction."""


def import_into_bank(
    task: ImportTask, *, tell: Tell | None = None, should_stop: Callable[[], bool] | None = None
) -> ImportReport:
    """Import one file; the report's `written` is false if refused lines prevented the import.

    Raises:
        ImportRefused: the file as a whole cannot be read, or its concepts form a cycle.
        Cancelled: `should_stop` returned true; nothing was written.
    """
    options = task.options
    report = ImportReport(
        task.path.name,
        options.source,
        options.hierarchy or options.source,
        dry_run=options.dry_run,
        without=options.without,
    )
    watch = _Watch(tell, should_stop)
    began = time.perf_counter()
    try:
        with transaction.atomic():
            _import(task, report, watch)
    except _Refused:
        report.created = report.duplicates = 0
        report.known = None
    report.seconds = time.perf_counter() - began
    report.phases = watch.phases
    return report


def _import(task: ImportTask, report: ImportReport, watch: _Watch) -> None:
    options = task.options
    shows = shows_to(task.user, options.visible_to)
    staging = Staging(user=task.user, run_id=task.run_id, status=options.status, shows=shows)
    attachments = AttachmentStore(is_dry=options.dry_run)
    with watch.phase("read, tokenise and copy"):
        file = _opened(task, report, watch, attachments)
        known_only = _KnownConcepts.of(task, report)  # now, because COPY occupies the connection
        with staging.rows() as rows:
            concept_rows = _read(file, options, report, rows, known_only)
    attachments.save()
    report.sources = [source for source, _count in rows.sources.most_common(SOURCES_KEPT)]
    tree, problems = resolve_concept_rows(concept_rows)
    for problem in problems:
        report.refuse(problem)
    if report.refused_count and not (options.dry_run or options.skip_invalid):
        raise _Refused
    if report.refused_count == report.rows and not concept_rows and not options.dry_run:
        raise _Refused  # nothing is left to import
    watch.tell(STEPS // 2, "Looking for duplicates")
    if not options.dry_run:
        advisory_lock(IMPORT_LOCK)
    known = KnownLines()
    if options.update:
        with watch.phase("compare with the bank"):
            paths = list(rows.paths)
            known = known_lines(staging, layout=report.layout, paths=paths, hierarchy=report.hierarchy)
    with watch.phase("match duplicates"):
        totals = staging.match(dry_run=options.dry_run)
    report.created, report.languages = totals.created, totals.languages
    _check_room(shows, totals.created)
    report.link(totals)
    for line in totals.others:
        report.warn(LineWarning(line, SOMEBODY_ELSES, "id"))
    if options.update:
        report.compare(known, vanished_questions(staging))
    else:
        report.changed_elsewhere = totals.changed
    if options.dry_run:
        report.concepts_created = _count_missing(report.hierarchy, [*rows.paths, *tree])
    else:
        _write(task, report, watch, staging, rows, tree)
        if known.changes:
            with watch.phase("update questions"):
                apply_updates(known, run_id=task.run_id)
                search_index_settle()
        report.written = True
    staging.drop()


def _check_room(shows: Shows, created: int) -> None:
    """Refuse an import, or its check, if the school has no room for the new questions."""
    try:
        questions_fit(school_id=shows[1], added=created)
    except ValidationFailed as error:
        raise ImportRefused(str(error)) from error


def _read(
    file: Entries, options: ImportOptions, report: ImportReport, rows: StagedRows, known_only: _KnownConcepts | None
) -> list[ConceptRow]:
    """Read the questions, and return the rows that only name concepts."""
    concept_rows: list[ConceptRow] = []
    is_lost = False
    for line, entry in file:
        if isinstance(entry, LineWarning):
            report.warn(entry)
            continue
        is_concept = isinstance(entry, ConceptRow)
        report.rows += report.unit != "question" or not is_concept  # a quiz's category is not a question
        report.concept_rows += is_concept
        if is_lost and isinstance(entry, QuestionRecord | StagedQuestion):
            continue
        if isinstance(entry, QuestionRecord):
            entry = staged_question(entry, source=options.source)
        if isinstance(entry, StagedQuestion):
            rows.add(line, known_only(line, entry) if known_only else entry)
            if entry.record and options.dry_run and report.formulas_checked < FORMULAS_CHECKED:
                _check(line, entry.record, report)
        elif isinstance(entry, ConceptRow):
            concept_rows.append(entry)
        else:
            report.refuse(entry)
            # Nothing will be written: continue only to list all refused lines.
            is_lost = not (options.skip_invalid or options.dry_run)
            if report.refused_count == report.rows == HOPELESS_LINES:
                report.stopped_at = line
                break
    report.unread_columns, report.notes = file.unread, file.notes
    if concept_rows and known_only:
        report.notes = [*file.notes, "Only admins can add concepts, so rows that name a concept were left out."]
        return []
    return concept_rows


def _opened(task: ImportTask, report: ImportReport, watch: _Watch, attachments: AttachmentStore) -> Entries:
    """Return the entries to import, and record in the report how they are read."""
    file = task.entries or _file(task, watch, attachments)
    report.layout, report.label = file.layout, file.label
    report.place = file.format.place if file.format else "number"
    report.unit = "question" if file.layout is None else report.place
    report.hierarchy = task.options.hierarchy or task.options.source
    return file


def _file(task: ImportTask, watch: _Watch, attachments: AttachmentStore) -> Entries:
    options = task.options
    arguments: dict[str, Any] = {
        "path": task.path,
        "format": options.format,
        "scale": options.scale,
        "likely_scale": scale_of_set(options.source),
        "layout": options.layout,
        "without": options.without,
    }
    file = read(**arguments, progress=watch.reading, attachments=attachments)
    return shared(file, arguments, source=options.source, progress=watch.reading)


def _check(line: int, record: QuestionRecord, report: ImportReport) -> None:
    """Run the checks that only a dry run makes."""
    report.formulas_checked += 1
    for reason in record_problems(record):
        report.warn(LineWarning(line, reason, "formula"))
    report.templates += draws_numbers(record.text)
    report.without_figure += needs_figure(record.text, [picture.sha256 for picture in record.content.pictures])


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
            source = segment.source if len(segment.source) <= _FORMULA_SHOWN else segment.source[:_FORMULA_SHOWN] + "…"
            problems.append(f"The formula {source} cannot be drawn.")
    return problems


def record_problems(record: QuestionRecord) -> list[str]:
    """Return the problems of a question's text, options, answer and solution, without repetitions."""
    parts = (record.text, *(option.text for option in record.options), record.answer, record.solution)
    return list(dict.fromkeys(problem for part in parts for problem in formula_problems(part)))


class _KnownConcepts:
    """Drops concepts that the hierarchy lacks, if the importer may not add concepts."""

    @classmethod
    def of(cls, task: ImportTask, report: ImportReport) -> _KnownConcepts | None:
        """Return an instance for the importer; None if they may add concepts."""
        may_create = task.user is None or task.user.has_perm("questionbank.concepts_edit")
        return None if may_create else cls(report)

    def __init__(self, report: ImportReport) -> None:
        self._report = report
        self._known = _known_concepts(report.hierarchy)

    def __call__(self, line: int, question: StagedQuestion) -> StagedQuestion:
        """Return the question with only existing concepts; a warning names the first missing one."""
        known = tuple(path for path in question.paths if path in self._known)
        if known == question.paths:
            return question
        unknown = next(path for path in question.paths if path not in self._known)
        reason = f"{unknown[-1]!r} is not a concept of the hierarchy; the question gets no tag for it"
        self._report.warn(LineWarning(line, reason, "concepts"))
        return question._replace(paths=known)


def _known_concepts(hierarchy: str) -> Container[ConceptPath]:
    owner = KnowledgeHierarchy.objects.filter(name=hierarchy).first()
    return concept_paths_known(hierarchy=owner) if owner else ()


def _count_missing(hierarchy: str, paths: list[ConceptPath]) -> int:
    known = _known_concepts(hierarchy)
    return sum(path not in known for path in paths_with_ancestors(paths))


def _write(
    task: ImportTask, report: ImportReport, watch: _Watch, staging: Staging, rows: StagedRows, tree: list[ConceptPath]
) -> None:
    with watch.phase("insert questions and index them"):
        for first in range(1, rows.last_line + 1, ROWS_AT_ONCE):
            share = first / (rows.last_line + 1)
            watch.tell(STEPS // 2 + int(STEPS * 0.4 * share), "Writing questions")
            staging.insert_questions(first=first, last=first + ROWS_AT_ONCE - 1)
        search_index_settle()
        report.templates, report.without_figure = staging.incomplete()
        staging.insert_parts()
    watch.tell(int(STEPS * 0.9), "Writing concepts")
    paths = list(rows.paths)
    if paths or tree:
        with watch.phase("concepts and tags"):
            # Last, because from here on, concurrent changes of concepts wait for us.
            hierarchy = hierarchy_ensure(name=report.hierarchy, import_run_id=task.run_id)
            ids, report.concepts_created = concept_paths_ensure(
                hierarchy=hierarchy, paths=[*paths, *tree], import_run_id=task.run_id
            )
            report.questions_tagged = staging.insert_tags(
                numbers=range(len(paths)), concepts=[ids[path] for path in paths]
            )
    watch.tell(int(STEPS * 0.95), "Finishing")
    with watch.phase("check constraints"):
        connection.check_constraints()
