"""Worksheets: created from lists, every version with its key, downloads, and after use the marks of a class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render

from questionbank.bank.bulk_selectors import left_out_of
from questionbank.bank.list_selectors import own_and_shared, question_list_get, worksheet_use_days
from questionbank.bank.owned_views import row_shown, visibility_context
from questionbank.core.errors import ImportRefused, LineProblem, NotFound, PrintingRefused
from questionbank.core.views import button_for, form_for, page_for, posted
from questionbank.core.wording import counted
from questionbank.models import Question, Worksheet
from questionbank.responses.response_table import without_names
from questionbank.responses.set_services import prepared_keep
from questionbank.responses.shown_figures import shown_worksheet
from questionbank.responses.typed_marks import TypedQuestion, read_typed
from questionbank.responses.views import check_address
from questionbank.worksheets.forms import NewWorksheetForm
from questionbank.worksheets.mark_selectors import worksheet_expected_mark
from questionbank.worksheets.print_selectors import (
    CONTENTS,
    FILES,
    ComposedVersion,
    compose_versions,
    version_names,
    worksheet_printed,
)
from questionbank.worksheets.selectors import (
    WorksheetRow,
    changed_since,
    sentences_on_left_out,
    worksheet_get,
    worksheet_rows,
    worksheets,
)
from questionbank.worksheets.services import Added, worksheet_create, worksheet_from_list, worksheet_use

GRID_ROWS = 10  # of the grid at first, and with each press of “More rows”
MOST_CELLS = 900  # Django takes 1,000 fields of a form
PROBLEMS_SHOWN = 100


@form_for("read")
def worksheet_index(request: HttpRequest) -> HttpResponse:
    """Show the person's own worksheets, those shared by others, and a form for a new one."""
    form = NewWorksheetForm(request.POST or None)
    if form.is_valid():
        with form.takes_problems():
            worksheet = worksheet_create(user=request.user, name=form.cleaned_data["name"])
            return redirect("worksheet_edit", worksheet_id=worksheet.pk)
    context = {
        "form": form,
        "noun": "worksheet",
        "detail": "worksheet_detail",
        **own_and_shared(worksheets(request.user), request.user),
    }
    return render(request, "worksheets/index.html", context, status=form.status)


@button_for("read", back="list_index")
def worksheet_from_list_view(request: HttpRequest, list_id: int) -> HttpResponse:
    """Create a worksheet from a list that the person can read, and redirect to its edit page."""
    question_list = question_list_get(list_id=list_id, user=request.user)
    worksheet, added = worksheet_from_list(user=request.user, question_list=question_list)
    say_added(request, added)
    return redirect("worksheet_edit", worksheet_id=worksheet.pk)


@page_for("read")
def worksheet_detail(request: HttpRequest, worksheet_id: int) -> HttpResponse:
    """Show a worksheet as printed: `version` is a letter, `contents` a name of `CONTENTS`."""
    worksheet = worksheet_get(worksheet_id=worksheet_id, user=request.user)
    rows = worksheet_rows(worksheet=worksheet, user=request.user)
    versions = version_names(worksheet)
    version = request.GET.get("version", "")
    version = version if version in versions else versions[0]
    contents = request.GET.get("contents", "")
    contents = contents if contents in CONTENTS else "students"
    composed = compose_versions(worksheet, [version], **CONTENTS[contents].shows, rows=rows)[0]
    use_days = worksheet_use_days(worksheet=worksheet)
    context = {
        "worksheet": worksheet,
        "is_owner": worksheet.owner_id == request.user.pk,
        "tab": "detail",
        "versions": versions,
        "version": version,
        "contents": contents,
        "contents_choices": [(name, choice.label) for name, choice in CONTENTS.items()],
        "files": [(name, file.label) for name, file in FILES.items()],
        "sheet": composed.sheet,
        "sections": _shown_sections(composed),
        "pictures": _picture_addresses(composed),
        "left_out": sentences_on_left_out((row.left_out, row.item.question_id) for row in rows),
        "merged": left_out_of(
            worksheet=worksheet, questions=(row.item.question_id for row in rows if row.item.question_id is not None)
        ),
        "without_figure": [
            row.item.question_id for row in rows if row.question and row.question.needs_figure and not row.reason
        ],
        "changed": len(composed.changed),
        "kept": len(composed.kept),
        "use_days": use_days,
        "changed_since": changed_since(worksheet, rows, use_days[0][0]) if use_days else None,
        **worksheet_facts(rows),
    }
    if not context["is_owner"]:  # the owner's choice is beside the layout
        context |= visibility_context(request, worksheet, "worksheet_visibility")
    return render(request, "worksheets/detail.html", context)


