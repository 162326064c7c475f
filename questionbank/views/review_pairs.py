"""The list of pairs with its filters, and what is done to a batch of them."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from questionbank.forms.review import PairFilterForm
from questionbank.numbers import counted
from questionbank.selectors.review.review_pairs import batch_deletions, batches, pair_reviewers, pairs_found
from questionbank.services.pair_batches import batch_delete, batch_hide_machine, batch_preview
from questionbank.views.access import button_for, form_for, page_for, paginated

PAGE_SIZE = 25


@page_for("read")
def review_pairs(request: HttpRequest) -> HttpResponse:
    """Show all pairs, by filters; and the batches they came in."""
    all_batches = batches()
    form = PairFilterForm(
        _plain(request),
        batches=[batch.name for batch in all_batches],
        reviewers=[(person.pk, str(person)) for person in pair_reviewers()],
    )
    form.is_valid()  # a filter that cannot be read says so next to its field, and filters nothing
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
    """Say what the deletion of a batch (`?batch=`) would remove and keep; a POST does it."""
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
    """Hide the machine's opinion of a batch until its pairs are decided (`hide`), or show it again."""
    name, hide = request.POST.get("batch", "").replace("\0", ""), "hide" in request.POST
    number = batch_hide_machine(batch=name, hide=hide, user=request.user)
    pairs = counted(number, "undecided pair", "undecided pairs")
    state = "hidden until they are decided" if hide else "shown"
    messages.success(request, f"The model’s assessment of {pairs} is {state}.")
    return redirect(f"{reverse('review_pairs')}?{urlencode({'batch': name})}")


def _plain(request: HttpRequest) -> dict[str, str]:
    return {name: str(value).replace("\0", "") for name, value in request.GET.items() if name != "page"}
