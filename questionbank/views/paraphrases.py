"""Paraphrases of the bank's questions: proposed, looked at, and added to the bank once they are accepted."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from questionbank.errors import Conflict, ValidationFailed
from questionbank.forms.paraphrases import ManyProposalsForm, ParaphraseForm, ProposalsForm
from questionbank.models import KnowledgeConcept, ParaphrasePair, Question
from questionbank.numbers import counted, whole_number
from questionbank.selectors.questions.overview import strands
from questionbank.selectors.questions.questions import question_get
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
from questionbank.views.access import button_for, check_permission, form_for, page_for, paginated, posted
from questionbank.views.marks import pair_pieces

PAGE_SIZE = 25


@form_for("read")
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
        "page": paginated(request, question_paraphrases(question=question), PAGE_SIZE),
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
    said = "The rules find no new wording of this question."
    if number:
        said = f"{counted(number, 'paraphrase is', 'paraphrases are')} in the review queue."
    if proposals.known:
        said += f" {counted(proposals.known, 'was', 'were')} there already."
    return said


def _type(request: HttpRequest, question: Question, fields: dict[str, Any]) -> HttpResponse:
    paraphrase_type(question=question, text=fields["paraphrase"], user=request.user)
    messages.success(request, "Your paraphrase is in the review queue.")
    return redirect("question_paraphrases", question_id=question.pk)


@form_for("review")
def review_propose(request: HttpRequest) -> HttpResponse:
    """Have paraphrases proposed of many questions, in a job."""
    concept_id = whole_number((request.POST if request.method == "POST" else request.GET).get("concept", ""))
    concept = None if concept_id is None else KnowledgeConcept.objects.filter(pk=concept_id).first()
    options: dict[str, Any] = {
        "paraphrasers": paraphrasers(),
        "strands": strands(),
        "concept": (concept.pk, concept.name) if concept else None,
        "sources": question_sources(),
    }
    form = ManyProposalsForm(posted(request), initial={"concept": concept.pk if concept else ""}, **options)
    if form.is_valid():
        fields = form.cleaned_data
        with form.takes_problems():
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
            return redirect("run_detail", run_id=run.pk)
    return render(request, "review/propose.html", {"form": form}, status=form.status)


@page_for("read")
def review_pair(request: HttpRequest, pair_id: int) -> HttpResponse:
    """Show one pair: what the machine says and, once it is decided, what reviewers said."""
    pair = pair_get(pair_id=pair_id)
    context = pair_pieces(pair) | {
        "pair": pair,
        "opinions": opinions_shown(pair=pair, viewer=request.user),
        "history": pair_history(pair=pair, viewer=request.user),
        "has_scorer": artifact_champion(capability="paraphrase") is not None,
        "is_offered": pair.state == ParaphrasePair.State.ADJUDICATION
        and may_settle(pair=pair, person=request.user),
    }
    return render(request, "review/pair.html", context)


@button_for("question_create", back="review_progress")
def review_add_accepted(request: HttpRequest) -> HttpResponse:
    """Add the accepted paraphrases and similar problems to the bank: of one question (`question`), or all."""
    number = whole_number(request.POST.get("question", ""))
    question = None if number is None else question_get(question_id=number, user=request.user)
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
    parts = (
        (added.made, "question was added.", "questions were added."),
        (added.restored, "that was retired is back.", "that were retired are back."),
        (added.known, "is already in the bank.", "are already in the bank."),
        (added.left, "has not been added yet.", "have not been added yet."),
        (variants, "similar problem was added.", "similar problems were added."),
    )
    said = [counted(number, one, several) for number, one, several in parts if number]
    return " ".join(said) or "There are no accepted paraphrases to add."