@button_for("read", back="worksheet_index")
def worksheet_visibility(request: HttpRequest, worksheet_id: int) -> HttpResponse:
    """Let a school, everybody or only its owner see a worksheet (`visible_to`)."""
    worksheet = worksheet_get(worksheet_id=worksheet_id, user=request.user)
    page = "worksheet_layout" if worksheet.owner_id == request.user.pk else "worksheet_detail"
    return row_shown(request, worksheet, page=page, index="worksheet_index")


def worksheet_facts(rows: Sequence[WorksheetRow]) -> dict[str, Any]:
    """Return the number of printed questions and their total points, for pages about a worksheet as a whole."""
    printed = [row for row in rows if row.question is not None and not row.reason]
    numbered = [row for row in printed if row.question and row.question.kind != Question.Kind.DESCRIPTION]
    points = [row.item.points for row in numbered if row.item.points is not None]
    return {"printed": len(numbered), "total_points": sum(points) if points else None}


@page_for("read")
def worksheet_mark(request: HttpRequest, worksheet_id: int) -> HttpResponse:
    """Show the expected mark, with estimates for questions of unknown difficulty; pages load it with htmx."""
    worksheet = worksheet_get(worksheet_id=worksheet_id, user=request.user)
    rows = worksheet_rows(worksheet=worksheet, user=request.user)
    context = {
        "worksheet": worksheet,
        "mark": worksheet_expected_mark(rows),
        "has_points": worksheet_facts(rows)["total_points"] is not None,
    }
    template = "worksheets/_mark.html" if request.htmx else "worksheets/mark.html"
    return render(request, template, context)


@button_for("read", back="worksheet_index")
def worksheet_download(request: HttpRequest, worksheet_id: int) -> HttpResponse:
    """Return a worksheet as a file: `format`, `version` (a letter or "all"), `contents` (a name of `CONTENTS`).

    What is handed out to students counts as used today.
    """
    worksheet = worksheet_get(worksheet_id=worksheet_id, user=request.user)
    rows = worksheet_rows(worksheet=worksheet, user=request.user)
    try:
        printed = worksheet_printed(
            worksheet=worksheet,
            rows=rows,
            format=request.POST.get("format", ""),
            contents=request.POST.get("contents", "students"),
            version=request.POST.get("version", ""),
        )
    except PrintingRefused as error:
        messages.error(request, str(error))
        return redirect("worksheet_detail", worksheet_id=worksheet.pk)
    if printed.used:
        worksheet_use(user=request.user, worksheet=worksheet, question_ids=printed.used)
    return printed.response


def say_added(request: HttpRequest, added: Added) -> None:
    """Show how many questions are on the worksheet now, and why others are not."""
    if added.number:
        questions = counted(added.number, "question was", "questions were")
        known = f" {counted(added.known, 'was', 'were')} on the worksheet already." if added.known else ""
        sections = f" in {counted(added.sections, 'section', 'sections')}" if added.sections else ""
        messages.success(request, f"{questions} added at the end{sections}.{known}")
    elif added.known and not added.refused:
        messages.info(request, "The questions are on the worksheet already.")
    if added.refused:
        messages.warning(request, f"Left out: {' '.join(added.refused)}")


def _shown_sections(composed: ComposedVersion) -> list[dict[str, Any]]:
    """Return the sections for a page: each item with its question's number, and whether its numbers were changed."""
    numbers = iter(composed.numbers)
    section_rows = []
    for section in composed.sheet.sections:
        items = []
        for item in section.items:
            number = next(numbers)
            items.append(
                {
                    "item": item,
                    "number": number,
                    "is_changed": number in composed.changed,
                    "kept": composed.kept.get(number, ""),
                }
            )
        section_rows.append({"heading": section.heading, "instructions": section.instructions, "items": items})
    return section_rows


def _picture_addresses(composed: ComposedVersion) -> dict[str, Any]:
    """Return the pictures in the format of a question's content; on paper they are named by hash."""
    names = composed.sheet.pictures
    return {"content": {"pictures": [{"name": name, "sha256": name.partition(".")[0]} for name in names]}}


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
        "may_grow": (len(grid) + GRID_ROWS) * (len(questions) + 1) <= MOST_CELLS,
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
    more = GRID_ROWS if sent is None or sent.get("action") == "more" else 0
    more = min(more, MOST_CELLS // width - len(rows))
    return [*rows, *([""] * width for _row in range(more))]
