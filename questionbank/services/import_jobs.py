"""Imports as jobs: of a file that a page kept, and of whatever else a job reads, with its progress and its report."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

from django.conf import settings
from django.core.files.storage import storages
from django.db import transaction

from questionbank.disk import require_space
from questionbank.errors import Conflict, ImportRefused
from questionbank.formats.catalog import AUTO
from questionbank.formats.layout import FileLayout
from questionbank.models import Run
from questionbank.scratch import scratch_folder
from questionbank.services.embeddings import embedding_request
from questionbank.services.import_pipeline import ImportOptions, import_into_bank
from questionbank.services.import_progress import JobReporter, progress_beside
from questionbank.services.import_report import ImportReport
from questionbank.services.imports import (
    BYTES_A_BYTE,
    LOGGED_REASONS,
    ImportFailed,
    refuse_or_follow_up,
    set_and_hierarchy,
)


def run_import(run: Run, reporter: JobReporter) -> dict[str, Any]:
    """Do the job of `import_kept`; returns the report for the run's result.

    Safe to run twice: what a dead worker had committed already comes out as duplicates.

    Raises:
        ImportRefused: as `import_file`; the report is the reporter's result by then.
        Cancelled: somebody cancelled the run.
    """
    parameters = run.parameters
    storage = storages["uploads"]
    if not storage.exists(parameters["upload"]):
        raise Conflict("The uploaded file is no longer stored; upload it again.")
    require_space(
        Path(settings.VAR_DIR), BYTES_A_BYTE * storage.size(parameters["upload"]), what="The import"
    )
    with scratch_folder(prefix="import-") as folder:
        path = folder / parameters["name"]
        with storage.open(parameters["upload"]) as stored, path.open("wb") as local:
            shutil.copyfileobj(stored, local)
        report = import_reported(run, _options_of(run, path), reporter)
    if report.written:
        storage.delete(parameters["upload"])
    return report.as_dict()


def _layout(kept: Mapping[str, Any] | None) -> FileLayout | None:
    if not kept or "fields" not in kept:  # queued by an earlier version: guessed again
        return None
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in kept.items()
    }
    return FileLayout(**values)


def _options_of(run: Run, path: Path) -> ImportOptions:
    parameters = run.parameters
    source, hierarchy = set_and_hierarchy(
        PurePath(parameters["name"]), parameters.get("source"), parameters.get("hierarchy")
    )
    return ImportOptions(
        path=path,
        source=source,
        hierarchy=hierarchy,
        format=parameters.get("format") or AUTO,
        scale=parameters.get("scale", ""),
        dry_run=bool(parameters.get("dry_run")),
        skip_invalid=bool(parameters.get("skip_invalid")),
        user=run.requested_by,
        layout=_layout(parameters.get("layout")),
        without=tuple(parameters.get("without", ())),
        update=bool(parameters.get("update")),
    )


def import_reported(
    run: Run,
    options: ImportOptions,
    reporter: JobReporter,
    *,
    on_written: Callable[[], None] | None = None,
) -> ImportReport:
    """Import for a job: its progress, its cancel, its report and its log are those of the job.

    Args:
        on_written: what else is written in the import's transaction.

    Raises:
        ImportRefused: as `import_file`; the report is the reporter's result by then.
        Cancelled: somebody cancelled the run.
    """
    options = replace(options, run_id=run.pk)
    try:
        with progress_beside(reporter.progress) as tell, transaction.atomic():
            report = import_into_bank(options, tell=tell, should_stop=reporter.should_stop)
            if report.wants_vectors and report.written:
                embedding_request()  # commits with the questions: a worker that dies next loses no vector
            if on_written is not None and report.written:
                on_written()
        reporter.result = report.as_dict()
        refuse_or_follow_up(report, skip_invalid=options.skip_invalid)
    except ImportRefused as error:
        if not reporter.result:  # the file as a whole
            refused = ImportReport(
                options.path.name,
                options.source,
                options.hierarchy or options.source,
                dry_run=options.dry_run,
            )
            for problem in error.problems:
                refused.refuse(problem)
            reporter.result = refused.as_dict()
        groups = error.report.reasons.ordered() if isinstance(error, ImportFailed) else error.problems
        for reason in groups[:LOGGED_REASONS]:
            reporter.log(str(reason), "error")
        raise
    return report
