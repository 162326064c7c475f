"""The review queue: who is reviewing which pair, their decisions, and the resulting state of the pair.

A lease records that somebody has a pair on the screen, to review or to settle. Code that writes a lease or a decision
locks the reviewer's row first and then the pair's row, always in this order. See docs/decisions for the reasons.
"""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import product
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Exists, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now

from analytics.json_lines import TEXT_LIMIT
from questionbank.core.database import database_now, get_or_not_found
from questionbank.core.errors import Conflict, NotAllowed, NotFound, ValidationFailed
from questionbank.models import ParaphrasePair, ReviewDecision, ReviewLease, SettlementLease, User
from questionbank.review.guideline_services import guideline_current, require_reviewer
from questionbank.review.paraphrase_services import accepted_pair_withdraw
from questionbank.review.selectors import (
    UNDO_GRACE,
    colleagues,
    decisions_to_undo,
    grace_seconds,
    may_settle,
    opinions,
    skips,
    typed_by,
)

COMMENT_LIMIT = 2_000  # characters

_BESIDE = ("guideline", "scorer", "scorer_name", "score", "probability")
_Verdict = ReviewDecision.Verdict
_State = ParaphrasePair.State


class Beat(StrEnum):
    """The state of a pair on the screen: still held, left in a newer window, or lost to somebody else."""

    HELD = "held"
    LEFT = "left"
    LOST = "lost"


def review_next(*, reviewer: User, rng: random.Random | None = None) -> ReviewLease | None:
    """Give the reviewer a pair: the one that they already have, else the next free one; None if no pair is free.

    The most uncertain pair comes first; a share of `REVIEW_RANDOM_SHARE` is chosen at random. A pair is free while the
    opinions given plus the leases held by others are fewer than the opinions wanted. A pair that the reviewer typed
    goes to other reviewers, if any may see it. Pairs whose row another reviewer's request has locked are skipped, and
    waited for only if no other is left. Pairs that the reviewer skipped return once there is nothing else, the one
    skipped longest ago first.

    Raises:
        NotAllowed: the person is not a reviewer.
    """
    require_reviewer(reviewer)
    # A sampling share, not a secret.
    is_random = (rng or random).random() < settings.REVIEW_RANDOM_SHARE
    passed: set[int] = set()
    for again, waits in product((False, True), repeat=2):
        while True:
            outcome = _attempt(reviewer, is_random=is_random, again=again, waits=waits, passed=passed)
            if isinstance(outcome, ReviewLease):
                return outcome
            if outcome is None:
                break
            passed.add(outcome)
    return None


@transaction.atomic
def _attempt(
    reviewer: User, *, is_random: bool, again: bool, waits: bool, passed: set[int]
) -> ReviewLease | int | None:
    """Try one pair; return its lease, its id if somebody else was faster, or None if no pair is left.

    The statement that locks the row sees leases as they were when it began, so they are counted again
    once the row is locked.
    """
    _lock_person(reviewer)
    lease = ReviewLease.objects.filter(reviewer=reviewer).select_related("reviewer").first()
    if lease is not None and (kept := _renew(lease)):
        return _shown(kept)
    now = database_now()
    skipped = skips().filter(pair=OuterRef("pk"), reviewer=reviewer).order_by("-pk")
    queue = _free_pairs(reviewer, now).exclude(pk__in=passed)
    if again:
        last = Subquery(skipped.values("pk")[:1])
        queue = queue.annotate(last_skip=last).filter(last_skip__isnull=False).order_by("last_skip")
    else:
        queue = queue.filter(~Exists(skipped)).order_by("shuffle" if is_random else "priority", "pk")
    locked = queue.select_for_update(of=("self",), no_key=True, skip_locked=not waits)
    pair = locked.first()
    if pair is None:
        return None
    if not _is_free(pair, reviewer, now):
        return pair.pk
    if again:  # whether a pair is random was decided when it first came
        is_random = skips().filter(pair=pair, reviewer=reviewer).latest("pk").is_random
    return _give(pair, reviewer, now, is_random=is_random)


def _free_pairs(reviewer: User, now: datetime) -> QuerySet[ParaphrasePair, ParaphrasePair]:
    others = ReviewLease.objects.filter(pair=OuterRef("pk"), expires_at__gt=now).exclude(reviewer=reviewer)
    pair_opinions = opinions().filter(pair=OuterRef("pk"))
    reviewer_opinions = pair_opinions.filter(reviewer=reviewer)
    return ParaphrasePair.objects.filter(
        ~Exists(reviewer_opinions),
        state=_State.OPEN,
        opinions_wanted__gt=_number_of(others) + _number_of(pair_opinions),
    ).exclude(typed_by(reviewer.pk), Exists(colleagues(reviewer=reviewer)))


