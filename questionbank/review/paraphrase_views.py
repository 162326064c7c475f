"""Paraphrases of bank questions: proposing them, looking at them, and adding accepted ones to the bank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from analytics.json_lines import TEXT_LIMIT
from questionbank.bank.concept_selectors import StrandGroup, strands
from questionbank.bank.question_selectors import question_get
from questionbank.core.errors import Conflict, ValidationFailed
from questionbank.core.forms import ServiceForm
from questionbank.core.views import button_for, check_permission, form_for, page_for, paginated, posted
from questionbank.core.wording import counted, whole_number
from questionbank.models import KnowledgeConcept, ParaphrasePair, Question
from questionbank.problem_writing.services import variants_add_accepted
from questionbank.registry.artifact_selectors import artifact_champion
from questionbank.review.accepted_services import AddedParaphrases, accepted_pairs_add
from questionbank.review.marks import pair_pieces
from questionbank.review.pair_selectors import (
    accepted_pairs,
    question_paraphrases,
    question_sources,
    questions_to_reword,
)
from questionbank.review.proposal_services import (
    MOST_EACH,
    MOST_QUESTIONS,
    RULES,
    ParaphraserChoice,
    Proposals,
    paraphrase_type,
    paraphraser_choice,
    paraphrasers,
    paraphrases_propose,
    proposals_request,
    why_not_reworded,
)
from questionbank.review.selectors import may_settle, opinions_shown, pair_get, pair_history


class ProposalsForm(ServiceForm):
    """The number of paraphrases per question, and the paraphraser."""

    each = forms.IntegerField(label="Number of paraphrases", min_value=1, max_value=MOST_EACH, initial=3)
    paraphraser = forms.ChoiceField(label="Written by", widget=forms.RadioSelect, initial=RULES)

    def __init__(self, *args: Any, paraphrasers: Sequence[ParaphraserChoice], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices: Any = self.fields["paraphraser"]
        choices.choices = [
            (paraphraser.key, f"{paraphraser.label} ({paraphraser.note.rstrip('.')})") for paraphraser in paraphrasers
        ]


class ManyProposalsForm(ProposalsForm):
    """Paraphrases of random questions from a part of the bank."""

    concept = forms.TypedChoiceField(label="Concept", required=False, coerce=int, empty_value=None)
    source = forms.ChoiceField(label="Source", required=False)
    number = forms.IntegerField(
        label="Questions",
        min_value=1,
        max_value=MOST_QUESTIONS,
        initial=20,
        help_text="Drawn at random from those that have no paraphrase yet.",
    )
    field_order = ("concept", "source", "number", "each", "paraphraser")

    def __init__(
        self,
        *args: Any,
        strands: Sequence[StrandGroup],
        concept: tuple[int, str] | None = None,
        sources: Sequence[str],
        **kwargs: Any,
    ) -> None:
        """Set up the choices; `concept` is an additional choice besides the strands."""
        super().__init__(*args, **kwargs)
        groups: list[Any] = [("", "The whole bank")]
        if concept is not None:
            groups.append(concept)
        groups += [(str(group.hierarchy), [(strand.id, strand.name) for strand in group.strands]) for group in strands]
        concepts, origins = self.fields["concept"], self.fields["source"]
        concepts.choices = groups  # type: ignore[attr-defined]
        origins.choices = [("", "Any"), *((name, name) for name in sources)]  # type: ignore[attr-defined]


class ParaphraseForm(ServiceForm):
    """A paraphrase that somebody types."""

    paraphrase = forms.CharField(
        label="Your wording",
        max_length=TEXT_LIMIT,
        widget=forms.Textarea(attrs={"rows": 4, "class": "short", "dir": "auto"}),
    )


PAGE_SIZE = 25


@form_for("read")
def question_paraphrases_page(request: HttpRequest, question_id: int) -> HttpResponse:
    """Show the paraphrases of a question; request proposals (`action=propose`), or type one."""
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
    return render(request, "bank/questions/paraphrases.html", context, status=status)


def _propose(request: HttpRequest, question: Question, fields: dict[str, Any]) -> HttpResponse:
    each, paraphraser = fields["each"], fields["paraphraser"]
    if paraphraser != RULES:
        run = proposals_request(questions=[question.pk], paraphraser=paraphraser, each=each, user=request.user)
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
    """Request paraphrases of many questions in a job."""
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
                questions=chosen, paraphraser=fields["paraphraser"], each=fields["each"], user=request.user
            )
            return redirect("run_detail", run_id=run.pk)
    return render(request, "review/propose.html", {"form": form}, status=form.status)


@page_for("read")
def review_pair(request: HttpRequest, pair_id: int) -> HttpResponse:
    """Show one pair: the machine's assessment and, once it is decided, the reviewers' opinions."""
    pair = pair_get(pair_id=pair_id)
    context = pair_pieces(pair) | {
        "pair": pair,
        "opinions": opinions_shown(pair=pair, viewer=request.user),
        "history": pair_history(pair=pair, viewer=request.user),
        "has_scorer": artifact_champion(capability="paraphrase") is not None,
        "is_offered": pair.state == ParaphrasePair.State.ADJUDICATION and may_settle(pair=pair, person=request.user),
    }
    return render(request, "review/pair.html", context)


@button_for("question_create", back="review_progress")
def review_add_accepted(request: HttpRequest) -> HttpResponse:
    """Add accepted paraphrases and similar problems to the bank: those of one question (`question`), or all."""
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
