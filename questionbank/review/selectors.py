"""The review queue, who may see whose opinion on a pair, and reviewers' decisions as rows to export."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import BigIntegerField, Case, Count, Exists, F, OuterRef, Q, QuerySet, When
from django.db.models.functions import Coalesce, Now

from analytics import records
from analytics.paraphrase.operators.catalog import OPERATORS
from questionbank.bank.question_selectors import in_language
from questionbank.core.database import database_now, get_or_not_found
from questionbank.models import (
    ParaphrasePair,
    ReviewDecision,
    ReviewGuideline,
    ReviewLease,
    ReviewPreference,
    SchoolMembership,
    SettlementLease,
    User,
)
from questionbank.models.visibility import EVERYBODY

DEFAULT_KEYS = {  # action -> key; a literal table, in the order of the legend
    "accept": "a",
    "number": "1",
    "unit": "2",
    "entity": "3",
    "information": "4",
    "target": "5",
    "meaning": "6",
    "language": "7",
    "same": "8",
    "edit": "e",
    "unsure": "u",
    "skip": "s",
    "undo": "z",
    "comment": "c",
}
EXPORT_FIELDS = (
    "pair", "source_id", "batch", "original", "paraphrase", "language", "source", "generator", "state", "outcome",
    "outcome_text", "reviewer", "verdict", "reason", "text", "comment", "adjudication", "label", "random",
    "seconds", "decided_at", "guideline_version", "scorer", "scorer_id", "score", "probability",
    "solver_agrees", "solver_original", "solver_paraphrase",
)  # fmt: skip


def opinions() -> QuerySet[ReviewDecision, ReviewDecision]:
    """Return decisions that count as blind opinions: not undone, skipped, from a file, or a settlement."""
    return ReviewDecision.objects.filter(undone_at__isnull=True, is_adjudication=False, is_label=False).exclude(
        verdict=ReviewDecision.Verdict.SKIP
    )


def decisions_seen() -> QuerySet[ReviewDecision, ReviewDecision]:
    """Return the decisions on pairs that the viewer may see, those that were undone as well."""
    return ReviewDecision.objects.filter(pair__in=ParaphrasePair.objects.all())


def skips() -> QuerySet[ReviewDecision, ReviewDecision]:
    """Return the decisions that skip a pair; a reviewer may have several on one pair."""
    return ReviewDecision.objects.filter(undone_at__isnull=True, verdict=ReviewDecision.Verdict.SKIP)


def was_skipped(*, pair: ParaphrasePair, reviewer: User) -> bool:
    """Return whether the reviewer skipped the pair before."""
    return skips().filter(pair=pair, reviewer=reviewer).exists()


def pair_get(*, pair_id: int) -> ParaphrasePair:
    """Return one pair."""
    return get_or_not_found(
        ParaphrasePair.objects.select_related("scored_by", "question", "added").filter(pk=pair_id),
        "There is no such pair.",
    )


def typed_by(*people: int) -> Q:
    """Return the condition for pairs that one of these people typed, by their ids."""
    return Q(source=ParaphrasePair.Source.TYPED, created_by__in=people)


def may_settle(*, pair: ParaphrasePair, person: User) -> bool:
    """Return whether somebody may settle a pair: an admin, or a reviewer who neither typed nor judged it."""
    if not person.has_perm("questionbank.review"):
        return False
    if person.has_perm("questionbank.settle_own"):
        return True
    is_typed = pair.source == ParaphrasePair.Source.TYPED and pair.created_by_id == person.pk
    return not (is_typed or opinions().filter(pair=pair, reviewer=person).exists())


def taken_back(*, pair: ParaphrasePair, reviewer: User, is_adjudication: bool) -> ReviewDecision | None:
    """Return the reviewer's last decision on a pair if it was undone; else None."""
    mine = pair.decisions.filter(reviewer=reviewer, is_adjudication=is_adjudication)
    last = mine.order_by("-pk").first()
    return last if last is not None and last.undone_at is not None else None


