"""Pages about reviewing: adding pairs, lists of pairs and batches, progress, agreement, guidelines, export."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from questionbank.core.errors import Conflict, ImportRefused, NotFound
from questionbank.core.forms import was_too_large
from questionbank.core.views import button_for, check_permission, form_for, page_for, paginated, posted, warning_of
from questionbank.core.wording import counted
from questionbank.formats.pairs import REVIEW_FORMATS, review_lines
from questionbank.models import ParaphrasePair, User
from questionbank.registry.artifact_selectors import artifact_champion
from questionbank.review.agreement_selectors import agreement, reason_agreement, throughput
from questionbank.review.forms import GuidelineForm, PairFileForm, PairFilterForm, PairForm
from questionbank.review.guideline_services import guideline_current, guideline_publish
from questionbank.review.pair_import_services import SHOWN_PROBLEMS, pairs_check, pairs_import
from questionbank.review.pair_selectors import accepted_pairs, batch_deletions, batches, pair_reviewers, pairs_found
from questionbank.review.pair_services import (
    PairInput,
    batch_delete,
    batch_hide_machine,
    batch_preview,
    pairs_create,
    paraphrase_score_waiting,
)
from questionbank.review.proposal_services import paraphrase_type
from questionbank.review.selectors import (
    adjudications,
    decision_rows,
    export_fields,
    guideline_history,
    queue_counts,
    stuck_pairs,
)

PAGE_SIZE = 25


@form_for("review")
def review_upload(request: HttpRequest) -> HttpResponse:
    """Add a typed pair, or check a file of pairs (`action=check`)."""
    file_form, pair_form = PairFileForm(), PairForm(user=request.user)
    context: dict[str, object] = {"shown": SHOWN_PROBLEMS}
    status = 200
    if request.method == "POST" and (request.POST.get("action") == "check" or was_too_large(request)):
        status = 422
        file_form = PairFileForm(request.POST, request.FILES, too_large=was_too_large(request))
        if file_form.is_valid():
            file = file_form.cleaned_data["file"]
            try:
                context["report"] = pairs_check(
                    upload=file,
                    name=file.name,
                    user=request.user,
                    opinions=file_form.cleaned_data["opinions"],
                    hides_machine=file_form.cleaned_data["hides_machine"],
                )
                status = 200
            except ImportRefused as error:
                file_form.add_error("file", [str(error), *map(str, error.problems)])
    elif request.method == "POST":
        status = 422
        pair_form = PairForm(request.POST, user=request.user)
        if pair_form.is_valid():
            try:
                with pair_form.takes_problems():
                    _add_typed(request.user, **pair_form.cleaned_data)
                    messages.success(request, "The pair is in the queue.")
                    return redirect("review_upload")
            except Conflict as error:
                pair_form.add_error("question", str(error))
    context |= {"file_form": file_form, "pair_form": pair_form}
    return render(request, "review/upload.html", context, status=status)


def _add_typed(user: User, *, opinions: int | None, **fields: Any) -> None:
    """Add a pair typed by hand; if its original is in the bank, the pair is added as on the question's page."""
    pair = PairInput(**fields)
    if pair.question is None:
        pairs_create(pairs=[pair], source=ParaphrasePair.Source.TYPED, user=user, opinions=opinions)
    else:
        paraphrase_type(question=pair.question, text=pair.paraphrase, user=user, opinions=opinions)


@button_for("review", back="review_upload")
def review_upload_confirm(request: HttpRequest) -> HttpResponse:
    """Add the pairs of a checked file."""
    with warning_of(request, ImportRefused):
        made = pairs_import(
            token=request.POST.get("token", ""),
            user=request.user,
            skip_refused="skip_refused" in request.POST,
            labels_decide="labels_decide" in request.POST,
        )
        decided = sum(pair.state == ParaphrasePair.State.DECIDED for pair in made)
        waiting = len(made) - decided
        said = f"{counted(waiting, 'pair is', 'pairs are')} in the queue."
        if decided:
            said += f" {counted(decided, 'is decided by its label', 'are decided by their labels')}."
        messages.success(request, said)
        return redirect("review_progress")
    return redirect("review_upload")


@button_for("review", back="review_progress")
def review_score(request: HttpRequest) -> HttpResponse:
    """Request scores for the waiting pairs that the scorer in use has not scored."""
    with warning_of(request):
        return redirect("run_detail", run_id=paraphrase_score_waiting(user=request.user).pk)
    return redirect("review_progress")


