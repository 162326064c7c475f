"""What a set of triplets holds, and how much closeness of wording alone gives away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from analytics.errors import DataError
from analytics.paraphrase.scoring.metrics import roc_auc
from analytics.paraphrase.triplets import Triplet, wording_distance


@dataclass(frozen=True)
class TripletReport:
    """What a set of triplets holds.

    Attributes:
        positive_farther: share of the triplets whose positive is farther from the question than the negative.
        distance_auc: how well closeness alone tells positives from negatives; 0.5 means that it does not.
    """

    triplets: int
    questions: int
    positive_farther: float
    distance_auc: float
    positives: dict[str, int] = field(default_factory=dict)
    negatives: dict[str, int] = field(default_factory=dict)


def report_triplets(triplets: Sequence[Triplet]) -> TripletReport:
    """Count what a set of triplets holds, and how much closeness of wording alone gives away.

    Raises:
        DataError: there are no triplets.
    """
    if not triplets:
        raise DataError("There are no triplets.")
    near = [-wording_distance(triplet.anchor, triplet.positive) for triplet in triplets]
    far = [-wording_distance(triplet.anchor, triplet.negative) for triplet in triplets]
    return TripletReport(
        triplets=len(triplets),
        questions=len({triplet.anchor for triplet in triplets}),
        positive_farther=sum(positive < negative for positive, negative in zip(near, far, strict=True))
        / len(triplets),
        distance_auc=roc_auc([1] * len(near) + [0] * len(far), near + far),
        positives=_counts(triplet.positive_operator for triplet in triplets),
        negatives=_counts(triplet.negative_operator for triplet in triplets),
    )


def _counts(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names).most_common())
