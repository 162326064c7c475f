"""The review of paraphrases over the API: the next pair, decisions, settlements and undoing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Protocol

from django.http import HttpRequest
from ninja import Query, Router
from pydantic import BaseModel, Field

from analytics.json_lines import TEXT_LIMIT
from questionbank.api.access import Access
from questionbank.api.contract import Body, Id, Page, PageQuery, page_by_id
from questionbank.models import ParaphrasePair, ReviewDecision, ReviewLease, SettlementLease
from questionbank.review.evidence_services import decided_in_sight
from questionbank.review.pair_services import pair_findings
from questionbank.review.selectors import next_to_settle, opinions, was_skipped
from questionbank.review.services import (
    COMMENT_LIMIT,
    adjudication_decide,
    adjudication_take,
    review_decide,
    review_next,
    review_undo,
)

router = Router(tags=["reviews"])
REVIEW = Access("review")


class DecisionBody(Body):
    """A decision on a pair."""

    verdict: ReviewDecision.Verdict
    reason: ReviewDecision.Reason | None = Field(default=None, description="Required to `reject`.")
    text: Annotated[str, Field(max_length=TEXT_LIMIT, description="Your wording; required to `edit`.")] = ""
    comment: Annotated[str, Field(max_length=COMMENT_LIMIT)] = ""
    insists: bool = Field(default=False, description="Accept your wording although something speaks against it.")


class UndoBody(Body):
    """Which decision to undo."""

    decision: Id | None = Field(default=None, description="By default your latest.")


class ReviewPair(BaseModel):
    """A pair of texts that is yours to decide on until `expires_at`; asking for the next one again extends that.

    What the model says is absent where it is hidden until the pair is decided.
    """

    id: int
    original: str
    paraphrase: str
    language: str
    question: int | None = Field(description="The original's number in the bank.")
    score: float | None = Field(description="The scorer's, from -1 to 1.")
    probability: float | None = Field(description="That the paraphrase is valid.")
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


@router.get("/reviews", auth=REVIEW, response=Page[DecisionItem])
def list_reviews(request: HttpRequest, asked: Query[PageQuery]) -> Page[DecisionItem]:
    """List one's own decisions, newest first, those undone as well."""
    mine = ReviewDecision.objects.filter(reviewer=request.user, is_label=False)
    return page_by_id(mine, asked, of=f"reviews {request.user.pk}", represent=lambda rows: [*map(_decision, rows)])


@router.post("/reviews/next", auth=REVIEW, response=QueuedPair | None)
def take_next_review(request: HttpRequest) -> QueuedPair | None:
    """Take the next pair: the one that you have already, else the most uncertain free one; null if none is free."""
    lease = review_next(reviewer=request.user)
    if lease is None:
        return None
    return QueuedPair(**_pair(lease), was_skipped=was_skipped(pair=lease.pair, reviewer=request.user))


@router.post("/reviews/undo", auth=REVIEW, response=DecisionItem)
def undo_review(request: HttpRequest, body: UndoBody) -> DecisionItem:
    """Undo a decision of your own; its pair comes back to you. A question that it brought into the bank is retired."""
    return _decision(review_undo(reviewer=request.user, decision_id=body.decision))


@router.post("/reviews/disputes/next", auth=REVIEW, response=DisputedPair | None)
def take_next_dispute(request: HttpRequest) -> DisputedPair | None:
    """Take the oldest pair on which reviewers disagree and that you may settle; null if there is none."""
    pair = next_to_settle(person=request.user)
    if pair is None:
        return None
    lease = adjudication_take(reviewer=request.user, pair_id=pair.pk)
    said = opinions().filter(pair=pair).select_related("reviewer").order_by("pk")
    return DisputedPair(**_pair(lease), opinions=[*map(_opinion, said)])


@router.post("/reviews/{int:pair_id}/decide", auth=REVIEW, response=DecisionItem)
def decide_review(request: HttpRequest, pair_id: Id, body: DecisionBody) -> DecisionItem:
    """Decide on the pair that you took from the queue."""
    return _decided(request, pair_id, body, review_decide)


@router.post("/reviews/{int:pair_id}/settle", auth=REVIEW, response=DecisionItem)
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
