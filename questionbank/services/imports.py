"""Importing files: from a command, and asking for a job that imports what a page was given.

`import_file` does the work and then refreshes what depends on the bank's content: the planner's
statistics, the vocabulary of search and, by default, a request for vectors.
"""

from __future__ import annotations

import shutil
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from django.core.files import File
from django.core.files.storage import storages
from django.db import connection, transaction

from questionbank.errors import Conflict, ImportRefused, ValidationFailed
from questionbank.formats import FORMATS
from questionbank.formats.archives import MAGIC as ARCHIVE
from questionbank.formats.catalog import AUTO
from questionbank.formats.column_names import FIELDS_WITHOUT_WHICH
from questionbank.formats.layout import FileLayout
from questionbank.formats.limits import SET_LIMIT
from questionbank.formats.naming import set_name
from questionbank.models import Run, User
from questionbank.scratch import scratch_folder
from questionbank.services import runs
from questionbank.services.embeddings import embedding_request
from questionbank.services.facet_counts import facet_counts_settle
from questionbank.services.import_pipeline import ImportOptions, Tell, import_into_bank
from questionbank.services.import_report import ImportReport
from questionbank.services.permissions import require
from questionbank.services.search_index import vocabulary_refresh
from questionbank.services.uploads import upload_name, uploads_forget_old

LOGGED_REASONS = 50
LOOKED_AT = 4 * 1024 * 1024  # bytes of an upload, packed or not, that a request looks at
MANY = 10_000  # new questions after which the bank does not wait for autovacuum
BYTES_A_BYTE = (
    5  # of a file: its copy, the staging table, the questions with their index, the log of PostgreSQL
)
_NAME_BYTES = 150  # of a file's name that are kept


class ImportFailed(ImportRefused):
    """Lines of a file cannot be imported; `report` says which and why."""

    def __init__(self, message: str, report: ImportReport) -> None:
        super().__init__(message, report.refused)
        self.report = report


def import_file(  # noqa: PLR0913 - the options of an import
    *,
    path: Path,
    format: str = AUTO,
    hierarchy: str | None = None,
    dry_run: bool = False,
    skip_invalid: bool = False,
    user: User | None = None,
    progress: Tell | None = None,
    should_stop: Callable[[], bool] | None = None,
    source: str | None = None,
    scale: str = "",
    layout: FileLayout | None = None,
    without: Sequence[str] = (),
    update: bool = False,
    embed: bool = True,
) -> ImportReport:
    """Import a file of questions, all of it or nothing, and write down that it happened.

    Args:
        format: a name of `FORMATS`, or ``"auto"``.
        hierarchy: name of the hierarchy for its concepts; by default the source's.
        dry_run: write nothing; refused lines are in the report.
        skip_invalid: import the lines that are not refused.
        progress: called with (done, total, what it is doing).
        should_stop: asked now and then; true ends the import with nothing written.
        source: name of the set; by default the folder's or the file's.
        scale: difficulty scale of lines that name none.
        layout: how the file is laid out; guessed where it is not given.
        without: fields that are left out.
        update: give questions that the bank has from this file before a new version where their line has changed.
        embed: ask for the new questions' vectors.

    Raises:
        ImportFailed: lines cannot be imported; nothing was written.
        ImportRefused: the file as a whole cannot be read; nothing was written.
        Cancelled: `should_stop` said so; nothing was written.
    """
    named, tree = set_and_hierarchy(path.absolute(), source, hierarchy)
    options = ImportOptions(
        path=path,
        source=named,
        hierarchy=tree,
        format=format or AUTO,
        scale=scale,
        dry_run=dry_run,
        skip_invalid=skip_invalid,
        user=user,
        layout=layout,
        without=tuple(without),
        update=update,
    )
    with transaction.atomic():
        run = None if dry_run else _begin(options)
        options = replace(options, run_id=run.pk if run else None)
        report = import_into_bank(options, tell=progress, should_stop=should_stop)
        if run is not None and report.written:
            runs.run_succeed(run=run, result=report.as_dict())
            if embed and report.wants_vectors:
                embedding_request()
        elif run is not None:
            run.delete()
    refuse_or_follow_up(report, skip_invalid=skip_invalid)
    return report


def set_and_hierarchy(path: PurePath, source: str | None, hierarchy: str | None) -> tuple[str, str]:
    """Return the names of the set and of its hierarchy: where no set is given, the folder's or the file's.

    The hierarchy is empty where neither is given: that of the format, else of the set.

    Raises:
        ValidationFailed: the name of the set is too long.
    """
    named = " ".join((source or "").split()) or set_name(path)
    if len(named) > SET_LIMIT:
        raise ValidationFailed(
            f"The source's name has more than {SET_LIMIT} characters.", {"source": ["Too long."]}
        )
    return named, " ".join((hierarchy or "").split()) or (named if source else "")


def _begin(options: ImportOptions) -> Run | None:
    """Create the row that records the import, as a run under way; it commits with the questions or not at all."""
    name = options.path.name
    run = runs.run_create(
        kind=Run.Kind.IMPORT,
        title=_title(name, dry_run=False),
        parameters={
            "name": name,
            "format": options.format,
            "skip_invalid": options.skip_invalid,
            "update": options.update,
        },
        requested_by=options.user,
        send=False,
    )
    return runs.run_start(run_id=run.pk, worker="command line")


