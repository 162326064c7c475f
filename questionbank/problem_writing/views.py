"""Similar problems of questions: request them by rules or from the language model, view them, decide on them."""

from __future__ import annotations

from collections.abc import Sequence

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from analytics.languages import primary_language
from questionbank.bank.question_selectors import question_get
from questionbank.core.errors import Conflict
from questionbank.core.forms import ServiceForm
from questionbank.core.views import button_for, check_permission, form_for, page_for, paginated, posted, warning_of
from questionbank.core.wording import counted
from questionbank.models import ProblemVariant, Question
from questionbank.problem_writing.selectors import (
    accepted_variants,
    last_decided_variant,
    open_variants,
    own_drafts,
    question_variants,
    solver_objection,
    variant_get,
)
from questionbank.problem_writing.services import (
    LONGEST_TEXT,
    variant_decide,
    variant_keep_as_draft,
    variant_reopen,
    variant_reword,
    variants_request,
    variants_reverse,
    variants_write,
    why_not_reversible,
    why_not_varied,
)
from questionbank.registry.language_model_selectors import configured_language_model
from questionbank.solving.computations import question_computation
from questionbank.solving.solutions import solved_or_none

PAGE_SIZE = 25
WRITTEN = 3  # per click


class VariantForm(ServiceForm):
    """The text of a similar problem."""

    text = forms.CharField(
        label="Problem",
        max_length=LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 5, "dir": "auto"}),
        help_text="Keep the numbers that the equation uses and any blank, and do not state the answer.",
    )


@form_for("read")
def question_variants_page(request: HttpRequest, question_id: int) -> HttpResponse:
    """Show the similar problems of a question.

    POST requests new ones: `by=model` from the language model, in a job; `by=story` from the question's own story;
    otherwise by rules.
    """
    question = question_get(question_id=question_id, user=request.user)
    if request.method == "POST":
        check_permission(request, "paraphrase_propose")
        with warning_of(request):
            if request.POST.get("by") == "model":
                run = variants_request(question=question, each=WRITTEN, user=request.user)
                return redirect("run_detail", run_id=run.pk)
            if request.POST.get("by") == "story":
                _say_reversed(request, variants_reverse(question=question, user=request.user))
            else:
                _say_written(request, len(variants_write(question=question, each=WRITTEN, user=request.user)))
        return redirect("question_variants", question_id=question.pk)
    model = configured_language_model()
    computation = question_computation(question)
    may_ask = request.user.has_perm("questionbank.language_model_ask")
    page = paginated(request, question_variants(question=question), PAGE_SIZE)
    drafts = own_drafts(texts=[variant.text for variant in page], user=request.user)
    for variant in page:
        variant.own_draft = drafts.get(variant.text)
    context = {
        "question": question,
        "computation": computation,
        "no_equation": computation is None
        and question.status != Question.Status.RETIRED
        and primary_language(question.language) == "en"
        and request.user.has_perm("questionbank.equation_edit"),
        "page": page,
        "accepted": accepted_variants(question=question).count(),
        "why_not": why_not_varied(question),
        "why_not_reversible": why_not_reversible(question),
        "language_model": model if may_ask and not why_not_varied(question, by_model=True) else None,
    }
    return render(request, "bank/questions/variants.html", context)


def _say_reversed(request: HttpRequest, variants: Sequence[ProblemVariant]) -> None:
    if variants:
        _say_written(request, len(variants))
    if not any(variant.kind == ProblemVariant.Kind.REVERSED for variant in variants):
        messages.warning(request, "We found no further number to ask for in this story.")


def _say_written(request: HttpRequest, number: int) -> None:
    if not number:
        messages.warning(request, "We found no further problem with this computation.")
        return
    one = "new problem. Save it to your drafts to use it now; reviewers decide whether it enters the bank."
    several = "new problems. Save them to your drafts to use them now; reviewers decide which enter the bank."
    messages.success(request, counted(number, one, several))


@page_for("read")
def review_variants(request: HttpRequest) -> HttpResponse:
    """Show similar problems that wait for reviewers, for any question."""
    context = {
        "page": paginated(request, open_variants(), PAGE_SIZE),
        "accepted": accepted_variants().count(),
        "last": last_decided_variant(reviewer=request.user),
    }
    return render(request, "review/variants.html", context)


@button_for("question_create", back="review_variants")
def variant_draft(request: HttpRequest, variant_id: int) -> HttpResponse:
    """Save a similar problem as a draft of the current user, and redirect to its question's page."""
    variant = variant_get(variant_id=variant_id)
    with warning_of(request):
        draft = variant_keep_as_draft(variant=variant, user=request.user)
        messages.success(request, f"Saved as your draft, question {draft.pk}.")
    return _back(variant, "question")


@button_for("review", back="review_variants")
def variant_decision(request: HttpRequest, variant_id: int) -> HttpResponse:
    """Accept or reject a similar problem or undo the decision, then redirect to where it was shown.

    `decision` is "accept", "reject" or "undo".
    """
    variant = variant_get(variant_id=variant_id)
    decision = request.POST.get("decision", "")
    with warning_of(request):
        if decision == "undo":
            variant_reopen(variant=variant, user=request.user)
        else:
            variant_decide(variant=variant, accept=decision == "accept", user=request.user)
        said = {"undo": "Undone: it is open for review again.", "accept": "Accepted."}
        messages.success(request, said.get(decision, "Rejected."))
    return _back(variant, request.POST.get("back", ""))


@form_for("review")
def variant_reword_page(request: HttpRequest, variant_id: int) -> HttpResponse:
    """Change the wording of a similar problem, then redirect to where it was shown."""
    variant = variant_get(variant_id=variant_id)
    back = (request.POST if request.method == "POST" else request.GET).get("back", "")
    form = VariantForm(posted(request), initial={"text": variant.text})
    if form.is_valid():
        with form.takes_problems(Conflict):
            reworded = variant_reword(variant=variant, text=form.cleaned_data["text"], user=request.user)
            _say_reworded(request, variant, reworded)
            return _back(variant, back)
        if form.refusal:
            messages.warning(request, form.refusal)
            return _back(variant, back)
    context = {"variant": variant, "form": form, "back": back}
    return render(request, "review/edit_variant.html", context, status=form.status)


def _say_reworded(request: HttpRequest, before: ProblemVariant, after: ProblemVariant) -> None:
    if after.text == before.text:
        messages.info(request, "Nothing was changed.")
        return
    if before.state == ProblemVariant.State.OPEN:
        messages.success(request, "The new wording is saved.")
    else:
        messages.success(request, "The new wording is saved. It is open for a new decision.")
    solved = solved_or_none(after.text, after.language)
    if objection := solver_objection(variant=after, solved=solved):
        messages.warning(request, objection)


def _back(variant: ProblemVariant, page: str) -> HttpResponse:
    """Redirect to the page of the problem's question if it was shown there, otherwise to the reviewers' list."""
    if page == "question" and variant.question_id is not None:
        return redirect("question_variants", question_id=variant.question_id)
    return redirect("review_variants")
