"""Importing files: directly from a command, or by queueing a job for an upload, and that job.

`import_file` does the work and then refreshes what depends on the bank's content: the planner's
statistics, the search vocabulary and, by default, a request for vectors.
"""

from __future__ import annotations

import shutil
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from django.conf import settings
from django.core.files import File
from django.core.files.storage import storages
from django.db import connection, transaction

from questionbank.bank.search_index import facet_counts_settle, vocabulary_refresh
from questionbank.bank.vector_services import embedding_request
from questionbank.core.database import advisory_lock
from questionbank.core.errors import Conflict, ImportRefused, ValidationFailed
from questionbank.core.storage import require_space, scratch_folder, upload_name, uploads_forget_old
from questionbank.formats import FORMATS
from questionbank.formats.archives import MAGIC as ARCHIVE
from questionbank.formats.archives import is_packed_folder
from questionbank.formats.catalog import AUTO, sniff
from questionbank.formats.columns import OPTIONAL_FIELDS
from questionbank.formats.seam import Format
from questionbank.imports.options import ImportOptions, allowed_status
from questionbank.imports.pipeline import Entries, ImportTask, import_into_bank
from questionbank.imports.report import ImportReport
from questionbank.jobs import run_services as runs
from questionbank.jobs.progress import JobReporter, Tell, progress_beside
from questionbank.jobs.run_services import START_AGAIN
from questionbank.models import Run, User
from questionbank.people.permissions import require
from questionbank.people.school_selectors import shows_to
from questionbank.people.school_services import upload_fits

LOOKED_AT = 4 * 1024 * 1024  # bytes of an upload, compressed or not, that a request reads
MANY = 10_000  # number of new questions from which we do not wait for autovacuum
BYTES_A_BYTE = 5  # per byte of a file: its copy, the staging table, the questions with their index, PostgreSQL's log
_NAME_BYTES = 150  # bytes of a file's name that are kept


class ImportFailed(ImportRefused):
    """Lines of a file cannot be imported; `report` lists them with their reasons."""

    def __init__(self, message: str, report: ImportReport) -> None:
        super().__init__(message, report.refused)
        self.report = report


