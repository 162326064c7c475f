"""Import jobs, for uploaded files and other sources, with progress and report."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Any

from django.conf import settings
from django.core.files.storage import storages
from django.db import transaction

from questionbank.bank.vector_services import embedding_request
from questionbank.core.errors import Conflict, ImportRefused
from questionbank.core.storage import require_space, scratch_folder
from questionbank.imports.options import ImportOptions
from questionbank.imports.pipeline import Entries, ImportTask, import_into_bank
from questionbank.imports.report import ImportReport
from questionbank.imports.services import BYTES_A_BYTE, refuse_or_follow_up
from questionbank.jobs.progress import JobReporter, progress_beside
from questionbank.jobs.run_services import START_AGAIN
from questionbank.models import Run


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
