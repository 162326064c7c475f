"""Test papers: upload one, review the questions found in it, import them.

The review is one form. A correction refers to the chosen line and is submitted by a button or its shortcut key; the
response is that part of the page with htmx, or the whole page without JavaScript. While a worker reads or imports the
paper, the part polls for updates. A page of the review shows some questions, in the paper's order or worst first.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from questionbank.bank.concept_selectors import hierarchy_choice
from questionbank.bank.list_selectors import own_and_shared
from questionbank.bank.list_services import LONGEST_LIST
from questionbank.bank.owned_views import row_shown, visibility_context
from questionbank.core.errors import Conflict, ImportRefused, ValidationFailed
from questionbank.core.forms import was_too_large
from questionbank.core.views import button_for, form_for, page_for, render_page, warning_of
from questionbank.formats.catalog import AUTO, DOCUMENT_SUFFIXES, WORD_PROCESSORS
from questionbank.formats.limits import SET_LIMIT
from questionbank.imports.forms import ImportForm
from questionbank.imports.options import ImportOptions, usual_status
from questionbank.imports.services import question_file_format
from questionbank.imports.undo_selectors import import_can_be_undone, import_undo_runs
from questionbank.imports.views import check_file
from questionbank.jobs.run_selectors import run_wait, vectors_awaited
from questionbank.models import DocumentDraft, Question
from questionbank.papers.forms import ROLES, DocumentForm, DocumentImportForm
from questionbank.papers.import_services import document_import_request, document_list_create
from questionbank.papers.review_selectors import (
    PAGE_ORDERS,
    WORST_FIRST,
    document_page,
    paper_item_get,
    paper_item_outlook,
)
from questionbank.papers.selectors import document_draft_get, document_drafts, document_questions, document_review
from questionbank.papers.services import (
    PASTED_NAME,
    document_draft_delete,
    document_draft_paste,
    document_draft_upload,
    document_leave_out,
    document_points_set,
    document_reading_take,
    document_role_set,
    document_step,
    document_text_set,
)

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
                return _put_in(request, form)
            except ImportRefused as error:
                form.add_error("file" if form.cleaned_data["file"] else "text", str(error))
            except ValidationFailed as error:
                form.add_problems(error)
    context = {"form": form, **own_and_shared(document_drafts(), request.user)}
    return render(request, "papers/create.html", context, status=422 if form.errors else 200)


def _put_in(request: HttpRequest, form: DocumentForm) -> HttpResponse:
    """Redirect to the review of a paper; a file of questions, such as a Moodle export, is checked as an import.

    Raises:
        ImportRefused: If it is such a file and cannot be read.
        ValidationFailed: If the text cannot be read.
    """
    file: UploadedFile | None = form.cleaned_data["file"]
    text: str = form.cleaned_data["text"]
    given = file or SimpleUploadedFile(PASTED_NAME, text.encode())
    name = file.name or "" if file else ""
    if format := question_file_format(given, name or PASTED_NAME):
        what = f"{name or 'The pasted text'} is a file of questions ({format.label}), not a test paper."
        messages.info(request, f"{what} It is checked here before it is imported.")
        given.name = name or f"pasted{format.suffixes[0]}"
        options = ImportOptions(dry_run=True, status=usual_status(request.user))
        return check_file(request, given, options)
    may_be_sent = form.cleaned_data.get("may_be_sent", False)
    if file:
        draft = document_draft_upload(upload=file, name=name, user=request.user, may_be_sent=may_be_sent)
    else:
        draft = document_draft_paste(text=text, user=request.user, may_be_sent=may_be_sent)
    return redirect("document_review", draft_id=draft.pk)


@form_for("import")
def import_create(request: HttpRequest) -> HttpResponse:
    """Upload a file and queue its check; the column mapping is shown first unless the headers match ours."""
    user = request.user
    if request.method != "POST":
        form = ImportForm(user=user, usual=usual_status(user))
        return render(request, "imports/create.html", {"form": form})
    form = ImportForm(
        request.POST, request.FILES, too_large=was_too_large(request), user=user, usual=usual_status(user)
    )
    if form.is_valid():
        file = form.cleaned_data["file"]
        options = ImportOptions(
            dry_run=True, **{name: value for name, value in form.cleaned_data.items() if name != "file"}
        )
        try:
            if file.name.lower().endswith(WORD_PROCESSORS):
                return _review_document(request, file)
            return check_file(request, file, options)
        except ImportRefused as error:
            is_document = file.name.lower().endswith(DOCUMENT_SUFFIXES)
            if is_document and form.cleaned_data["format"] == AUTO:  # text without columns
                return _review_document(request, file)
            form.add_error("file", str(error))
        except ValidationFailed as error:
            form.add_problems(error)
    return render(request, "imports/create.html", {"form": form}, status=422)


def _review_document(request: HttpRequest, file: UploadedFile) -> HttpResponse:
    file.seek(0)
    messages.info(request, f"{file.name} is read as a test paper: check the questions found in it here.")
    draft = document_draft_upload(upload=file, name=file.name or "document", user=request.user)
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
        case "reading":
            line = document_reading_take(draft=draft, user=user, key=value)
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
    context: dict[str, Any] = {
        "draft": draft,
        "problem": problem,
        "is_waiting": _is_waiting(draft),
        "is_owner": draft.owner_id == request.user.pk,
        **visibility_context(request, draft, "document_visibility"),
    }
    if context["is_waiting"]:
        context["run"] = draft.import_run if draft.is_importing else draft.read_run
        context["wait"] = run_wait(run=context["run"]) if context["run"] else None
    elif draft.state == DocumentDraft.State.IMPORTED:
        context |= _imported(request, draft)
    elif draft.state == DocumentDraft.State.READY:
        review, place = document_review(draft), _place(request)
        context |= document_page(
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
                    row.outlook = paper_item_outlook(item=row.item, user=request.user)
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


@button_for("import", back="document_create")
def document_visibility(request: HttpRequest, draft_id: int) -> HttpResponse:
    """Let a school, everybody or only its owner see a paper (`visible_to`)."""
    draft = document_draft_get(draft_id=draft_id, user=request.user)
    return row_shown(request, draft, page="document_review", index="document_create")


@page_for("import")
def document_outlook(request: HttpRequest, draft_id: int, key: str) -> HttpResponse:
    """Show the bank's predictions for a question of a paper, and its near-duplicates; requested by htmx."""
    draft = document_draft_get(draft_id=draft_id, user=request.user)
    outlook = paper_item_outlook(item=paper_item_get(draft=draft, key=key), user=request.user)
    return render(request, "papers/_outlook.html", {"outlook": outlook})


@button_for("import", back="document_create")
def document_import(request: HttpRequest, draft_id: int) -> HttpResponse:
    """Import the questions of a paper in a worker."""
    draft = document_draft_get(draft_id=draft_id, user=request.user, is_own=True)
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
    draft = document_draft_get(draft_id=draft_id, user=request.user, is_own=True)
    document_draft_delete(draft=draft, user=request.user)
    messages.success(request, "The test paper is deleted. Questions imported from it are still in the bank.")
    return redirect("document_create")
