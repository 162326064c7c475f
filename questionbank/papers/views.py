"""Test papers: upload one, review the questions found in it, import them.

The review is one form. A correction refers to the chosen line and is submitted by a button or its shortcut key; the
response is that part of the page with htmx, or the whole page without JavaScript. While a worker reads or imports the
paper, the part polls for updates. A page of the review shows some questions, in the paper's order or worst first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from analytics.analysed_text import record_text
from analytics.question_content import as_json
from questionbank.bank.concept_selectors import hierarchy_choice
from questionbank.bank.list_services import LONGEST_LIST
from questionbank.core.errors import Conflict, ImportRefused, NotFound, ServiceUnavailable, ValidationFailed
from questionbank.core.upload_forms import was_too_large
from questionbank.core.views import button_for, form_for, page_for, render_page, warning_of
from questionbank.formats.limits import SET_LIMIT
from questionbank.imports.options import ImportOptions, usual_status
from questionbank.imports.services import question_file_format
from questionbank.imports.undo_selectors import import_can_be_undone, import_undo_runs
from questionbank.imports.views import check_file
from questionbank.jobs.run_selectors import run_wait, vectors_awaited
from questionbank.models import Attachment, DocumentDraft, Question
from questionbank.papers.forms import ROLES, DocumentForm, DocumentImportForm
from questionbank.papers.import_services import document_import_request, document_list_create
from questionbank.papers.paper_lines import page_name
from questionbank.papers.selectors import (
    DocumentReview,
    FoundItem,
    Passage,
    PassageLine,
    document_draft_get,
    document_drafts_of,
    document_questions,
    document_review,
)
from questionbank.papers.services import (
    PASTED_NAME,
    document_draft_delete,
    document_draft_paste,
    document_draft_upload,
    document_leave_out,
    document_points_set,
    document_role_set,
    document_step,
    document_text_set,
)
from questionbank.similar.insight import AskedText, text_outlook

_PAGE = "papers/paper.html"
_PART = "papers/_paper.html"


@form_for("import")
def document_create(request: HttpRequest) -> HttpResponse:
    """Upload or paste a test paper; the person's own papers of this week are listed below."""
    form = DocumentForm()
    if request.method == "POST":
        form = DocumentForm(request.POST, request.FILES, too_large=was_too_large(request))
        if form.is_valid():
            try:
                return _put_in(request, form.cleaned_data["file"], form.cleaned_data["text"])
            except ImportRefused as error:
                form.add_error("file" if form.cleaned_data["file"] else "text", str(error))
            except ValidationFailed as error:
                form.add_problems(error)
    context = {"form": form, "drafts": document_drafts_of(user=request.user)}
    return render(request, "papers/create.html", context, status=422 if form.errors else 200)


def _put_in(request: HttpRequest, file: UploadedFile | None, text: str) -> HttpResponse:
    """Redirect to the review of a paper; a file of questions, such as a Moodle export, is checked as an import.

    Raises:
        ImportRefused: If it is such a file and cannot be read.
        ValidationFailed: If the text cannot be read.
    """
    given = file or SimpleUploadedFile(PASTED_NAME, text.encode())
    name = file.name or "" if file else ""
    if format := question_file_format(given, name or PASTED_NAME):
        what = f"{name or 'The pasted text'} is a file of questions ({format.label}), not a test paper."
        messages.info(request, f"{what} It is checked here before it is imported.")
        given.name = name or f"pasted{format.suffixes[0]}"
        options = ImportOptions(dry_run=True, status=usual_status(request.user))
        return check_file(request, given, options)
    if file:
        draft = document_draft_upload(upload=file, name=name, user=request.user)
    else:
        draft = document_draft_paste(text=text, user=request.user)
    return redirect("document_review", draft_id=draft.pk)


@form_for("import")
def document_review_page(request: HttpRequest, draft_id: int) -> HttpResponse:
    """Show a test paper beside its questions, or the progress of reading it; a POST corrects it (`do`)."""
    draft = document_draft_get(draft_id=draft_id, user=request.user)
    line, problem = (request.POST or request.GET).get("line", ""), ""
    editing = ""
    if request.method == "POST":
        try:
            line, editing = _corrected(request, draft, line)
        except (Conflict, ValidationFailed) as error:
            problem = str(error)
        if not (request.htmx or editing or problem):
            address = reverse("document_review", args=[draft.pk])
            return redirect(f"{address}?{urlencode({**_place(request), 'line': line})}#line-{line}")
    return _show(request, draft, line=line, editing=editing, problem=problem)


