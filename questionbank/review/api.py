"""Paraphrases over the API: lists, proposals, files of pairs, scores of texts, and the review of what waits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal, Protocol

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from ninja import File, Query, Router
from ninja.files import UploadedFile
from ninja.responses import Status
from pydantic import BaseModel, Field

from analytics.json_lines import TEXT_LIMIT
from questionbank.api.access import Access
from questionbank.api.contract import Body, Choice, Fields, Id, Page, PageQuery, QuestionText, page_by_id
from questionbank.api.requests import received_file
from questionbank.bank.question_selectors import question_get, visible_to
from questionbank.core.errors import ValidationFailed
from questionbank.formats.answer_files import BATCH, InputPair
from questionbank.models import ParaphrasePair, Question, ReviewDecision, ReviewLease, SettlementLease
from questionbank.registry.api import RunDetail, run_detail
from questionbank.review.evidence_services import decided_in_sight, pair_scores, scorer_by_number
from questionbank.review.pair_import_services import SHOWN_PROBLEMS, pairs_check, pairs_import
from questionbank.review.pair_selectors import PairFilters, pairs_found, question_paraphrases
from questionbank.review.pair_services import pair_findings
from questionbank.review.paraphrase_services import (
    MOST_EACH,
    MOST_QUESTIONS,
    RULES,
    paraphrase_type,
    proposals_request,
    why_not_reworded,
)
from questionbank.review.selectors import next_to_settle, opinions, pair_get, was_skipped
from questionbank.review.services import (
    COMMENT_LIMIT,
    adjudication_decide,
    adjudication_take,
    review_decide,
    review_next,
    review_undo,
)

router = Router(tags=["analysis"])
READ, PROPOSE, REVIEW = Access("read"), Access("paraphrase_propose"), Access("review")
REVIEWS = ["reviews"]  # the group of operations in the schema

Probability = Annotated[float, Field(ge=0, le=1)]
Opinions = Annotated[int, Field(ge=1, description="How many reviewers decide on each pair.")]


class ParaphraseQuery(PageQuery):
    """Which paraphrases to list; a filter that is left out matches all."""

    state: Literal[tuple(ParaphrasePair.State.values + ParaphrasePair.Outcome.values)] | None = Field(  # type: ignore[valid-type] # one parameter for both, as on the page
        default=None, description="A state, or an outcome."
    )
    batch: Annotated[str, Field(max_length=120)] = ""
    least: Probability | None = Field(default=None, description="Lowest probability that the paraphrase is valid.")
    most: Probability | None = None
    reviewer: Id | None = Field(default=None, description="Who decided.")
    reason: ReviewDecision.Reason | None = Field(default=None, description="Why it was rejected.")
    text: Annotated[str, Field(max_length=200, description="Part of either text.")] = ""

    def filters(self) -> PairFilters:
        """Return the filters of the page."""
        given = self.model_dump(exclude_none=True, exclude={"limit", "cursor"})
        return PairFilters(**given)


class ParaphraseItem(BaseModel):
    """A question's text and another wording of it; `outcome` is empty until the reviewers have decided."""

    id: int
    question: int | None = Field(description="The question, if the text comes from the bank.")
    original: str
    paraphrase: str
    language: str
    state: str
    outcome: str
    wording: str = Field(description="The paraphrase as accepted, or else as proposed.")
    source: str = Field(description="Who wrote it: `rules`, `model`, `typed` or `upload`.")
    batch: str
    probability: float | None = Field(description="Probability that it is valid; null while unknown or hidden.")


class ParaphraseBody(Body):
    """Another wording of a question."""

    paraphrase: Annotated[str, Field(min_length=1, max_length=TEXT_LIMIT)]
    opinions: Opinions | None = Field(default=None, description="How many reviewers decide on it.")


class ProposalsBody(Body):
    """Which questions to reword; for more than one you must be a reviewer."""

    questions: Annotated[list[Id], Field(min_length=1, max_length=MOST_QUESTIONS)]
    each: Annotated[int, Field(ge=1, le=MOST_EACH, description="Paraphrases of each question.")] = 3
    paraphraser: Annotated[
        str, Field(max_length=20, description="`rules`, or a model of this installation: `sequence` or `language`.")
    ] = RULES


class PairFileQuery(Fields):
    """How the pairs of a file will be decided on."""

    opinions: Opinions | None = None
    hides_machine: bool = Field(
        default=False, description="Hide what the model says of a pair until reviewers have decided on it."
    )


