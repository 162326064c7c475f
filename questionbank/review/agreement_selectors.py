"""Reviewers' throughput, and how far they agree, on the pairs that the viewer may see.

Agreement is on whether a paraphrase may be used unchanged: accepted, or rejected / changed. "Unsure" and skipped
do not count. Krippendorff's alpha (2004, nominal) allows any number of reviewers and gaps; its interval is a
bootstrap over pairs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import combinations
from typing import Any

import krippendorff
import numpy as np
from django.db.models import Aggregate, Count, FloatField, Max, Q, QuerySet
from django.db.models.functions import Now

from analytics.metrics import cohen_kappa
from questionbank.models import ReviewDecision, User
from questionbank.review.selectors import decisions_seen, opinions

RESAMPLES = 1_000


_JUDGED = (ReviewDecision.Verdict.ACCEPT, ReviewDecision.Verdict.REJECT, ReviewDecision.Verdict.EDIT)


def _judgements() -> QuerySet[ReviewDecision, ReviewDecision]:
    return (opinions() & decisions_seen()).filter(verdict__in=_JUDGED, reviewer__isnull=False)


class _Median(Aggregate):
    function = "percentile_cont"
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


def throughput() -> list[dict[str, Any]]:
    """Return a row per reviewer, most decisions first: name, counts, median of the seconds, latest decision."""
    verdict = ReviewDecision.Verdict
    valid = Q(undone_at__isnull=True, is_adjudication=False)
    since = Now() - timedelta(days=1)
    rows = (
        decisions_seen()
        .filter(reviewer__isnull=False, is_label=False)
        .values("reviewer")
        .annotate(
            decisions=Count("pk", filter=valid & ~Q(verdict=verdict.SKIP)),
            last_day=Count("pk", filter=valid & ~Q(verdict=verdict.SKIP) & Q(created_at__gte=since)),
            accepted=Count("pk", filter=valid & Q(verdict=verdict.ACCEPT)),
            rejected=Count("pk", filter=valid & Q(verdict=verdict.REJECT)),
            edited=Count("pk", filter=valid & Q(verdict=verdict.EDIT)),
            unsure=Count("pk", filter=valid & Q(verdict=verdict.UNSURE)),
            skipped=Count("pk", filter=valid & Q(verdict=verdict.SKIP)),
            settled=Count("pk", filter=Q(undone_at__isnull=True, is_adjudication=True)),
            undone=Count("pk", filter=Q(undone_at__isnull=False)),
            seconds=_Median("seconds", filter=valid & ~Q(verdict=verdict.SKIP)),
            latest=Max("created_at"),
        )
        .order_by("-decisions", "reviewer")
    )
    people = User.objects.in_bulk([row["reviewer"] for row in rows])
    return [{**row, "reviewer": str(people[row["reviewer"]])} for row in rows]


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """The agreement of two reviewers on the pairs that both judged."""

    first: str
    second: str
    pairs: int
    same: int
    kappa: float


@dataclass(frozen=True, slots=True)
class ReasonAgreement:
    """How other reviewers judged the pairs that a reviewer rejected for one reason.

    Attributes:
        reason: label of a `ReviewDecision.Reason`.
        given: opinions with this reason on pairs that others judged too.
        same: others' opinions on these pairs that reject for the same reason.
        other_reason: others' opinions that reject for another reason.
        accepted: others' opinions that accept, with or without changes.
    """

    reason: str
    given: int
    same: int
    other_reason: int
    accepted: int

    @property
    def share(self) -> float:
        return self.same / max(1, self.same + self.other_reason + self.accepted)


def reason_agreement() -> list[ReasonAgreement]:
    """Count others' opinions on rejected pairs by reason for rejection, the most frequent reason first."""
    judged: defaultdict[int, list[tuple[str, str]]] = defaultdict(list)
    rows = _judgements()
    for pair, verdict, reason in rows.values_list("pair_id", "verdict", "reason"):
        judged[pair].append((verdict, reason))
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for judgements in judged.values():
        for place, (_verdict, reason) in enumerate(judgements):
            if not reason or len(judgements) < 2:
                continue
            others = judgements[:place] + judgements[place + 1 :]
            counts[reason]["given"] += 1
            for _other_verdict, theirs in others:
                counts[reason]["same" if theirs == reason else "other_reason" if theirs else "accepted"] += 1
    names = dict(ReviewDecision.Reason.choices)
    agreements = [
        ReasonAgreement(
            str(names[reason]), counter["given"], counter["same"], counter["other_reason"], counter["accepted"]
        )
        for reason, counter in counts.items()
    ]
    return sorted(agreements, key=lambda row: (-row.given, row.reason))


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far reviewers agree.

    Attributes:
        pairs: pairs judged by at least two reviewers; all figures are on these.
        same: pairs on which all reviewers gave the same answer.
        alpha: Krippendorff's alpha; None with fewer than two pairs, or if all answers are the same.
        low, high: its 95 % bootstrap interval.
    """

    pairs: int
    same: int
    alpha: float | None
    low: float | None
    high: float | None
    kappas: tuple[PairAgreement, ...]


def agreement() -> Agreement:
    """Measure agreement on all blind opinions that were not undone."""
    answers: defaultdict[int, dict[int, int]] = defaultdict(dict)
    rows = _judgements()
    for pair, reviewer, verdict in rows.values_list("pair_id", "reviewer_id", "verdict"):
        answers[pair][reviewer] = int(verdict == ReviewDecision.Verdict.ACCEPT)
    shared = [pair_answers for pair_answers in answers.values() if len(pair_answers) > 1]
    counts = np.array(  # (pairs, answers)
        [[list(pair_answers.values()).count(answer) for answer in (0, 1)] for pair_answers in shared], dtype=float
    ).reshape(-1, 2)
    alpha = low = high = None
    if len(shared) > 1 and counts.sum(axis=0).all():
        alpha = float(krippendorff.alpha(value_counts=counts, level_of_measurement="nominal"))
        low, high = _alpha_interval(counts)
    return Agreement(
        pairs=len(shared),
        same=sum(len(set(pair_answers.values())) == 1 for pair_answers in shared),
        alpha=alpha,
        low=low,
        high=high,
        kappas=tuple(_kappas(shared)),
    )


def _alpha_interval(counts: np.ndarray) -> tuple[float, float]:
    """Return the middle 95 % of alpha over pairs drawn with replacement, ignoring draws with a single answer."""
    generator = np.random.default_rng(0)
    answer_counts = counts.sum(axis=1)
    # A pair's disagreement: ordered couples of unlike answers, each pair weighted by its number of answers.
    unlike = (answer_counts**2 - (counts**2).sum(axis=1)) / (answer_counts - 1)
    alphas = []
    for _ in range(RESAMPLES):
        drawn = np.bincount(generator.integers(0, len(counts), len(counts)), minlength=len(counts))
        totals = drawn @ counts
        expected = (totals.sum() ** 2 - (totals**2).sum()) / (totals.sum() - 1)
        if expected > 0:
            alphas.append(1 - (drawn @ unlike) / expected)
    low, high = np.quantile(alphas, [0.025, 0.975])
    return float(low), float(high)


def _kappas(shared: list[dict[int, int]]) -> Iterator[PairAgreement]:
    both: defaultdict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for pair_answers in shared:
        for first, second in combinations(sorted(pair_answers), 2):
            both[first, second].append((pair_answers[first], pair_answers[second]))
    people = User.objects.in_bulk({person for couple in both for person in couple})
    for (first, second), couples in sorted(both.items()):
        ones, others = zip(*couples, strict=True)
        yield PairAgreement(
            first=str(people[first]),
            second=str(people[second]),
            pairs=len(couples),
            same=sum(left == right for left, right in couples),
            kappa=cohen_kappa(ones, others),
        )
