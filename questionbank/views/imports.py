"""Importing a file: always a check first (a dry run), then the import of what was checked.

The upload is stored and a worker reads it, so that no request waits for a large file; the page of the job
shows the refused lines and has the button that imports.
"""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from questionbank.errors import Conflict, ValidationFailed
from questionbank.forms.imports import ImportForm
from questionbank.forms.uploads import was_too_large
from questionbank.selectors.import_undo import import_undo_plan
from questionbank.selectors.runs import run_get
from questionbank.services.import_undo import import_undo_request
from questionbank.services.imports import import_repeat, import_request
from questionbank.views.access import requires

__all__ = ["import_confirm", "import_create", "import_undo"]

KEPT_SHOWN = 100  # questions that an undo would keep, listed on its page


@requires("import")
@require_http_methods(["GET", "HEAD", "POST"])
def import_create(request: HttpRequest) -> HttpResponse:
    """Upload a file and have it checked."""
    if request.method != "POST":
        return render(request, "imports/create.html", {"form": ImportForm()})
    form = ImportForm(request.POST, request.FILES, too_large=was_too_large(request))
    if form.is_valid():
        fields = dict(form.cleaned_data)
        file = fields.pop("file")
        try:
            run = import_request(upload=file, name=file.name, user=request.user, dry_run=True, **fields)
        except ValidationFailed as error:
            for name, problems in (error.fields or {"": [str(error)]}).items():
                form.add_error(name if name in form.fields else None, "; ".join(problems))
        else:
            return redirect("run_detail", run_id=run.pk)
    return render(request, "imports/create.html", {"form": form}, status=422)


@requires("import")
@require_POST
def import_confirm(request: HttpRequest, run_id: int) -> HttpResponse:
    """Import the file that a dry run has checked; with `skip_invalid`, without its refused lines."""
    checked = run_get(run_id=run_id)
    try:
        run = import_repeat(run=checked, user=request.user, skip_invalid="skip_invalid" in request.POST)
    except Conflict as error:
        messages.warning(request, str(error))
        return redirect("run_detail", run_id=checked.pk)
    messages.success(request, _("The import waits for a worker."))
    return redirect("run_detail", run_id=run.pk)


@requires("import")
@require_http_methods(["GET", "HEAD", "POST"])
def import_undo(request: HttpRequest, run_id: int) -> HttpResponse:
    """Say what undoing an import removes and keeps; on POST, have it undone."""
    imported = run_get(run_id=run_id)
    if request.method == "POST":
        try:
            run = import_undo_request(run=imported, user=request.user)
        except Conflict as error:
            messages.warning(request, str(error))
            return redirect("run_detail", run_id=imported.pk)
        return redirect("run_detail", run_id=run.pk)
    plan = import_undo_plan(run=imported)
    kept = [{"question": pk, "reasons": reasons} for pk, reasons in sorted(plan.kept.items())[:KEPT_SHOWN]]
    return render(request, "imports/undo.html", {"run": imported, "plan": plan, "kept_questions": kept})
