"""Importing a file: always a check first (a dry run), then the import of what was checked.

The upload is stored and read by a worker, so that no request waits for a large file; the job's page
shows the refused lines and has the button to import.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

from django.contrib import messages
from django.core import signing
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from questionbank.core.errors import Conflict, ImportRefused, ValidationFailed
from questionbank.core.forms import was_too_large
from questionbank.core.storage import UPLOADS_KEPT
from questionbank.core.views import button_for, check_permission, form_for, warning_of
from questionbank.core.wording import counted, whole_number
from questionbank.formats.catalog import AUTO, layout_of
from questionbank.formats.column_names import holds_rows
from questionbank.imports.differences import import_conflicts_of, shown_conflicts
from questionbank.imports.forms import ColumnsForm, ImportForm, chosen_reading
from questionbank.imports.options import ImportOptions, usual_status
from questionbank.imports.preview import import_preview
from questionbank.imports.services import KeptUpload, import_kept, import_repeat, upload_keep
from questionbank.imports.undo_selectors import import_undo_plan
from questionbank.imports.undo_services import import_undo_request
from questionbank.imports.updates import import_conflicts_settle
from questionbank.jobs.run_selectors import run_get
from questionbank.papers.services import DOCUMENT_SUFFIXES, WORD_PROCESSORS, document_draft_upload

_SALT = "kindred.imports.2"  # its number changes with the signed content

CONFLICTS_SHOWN = 50  # per page
KEPT_SHOWN = 100  # questions listed on the undo page as kept


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


def check_file(request: HttpRequest, file: UploadedFile, options: ImportOptions) -> HttpResponse:
    """Store an uploaded file and redirect to its column mapping, or to the job that checks it.

    Raises:
        ImportRefused: the file cannot be read. ValidationFailed: its format is unknown.
    """
    user = request.user
    kept = upload_keep(upload=file, name=file.name or "", user=user, format=options.format)
    if _has_columns(kept, options.format):
        token = signing.dumps([user.pk, kept.stored, kept.name, options.as_json()], salt=_SALT)
        return redirect(f"{reverse('import_columns')}?{urlencode({'file': token})}")
    run = import_kept(kept=kept, user=user, options=options)
    return redirect("run_detail", run_id=run.pk)


def _review_document(request: HttpRequest, file: UploadedFile) -> HttpResponse:
    file.seek(0)
    messages.info(request, f"{file.name} is read as a test paper: check the questions found in it here.")
    draft = document_draft_upload(upload=file, name=file.name or "document", user=request.user)
    return redirect("document_review", draft_id=draft.pk)


def _has_columns(kept: KeptUpload, format: str) -> bool:
    """Return whether the columns must be mapped by the person.

    Raises:
        ImportRefused: the file cannot be read, or is of another kind.
    """
    try:
        with kept.beginning() as path:
            layout = layout_of(path, format)
    except ImportRefused:
        kept.delete()
        raise
    return layout.is_table or bool(layout.names and [*layout.names] != [*layout.fields])


@form_for("import")
def import_columns(request: HttpRequest) -> HttpResponse:
    """Map the columns of a file, with a preview of the first rows; then queue its check."""
    try:
        owner, stored, name, options = signing.loads(request.GET.get("file", ""), salt=_SALT, max_age=UPLOADS_KEPT)
        if owner != request.user.pk:
            raise signing.BadSignature
        kept = KeptUpload(stored, name)
        with kept.beginning() as path:
            return _columns_page(request, kept, path, ImportOptions.of_json(options))
    except (signing.BadSignature, Conflict):
        messages.warning(request, "The file is no longer stored; upload it again.")
    except ImportRefused as error:
        messages.error(request, str(error))
    return redirect("import_create")


def _columns_page(request: HttpRequest, kept: KeptUpload, path: Path, options: ImportOptions) -> HttpResponse:
    sent = request.POST if request.method == "POST" else None
    guessed = layout_of(path, options.format)
    if sent is not None:
        guessed = layout_of(path, options.format, **chosen_reading(sent, guessed))
    # another delimiter, encoding or header changes the columns, so the earlier choices no longer apply
    header = "|".join(guessed.names)
    is_relaid = sent is not None and sent.get("header") != header
    form = ColumnsForm(None if is_relaid else sent, layout=guessed)
    layout, problem = guessed, ""
    if form.is_bound:
        try:
            layout = form.layout() if form.is_valid() else guessed
        except ImportRefused as error:
            problem = str(error)
    if not problem and not holds_rows(layout.fields):
        problem = "Choose the column that holds the question."
    if form.is_bound and form.is_valid() and not problem and sent and sent.get("action") == "check":
        run = import_kept(kept=kept, user=request.user, options=replace(options, layout=layout))
        return redirect("run_detail", run_id=run.pk)
    context = {
        "form": form,
        "name": kept.name,
        "header": header,
        "problem": problem,
        "layout": layout,
        "rows": [] if problem else import_preview(path=path, layout=layout, scale=options.scale),
    }
    is_refused = sent is not None and sent.get("action") == "check" and not is_relaid
    return render(request, "imports/columns.html", context, status=422 if is_refused else 200)


@button_for("import")
def import_confirm(request: HttpRequest, run_id: int) -> HttpResponse:
    """Import a file after its dry run; with `skip_invalid`, without its refused lines.

    With `without` (fields to leave out) or `update`, the file is checked again instead.
    """
    checked = run_get(run_id=run_id)
    check_permission(request, "import_continue", checked)
    without = request.POST.getlist("without")
    run = checked
    with warning_of(request):
        run = import_repeat(
            run=checked,
            user=request.user,
            dry_run=bool(without) or "update" in request.POST,
            skip_invalid="skip_invalid" in request.POST,
            without=without,
            update=True if "update" in request.POST else None,
        )
    return redirect("run_detail", run_id=run.pk)


@form_for("import")
def import_conflicts(request: HttpRequest, run_id: int) -> HttpResponse:
    """Show both versions of questions edited in the bank and changed in the file; POST settles them."""
    run = run_get(run_id=run_id)
    check_permission(request, "import_continue", run)
    if request.method == "POST":
        question = whole_number(request.POST.get("question", ""))
        with warning_of(request):
            count = import_conflicts_settle(
                run=run, user=request.user, take=request.POST.get("choice") == "take", question=question
            )
            messages.success(request, f"{counted(count, 'question was', 'questions were')} settled.")
        return redirect("import_conflicts", run_id=run.pk)
    conflicts = import_conflicts_of(run=run)
    return render(
        request,
        "imports/conflicts.html",
        {"run": run, "waiting": conflicts.count(), "conflicts": shown_conflicts(conflicts[:CONFLICTS_SHOWN])},
    )


@form_for("read")
def import_undo(request: HttpRequest, run_id: int) -> HttpResponse:
    """Show what undoing an import removes and keeps; POST queues the undo."""
    run = run_get(run_id=run_id)
    check_permission(request, "import_continue", run)
    if request.method == "POST":
        with warning_of(request):
            run = import_undo_request(run=run, user=request.user)
        return redirect("run_detail", run_id=run.pk)
    plan = import_undo_plan(run=run)
    kept = [{"question": pk, "reasons": reasons} for pk, reasons in sorted(plan.kept.items())[:KEPT_SHOWN]]
    return render(request, "imports/undo.html", {"run": run, "plan": plan, "kept_questions": kept})
