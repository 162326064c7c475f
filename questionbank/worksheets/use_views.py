"""A worksheet after use: what its questions turned out to be like, and a grid to type in a class's marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render

from questionbank.core.errors import ImportRefused, LineProblem, NotFound
from questionbank.core.views import form_for, page_for, posted
from questionbank.models import Worksheet
from questionbank.responses.response_table import without_names
from questionbank.responses.set_services import prepared_keep
from questionbank.responses.shown_figures import shown_worksheet
from questionbank.responses.typed_marks import TypedQuestion, read_typed
from questionbank.responses.views import check_address
from questionbank.worksheets.print_selectors import compose_versions, version_names
from questionbank.worksheets.selectors import WorksheetRow, worksheet_get, worksheet_rows

ROWS = 10  # of the grid at first, and with each press of “More rows”
MOST_CELLS = 900  # Django takes 1,000 fields of a form
PROBLEMS_SHOWN = 100


@page_for("responses_read")
def worksheet_after_use(request: HttpRequest, worksheet_id: int) -> HttpResponse:
    """Show the figures of a worksheet's questions in the classes that wrote it."""
    worksheet = worksheet_get(worksheet_id=worksheet_id, user=request.user)
    asked = _asked(worksheet_rows(worksheet=worksheet, user=request.user))
    questions = [row.question for row in asked if row.question is not None]
    context = _context(request, worksheet) | {
        "figures": shown_worksheet(worksheet=worksheet, questions=questions),
        "printed": len(asked),
    }
    return render(request, "worksheets/after_use.html", context)


@form_for("responses_import")
def worksheet_marks(request: HttpRequest, worksheet_id: int) -> HttpResponse:
    """Read typed or pasted marks, replace names by keyed hashes, and go on to the preview of an import.

    `version` names the version of the worksheet whose numbers the columns have.
    """
    worksheet = worksheet_get(worksheet_id=worksheet_id, user=request.user)
    versions = version_names(worksheet)
    version = request.GET.get("version", versions[0])
    asked = _asked_in(worksheet, version, request) if version in versions else []
    if not asked:
        raise NotFound("There is no such version of this worksheet, or it has no questions.")
    questions = [TypedQuestion(place, row.item.points) for place, row in enumerate(asked, start=1)]
    sent = posted(request)
    grid = _grid(sent, len(questions))
    problems: list[LineProblem] = []
    refusal = ""
    if sent is not None and sent.get("action") != "more":
        try:
            table = without_names(read_typed(questions, grid, sent.get("pasted", "")))
            variant = version if len(versions) > 1 else ""
            table.rows = [replace(row, variant=variant) for row in table.rows]
            table.title = worksheet.name
            table.worksheet = worksheet.pk
            table.order = [row.item.question_id for row in asked if row.item.question_id is not None]
            return redirect(check_address(request.user, prepared_keep(table=table, user=request.user)))
        except ImportRefused as error:
            refusal, problems = str(error), error.problems[:PROBLEMS_SHOWN]
    context = _context(request, worksheet) | {
        "asked": list(zip(questions, asked, strict=True)),
        "grid": list(enumerate(grid, start=1)),
        "pasted": sent.get("pasted", "") if sent is not None else "",
        "refusal": refusal,
        "problems": problems,
        "versions": versions,
        "version": version,
        "may_grow": (len(grid) + ROWS) * (len(questions) + 1) <= MOST_CELLS,
    }
    return render(request, "worksheets/marks.html", context, status=422 if refusal else 200)


def _context(request: HttpRequest, worksheet: Worksheet) -> dict[str, Any]:
    return {"worksheet": worksheet, "is_owner": worksheet.owner_id == request.user.pk, "tab": "use"}


def _asked(rows: Sequence[WorksheetRow]) -> list[WorksheetRow]:
    """Return the rows with a printed number."""
    return [row for row in rows if row.number is not None]


def _asked_in(worksheet: Worksheet, version: str, request: HttpRequest) -> list[WorksheetRow]:
    """Return the rows with a number in the order in which a version prints them."""
    rows = worksheet_rows(worksheet=worksheet, user=request.user)
    by_question = {row.item.question_id: row for row in _asked(rows)}
    composed = compose_versions(worksheet, [version], rows=rows)[0]
    return [by_question[number] for number in composed.numbers if number in by_question]


def _grid(sent: QueryDict | None, questions: int) -> list[list[str]]:
    """Return the cells of the grid as sent, with empty rows at the end; empty if it would have too many cells."""
    width = questions + 1
    cells = sent.getlist("cell") if sent is not None else []
    rows = [cells[start : start + width] for start in range(0, len(cells) - width + 1, width)]
    more = ROWS if sent is None or sent.get("action") == "more" else 0
    more = min(more, MOST_CELLS // width - len(rows))
    return [*rows, *([""] * width for _row in range(more))]