def _corrected(request: HttpRequest, draft: DocumentDraft, line: str) -> tuple[str, str]:
    """Perform a button's action; return the key of the line to show, and of a line to open for editing."""
    action, _, value = request.POST.get("do", "").partition(":")
    user = request.user
    match action:
        case "edit" if line:
            return line, line
        case "role" if line:
            document_role_set(draft=draft, user=user, key=line, role=value)
        case "text":
            document_text_set(draft=draft, user=user, key=value, text=request.POST.get("text", ""))
        case "points":
            line = _set_points(request, draft) or line
        case "out" | "in":
            document_leave_out(draft=draft, user=user, key=value, is_left_out=action == "out")
        case "undo" | "redo":
            line = document_step(draft=draft, user=user, by=-1 if action == "undo" else 1) or line
        case "role" | "edit":
            raise ValidationFailed("Choose a line first.")
    return line, ""


def _set_points(request: HttpRequest, draft: DocumentDraft) -> str:
    """Save the changed points of the page's questions; return the key of the last one's line."""
    changed = ""
    for item in document_review(draft).items:
        typed = request.POST.getlist(f"points-{item.key}")
        if typed and typed != request.POST.getlist(f"points-before-{item.key}"):
            document_points_set(draft=draft, user=request.user, key=item.key, points=typed)
            changed = item.key
    return changed


def _place(request: HttpRequest) -> dict[str, str]:
    """Return order and page from the URL; in the paper's order the chosen line determines the page."""
    order, page = request.GET.get("order", ""), request.GET.get("page", "")
    if order != WORST_FIRST:
        return {} if request.method == "POST" else {"page": page}
    return {"order": order, "page": page}


def _show(request: HttpRequest, draft: DocumentDraft, *, line: str, editing: str, problem: str) -> HttpResponse:
    context: dict[str, Any] = {"draft": draft, "problem": problem, "is_waiting": _is_waiting(draft)}
    if context["is_waiting"]:
        context["run"] = draft.import_run if draft.is_importing else draft.read_run
        context["wait"] = run_wait(run=context["run"]) if context["run"] else None
    elif draft.state == DocumentDraft.State.IMPORTED:
        context |= _imported(request, draft)
    elif draft.state == DocumentDraft.State.READY:
        review, place = document_review(draft), _place(request)
        context |= document_page(
            review,
            draft,
            order=place.get("order", ""),
            page=place.get("page", ""),
            otherwise=request.GET.get("page", ""),
            line=line,
            editing=editing,
        )
        context |= {
            "review": review,
            "roles": ROLES,
            "orders": PAGE_ORDERS,
            "choice": hierarchy_choice(user=request.user),
            "import_form": _import_form(request, draft),
            "failed": draft.import_run if draft.import_run and draft.import_run.error else None,
        }
        if request.GET.get("known") == "1":  # without JavaScript; otherwise each question is requested separately
            for row in context["rows"]:
                if row.item:
                    row.outlook = _outlook(request, row.item)
    return render_page(request, _PAGE, _PART, context, status=422 if problem else 200)


def _import_form(request: HttpRequest, draft: DocumentDraft, data: Any = None) -> DocumentImportForm:
    initial = {"source": _set_name(draft)}
    return DocumentImportForm(data, user=request.user, usual=Question.Status.READY, initial=initial)


def _is_waiting(draft: DocumentDraft) -> bool:
    """Return whether a worker is busy with it, or will be."""
    if draft.state == DocumentDraft.State.READING:
        return draft.read_run is not None and not draft.read_run.is_finished
    return draft.is_importing


def _set_name(draft: DocumentDraft) -> str:
    return PurePath(draft.name).stem or draft.name


