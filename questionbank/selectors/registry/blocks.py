"""The progress of a job that is done in blocks."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Max, Q, Sum
from django.db.models.functions import Coalesce, Now

from questionbank.models import WorkBlock


@dataclass(frozen=True, slots=True)
class BlockSums:
    """Sums over the blocks of a job.

    Attributes:
        looked_at: rows of the finished blocks.
        total: rows of all blocks.
        stored: rows that a result was stored for.
        unfinished: blocks that are not finished.
        free: those of them that nobody works on.
        last: the highest id of all blocks.
    """

    looked_at: int
    total: int
    stored: int
    unfinished: int
    free: int
    last: int


def block_sums(*, job: str) -> BlockSums:
    """Return the sums over the blocks of a job."""
    finished = Q(done__isnull=False)
    free = Q(until=None) | Q(until__lt=Now())
    return BlockSums(
        **WorkBlock.objects.filter(job=job).aggregate(
            looked_at=Coalesce(Sum("size", filter=finished), 0),
            total=Coalesce(Sum("size"), 0),
            stored=Coalesce(Sum("done"), 0),
            unfinished=Count("pk", filter=~finished),
            free=Count("pk", filter=~finished & free),
            last=Coalesce(Max("last"), 0),
        )
    )