def _number_of(rows: QuerySet[Any, Any]) -> Coalesce:
    counted = rows.order_by().values("pair").annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def _is_free(pair: ParaphrasePair, reviewer: User, now: datetime) -> bool:
    """Return whether the reviewer may have the pair, whose row is locked."""
    return _free_pairs(reviewer, now).filter(pk=pair.pk).exists()


def _give(pair: ParaphrasePair, reviewer: User, now: datetime, *, is_random: bool = False) -> ReviewLease:
    ReviewLease.objects.filter(reviewer=reviewer).delete()
    ReviewLease.objects.filter(pair=pair, expires_at__lte=now).delete()
    return ReviewLease.objects.create(
        pair=pair, reviewer=reviewer, taken_at=now, expires_at=now + _lease_time(), is_random=is_random, **_beside(pair)
    )


def _beside(pair: ParaphrasePair) -> dict[str, Any]:
    """Return what a pair's page shows now, as columns of its lease or decision; nothing hidden is included."""
    scorer = None if pair.is_machine_hidden else pair.scored_by
    score, verdict = (None, None) if pair.is_machine_hidden else (pair.score, pair.verdict)
    values = (guideline_current(), scorer, scorer.name if scorer else "", score, verdict)
    return dict(zip(_BESIDE, values, strict=True))


def _taken_over(lease: ReviewLease | SettlementLease, now: datetime) -> dict[str, Any]:
    """Return the values that a decision copies from its page's lease."""
    displayed = {name: getattr(lease, name) for name in _BESIDE}
    return {**displayed, "seconds": (now - lease.taken_at).total_seconds()}


def _shown(lease: ReviewLease) -> ReviewLease:
    """Store what the pair's page shows in the lease, so that a reload shows the same page."""
    displayed = _beside(lease.pair)
    for name, value in displayed.items():
        setattr(lease, name, value)
    lease.save(update_fields=list(displayed))
    return lease


def _lease_time() -> timedelta:
    return timedelta(seconds=settings.REVIEW_LEASE_SECONDS)


def _renew(lease: ReviewLease) -> ReviewLease | None:
    """Extend a lease; delete it if somebody else got the pair after it expired."""
    pair = _locked_pairs(lease.pair_id).first()
    now = database_now()
    if pair is None or not _is_free(pair, lease.reviewer, now):
        lease.delete()
        return None
    lease.pair, lease.expires_at = pair, now + _lease_time()
    lease.save(update_fields=["expires_at"])
    return lease


@transaction.atomic
def review_heartbeat(*, reviewer: User, pair_id: int) -> Beat:
    """Record that the reviewer still has the pair on the screen, which extends the lease of this pair only.

    Raises:
        NotAllowed: the person is not a reviewer.
    """
    require_reviewer(reviewer)
    _lock_person(reviewer)
    lease = ReviewLease.objects.filter(reviewer=reviewer).select_related("reviewer").first()
    if lease is not None and lease.pair_id == pair_id:
        return Beat.HELD if _renew(lease) else Beat.LOST
    is_decided = opinions().filter(pair_id=pair_id, reviewer=reviewer).exists()
    return Beat.LEFT if lease is not None or is_decided else Beat.LOST


@transaction.atomic
def review_decide(
    *, reviewer: User, pair_id: int, verdict: str, reason: str = "", text: str = "", comment: str = ""
) -> ReviewDecision:
    """Store a reviewer's decision on the pair before them, and update the pair's state.

    Once all wanted opinions are given, the pair is decided if they agree, and goes to adjudication if they
    do not or one is unsure. A skip does not count as an opinion; the pair returns to this reviewer after all others.

    Args:
        reason: a `ReviewDecision.Reason`; required to reject.
        text: the reviewer's wording; required to accept with changes.

    Raises:
        NotAllowed: the person is not a reviewer.
        NotFound: there is no such pair.
        Conflict: the reviewer decided on it already, or somebody else has it since the lease expired.
        ValidationFailed: `fields` maps each invalid field to its problems.
    """
    require_reviewer(reviewer)
    _lock_person(reviewer)
    pair = _existing_pair(pair_id)
    now = database_now()
    if not _is_free(pair, reviewer, now):
        raise Conflict("You no longer have this pair: it was decided, or somebody else has it.")
    lease = ReviewLease.objects.filter(reviewer=reviewer, pair=pair).first()
    if lease is None:
        raise Conflict("This pair was not assigned to you. Here is the next one.")
    checked = _checked(pair, verdict, reason, text, comment, allowed=set(_Verdict.values))
    decision = ReviewDecision.objects.create(
        pair=pair, reviewer=reviewer, is_random=lease.is_random, **checked, **_taken_over(lease, now)
    )
    lease.delete()
    _settle(pair)
    return decision