def refuse_or_follow_up(report: ImportReport, *, skip_invalid: bool) -> None:
    """Refuse an import that wrote nothing, and else bring up to date what depends on the bank's content.

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
    vocabulary_refresh()  # nothing new, too: the import of these lines may have died before this point
    facet_counts_settle()
    spent = time.perf_counter() - began
    report.phases["statistics and vocabulary"] = spent
    report.seconds += spent


def _tables_changed(created: int) -> None:
    """Bring the planner's statistics up to date and, after a bulk load, the visibility map that counts need."""
    may_vacuum = not connection.in_atomic_block
    with connection.cursor() as cursor:
        cursor.execute(
            f"{'VACUUM (ANALYZE)' if may_vacuum and created >= MANY else 'ANALYZE'}"
            " questionbank_question, questionbank_questiontag, questionbank_knowledgeconcept"
        )


@dataclass(frozen=True, slots=True)
class KeptUpload:
    """A file that somebody has uploaded: its name in the storage, and its owner's name for it."""

    stored: str
    name: str
    format: str = AUTO

    def delete(self) -> None:
        """Remove the file, which cannot be imported."""
        storages["uploads"].delete(self.stored)

    @contextmanager
    def beginning(self) -> Iterator[Path]:
        """Yield the first megabytes of the file under its owner's name, for a look at it within a request.

        Raises:
            Conflict: the file is not kept any more.
        """
        storage = storages["uploads"]
        if not storage.exists(self.stored):
            raise Conflict("The file is no longer stored; upload it again.")
        with scratch_folder(prefix="look-") as folder:
            path = Path(folder) / self.name
            with storage.open(self.stored) as stored:
                path.write_bytes(beginning := stored.read(LOOKED_AT))
                if beginning.startswith(ARCHIVE):  # whose table of contents is at its end
                    with path.open("ab") as local:
                        shutil.copyfileobj(stored, local)
            yield path


def upload_keep(*, upload: File[Any], name: str, user: User | None, format: str = AUTO) -> KeptUpload:
    """Keep an uploaded file.

    Args:
        upload: the file's content.
        name: what its owner calls it; says the format where `format` is ``"auto"``.

    Raises:
        NotAllowed: the person may not import.
        ValidationFailed: the format is not known.
    """
    require(user, "import", "You may not import questions.")
    if format not in (AUTO, *FORMATS):
        format_names = ", ".join((AUTO, *FORMATS))
        raise ValidationFailed(
            f"The format {format!r} is not known; use one of {format_names}.", {"format": [format_names]}
        )
    uploads_forget_old()
    stored = storages["uploads"].save(f"{uuid.uuid4().hex}.upload", upload)
    return KeptUpload(stored, _plain_name(name), format)


@transaction.atomic
def import_kept(  # noqa: PLR0913 - the options of an import
    *,
    kept: KeptUpload,
    user: User | None,
    hierarchy: str | None = None,
    source: str | None = None,
    scale: str = "",
    layout: FileLayout | None = None,
    update: bool = False,
    dry_run: bool = False,
    skip_invalid: bool = False,
) -> Run:
    """Queue the job that imports a kept file.

    Raises:
        NotAllowed: the person may not import.
    """
    require(user, "import", "You may not import questions.")
    return runs.run_create(
        kind=Run.Kind.IMPORT,
        title=_title(kept.name, dry_run),
        parameters={
            "upload": kept.stored,
            "name": kept.name,
            "format": kept.format,
            "hierarchy": hierarchy or "",
            "source": source or "",
            "scale": scale,
            "dry_run": dry_run,
            "skip_invalid": skip_invalid,
            "update": update,
            **({"layout": asdict(layout)} if layout else {}),
        },
        queue=_queue(dry_run),
        requested_by=user,
    )


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

    Args:
        without: fields that are left out, besides those that the earlier job left out.
        update: whether earlier questions get new versions; None as the earlier job had it.

    Raises:
        NotAllowed: the person may not import.
        Conflict: the file is not kept any more.
    """
    require(user, "import", "You may not import questions.")
    upload = run.parameters.get("upload", "")
    if run.kind != Run.Kind.IMPORT or not upload or not storages["uploads"].exists(upload):
        raise Conflict("The file is no longer stored; upload it again.")
    left_out = sorted({*run.parameters.get("without", ()), *without} & {*FIELDS_WITHOUT_WHICH})
    parameters = {**run.parameters, "dry_run": dry_run, "skip_invalid": skip_invalid, "without": left_out}
    if update is not None:
        parameters["update"] = update
    return runs.run_create(
        kind=Run.Kind.IMPORT,
        title=_title(parameters["name"], dry_run),
        parameters=parameters,
        queue=_queue(dry_run),
        requested_by=user,
    )


def _queue(dry_run: bool) -> str:
    """Return the queue: checking a file is short work that somebody waits for."""
    return "light" if dry_run else "default"


def _title(name: str, dry_run: bool) -> str:
    return (f"Check of {name}" if dry_run else f"Import of {name}")[:200]


def _plain_name(name: str) -> str:
    """Return a name that a file system takes; it counts bytes, and the end of the name tells the format."""
    short = upload_name(name).encode()[-_NAME_BYTES:].decode(errors="ignore")
    return short if short.strip(". ") else "upload"
