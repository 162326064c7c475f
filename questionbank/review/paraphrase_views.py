"""Pages about paraphrases around their review.

Those of a bank question: proposed, typed, and added to the bank once accepted. Those in the queue: uploaded, listed,
their batches, the progress and agreement of reviewers, the guidelines and the export.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from questionbank.bank.concept_selectors import strands
from questionbank.bank.question_selectors import question_get
from questionbank.core.errors import Conflict, ImportRefused, NotFound, ValidationFailed
from questionbank.core.forms import was_too_large
from questionbank.core.views import button_for, check_permission, form_for, page_for, paginated, posted, warning_of
from questionbank.core.wording import counted, whole_number
from questionbank.formats.pairs import REVIEW_FORMATS, review_lines
from questionbank.models import KnowledgeConcept, ParaphrasePair, Question, User
from questionbank.problem_writing.services import variants_add_accepted
from questionbank.registry.artifact_selectors import artifact_champion
from questionbank.review.agreement_selectors import agreement, reason_agreement, throughput
from questionbank.review.evidence_services import pair_pieces
from questionbank.review.forms import (
    GuidelineForm,
    ManyProposalsForm,
    PairFileForm,
    PairFilterForm,
    PairForm,
    ParaphraseForm,
    ProposalsForm,
)
from questionbank.review.guideline_services import guideline_current, guideline_publish
from questionbank.review.pair_import_services import SHOWN_PROBLEMS, pairs_check, pairs_import
from questionbank.review.pair_selectors import (
    accepted_pairs,
    batch_deletions,
    batches,
    pair_reviewers,
    pairs_found,
    question_paraphrases,
    question_sources,
    questions_to_reword,
)
from questionbank.review.pair_services import (
    PairInput,
    batch_delete,
    batch_hide_machine,
    batch_preview,
    pairs_create,
    paraphrase_score_waiting,
)
from questionbank.review.paraphrase_services import (
    RULES,
    AddedParaphrases,
    Proposals,
    accepted_pairs_add,
    paraphrase_type,
    paraphraser_choice,
    paraphrasers,
    paraphrases_propose,
    proposals_request,
    why_not_reworded,
)
from questionbank.review.selectors import (
    adjudications,
    decision_rows,
    export_fields,
    guideline_history,
    may_settle,
    opinions_shown,
    pair_get,
    pair_history,
    queue_counts,
    stuck_pairs,
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