class RefusedPair(BaseModel):
    """A line that cannot be used."""

    line: int
    reason: str


class PairFileReport(BaseModel):
    """What a file of pairs would add."""

    token: str = Field(description="For `/paraphrases/files/confirm`, within a day.")
    name: str
    usable: int
    labelled: int = Field(description="Usable pairs with a label.")
    refused: int
    problems: list[RefusedPair] = Field(description=f"The first {SHOWN_PROBLEMS}.")


class PairFileBody(Body):
    """Which pairs of a checked file to add."""

    token: Annotated[str, Field(max_length=2_000)]
    skip_refused: bool = Field(default=False, description="Add the others if some lines cannot be used.")
    labels_decide: bool = Field(default=False, description="Labels count as decisions; otherwise they are dropped.")


class AddedPairs(BaseModel):
    """The pairs of a file."""

    waiting: int = Field(description="For reviewers.")
    decided: int = Field(description="By their labels.")


class PairBody(Body):
    """A question and another wording of it."""

    original: QuestionText
    paraphrase: QuestionText


class PairsBody(Body):
    """Up to 256 pairs; results come in the same order."""

    pairs: Annotated[list[PairBody], Field(min_length=1, max_length=BATCH)]


class PairScore(BaseModel):
    """Whether a paraphrase is valid: `valid`, `invalid` or `unsure`, and what it changed."""

    score: float | None
    verdict: str | None
    probability: float | None
    findings: list[dict[str, Any]]


class PairScores(BaseModel):
    """Scores in the order of the pairs."""

    items: list[PairScore]
    notices: list[str]


@router.post("/paraphrases/files", auth=REVIEW, response=PairFileReport)
def check_paraphrase_file(
    request: HttpRequest, asked: Query[PairFileQuery], file: File[UploadedFile | None] = None
) -> PairFileReport:
    """Check a file of pairs; `/paraphrases/files/confirm` adds them."""
    upload = received_file(request, file, limit="REVIEW_UPLOAD_MAX_BYTES")
    most = settings.REVIEW_OPINIONS_MOST
    if asked.opinions is not None and asked.opinions > most:
        raise ValidationFailed.beside("opinions", f"Ask 1 to {most} reviewers.")
    report = pairs_check(upload=upload, name=upload.name or "", user=request.user, **asked.model_dump())
    same = "token name usable labelled refused".split()
    problems = [RefusedPair(line=problem.line, reason=problem.reason) for problem in report.problems]
    return PairFileReport(problems=problems, **{name: getattr(report, name) for name in same})


@router.post("/paraphrases/files/confirm", auth=REVIEW, response={201: AddedPairs})
def add_paraphrase_file(request: HttpRequest, body: PairFileBody) -> Status:
    """Add the pairs of a file that was checked, once; a job scores them."""
    made = pairs_import(user=request.user, **body.model_dump())
    decided = sum(pair.state == ParaphrasePair.State.DECIDED for pair in made)
    return Status(201, AddedPairs(waiting=len(made) - decided, decided=decided))


@router.get("/paraphrases", auth=READ, response=Page[ParaphraseItem])
def list_paraphrases(request: HttpRequest, asked: Query[ParaphraseQuery]) -> Page[ParaphraseItem]:
    """List paraphrases, newest first, with the filters of the page."""
    filters = asked.filters()
    found = pairs_found(filters=filters, viewer=request.user)
    return page_by_id(found, asked, of=f"paraphrases {filters} {request.user.pk}", represent=_paraphrases)


@router.post("/paraphrases/propose", auth=PROPOSE, response={202: RunDetail})
def propose_paraphrases(request: HttpRequest, response: HttpResponse, body: ProposalsBody) -> Status:
    """Have a job propose paraphrases of questions; they wait for reviewers."""
    numbers = list(dict.fromkeys(body.questions))
    known = Question.objects.filter(visible_to(request.user)).in_bulk(numbers)
    for number in numbers:
        if number not in known:
            raise ValidationFailed.beside("questions", f"There is no question {number}.")
        if reason := why_not_reworded(known[number]):
            raise ValidationFailed.beside("questions", f"Question {number}: {reason}")
    run = proposals_request(questions=numbers, paraphraser=body.paraphraser, each=body.each, user=request.user)
    response["Location"] = f"/api/v1/runs/{run.pk}"
    return Status(202, run_detail(request, run.pk))


