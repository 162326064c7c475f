"""Responses of pupils: upload with a preview, import, sets of responses and their figures, deletion of pupils."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core import signing
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import slugify

from questionbank.bank.owned_views import row_shown, visibility_context
from questionbank.core.errors import Conflict, ImportRefused, LineProblem
from questionbank.core.forms import was_too_large
from questionbank.core.storage import UPLOADS_KEPT, scratch_folder, upload_name
from questionbank.core.views import button_for, check_permission, form_for, page_for, paginated, posted, render_deletion
from questionbank.core.wording import counted
from questionbank.formats.csv_files import guard_cell
from questionbank.models import ItemStatistics, User
from questionbank.responses.forms import DeletionForm, DetailsForm, ResponseFileForm
from questionbank.responses.response_table import ResponseTable
from questionbank.responses.set_selectors import (
    contradicting_questions,
    flagged_questions,
    overall_statistics,
    response_set_get,
    response_sets,
    set_statistics,
)
from questionbank.responses.set_services import (
    Deletion,
    ImportPlan,
    prepared_forget,
    prepared_get,
    prepared_keep,
    response_set_delete,
    responses_delete,
    responses_found,
    responses_import,
    responses_plan,
    responses_read,
)
from questionbank.responses.shown_figures import (
    COLUMNS,
    OVERALL,
    SURPRISING,
    flag_text,
    set_chart,
    shown_rows,
    shown_totals,
    sort_links,
)

_SALT = "kindred.responses.2"
_DELETION_SALT = "kindred.responses.deletion.1"
_DELETION_ASKED_FOR = 3600  # seconds
SETS_SHOWN = 50  # per page
PROBLEMS_SHOWN = 100
CONTRADICTING_SHOWN = 20


@page_for("responses_read")
def response_set_list(request: HttpRequest) -> HttpResponse:
    """Show the sets of responses, the latest first."""
    context = {
        "page": paginated(request, response_sets(), SETS_SHOWN),
        "flagged": flagged_questions(user=request.user).count(),
    }
    return render(request, "responses/list.html", context)


@page_for("responses_read")
def response_questions(request: HttpRequest) -> HttpResponse:
    """Show the questions that are flagged over all sets, the worst first, and those that contradict their text most."""
    page = paginated(request, flagged_questions(user=request.user), SETS_SHOWN)
    contradicting = contradicting_questions(user=request.user, surprise=SURPRISING)[:CONTRADICTING_SHOWN]
    context = {
        "page": page,
        "rows": shown_rows(page.object_list),
        "contradicting": shown_rows(list(contradicting)) if page.number == 1 else [],
    }
    return render(request, "responses/questions.html", context)


@form_for("responses_import")
def response_upload(request: HttpRequest) -> HttpResponse:
    """Read a file, replace names by keyed hashes, and go on to the preview; the file itself is not kept."""
    if request.method != "POST":
        return render(request, "responses/upload.html", {"form": ResponseFileForm()})
    form = ResponseFileForm(request.POST, request.FILES, too_large=was_too_large(request))
    problems: list[LineProblem] = []
    if form.is_valid():
        file = form.cleaned_data["file"]
        try:
            table = _table_of(file)
            return redirect(check_address(request.user, prepared_keep(table=table, user=request.user)))
        except ImportRefused as error:
            form.add_error("file", str(error))
            problems = error.problems[:PROBLEMS_SHOWN]
    return render(request, "responses/upload.html", {"form": form, "problems": problems}, status=422)


def check_address(user: User, stored: str) -> str:
    """Return the address of the preview of a stored table; it does not hold the file's name, which may be a pupil's."""
    return f"{reverse('response_check')}?{urlencode({'file': signing.dumps([user.pk, stored], salt=_SALT)})}"


def _table_of(file: UploadedFile) -> ResponseTable:
    with scratch_folder(prefix="responses-") as folder:
        path = Path(folder) / (upload_name(file.name or "") or "responses.csv")
        with path.open("wb") as local:
            for chunk in file.chunks():
                local.write(chunk)
        return responses_read(path=path)


@form_for("responses_import")
def response_check(request: HttpRequest) -> HttpResponse:
    """Show what would be imported and ask for what is missing; POST imports it, or checks it with other choices."""
    try:
        owner, stored = signing.loads(request.GET.get("file", ""), salt=_SALT, max_age=UPLOADS_KEPT)
        if owner != request.user.pk:
            raise signing.BadSignature
        return _check_page(request, stored, prepared_get(stored))
    except (signing.BadSignature, Conflict):
        messages.warning(request, "The file is no longer stored; upload it again.")
    return redirect("response_upload")


def _check_page(request: HttpRequest, stored: str, table: ResponseTable) -> HttpResponse:
    sent = request.POST if request.method == "POST" else None
    if sent is not None and sent.get("action") == "forget":
        prepared_forget(stored)
        messages.success(request, "The file is forgotten. Nothing was imported.")
        return redirect("response_set_list")
    form = DetailsForm(sent, user=request.user, table=table)
    is_valid = sent is None or form.is_valid()
    choices = form.choices() if form.is_bound and is_valid else {}
    order = form.order_of_test() if form.is_bound and is_valid else table.order
    day = form.cleaned_data["day"] if form.is_bound and is_valid else None
    plan = responses_plan(table=table, user=request.user, order=order, chosen=choices, day=day)
    if sent is not None and is_valid and sent.get("action") == "import":
        try:
            response_set = responses_import(plan=plan, details=form.details(), user=request.user)
        except ImportRefused as error:
            form.add_error(None, str(error))
        else:
            prepared_forget(stored)
            messages.success(request, f"{_imported(plan)} imported.")
            return redirect("response_set_detail", set_id=response_set.pk)
    context = {
        "form": form,
        "plan": plan,
        "matches": form.matched(plan.matches),
        "problems": plan.problems[:PROBLEMS_SHOWN],
        "more_problems": max(len(plan.problems) - PROBLEMS_SHOWN, 0),
    }
    return render(request, "responses/check.html", context, status=form.status)


def _imported(plan: ImportPlan) -> str:
    if plan.published:
        return counted(len(plan.published), "question’s figures were", "questions’ figures were")
    return counted(len(plan.rows), "response was", "responses were")


@page_for("responses_read")
def response_set_detail(request: HttpRequest, set_id: int) -> HttpResponse:
    """Show a set's figures and its questions, flagged ones first; `?sort=` names a figure, with a minus downwards."""
    response_set = response_set_get(set_id=set_id)
    sort = request.GET.get("sort", "")
    rows = set_statistics(response_set=response_set, user=request.user)
    context = {
        "response_set": response_set,
        "rows": shown_rows(rows, sort=sort),
        "columns": sort_links(sort),
        "sort": sort,
        "chart": set_chart(rows),
        "totals": shown_totals(response_set),
        "flagged": sum(bool(row.flags) for row in rows),
        "may_delete": request.user.has_perm("questionbank.responses_delete", response_set),
        **visibility_context(request, response_set, "response_set_visibility"),
    }
    return render(request, "responses/detail.html", context)