def guideline_unread(*, reviewer: User) -> ReviewGuideline | None:
    """Return the latest guidelines if the reviewer has not confirmed having read them.

    None if they have.
    """
    latest = ReviewGuideline.objects.order_by("-version").first()
    preference = ReviewPreference.objects.filter(reviewer=reviewer).first()
    seen = preference.guideline_seen if preference else 0
    return latest if latest is not None and latest.version > seen else None


def review_keys(*, reviewer: User) -> dict[str, str]:
    """Return the key of each action; empty if the reviewer disabled it."""
    preference = getattr(reviewer, "review_preference", None)
    chosen = preference.keys if preference else {}
    return {action: chosen.get(action, usual) for action, usual in DEFAULT_KEYS.items()}


def guideline_history() -> list[ReviewGuideline]:
    """Return all versions, latest first, each with the number of its decisions as `used`."""
    counted = Count("decisions", filter=Q(decisions__undone_at__isnull=True))
    return list(ReviewGuideline.objects.select_related("created_by").annotate(used=counted).order_by("-version"))


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """Counts of pairs by state. `on_screens` and `unscored` are among the open ones."""

    open: int
    on_screens: int
    unscored: int
    adjudication: int
    accepted: int
    edited: int
    rejected: int

    @property
    def decided(self) -> int:
        return self.accepted + self.edited + self.rejected

    @property
    def total(self) -> int:
        return self.open + self.adjudication + self.decided


def queue_counts() -> QueueCounts:
    """Count the pairs that the viewer may see by state and outcome."""
    state, outcome = ParaphrasePair.State, ParaphrasePair.Outcome
    counts = ParaphrasePair.objects.aggregate(
        open=Count("pk", filter=Q(state=state.OPEN)),
        unscored=Count("pk", filter=Q(state=state.OPEN, score__isnull=True)),
        adjudication=Count("pk", filter=Q(state=state.ADJUDICATION)),
        accepted=Count("pk", filter=Q(outcome=outcome.ACCEPT)),
        edited=Count("pk", filter=Q(outcome=outcome.EDIT)),
        rejected=Count("pk", filter=Q(outcome=outcome.REJECT)),
    )
    leased = ReviewLease.objects.filter(expires_at__gt=Now(), pair__in=ParaphrasePair.objects.filter(state=state.OPEN))
    return QueueCounts(on_screens=leased.values("pair").distinct().count(), **counts)


def reviewers() -> QuerySet[User, User]:
    """Return active users who may review."""
    named = User.groups.through.objects.filter(user=OuterRef("pk"), group__name__in=("reviewer", "admin"))
    return User.objects.filter(Q(Exists(named)) | Q(is_superuser=True), is_active=True)


def colleagues(*, reviewer: User) -> QuerySet[User, User]:
    """Return the other reviewers who may see the pair of the query that this is a subquery of."""
    audience = Coalesce(OuterRef("question__audience"), OuterRef("audience"), output_field=BigIntegerField())
    admins = User.groups.through.objects.filter(user=OuterRef("pk"), group__name="admin")
    members = SchoolMembership.objects.filter(person=OuterRef("pk"), school=OuterRef("pair_audience"))
    sees_pair = Q(pair_audience=EVERYBODY) | Q(pair_audience=-F("pk")) | Exists(members)
    others = reviewers().exclude(pk=reviewer.pk).alias(pair_audience=audience)
    return others.filter(sees_pair | Exists(admins) | Q(is_superuser=True))


@dataclass(frozen=True, slots=True)
class StuckPairs:
    """Open pairs that no reviewer will be given as things are.

    Attributes:
        too_few: pairs that want more opinions than there are reviewers left who have given none.
        skipped: other pairs that everybody without an opinion on them has skipped.
    """

    too_few: int
    skipped: int