@page_for("read")
def review_progress(request: HttpRequest) -> HttpResponse:
    """Show the state of the queue, the reviewers' agreement, and the pairs that are waiting to be settled."""
    context = {
        "counts": queue_counts(),
        "stuck": stuck_pairs(),
        "accepted": accepted_pairs().count(),
        "agreement": agreement(),
        "reasons": reason_agreement(),
        "people": throughput(),
        "page": paginated(request, adjudications(), PAGE_SIZE),
        "has_scorer": artifact_champion(capability="paraphrase") is not None,
        "may_review": request.user.has_perm("questionbank.review"),
        "formats": tuple(REVIEW_FORMATS),
    }
    return render(request, "review/progress.html", context)


@page_for("review")
def review_export(request: HttpRequest, format: str) -> HttpResponse | StreamingHttpResponse:
    """Stream all decisions as a file; `undone` includes those that were undone."""
    if format not in REVIEW_FORMATS:
        raise NotFound("There is no such format.")
    undone = "undone" in request.GET
    rows, fields = decision_rows(include_undone=undone), export_fields(include_undone=undone)
    lines = review_lines(rows, fields, format)
    response = StreamingHttpResponse(lines, content_type=f"{REVIEW_FORMATS[format][0]}; charset=utf-8")
    name = f"reviews-{timezone.localdate():%Y-%m-%d}.{format}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@form_for("read")
def review_guidelines(request: HttpRequest) -> HttpResponse:
    """Show the reviewers' guidelines with their versions; admins can publish a new version."""
    if request.method == "POST":
        check_permission(request, "guidelines_edit")
    current = guideline_current()
    form = GuidelineForm(posted(request), initial={"text": current.text})
    if form.is_valid():
        with form.takes_problems():
            made = guideline_publish(text=form.cleaned_data["text"], user=request.user)
            messages.success(request, f"Version {made.version} now applies.")
            return redirect("review_guidelines")
    may_edit = request.user.has_perm("questionbank.guidelines_edit")
    context = {"current": current, "versions": guideline_history(), "form": form if may_edit else None}
    return render(request, "review/guidelines.html", context, status=form.status)


@page_for("read")
def review_pairs(request: HttpRequest) -> HttpResponse:
    """Show all pairs, with filters, and their batches."""
    all_batches = batches()
    form = PairFilterForm(
        {name: str(value).replace("\0", "") for name, value in request.GET.items() if name != "page"},
        batches=[batch.name for batch in all_batches],
        reviewers=[(person.pk, str(person)) for person in pair_reviewers()],
    )
    form.is_valid()  # an invalid filter shows its error next to its field, and is ignored
    filters = form.filters()
    context = {
        "form": form,
        "page": paginated(request, pairs_found(filters=filters, viewer=request.user), PAGE_SIZE),
        "batches": all_batches,
        "batch": next((batch for batch in all_batches if batch.name == filters.batch), None),
        "deletions": batch_deletions(),
        "is_filtered": any(form.data.values()),
    }
    return render(request, "review/pairs.html", context)


@form_for("review")
def review_batch_delete(request: HttpRequest) -> HttpResponse:
    """Show what the deletion of a batch (`?batch=`) would remove and keep; a POST deletes it."""
    name = (request.POST if request.method == "POST" else request.GET).get("batch", "").replace("\0", "")
    if request.method == "POST":
        done = batch_delete(batch=name, user=request.user)
        said = f"{counted(done.deleted, 'pair is', 'pairs are')} deleted."
        messages.success(request, f"{said} {counted(done.kept, 'stays', 'stay')}.")
        return redirect("review_pairs")
    preview = batch_preview(batch=name, user=request.user)
    return render(request, "review/delete_batch.html", {"preview": preview})


@button_for("review", back="review_pairs")
def review_batch_hide(request: HttpRequest) -> HttpResponse:
    """Hide the machine's assessment of a batch until its pairs are decided (`hide`), or show it again."""
    name, hide = request.POST.get("batch", "").replace("\0", ""), "hide" in request.POST
    number = batch_hide_machine(batch=name, hide=hide, user=request.user)
    pairs = counted(number, "undecided pair", "undecided pairs")
    state = "hidden until they are decided" if hide else "shown"
    messages.success(request, f"The model’s assessment of {pairs} is {state}.")
    return redirect(f"{reverse('review_pairs')}?{urlencode({'batch': name})}")