def _imported(request: HttpRequest, draft: DocumentDraft) -> dict[str, Any]:
    questions = document_questions(draft=draft, user=request.user)
    run = draft.import_run
    return {
        "run": run,
        "report": run.result if run else {},
        "vectors_awaited": vectors_awaited(user=request.user),
        "as_drafts": run is not None and run.parameters.get("status") == Question.Status.DRAFT,
        "questions": questions,
        "longest_list": LONGEST_LIST,
        "can_undo": run is not None and import_can_be_undone(run=run),
        "undo_runs": import_undo_runs(run=run) if run else (),
        "list_name": run.parameters["source"] if run else _set_name(draft),
    }


@page_for("import")
def document_outlook(request: HttpRequest, draft_id: int, key: str) -> HttpResponse:
    """Show the bank's predictions for a question of a paper, and its near-duplicates; requested by htmx."""
    draft = document_draft_get(draft_id=draft_id, user=request.user)
    item = document_review(draft).item(key) if draft.state == DocumentDraft.State.READY else None
    if item is None:
        raise NotFound("This question is no longer there: the paper was changed in another window.")
    return render(request, "papers/_outlook.html", {"outlook": _outlook(request, item)})


def _outlook(request: HttpRequest, item: FoundItem) -> Any:
    """Return the bank's predictions for a question; None if there are no vectors yet."""
    record = item.record
    asked = AskedText(
        question=record_text(record),
        text=record.text,
        language=record.language,
        options=as_json(record.options),
        content=record.content,
        answer=record.answer,
    )
    try:
        return text_outlook(asked, hierarchy=hierarchy_choice(user=request.user).name, user=request.user)
    except ServiceUnavailable:
        return None


@button_for("import", back="document_create")
def document_import(request: HttpRequest, draft_id: int) -> HttpResponse:
    """Import the questions of a paper in a worker."""
    draft = document_draft_get(draft_id=draft_id, user=request.user)
    form = _import_form(request, draft, request.POST)
    with warning_of(request, ValidationFailed):
        if not form.is_valid():
            raise ValidationFailed(f"Use at most {SET_LIMIT} characters for the name of the set.")
        document_import_request(draft=draft, user=request.user, **form.cleaned_data)
    return redirect("document_review", draft_id=draft.pk)


@button_for("import", back="document_create")
def document_list(request: HttpRequest, draft_id: int) -> HttpResponse:
    """Create a list of the questions that a paper added to the bank."""
    draft = document_draft_get(draft_id=draft_id, user=request.user)
    with warning_of(request, ValidationFailed):
        made = document_list_create(draft=draft, user=request.user, name=request.POST.get("name", ""))
        return redirect("list_detail", list_id=made.pk)
    return redirect("document_review", draft_id=draft.pk)


@button_for("import", back="document_create")
def document_delete(request: HttpRequest, draft_id: int) -> HttpResponse:
    """Delete a paper under review."""
    draft = document_draft_get(draft_id=draft_id, user=request.user)
    document_draft_delete(draft=draft, user=request.user)
    messages.success(request, "The test paper is deleted. Questions imported from it are still in the bank.")
    return redirect("document_create")


# -- a page of the review ----------------------------------------------------------------------------------------------


QUESTIONS_A_PAGE = 40
LINES_A_PAGE = 400
WORST_FIRST = "worst"
PAGE_ORDERS = (("", "As in the paper"), (WORST_FIRST, "Worst first"))


@dataclass(slots=True)
class PageRow:
    """A passage as displayed on the page.

    Attributes:
        outlook_id: changes with the question, so that loaded content stays until the question changes.
        printed: the areas of pages that show it as printed.
    """

    lines: tuple[PassageLine, ...]
    item: FoundItem | None = None
    question: dict[str, Any] = field(default_factory=dict)
    kind: str = ""
    outlook_id: str = ""
    outlook: Any = None
    printed: list[PrintedArea] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class PrintedArea:
    """An area of a page's picture.

    Attributes:
        address: address of the whole page's picture, which is `page_width` by `page_height` pixels.
    """

    address: str
    page_width: int
    page_height: int
    left: int
    top: int
    width: int
    height: int