def stuck_pairs() -> StuckPairs:
    """Count the open pairs that need another reviewer, or a reviewer who reconsiders a skip."""
    people = list(reviewers().values_list("pk", flat=True))
    alone = len(people) == 1  # and decides on pairs that they typed as well
    typed = Q(pk=None) if alone else typed_by(*people)
    valid = Q(decisions__undone_at__isnull=True, decisions__is_adjudication=False)
    opinion = valid & ~Q(decisions__verdict=ReviewDecision.Verdict.SKIP)
    theirs = Q(decisions__reviewer__in=people) & ~(typed & Q(decisions__reviewer=F("created_by")))
    pairs = ParaphrasePair.objects.filter(state=ParaphrasePair.State.OPEN).annotate(
        people=Case(When(typed, then=len(people) - 1), default=len(people)),
        given=Count("decisions", filter=opinion),
        judges=Count("decisions__reviewer", filter=opinion & theirs, distinct=True),
        seen_by=Count("decisions__reviewer", filter=valid & theirs, distinct=True),
    )
    is_short = Q(opinions_wanted__gt=F("given") + F("people") - F("judges"))
    counts = pairs.aggregate(
        too_few=Count("pk", filter=is_short), skipped=Count("pk", filter=Q(seen_by=F("people")) & ~is_short)
    )
    return StuckPairs(**counts)


def adjudications() -> QuerySet[ParaphrasePair, ParaphrasePair]:
    """Return pairs on which reviewers disagree, oldest first."""
    return ParaphrasePair.objects.filter(state=ParaphrasePair.State.ADJUDICATION).order_by("pk")


def next_to_settle(*, person: User) -> ParaphrasePair | None:
    """Return the oldest pair awaiting settlement that the person may settle and nobody else is settling."""
    held = SettlementLease.objects.filter(pair=OuterRef("pk"), expires_at__gt=Now())
    pairs = adjudications().filter(~Exists(held.exclude(reviewer=person)))
    if not person.has_perm("questionbank.settle_own"):
        person_opinions = opinions().filter(pair=OuterRef("pk"), reviewer=person)
        pairs = pairs.exclude(typed_by(person.pk)).filter(~Exists(person_opinions))
    return pairs.first()


def export_fields(*, include_undone: bool = False) -> tuple[str, ...]:
    """Return the column names of `decision_rows`."""
    return (*EXPORT_FIELDS, "undone_at") if include_undone else EXPORT_FIELDS


def decision_rows(*, include_undone: bool = False) -> Iterator[dict[str, Any]]:
    """Yield decisions as rows with the columns `export_fields`, in order and without loading all of them.

    Pairs that wait for another opinion are left out, so that nobody reads the first before giving the second.
    """
    decisions = (
        ReviewDecision.objects.filter(pair__in=ParaphrasePair.objects.exclude(state=ParaphrasePair.State.OPEN))
        .select_related("pair", "reviewer", "guideline")
        .order_by("pk")
    )
    if not include_undone:
        decisions = decisions.filter(undone_at__isnull=True)
    for decision in decisions.iterator(chunk_size=500):
        pair = decision.pair
        values = (
            pair.pk, pair.source_id, pair.batch, pair.original, pair.paraphrase, pair.language, pair.source,
            pair.generator, pair.state, pair.outcome, pair.outcome_text,
            decision.reviewer.get_username() if decision.reviewer else "", decision.verdict, decision.reason,
            decision.text, decision.comment, decision.is_adjudication, decision.is_label, decision.is_random,
            round(decision.seconds, 1), decision.created_at.isoformat(), decision.guideline.version,
            decision.scorer_name, decision.scorer_id, decision.score, decision.probability, *_solved_columns(pair),
        )  # fmt: skip
        row = dict(zip(EXPORT_FIELDS, values, strict=True))
        if include_undone:
            row["undone_at"] = decision.undone_at.isoformat() if decision.undone_at else None
        yield row


def _solved_columns(pair: ParaphrasePair) -> tuple[bool | None, str, str]:
    """Return whether the solver's answers to both texts agree, and the equation of each text with its answer."""
    solved = pair.solved or {}
    original, paraphrase = (
        f"{side['equation']} = {side['answer']}" if (side := solved.get(name)) else ""
        for name in ("original", "paraphrase")
    )
    return solved.get("agree"), original, paraphrase