@router.get("/questions/{int:question_id}/paraphrases", auth=READ, response=Page[ParaphraseItem])
def list_question_paraphrases(request: HttpRequest, question_id: Id, asked: Query[PageQuery]) -> Page[ParaphraseItem]:
    """List the paraphrases of a question, newest first."""
    found = question_paraphrases(question=question_get(question_id=question_id, user=request.user))
    return page_by_id(found, asked, of=f"paraphrases of {question_id}", represent=_paraphrases)


@router.post("/questions/{int:question_id}/paraphrases", auth=PROPOSE, response={201: ParaphraseItem})
def create_question_paraphrase(
    request: HttpRequest, response: HttpResponse, question_id: Id, body: ParaphraseBody
) -> Status:
    """Propose a paraphrase of your own for a question; it waits for reviewers."""
    question = question_get(question_id=question_id, user=request.user)
    pair = paraphrase_type(question=question, text=body.paraphrase, user=request.user, opinions=body.opinions)
    response["Location"] = f"/api/v1/paraphrases/{pair.pk}"
    return Status(201, _paraphrase(pair))


@router.get("/paraphrases/{int:pair_id}", auth=READ, response=ParaphraseItem)
def get_paraphrase(request: HttpRequest, pair_id: Id) -> ParaphraseItem:  # noqa: ARG001 - django-ninja passes it
    """Return a paraphrase with what the reviewers decided."""
    return _paraphrase(pair_get(pair_id=pair_id))


@router.post("/paraphrases/score", auth=READ, response=PairScores)
def score_paraphrases(request: HttpRequest, body: PairsBody) -> PairScores:  # noqa: ARG001 - django-ninja passes it
    """Score pairs of a question and another wording of it."""
    notices: set[str] = set()
    pairs = [InputPair(number, pair.original, pair.paraphrase) for number, pair in enumerate(body.pairs)]
    rows = pair_scores(pairs, scorer=scorer_by_number("default"), notices=notices)
    return PairScores(items=[PairScore.model_validate(row) for row in rows], notices=sorted(notices))


def _paraphrases(pairs: Sequence[ParaphrasePair]) -> list[ParaphraseItem]:
    return list(map(_paraphrase, pairs))


def _paraphrase(pair: ParaphrasePair) -> ParaphraseItem:
    same = "id original paraphrase language state outcome wording source batch".split()
    probability = None if pair.is_machine_hidden else pair.verdict
    values = {name: getattr(pair, name) for name in same}
    return ParaphraseItem(question=pair.question_id, probability=probability, **values)


class DecisionBody(Body):
    """A decision on a pair."""

    verdict: Choice[ReviewDecision.Verdict]
    reason: Choice[ReviewDecision.Reason] | None = Field(default=None, description="Required to `reject`.")
    text: Annotated[str, Field(max_length=TEXT_LIMIT, description="Your wording; required to `edit`.")] = ""
    comment: Annotated[str, Field(max_length=COMMENT_LIMIT)] = ""
    insists: bool = Field(default=False, description="Accept your wording although something speaks against it.")


class UndoBody(Body):
    """Which decision to undo."""

    decision: Id | None = Field(default=None, description="By default your latest decision.")


class ReviewPair(BaseModel):
    """A pair of texts that is yours to decide on until `expires_at`; asking for the next one again extends that.

    What the model says is absent where it is hidden until the pair is decided.
    """

    id: int
    original: str
    paraphrase: str
    language: str
    question: int | None = Field(description="The original's number in the bank.")
    score: float | None = Field(description="The scorer's score, from -1 to 1.")
    probability: float | None = Field(description="Probability that the paraphrase is valid.")
    findings: list[dict[str, Any]]
    solved: dict[str, Any] | None = Field(description="What the solver makes of both texts.")
    guideline: int = Field(description="Version of the guidelines.")
    guidelines: str
    expires_at: datetime


class QueuedPair(ReviewPair):
    """The next pair of the queue."""

    was_skipped: bool


class Opinion(BaseModel):
    """What a reviewer thinks of a pair."""

    reviewer: str
    verdict: str
    reason: str
    text: str
    comment: str


class DisputedPair(ReviewPair):
    """A pair on which reviewers disagree, with their opinions."""

    opinions: list[Opinion]


class DecisionItem(BaseModel):
    """A decision of yours; `undone_at` is null while it counts."""

    id: int
    pair: int
    verdict: str
    reason: str
    text: str
    comment: str
    settles: bool = Field(description="Whether it settles a disagreement.")
    seconds: float = Field(description="Time taken.")
    created_at: datetime
    undone_at: datetime | None