@transaction.atomic
def adjudication_take(*, reviewer: User, pair_id: int) -> SettlementLease:
    """Assign a pair to somebody to settle, or renew that; nobody else can settle it while its page sends heartbeats.

    Raises:
        NotAllowed: the person is not a reviewer, or is a party to the disagreement.
        NotFound: there is no such pair.
        Conflict: somebody else is settling it or has settled it, or it is not awaiting settlement.
    """
    pair = _pair_to_settle(reviewer, pair_id)
    now = database_now()
    lease = SettlementLease.objects.filter(pair=pair).select_related("reviewer").first()
    taken_at = now
    if lease is not None and lease.reviewer != reviewer:
        _check_over(lease, now)
    elif lease is not None:
        taken_at = lease.taken_at
    values = {"reviewer": reviewer, "taken_at": taken_at, "expires_at": now + _lease_time(), **_beside(pair)}
    lease = SettlementLease.objects.update_or_create(pair=pair, defaults=values)[0]
    lease.pair = pair  # the instance with what the page shows
    return lease


@transaction.atomic
def adjudication_heartbeat(*, reviewer: User, pair_id: int) -> Beat:
    """Record that somebody still has the pair they are settling on the screen.

    Raises:
        NotAllowed: the person is not a reviewer.
    """
    require_reviewer(reviewer)
    pair = _locked_pairs(pair_id).first()
    held = SettlementLease.objects.filter(pair=pair, reviewer=reviewer)
    if pair is not None and pair.state == _State.ADJUDICATION:
        return Beat.HELD if held.update(expires_at=Now() + _lease_time()) else Beat.LOST
    settled = ReviewDecision.objects.filter(
        pair_id=pair_id, reviewer=reviewer, is_adjudication=True, undone_at__isnull=True
    )
    return Beat.LEFT if settled.exists() else Beat.LOST


@transaction.atomic
def adjudication_decide(
    *, reviewer: User, pair_id: int, verdict: str, reason: str = "", text: str = "", comment: str = ""
) -> ReviewDecision:
    """Settle a pair that reviewers disagree on, as an admin or a reviewer who gave no opinion on it.

    Raises:
        NotAllowed: the person is not a reviewer, or is a party to the disagreement.
        NotFound: there is no such pair.
        Conflict: somebody else took it after the lease expired or has settled it, or it is not awaiting settlement.
        ValidationFailed: `fields` maps each invalid field to its problems.
    """
    pair = _pair_to_settle(reviewer, pair_id)
    now = database_now()
    lease = SettlementLease.objects.filter(pair=pair).select_related("reviewer").first()
    if lease is None or lease.reviewer != reviewer:
        if lease is not None:
            _check_over(lease, now)
        raise Conflict("You do not have this pair open to settle. Open it again.")
    allowed = {_Verdict.ACCEPT.value, _Verdict.REJECT.value, _Verdict.EDIT.value}
    checked = _checked(pair, verdict, reason, text, comment, allowed=allowed)
    decision = ReviewDecision.objects.create(
        pair=pair, reviewer=reviewer, is_adjudication=True, **checked, **_taken_over(lease, now)
    )
    lease.delete()
    _settle(pair)
    return decision


def _pair_to_settle(reviewer: User, pair_id: int) -> ParaphrasePair:
    """Return the pair, locked, if it awaits a settlement that the reviewer may make."""
    require_reviewer(reviewer)
    _lock_person(reviewer)
    pair = _existing_pair(pair_id)
    if pair.state != _State.ADJUDICATION:
        raise Conflict("This pair does not need to be settled: somebody else may have done so.")
    if not may_settle(pair=pair, person=reviewer):
        raise NotAllowed("You typed this pair or gave an opinion on it: an admin or another reviewer settles it.")
    if grace_seconds(pair=pair, person=reviewer):
        raise Conflict("Your own opinion on this pair is only a few seconds old. Open it again in a moment.")
    return pair


def _check_over(lease: SettlementLease, now: datetime) -> None:
    """Raise Conflict while somebody's lease is valid."""
    if lease.expires_at > now:
        raise Conflict(f"{lease.reviewer} is settling this pair now.")