_OPERATORS = frozenset(operator.name for operator in OPERATORS)


def decided_pairs(*, language: str = "") -> Iterator[records.ParaphrasePair]:
    """Yield decided pairs as examples to train and evaluate a scorer: label 1 accepted, 0 rejected.

    A pair rejected because both texts are the same is left out: its meaning is the same. For a pair accepted with
    changes, the changed text is valid. The first text may only have been clumsy, so it counts as invalid if the
    findings include something serious, and is left out otherwise.
    """
    outcome = ParaphrasePair.Outcome
    rows = ParaphrasePair.objects.filter(state=ParaphrasePair.State.DECIDED).order_by("pk")
    if language:
        rows = rows.filter(in_language(language))
    standing = ReviewDecision.objects.filter(
        pair=OuterRef("pk"), verdict=ReviewDecision.Verdict.REJECT, undone_at__isnull=True
    )
    same = ReviewDecision.Reason.SAME
    rows = rows.exclude(
        Exists(standing.filter(reason=same)), ~Exists(standing.exclude(reason=same)), outcome=outcome.REJECT
    )
    for pair in rows.iterator(chunk_size=500):
        name = f"review-{pair.pk}"
        made_by = pair.source_id.rpartition("-")[2]  # as `make_test_pairs` names them
        operator = made_by if made_by in _OPERATORS else ""
        if pair.outcome != outcome.EDIT:
            label = int(pair.outcome == outcome.ACCEPT)
            yield records.ParaphrasePair(name, pair.original, pair.paraphrase, label, operator)
            continue
        if any(finding["is_serious"] for finding in pair.findings or ()):
            yield records.ParaphrasePair(name, pair.original, pair.paraphrase, 0, operator)
        yield records.ParaphrasePair(f"{name}-changed", pair.original, pair.outcome_text, 1)


UNDO_WITHIN = timedelta(days=1)
UNDO_GRACE = timedelta(seconds=20)  # for the opinion that completes a pair: a slip is noticed at once


def opinions_shown(*, pair: ParaphrasePair, viewer: User) -> list[ReviewDecision]:
    """Return the opinions on a decided pair, settlement last; empty while the viewer may still change theirs."""
    if pair.state != ParaphrasePair.State.DECIDED or grace_seconds(pair=pair, person=viewer):
        return []
    decisions = pair.decisions.filter(undone_at__isnull=True).exclude(verdict=ReviewDecision.Verdict.SKIP)
    return list(decisions.select_related("reviewer", "guideline").order_by("is_adjudication", "pk"))


def pair_history(*, pair: ParaphrasePair, viewer: User) -> list[ReviewDecision]:
    """Return all decisions ever made on a pair, including skipped and undone ones, earliest first.

    Empty while another opinion is wanted, or while the viewer may undo theirs. While the pair awaits settlement, only
    reviewers see them.
    """
    state = ParaphrasePair.State
    if pair.state == state.OPEN or grace_seconds(pair=pair, person=viewer):
        return []
    if pair.state == state.ADJUDICATION and not viewer.has_perm("questionbank.review"):
        return []
    return list(pair.decisions.select_related("reviewer").order_by("pk"))


def decisions_to_undo(*, reviewer: User) -> QuerySet[ReviewDecision]:
    """Return the reviewer's decisions that `review_undo` can undo, latest first.

    A decision is final after a day, and once its pair is settled. One of several opinions also becomes final
    `UNDO_GRACE` after all of them are given: before that nobody can read the others, and a second answer after that is
    not blind.
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
    """Return how many seconds somebody still has to undo their opinion on a pair with all of several opinions; else 0.

    Until then they do not see the others' opinions.
    """
    mine = opinions().filter(pair=pair, reviewer=person).order_by("-pk").first()
    if pair.opinions_wanted < 2 or pair.state == ParaphrasePair.State.OPEN or mine is None:
        return 0
    if pair.decisions.filter(is_adjudication=True, undone_at__isnull=True).exists():
        return 0
    return max(0, math.ceil((mine.created_at + UNDO_GRACE - database_now()).total_seconds()))
