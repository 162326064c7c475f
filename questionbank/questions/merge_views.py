"""Duplicates: near copies of an import's questions, a comparison side by side, and merging them."""

from __future__ import annotations

from dataclasses import fields

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from questionbank.bank.merge_selectors import compared_questions
from questionbank.bank.merge_services import MergePair, questions_merge
from questionbank.bank.question_selectors import questions_numbered
from questionbank.core.errors import ValidationFailed
from questionbank.core.views import form_for, paginated
from questionbank.core.wording import counted, whole_number, whole_numbers
from questionbank.models import BulkChange
from questionbank.similar.near_copy_selectors import near_copy_pairs, questions_of_import

MOST_COMPARED = 6
_QUESTIONS = 25  # per page, whose near copies are looked for


@form_for("question_create")
def question_merge(request: HttpRequest) -> HttpResponse:
    """Compare questions side by side; POST merges the others into the one to keep."""
    sent = request.POST if request.method == "POST" else request.GET
    numbers = dict.fromkeys(number for value in sent.getlist("question") if (number := whole_number(value)))
    if not 2 <= len(numbers) <= MOST_COMPARED:
        raise ValidationFailed(f"Choose 2 to {MOST_COMPARED} questions to compare.")
    if request.method == "POST":
        keep = whole_number(sent.get("keep", ""))
        if keep not in numbers:
            raise ValidationFailed("Choose the question to keep.")
        versions = {number: whole_number(sent.get(f"version-{number}", "")) or 0 for number in numbers}
        pairs = [MergePair(number, keep, versions[number], versions[keep]) for number in numbers if number != keep]
        return _merged(request, questions_merge(user=request.user, pairs=pairs))
    questions = questions_numbered(numbers=numbers, user=request.user)
    compared = compared_questions(questions)
    numbered = ([(each.question, field) for field in each.fields] for each in compared)
    rows = [(cells[0][1].name, cells) for cells in zip(*numbered, strict=True)]
    return render(request, "bank/merging/compare.html", {"compared": compared, "rows": rows})


@form_for("question_create")
def question_near_copies(request: HttpRequest) -> HttpResponse:
    """Show near copies of the questions of an import; POST merges the chosen pairs."""
    if request.method == "POST":
        pairs = [_pair(value) for value in request.POST.getlist("pair")]
        if not pairs:
            raise ValidationFailed("Choose the pairs to merge.")
        return _merged(request, questions_merge(user=request.user, pairs=pairs))
    number = whole_number(request.GET.get("import", "")) or 0
    rows = questions_of_import(run_id=number, user=request.user)
    page = paginated(request, rows.order_by("pk"), _QUESTIONS)
    found, awaited = near_copy_pairs(questions=list(page), user=request.user)
    context = {"run": number, "page": page, "pairs": found, "awaited": awaited}
    return render(request, "bank/merging/near_copies.html", context)


def _pair(sent: str) -> MergePair:
    """Return a pair as the page names it: the two questions and their versions, separated by commas."""
    numbers = whole_numbers(sent)
    if len(numbers) != len(fields(MergePair)):
        raise ValidationFailed("Choose the pairs to merge.")
    return MergePair(*numbers)


def _merged(request: HttpRequest, change: BulkChange) -> HttpResponse:
    if change.applied_at is None:
        messages.info(request, "A worker merges the questions in the background.")
    else:
        messages.success(request, f"Merged {counted(change.changed, 'question', 'questions')}. You can undo it here.")
    return redirect(reverse("bulk_change_detail", args=[change.pk]))
