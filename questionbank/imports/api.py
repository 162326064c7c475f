"""Imports and exports over the API: import a file of any format, export the questions that a search finds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import Annotated, Literal

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from ninja import File, Query, Router
from ninja.files import UploadedFile
from ninja.responses import Status
from pydantic import BaseModel, Field

from analytics.records import QuestionRecord
from questionbank.api.access import Access
from questionbank.api.contract import Body, Fields, Id
from questionbank.api.requests import received_file
from questionbank.bank.question_selectors import numbered_question_records
from questionbank.core.errors import ImportRefused, ValidationFailed
from questionbank.formats import WRITTEN
from questionbank.formats.catalog import AUTO, layout_of
from questionbank.formats.scales import scale_names
from questionbank.imports.export_services import export_losses, export_pieces, with_figures
from questionbank.imports.options import ImportOptions, usual_status
from questionbank.imports.services import import_kept, import_repeat, upload_keep
from questionbank.imports.undo_services import import_undo_request
from questionbank.jobs.run_selectors import run_get
from questionbank.models import Run
from questionbank.people.school_selectors import shows_to
from questionbank.registry.api import RunDetail, run_detail
from questionbank.search.api import FilterFields
from questionbank.search.filters import filtered_questions

router = Router(tags=["imports and exports"])
READ, IMPORT = Access("read"), Access("import")
LOOKED_AT = 2_000  # questions that are checked for losses


class ImportQuery(Fields):
    """How to read a file."""

    dry_run: bool = Field(default=True, description="Check the file and write nothing.")
    format: str = Field(default=AUTO, description="By default recognised from the file.")
    source: Annotated[str, Field(max_length=120, description="Name of the set; by default the file's.")] = ""
    hierarchy: Annotated[str, Field(max_length=200, description="Name of the hierarchy for its concepts.")] = ""
    scale: str = Field(default="", description="Difficulty scale of lines without one.")
    status: Literal["ready", "draft"] | None = Field(
        default=None, description="Ready questions, or your own drafts; by default ready for admins, drafts for others."
    )
    visible_to: Annotated[
        str,
        Field(
            max_length=60,
            description="Who sees the new questions: `all`, `private` (you) or the short name of one of your schools."
            " By default your school, or everybody if you have none or several.",
        ),
    ] = ""
    skip_invalid: bool = Field(default=False, description="Import the other lines if some are refused.")
    update: bool = Field(default=False, description="Update questions that came from this file before.")


class ConfirmBody(Body):
    """How to import a file that was checked."""

    skip_invalid: bool = False
    update: bool | None = Field(default=None, description="By default as in the check.")
    without: list[str] = Field(default=[], description="Fields to leave out.")


class ExportQuery(FilterFields):
    """Which questions to export, and how."""

    format: str = Field(alias="as", description="An export format such as `gift`.")


class Loss(BaseModel):
    """Something that a format cannot hold: of how many questions, and the first of them."""

    what: str
    questions: int
    first: list[int]


class LossReport(BaseModel):
    """What a format cannot hold of the first 2,000 questions; refused ones are left out of the file."""

    questions: int
    refused: list[Loss]
    lost: list[Loss]


@router.post("/imports", auth=IMPORT, response={202: RunDetail})
def create_import(
    request: HttpRequest, response: HttpResponse, asked: Query[ImportQuery], file: File[UploadedFile | None] = None
) -> Status:
    """Check or import a file. The job in the response does the work; its result lists the refused lines.

    After a check, `/imports/{run_id}/confirm` imports the file without sending it again.
    """
    upload = received_file(request, file, limit="IMPORT_UPLOAD_MAX_BYTES")
    if asked.scale and asked.scale not in scale_names():
        raise ValidationFailed.beside("scale", f"Use one of {', '.join(scale_names())}.")
    shows_to(request.user, asked.visible_to)  # raises before the file is stored
    kept = upload_keep(upload=upload, name=upload.name or "", user=request.user, format=asked.format)
    try:
        with kept.beginning() as path:
            layout_of(path, asked.format)
    except ImportRefused:
        kept.delete()
        raise
    chosen = asked.model_dump() | {"status": asked.status or usual_status(request.user)}
    run = import_kept(kept=kept, user=request.user, options=ImportOptions(**chosen))
    return _accepted(request, response, run)


@router.post("/imports/{int:run_id}/confirm", auth=IMPORT, response={202: RunDetail})
def confirm_import(request: HttpRequest, response: HttpResponse, run_id: Id, body: ConfirmBody) -> Status:
    """Import a file that was checked; a file is imported once, however often this is called."""
    run = import_repeat(run=run_get(run_id=run_id), user=request.user, **body.model_dump())
    return _accepted(request, response, run)


@router.post("/imports/{int:run_id}/undo", auth=IMPORT, response={202: RunDetail})
def undo_import(request: HttpRequest, response: HttpResponse, run_id: Id) -> Status:
    """Remove what an import created, except what people have changed or used since."""
    return _accepted(request, response, import_undo_request(run=run_get(run_id=run_id), user=request.user))


@router.get("/exports", auth=READ, response={200: None})
def export_questions(request: HttpRequest, asked: Query[ExportQuery]) -> StreamingHttpResponse:
    """Return the questions that pass the filters as a file."""
    records = with_figures(_records(request, asked), user=request.user)
    pieces = export_pieces(records=(record for _pk, record in records), format=asked.format)
    first = next(pieces, b"")
    headers = WRITTEN[asked.format].headers("questions", first)
    return StreamingHttpResponse(chain([first], pieces), headers=headers)


@router.get("/exports/losses", auth=READ, response=LossReport)
def list_export_losses(request: HttpRequest, asked: Query[ExportQuery]) -> LossReport:
    """Say what a format cannot hold of the questions that pass the filters."""
    losses = export_losses(records=islice(_records(request, asked), LOOKED_AT), format=asked.format)

    def listed(counts: Mapping[str, int]) -> list[Loss]:
        return [
            Loss(what=what, questions=count, first=[pk for pk, _text in losses.first[what]])
            for what, count in counts.items()
        ]

    return LossReport(questions=losses.questions, refused=listed(losses.refused), lost=listed(losses.lost))


def _accepted(request: HttpRequest, response: HttpResponse, run: Run) -> Status:
    response["Location"] = f"/api/v1/runs/{run.pk}"
    return Status(202, run_detail(request, run.pk))


def _records(request: HttpRequest, asked: ExportQuery) -> Iterator[tuple[int, QuestionRecord]]:
    """Return the (id, record) pairs of the questions to export.

    Raises:
        ValidationFailed: there is no such format.
    """
    if asked.format not in WRITTEN:
        raise ValidationFailed.beside("as", f"Use one of {', '.join(WRITTEN)}.")
    questions = filtered_questions(asked.filters().seen_by(request.user))
    return numbered_question_records(questions, originals_of=asked.format)