def document_page(
    review: DocumentReview, draft: DocumentDraft, *, order: str, page: str, otherwise: str, line: str, editing: str
) -> dict[str, Any]:
    """Return the context of a page of the review.

    Args:
        order: a key of `PAGE_ORDERS`; defaults to the paper's order if unknown.
        page: page number; if invalid, the first page; if empty, the page of the chosen line.
        otherwise: the page if no line is chosen either.
        line: key of the chosen line; defaults to the first line of the page.
        editing: key of the line whose text is being edited.
    """
    blocks = _worst_first(review) if order == WORST_FIRST else _in_order(review)
    pages = Paginator(blocks, 1, allow_empty_first_page=True)
    chosen = line or editing
    holding = next(
        (
            number
            for number, block in enumerate(blocks, start=1)
            if chosen and any(row.reviewed.key == chosen for passage in block for row in passage.lines)
        ),
        None,
    )
    shown = pages.get_page(page or holding or otherwise)
    rows = [_row(passage) for block in shown for passage in block]
    _set_printed(rows, draft)
    keys = [row.reviewed.key for passage in rows for row in passage.lines]
    pictures = [{"name": name, "sha256": sha256} for name, sha256 in draft.pictures.items()]
    return {
        "page": shown,
        "rows": rows,
        "order": order,
        "selected": line if line in keys else (keys[0] if keys else ""),
        "editing": editing if editing in keys else "",
        "paper": {"content": {"pictures": pictures}},
        "can_redo": draft.applied < len(draft.corrections),
    }


def _in_order(review: DocumentReview) -> list[list[Passage]]:
    """Return the passages in pages; a very long passage without a question is split."""
    pages: list[list[Passage]] = [[]]
    questions = lines = 0
    for passage in (piece for whole in review.passages for piece in _pieces(whole)):
        is_full = passage.item is not None and questions == QUESTIONS_A_PAGE
        if pages[-1] and (is_full or lines + len(passage.lines) > LINES_A_PAGE):
            pages.append([])
            questions = lines = 0
        pages[-1].append(passage)
        questions += passage.item is not None
        lines += len(passage.lines)
    return pages


def _pieces(passage: Passage) -> Iterator[Passage]:
    if passage.item is not None or len(passage.lines) <= LINES_A_PAGE:
        yield passage
        return
    for first in range(0, len(passage.lines), LINES_A_PAGE):
        yield Passage(passage.lines[first : first + LINES_A_PAGE])


def _worst_first(review: DocumentReview) -> list[list[Passage]]:
    """Return only the passages of questions, in pages: the least certain first, the others in the paper's order."""
    of_questions = [(passage.item, passage) for passage in review.passages if passage.item]
    of_questions.sort(key=lambda pair: (pair[0].is_left_out, -pair[0].unsureness, pair[0].place))
    ordered = [passage for _item, passage in of_questions]
    return [ordered[first : first + QUESTIONS_A_PAGE] for first in range(0, len(ordered), QUESTIONS_A_PAGE)]


def _row(passage: Passage) -> PageRow:
    item = passage.item
    if item is None:
        return PageRow(passage.lines)
    record = item.record
    question = {
        "text": record.text,
        "options": as_json(record.options),
        "kind": record.kind,
        "content": as_json(record.content),
        "language": record.language,
        "answer": record.answer,
        "solution": record.solution,
        "concepts": record.concepts,
    }
    digest = hashlib.sha256(repr((item.key, question)).encode()).hexdigest()[:16]
    return PageRow(passage.lines, item, question, Question.Kind(record.kind).label, f"known-{digest}")


def _set_printed(rows: Sequence[PageRow], draft: DocumentDraft) -> None:
    """Set the areas of the document's pages where each question is printed."""
    numbers = {area[0] for row in rows if row.item for area in row.item.areas}
    digests = {number: draft.pictures.get(page_name(number), "") for number in numbers}
    found = Attachment.objects.in_bulk([digest for digest in digests.values() if digest])
    for row in rows:
        for number, left, top, right, bottom in row.item.areas if row.item else ():
            page = found.get(digests[number])
            if page is not None:
                address = reverse("picture", args=[page.sha256])
                size = (page.width, page.height)
                row.printed.append(PrintedArea(address, *size, left, top, right - left, bottom - top))