@button_for("responses_read", back="response_set_list")
def response_set_visibility(request: HttpRequest, set_id: int) -> HttpResponse:
    """Let a school, everybody or only its owner see a set (`visible_to`)."""
    response_set = response_set_get(set_id=set_id)
    return row_shown(request, response_set, page="response_set_detail", index="response_set_list")


@page_for("responses_read")
def response_set_csv(request: HttpRequest, set_id: int) -> HttpResponse:
    """Return the figures of a set's questions as CSV."""
    response_set = response_set_get(set_id=set_id)
    rows = set_statistics(response_set=response_set, user=request.user)
    return _csv_file(rows, COLUMNS, slugify(response_set.title) or f"responses-{response_set.pk}")


@page_for("responses_read")
def response_figures_csv(request: HttpRequest) -> HttpResponse:
    """Return the figures of all questions over all sets as CSV."""
    return _csv_file(overall_statistics(user=request.user), OVERALL, "responses")


def _csv_file(rows: Iterable[ItemStatistics], columns: Collection[str], name: str) -> HttpResponse:
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(["question", "pupils", *columns, "flags"])
    for row in sorted(rows, key=lambda row: row.question_id):
        figures: list[Any] = [row.figures.get(name, "") for name in columns]
        writer.writerow([row.question_id, row.people, *figures, guard_cell("; ".join(map(flag_text, row.flags)))])
    response = HttpResponse("\ufeff" + buffer.getvalue(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


@form_for("responses_read")
def response_set_delete_page(request: HttpRequest, set_id: int) -> HttpResponse:
    """Delete a set with its responses, after confirmation."""
    response_set = response_set_get(set_id=set_id)
    check_permission(request, "responses_delete", response_set)
    if request.method == "POST":
        response_set_delete(response_set=response_set, user=request.user)
        messages.success(request, "The responses and their figures are deleted.")
        return redirect("response_set_list")
    pupils = counted(response_set.people, "pupil", "pupils")
    return render_deletion(
        request,
        f"Delete the responses to “{response_set.title}”?",
        consequence=f"The responses of {pupils} and their figures cannot be brought back."
        " The questions stay in the bank.",
        button="Delete the responses",
        back=reverse("response_set_detail", args=[response_set.pk]),
    )


@form_for("responses_import")
def response_deletion(request: HttpRequest) -> HttpResponse:
    """Ask whose responses to delete, show what would go, and delete it once that is confirmed.

    What was typed is replaced by keyed hashes at once: the page that asks for the confirmation holds nothing else.
    """
    token = request.POST.get("confirmed", "")
    if token:
        deleted = responses_delete(wanted=_confirmed(request, token), user=request.user)
        said = counted(deleted.responses, "response is", "responses are")
        messages.success(request, f"{said} deleted.")
        return redirect("response_set_list")
    form = DeletionForm(posted(request), user=request.user)
    context: dict[str, Any] = {"form": form}
    if form.is_valid():
        with form.takes_problems():
            wanted = form.deletion()
            context["found"] = responses_found(wanted=wanted, user=request.user)
            context["wanted"] = wanted
            asked = asdict(wanted) | {"before": wanted.before.isoformat() if wanted.before else ""}
            context["token"] = signing.dumps([request.user.pk, asked], salt=_DELETION_SALT)
            # Not the bound form: it would show what was typed again.
            context["form"] = DeletionForm(user=request.user)
    return render(request, "responses/deletion.html", context, status=form.status)


def _confirmed(request: HttpRequest, token: str) -> Deletion:
    try:
        owner, asked = signing.loads(token, salt=_DELETION_SALT, max_age=_DELETION_ASKED_FOR)
    except signing.BadSignature as error:
        raise Conflict("This page is too old; choose again what to delete.") from error
    if owner != request.user.pk:
        raise Conflict("Somebody else has chosen what to delete; choose again.")
    before = date.fromisoformat(asked["before"]) if asked["before"] else None
    return Deletion(tuple(asked["people"]), asked["class_label"], before)
