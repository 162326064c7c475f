"""Paraphrases of the bank's questions: proposed, looked at, and added to the bank once they are accepted."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from questionbank.errors import Conflict, ValidationFailed
from questionbank.forms.paraphrases import ManyProposalsForm, ParaphraseForm, ProposalsForm
from questionbank.models import KnowledgeConcept, ParaphrasePair, Question
from questionbank.numbers import whole_number
from questionbank.selectors.questions.questions import question_get
from questionbank.selectors.questions.strands import strands
from questionbank.selectors.registry.artifacts import artifact_champion
from questionbank.selectors.review.blind import opinions_shown, pair_history
from questionbank.selectors.review.paraphrasers import RULES, paraphraser_choice, paraphrasers
from questionbank.selectors.review.paraphrases import (
    accepted_pairs,
    question_paraphrases,
    question_sources,
    questions_to_reword,
)
from questionbank.selectors.review.review import may_settle, pair_get
from questionbank.services.accepted_paraphrases import AddedParaphrases, accepted_pairs_add
from questionbank.services.proposals import (
    Proposals,
    paraphrase_type,
    paraphrases_propose,
    proposals_request,
    why_not_reworded,
)
from questionbank.services.variant_decisions import variants_add_accepted
from questionbank.views.access import check_permission, requires, takes_posts
from questionbank.views.marks import pair_pieces, shown_findings

PAGE_SIZE = 25


@requires("read")
@require_http_methods(["GET", "HEAD", "POST"])
def question_paraphrases_page(request: HttpRequest, question_id: int) -> HttpResponse:
    """Show the paraphrases of a question; have some proposed (`action=propose`), or write one."""
    question = question_get(question_id=question_id, user=request.user)
    proposals, paraphrase_form, status = ProposalsForm(paraphrasers=paraphrasers()), ParaphraseForm(), 200
    if request.method == "POST":
        check_permission(request, "paraphrase_propose")
        if request.POST.get("action") == "propose":
            form = proposals = ProposalsForm(request.POST, paraphrasers=paraphrasers())
            act = _propose
        else:
            form, act = (paraphrase_form := ParaphraseForm(request.POST)), _type
        try:
            if form.is_valid():
                return act(request, question, form.cleaned_data)
        except ValidationFailed as error:
            form.add_problems(error)
        except Conflict as error:
            messages.warning(request, str(error))
            return redirect("question_paraphrases", question_id=question.pk)
        status = 422
    context = {
        "question": question,
        "page": Paginator(question_paraphrases(question=question), PAGE_SIZE).get_page(
            request.GET.get("page")
        ),
        "accepted": accepted_pairs(question=question).count(),
        "why_not": why_not_reworded(question),
        "proposals": proposals,
        "own": paraphrase_form,
    }
    return render(request, "questions/paraphrases.html", context, status=status)


def _propose(request: HttpRequest, question: Question, fields: dict[str, Any]) -> HttpResponse:
    each, paraphraser = fields["each"], fields["paraphraser"]
    if paraphraser != RULES:
        run = proposals_request(
            questions=[question.pk], paraphraser=paraphraser, each=each, user=request.user
        )
        return redirect("run_detail", run_id=run.pk)
    proposals = paraphrases_propose(question=question, each=each, user=request.user)
    level = messages.SUCCESS if proposals.made else messages.WARNING
    messages.add_message(request, level, _proposals_sentence(proposals))
    return redirect("question_paraphrases", question_id=question.pk)


def _proposals_sentence(proposals: Proposals) -> str:
    number = len(proposals.made)
    said = (
        ngettext(
            "%(number)d paraphrase is in the review queue.",
            "%(number)d paraphrases are in the review queue.",
            number,
        )
        % {"number": number}
        if number
        else "The rules find no new wording of this question."
    )
    repeated = (
        ngettext("%(number)d was there already.", "%(number)d were there already.", proposals.known)
        % {"number": proposals.known}
        if proposals.known
        else ""
    )
    return f"{said} {repeated}".strip()


def _type(request: HttpRequest, question: Question, fields: dict[str, Any]) -> HttpResponse:
    paraphrase_type(question=question, text=fields["paraphrase"], user=request.user)
    messages.success(request, "Your paraphrase is in the review queue.")
    return redirect("question_paraphrases", question_id=question.pk)


@requires("review")
@require_http_methods(["GET", "HEAD", "POST"])
def review_propose(request: HttpRequest) -> HttpResponse:
    """Have paraphrases proposed of many questions, in a job."""
    asked = whole_number((request.POST if request.method == "POST" else request.GET).get("concept", ""))
    concept = None if asked is None else KnowledgeConcept.objects.filter(pk=asked).first()
    options: dict[str, Any] = {
        "paraphrasers": paraphrasers(),
        "strands": strands(),
        "concept": (concept.pk, concept.name) if concept else None,
        "sources": question_sources(),
    }
    if request.method != "POST":
        form = ManyProposalsForm(initial={"concept": concept.pk if concept else ""}, **options)
        return render(request, "review/propose.html", {"form": form})
    form = ManyProposalsForm(request.POST, **options)
    if form.is_valid():
        fields = form.cleaned_data
        try:
            chosen = questions_to_reword(
                number=fields["number"],
                concept=fields["concept"],
                source=fields["source"],
                language=paraphraser_choice(fields["paraphraser"]).language,
            )
            if not chosen:
                raise ValidationFailed("We found no matching question without a paraphrase.")
            run = proposals_request(
                questions=chosen,
                paraphraser=fields["paraphraser"],
                each=fields["each"],
                user=request.user,
            )
        except ValidationFailed as error:
            form.add_problems(error)
        else:
            return redirect("run_detail", run_id=run.pk)
    return render(request, "review/propose.html", {"form": form}, status=422)


@requires("read")
@require_safe
def review_pair(request: HttpRequest, pair_id: int) -> HttpResponse:
    """Show one pair: what the machine says and, once it is decided, what reviewers said."""
    pair = pair_get(pair_id=pair_id)
    context = pair_pieces(pair, shown_findings(pair)) | {
        "pair": pair,
        "opinions": opinions_shown(pair=pair, viewer=request.user),
        "history": pair_history(pair=pair, viewer=request.user),
        "has_scorer": artifact_champion(capability="paraphrase") is not None,
        "is_offered": pair.state == ParaphrasePair.State.ADJUDICATION
        and may_settle(pair=pair, person=request.user),
    }
    return render(request, "review/pair.html", context)


@requires("question_create")
@takes_posts(back="review_progress")
def review_add_accepted(request: HttpRequest) -> HttpResponse:
    """Add the accepted paraphrases and similar problems to the bank: of one question (`question`), or all."""
    asked = whole_number(request.POST.get("question", ""))
    question = None if asked is None else question_get(question_id=asked, user=request.user)
    as_drafts = "as_drafts" in request.POST
    added = accepted_pairs_add(user=request.user, question=question, as_drafts=as_drafts)
    variants = variants_add_accepted(user=request.user, question=question, as_drafts=as_drafts)
    level = messages.SUCCESS if added.made or added.restored or variants else messages.WARNING
    messages.add_message(request, level, _added_sentence(added, variants))
    if request.POST.get("back") == "variants":
        return redirect("question_variants", question.pk) if question else redirect("review_variants")
    if question is not None:
        return redirect("question_paraphrases", question_id=question.pk)
    return redirect("review_progress")


def _added_sentence(added: AddedParaphrases, variants: int) -> str:
    parts = [
        ngettext("%(number)d question was added.", "%(number)d questions were added.", added.made),
        ngettext(
            "%(number)d that was retired is back.", "%(number)d that were retired are back.", added.restored
        ),
        ngettext("%(number)d is already in the bank.", "%(number)d are already in the bank.", added.known),
        ngettext("%(number)d has not been added yet.", "%(number)d have not been added yet.", added.left),
        ngettext(
            "%(number)d similar problem was added.", "%(number)d similar problems were added.", variants
        ),
    ]
    numbers = (added.made, added.restored, added.known, added.left, variants)
    said = [part % {"number": number} for part, number in zip(parts, numbers, strict=True) if number]
    return " ".join(said) or "There are no accepted paraphrases to add."