@transaction.atomic
def review_undo(*, reviewer: User, decision_id: int | None = None) -> ReviewDecision:
    """Undo a decision of the reviewer: the given one, else the latest of `decisions_to_undo`.

    The decision stays in the table with the time of the undo, and a question added to the bank because of it is
    retired. The pair returns to the reviewer and replaces the one on the screen, unless somebody else has it
    meanwhile (a skipped one).

    Raises:
        NotAllowed: the person is not a reviewer.
        NotFound: there is nothing to undo.
        Conflict: the decision is final.
    """
    require_reviewer(reviewer)
    _lock_person(reviewer)
    by_id = {} if decision_id is None else {"pk": decision_id}
    last = decisions_to_undo(reviewer=reviewer).filter(**by_id).first()
    pair = None if last is None else _existing_pair(last.pair_id)
    if last is None or pair is None or not decisions_to_undo(reviewer=reviewer).filter(pk=last.pk).exists():
        if not ReviewDecision.objects.filter(reviewer=reviewer, undone_at__isnull=True, is_label=False).exists():
            raise NotFound("You have no decision to undo.")
        raise Conflict(
            "This decision is final: it is over a day old, or its pair is settled, or all opinions on the pair have "
            f"been there for {UNDO_GRACE.total_seconds():g} seconds, so that you can read the others."
        )
    now = database_now()
    last.undone_at = now
    last.save(update_fields=["undone_at"])
    _settle(pair)
    if not last.is_adjudication and _is_free(pair, reviewer, now):
        _give(pair, reviewer, now, is_random=last.is_random)
    return last


def _checked(
    pair: ParaphrasePair, verdict: str, reason: str, text: str, comment: str, *, allowed: set[str]
) -> dict[str, str]:
    """Return the validated columns of a decision, without values that its verdict does not use."""
    fields: dict[str, list[str]] = {}
    text, comment = text.strip(), comment.strip()
    if verdict not in allowed:
        fields["verdict"] = ["Choose one of the decisions."]
    if verdict == _Verdict.REJECT and (
        reason not in ReviewDecision.Reason.values or reason == ReviewDecision.Reason.LABELLED
    ):
        fields["reason"] = ["Choose why it is rejected."]
    if verdict == _Verdict.EDIT:
        if not text:
            fields["text"] = ["Write the changed text."]
        elif text == pair.paraphrase.strip():
            fields["text"] = ["The text is not changed: accept it instead."]
        elif len(text) > TEXT_LIMIT or "\0" in text:
            fields["text"] = ["The text is too long, or contains a NUL character."]
    if len(comment) > COMMENT_LIMIT or "\0" in comment:
        fields["comment"] = [f"A comment has at most {COMMENT_LIMIT} characters and no NUL."]
    if fields:
        raise ValidationFailed.of(fields)
    return {
        "verdict": verdict,
        "reason": reason if verdict == _Verdict.REJECT else "",
        "text": text if verdict == _Verdict.EDIT else "",
        "comment": comment,
    }


def _settle(pair: ParaphrasePair) -> None:
    """Update the state of a pair, whose row is locked, from the decisions that were not undone."""
    before = (pair.outcome, pair.outcome_text)
    settled = pair.decisions.filter(undone_at__isnull=True).exclude(is_adjudication=False, is_label=False)
    settlement = settled.order_by("-is_adjudication").first()
    pair_opinions = list(opinions().filter(pair=pair).order_by("pk"))
    said = {(opinion.verdict, opinion.text) for opinion in pair_opinions}
    if settlement is None and len(pair_opinions) >= pair.opinions_wanted and len(said) == 1:
        settlement = pair_opinions[0] if pair_opinions[0].verdict != _Verdict.UNSURE else None
    if settlement is not None:
        pair.state, pair.outcome, pair.outcome_text = _State.DECIDED, settlement.verdict, settlement.text
    else:
        waits = len(pair_opinions) < pair.opinions_wanted
        pair.state, pair.outcome, pair.outcome_text = _State.OPEN if waits else _State.ADJUDICATION, "", ""
    pair.save(update_fields=["state", "outcome", "outcome_text"])
    if pair.added_id is not None and (pair.outcome, pair.outcome_text) != before:
        accepted_pair_withdraw(pair=pair)


def _lock_person(person: User) -> None:
    """Lock a person's row, so that requests from two of their windows run one after the other."""
    User.objects.select_for_update(no_key=True).get(pk=person.pk)


def _locked_pairs(pair_id: int) -> QuerySet[ParaphrasePair]:
    """Return the pair with this id, if any, and lock its row."""
    rows = ParaphrasePair.objects.select_for_update(of=("self",), no_key=True)
    return rows.select_related("scored_by").filter(pk=pair_id)


def _existing_pair(pair_id: int) -> ParaphrasePair:
    return get_or_not_found(_locked_pairs(pair_id), "There is no such pair.")
