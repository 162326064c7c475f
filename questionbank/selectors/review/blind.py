"""Who reads whose opinion on a pair, and until when a decision can be taken back: a second answer must be blind."""

from __future__ import annotations

import math
from datetime import timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet

from questionbank.database_clock import database_now
from questionbank.models import ParaphrasePair, ReviewDecision, User
from questionbank.selectors.review.review import opinions

UNDO_WITHIN = timedelta(days=1)
UNDO_GRACE = timedelta(seconds=20)  # for the opinion that makes a pair complete: a slip is noticed at once


def opinions_shown(*, pair: ParaphrasePair, viewer: User) -> list[ReviewDecision]:
    """Return what reviewers said of a decided pair, settlement last; nothing while the viewer may change theirs."""
    if pair.state != ParaphrasePair.State.DECIDED or grace_seconds(pair=pair, person=viewer):
        return []
    decisions = pair.decisions.filter(undone_at__isnull=True).exclude(verdict=ReviewDecision.Verdict.SKIP)
    return list(decisions.select_related("reviewer", "guideline").order_by("is_adjudication", "pk"))


def pair_history(*, pair: ParaphrasePair, viewer: User) -> list[ReviewDecision]:
    """Return all that was ever decided on a pair, what was skipped or taken back included, the earliest first.

    Nothing while another opinion is wanted, or the viewer may undo theirs; while the pair is to be settled, only for
    those who may review.
    """
    state = ParaphrasePair.State
    if pair.state == state.OPEN or grace_seconds(pair=pair, person=viewer):
        return []
    if pair.state == state.ADJUDICATION and not viewer.has_perm("questionbank.review"):
        return []
    return list(pair.decisions.select_related("reviewer").order_by("pk"))


def decisions_to_undo(*, reviewer: User) -> QuerySet[ReviewDecision]:
    """Return the reviewer's decisions that `review_undo` takes back, the latest first.

    A decision is final after a day, and once its pair is settled. One of several opinions also does when all of
    them are there, `UNDO_GRACE` later: nobody can read the others before, and a second answer after that is not blind.
    """
    now = database_now()
    of_pair = ReviewDecision.objects.filter(pair=OuterRef("pair"), undone_at__isnull=True)
    is_opinion = Q(is_adjudication=False) & ~Q(verdict=ReviewDecision.Verdict.SKIP)
    others = opinions().filter(pair=OuterRef("pair")).exclude(reviewer=reviewer)
    is_complete = ~Q(pair__state=ParaphrasePair.State.OPEN) & Exists(others)
    mine = ReviewDecision.objects.filter(
        reviewer=reviewer, undone_at__isnull=True, is_label=False, created_at__gte=now - UNDO_WITHIN
    )
    counted = is_opinion & (
        Exists(of_pair.filter(is_adjudication=True)) | is_complete & Q(created_at__lt=now - UNDO_GRACE)
    )
    return mine.exclude(counted).select_related("pair__added").order_by("-pk")


def grace_seconds(*, pair: ParaphrasePair, person: User) -> int:
    """Return how many seconds somebody still has to undo their opinion on a pair that has all of several; else 0.

    Until then they see nobody else's.
    """
    mine = opinions().filter(pair=pair, reviewer=person).order_by("-pk").first()
    if pair.opinions_wanted < 2 or pair.state == ParaphrasePair.State.OPEN or mine is None:
        return 0
    if pair.decisions.filter(is_adjudication=True, undone_at__isnull=True).exists():
        return 0
    return max(0, math.ceil((mine.created_at + UNDO_GRACE - database_now()).total_seconds()))