def import_file(
    *,
    path: Path,
    options: ImportOptions = ImportOptions(),  # noqa: B008 - frozen
    user: User | None = None,
    embed: bool = True,
    progress: Tell | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> ImportReport:
    """Import a file of questions, all or nothing, and record the import as a run.

    Args:
        embed: whether to request vectors for the new questions.
        progress: called with (done, total, current activity).
        should_stop: polled during the import; true ends it with nothing written.

    Raises:
        ImportFailed: lines cannot be imported; nothing was written.
        ImportRefused: the file as a whole cannot be read; nothing was written.
        Cancelled: `should_stop` returned true; nothing was written.
    """
    options = options.named(path.absolute())
    with transaction.atomic():
        run = None if options.dry_run else _begin(path, options, user)
        task = ImportTask(path, options, user=user, run_id=run.pk if run else None)
        report = import_into_bank(task, tell=progress, should_stop=should_stop)
        if run is not None and report.written:
            runs.run_succeed(run=run, result=report.as_dict())
            if embed and report.wants_vectors:
                embedding_request()
        elif run is not None:
            run.delete()
    refuse_or_follow_up(report, skip_invalid=options.skip_invalid)
    return report


def _begin(path: Path, options: ImportOptions, user: User | None) -> Run | None:
    """Create the run that records the import, as running; it commits with the questions or not at all."""
    run = runs.run_create(
        kind=Run.Kind.IMPORT,
        title=_title(path.name, dry_run=False),
        parameters={"name": path.name, **options.as_json()},
        requested_by=user,
        send=False,
    )
    return runs.run_start(run_id=run.pk, worker="command line")


def refuse_or_follow_up(report: ImportReport, *, skip_invalid: bool) -> None:
    """Refuse an import that wrote nothing; otherwise refresh what depends on the bank's content.

    Raises:
        ImportFailed: lines cannot be imported.
    """
    began = time.perf_counter()
    if report.dry_run:
        return
    if not report.written:
        if report.refused_count == report.rows and skip_invalid:
            raise ImportFailed(f"No {report.unit} of {report.name} can be imported.", report)
        raise ImportFailed(report.refusal(), report)
    _tables_changed(report.created)
    vocabulary_refresh()  # even if nothing is new: an earlier import of these lines may have died before this point
    facet_counts_settle()
    spent = time.perf_counter() - began
    report.phases["statistics and vocabulary"] = spent
    report.seconds += spent


def _tables_changed(created: int) -> None:
    """Refresh the planner's statistics and, after a bulk load, the visibility map, which counts need."""
    may_vacuum = not connection.in_atomic_block
    with connection.cursor() as cursor:
        cursor.execute(
            f"{'VACUUM (ANALYZE)' if may_vacuum and created >= MANY else 'ANALYZE'}"
            " questionbank_question, questionbank_questiontag, questionbank_knowledgeconcept"
        )


@dataclass(frozen=True, slots=True)
class KeptUpload:
    """An uploaded file: its name in the storage, and its owner's name for it."""

    stored: str
    name: str

    def delete(self) -> None:
        """Remove the file, because it cannot be imported."""
        storages["uploads"].delete(self.stored)

    @contextmanager
    def beginning(self) -> Iterator[Path]:
        """Yield the first megabytes of the file under its owner's name, to inspect it within a request.

        Raises:
            Conflict: the file is no longer stored.
        """
        storage = storages["uploads"]
        if not storage.exists(self.stored):
            raise Conflict("The file is no longer stored; upload it again.")
        with scratch_folder(prefix="look-") as folder, storage.open(self.stored) as stored:
            yield _write_beginning(stored, Path(folder) / self.name)


def _write_beginning(file: File[Any], path: Path) -> Path:
    path.write_bytes(beginning := file.read(LOOKED_AT))
    if beginning.startswith(ARCHIVE):  # its table of contents is at the end
        with path.open("ab") as local:
            shutil.copyfileobj(file, local)
    return path


def question_file_format(upload: File[Any], name: str) -> Format | None:
    """Return the format of a file that holds questions as data; None for a possible test paper."""
    upload.seek(0)
    with scratch_folder(prefix="look-") as folder:
        path = _write_beginning(upload, Path(folder) / _plain_name(name))
        try:
            found = sniff(path)
            is_paper = found.is_paper and not is_packed_folder(path)
        except ImportRefused:
            return None
        finally:
            upload.seek(0)
    is_text = found.is_table and not path.name.lower().endswith(found.suffixes)  # text with a table in it
    return None if is_text or is_paper else found


def upload_keep(*, upload: File[Any], name: str, user: User | None, format: str = AUTO) -> KeptUpload:
    """Store an uploaded file.

    Args:
        upload: the file's content.
        name: its owner's name for it; determines the format if `format` is ``"auto"``.

    Raises:
        NotAllowed: the person may not import.
        ValidationFailed: the format is unknown, or the person's school has no room for the file.
    """
    require(user, "import", "You may not import questions.")
    if format not in (AUTO, *FORMATS):
        format_names = ", ".join((AUTO, *FORMATS))
        raise ValidationFailed(
            f"The format {format!r} is not known; use one of {format_names}.", {"format": [format_names]}
        )
    upload_fits(user=user, size=upload.size)
    uploads_forget_old()
    stored = storages["uploads"].save(f"{uuid.uuid4().hex}.upload", upload)
    return KeptUpload(stored, _plain_name(name))


@transaction.atomic
def import_kept(*, kept: KeptUpload, user: User | None, options: ImportOptions) -> Run:
    """Queue the job that imports a stored upload; if it is already queued, return that job.

    Raises:
        NotAllowed: the person may not import.
        ValidationFailed: they do not belong to the school that is to see the questions.
    """
    require(user, "import", "You may not import questions.")
    shows_to(user, options.visible_to)  # raises if the person does not belong to that school
    parameters = {"upload": kept.stored, "name": kept.name, **options.as_json()}
    return _queue_once(parameters | {"status": allowed_status(user, options.status)}, user)


@transaction.atomic
def import_repeat(
    *,
    run: Run,
    user: User | None,
    dry_run: bool = False,
    skip_invalid: bool = False,
    without: Sequence[str] = (),
    update: bool | None = None,
) -> Run:
    """Queue another job for the file of an earlier one: after a dry run, the import itself.

    A file is imported once, however often that is confirmed.

    Args:
        without: fields to leave out, in addition to those of the earlier job.
        update: whether to update earlier questions; None to do as the earlier job.

    Returns:
        The job; if it was already requested, the existing one.

    Raises:
        NotAllowed: somebody else uploaded the file.
        Conflict: the file is no longer stored.
    """
    require(user, "import_continue", "Somebody else has uploaded this file.", run)
    if run.kind != Run.Kind.IMPORT or not run.parameters.get("upload"):
        raise Conflict("The file is no longer stored; upload it again.")
    left_out = sorted({*run.parameters.get("without", ()), *without} & {*OPTIONAL_FIELDS})
    parameters = {**run.parameters, "dry_run": dry_run, "skip_invalid": skip_invalid, "without": left_out}
    if update is not None:
        parameters["update"] = update
    return _queue_once(parameters | {"status": allowed_status(user, parameters.get("status", ""))}, user)


def _queue_once(parameters: dict[str, Any], user: User | None) -> Run:
    """Queue a job unless one already does the same or has imported the file; concurrent calls wait for each other.

    Checking a file is short work that somebody waits for.

    Raises:
        Conflict: the file is no longer stored.
    """
    upload, dry_run = parameters["upload"], parameters["dry_run"]
    advisory_lock(f"import/{upload}")
    earlier = Run.objects.filter(kind=Run.Kind.IMPORT, parameters__upload=upload)
    if dry_run:
        earlier = earlier.filter(parameters=parameters).exclude(state__in=Run.FINISHED)
    else:
        earlier = earlier.filter(parameters__dry_run=False)
        earlier = earlier.exclude(state__in=(Run.State.FAILED, Run.State.CANCELLED))
    requested_already = earlier.first()
    if requested_already is not None:
        return requested_already
    if not storages["uploads"].exists(upload):
        raise Conflict("The file is no longer stored; upload it again.")
    return runs.run_create(
        kind=Run.Kind.IMPORT,
        title=_title(parameters["name"], dry_run),
        parameters=parameters,
        queue="light" if dry_run else "default",
        requested_by=user,
    )


def _title(name: str, dry_run: bool) -> str:
    return (f"Check of {name}" if dry_run else f"Import of {name}")[:200]


def _plain_name(name: str) -> str:
    """Return a valid file name; its length counts in bytes, and its end is kept because it shows the format."""
    short = upload_name(name).encode()[-_NAME_BYTES:].decode(errors="ignore")
    return short if short.strip(". ") else "upload"


def run_import(run: Run, reporter: JobReporter) -> dict[str, Any]:
    """Execute the job of `import_kept`, and return the report as the run's result.

    Safe to run twice: questions committed by a dead worker count as duplicates.

    Raises:
        ImportRefused: as for `import_file`; the report is then the reporter's result.
        Cancelled: somebody cancelled the run.
    """
    parameters = run.parameters
    storage = storages["uploads"]
    if not storage.exists(parameters["upload"]):
        raise Conflict("The uploaded file is no longer stored; upload it again.")
    require_space(
        Path(settings.VAR_DIR),
        BYTES_A_BYTE * storage.size(parameters["upload"]),
        what="The import",
        remedy=f"Tell an admin, who can free some space. {START_AGAIN}",
    )
    with scratch_folder(prefix="import-") as folder:
        path = folder / parameters["name"]
        with storage.open(parameters["upload"]) as stored, path.open("wb") as local:
            shutil.copyfileobj(stored, local)
        options = ImportOptions.of_json(parameters).named(PurePath(parameters["name"]))
        report = import_reported(run, path, options, reporter)
    if report.written:
        storage.delete(parameters["upload"])
    return report.as_dict()


def import_reported(
    run: Run,
    path: Path,
    options: ImportOptions,
    reporter: JobReporter,
    *,
    entries: Entries | None = None,
    on_written: Callable[[], None] | None = None,
) -> ImportReport:
    """Import as part of a job, with the job's progress, cancellation and report.

    Args:
        options: including the name of the set.
        entries: read instead of a file.
        on_written: writes more rows in the import's transaction.

    Raises:
        ImportRefused: as for `import_file`; the report is then the reporter's result.
        Cancelled: somebody cancelled the run.
    """
    task = ImportTask(path, options, user=run.requested_by, run_id=run.pk, entries=entries)
    try:
        with progress_beside(reporter.progress) as tell, transaction.atomic():
            report = import_into_bank(task, tell=tell, should_stop=reporter.should_stop)
            if report.wants_vectors and report.written:
                embedding_request()  # commits with the questions, so that a crash loses no vectors
            if on_written is not None and report.written:
                on_written()
        reporter.result = report.as_dict()
        refuse_or_follow_up(report, skip_invalid=options.skip_invalid)
    except ImportRefused as error:
        if not reporter.result:  # the whole file was refused
            tree = options.hierarchy or options.source
            refused = ImportReport(path.name, options.source, tree, dry_run=options.dry_run)
            for problem in error.problems:
                refused.refuse(problem)
            reporter.result = refused.as_dict()
        raise
    return report