class _Decide(Protocol):
    def __call__(
        self, *, reviewer: Any, pair_id: int, verdict: str, reason: str, text: str, comment: str
    ) -> ReviewDecision: ...


@router.get("/reviews", tags=REVIEWS, auth=REVIEW, response=Page[DecisionItem])
def list_reviews(request: HttpRequest, asked: Query[PageQuery]) -> Page[DecisionItem]:
    """List your own decisions, newest first, including undone ones."""
    mine = ReviewDecision.objects.filter(reviewer=request.user, is_label=False)
    return page_by_id(mine, asked, of=f"reviews {request.user.pk}", represent=lambda rows: [*map(_decision, rows)])


@router.post("/reviews/next", tags=REVIEWS, auth=REVIEW, response=QueuedPair | None)
def take_next_review(request: HttpRequest) -> QueuedPair | None:
    """Take the next pair: the one that you have already, else the most uncertain free one; null if none is free."""
    lease = review_next(reviewer=request.user)
    if lease is None:
        return None
    return QueuedPair(**_pair(lease), was_skipped=was_skipped(pair=lease.pair, reviewer=request.user))


@router.post("/reviews/undo", tags=REVIEWS, auth=REVIEW, response=DecisionItem)
def undo_review(request: HttpRequest, body: UndoBody) -> DecisionItem:
    """Undo a decision of your own; its pair comes back to you. A question that it brought into the bank is retired."""
    return _decision(review_undo(reviewer=request.user, decision_id=body.decision))


@router.post("/reviews/disputes/next", tags=REVIEWS, auth=REVIEW, response=DisputedPair | None)
def take_next_dispute(request: HttpRequest) -> DisputedPair | None:
    """Take the oldest pair on which reviewers disagree and that you may settle; null if there is none."""
    pair = next_to_settle(person=request.user)
    if pair is None:
        return None
    lease = adjudication_take(reviewer=request.user, pair_id=pair.pk)
    said = opinions().filter(pair=pair).select_related("reviewer").order_by("pk")
    return DisputedPair(**_pair(lease), opinions=[*map(_opinion, said)])


@router.post("/reviews/{int:pair_id}/decide", tags=REVIEWS, auth=REVIEW, response=DecisionItem)
def decide_review(request: HttpRequest, pair_id: Id, body: DecisionBody) -> DecisionItem:
    """Decide on the pair that you took from the queue."""
    return _decided(request, pair_id, body, review_decide)


@router.post("/reviews/{int:pair_id}/settle", tags=REVIEWS, auth=REVIEW, response=DecisionItem)
def settle_dispute(request: HttpRequest, pair_id: Id, body: DecisionBody) -> DecisionItem:
    """Settle the disagreement that you took, as an admin or a reviewer without an opinion on the pair."""
    return _decided(request, pair_id, body, adjudication_decide)


def _decided(request: HttpRequest, pair_id: int, body: DecisionBody, decide: _Decide) -> DecisionItem:
    store: Callable[[], ReviewDecision] = partial(
        decide,
        reviewer=request.user,
        pair_id=pair_id,
        verdict=body.verdict.value,
        reason=body.reason.value if body.reason else "",
        text=body.text,
        comment=body.comment,
    )
    decision = decided_in_sight(store, seen=body.text if body.insists else "")
    decision.refresh_from_db(fields=["created_at"])  # the database's clock
    return _decision(decision)


def _pair(lease: ReviewLease | SettlementLease) -> dict[str, Any]:
    pair: ParaphrasePair = lease.pair
    hidden = pair.is_machine_hidden
    return {
        "id": pair.pk,
        "original": pair.original,
        "paraphrase": pair.paraphrase,
        "language": pair.language,
        "question": pair.question_id,
        "score": lease.score,
        "probability": lease.probability,
        "findings": [] if hidden else pair_findings(pair),
        "solved": None if hidden else pair.solved,
        "guideline": lease.guideline.version,
        "guidelines": lease.guideline.text,
        "expires_at": lease.expires_at,
    }


def _opinion(decision: ReviewDecision) -> Opinion:
    same = ("verdict", "reason", "text", "comment")
    reviewer = decision.reviewer.username if decision.reviewer else ""
    return Opinion(reviewer=reviewer, **{name: getattr(decision, name) for name in same})


def _decision(decision: ReviewDecision) -> DecisionItem:
    same = "verdict reason text comment seconds created_at undone_at".split()
    values = {name: getattr(decision, name) for name in same}
    return DecisionItem(id=decision.pk, pair=decision.pair_id, settles=decision.is_adjudication, **values)
