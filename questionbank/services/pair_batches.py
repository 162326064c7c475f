"""What is done to a batch of pairs as a whole: it is deleted, or the machine's opinion of it is hidden."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet

from questionbank.errors import NotFound
from questionbank.models import BatchDeletion, ParaphrasePair, User
from questionbank.selectors.review.review_pairs import deletable_pairs
from questionbank.services.permissions import require


@dataclass(frozen=True, slots=True)
class BatchPreview:
    """What the deletion of a batch would do.

    Attributes:
        name: of the batch.
        pairs: all of it.
        deletable: pairs that would go.
        decided: pairs that stay because people decided on them or gave an opinion.
        others: pairs that stay because somebody has them on the screen, or somebody else added them.
    """

    name: str
    pairs: int
    deletable: int
    decided: int
    others: int


def batch_preview(*, batch: str, user: User) -> BatchPreview:
    """Count what a deletion would remove and keep.

    Raises:
        NotAllowed: the person is no reviewer.
        NotFound: there is no such batch.
    """
    pairs = _batch(batch, user)
    deletable = deletable_pairs(pairs, user=user).count()
    decided = deletable_pairs(pairs, user=user, with_opinions=True).count() - deletable
    total = pairs.count()
    return BatchPreview(batch, total, deletable, decided, total - deletable - decided)


@transaction.atomic
def batch_delete(*, batch: str, user: User) -> BatchDeletion:
    """Delete the pairs of a batch that nobody decided on, and note who did it.

    Pairs with opinions, those on somebody's screen and those that became questions of the bank stay. Reviewers delete
    what they added, admins anything.

    Raises:
        NotAllowed: the person is no reviewer.
        NotFound: there is no such batch.
    """
    pairs = _batch(batch, user)
    # A change of a lease or a decision holds the lock of the row too, so both wait for each other.
    locked = list(pairs.select_for_update().order_by("pk").values_list("pk", flat=True))
    chosen = deletable_pairs(ParaphrasePair.objects.filter(pk__in=locked), user=user)
    identifiers = list(chosen.values_list("pk", flat=True))
    ParaphrasePair.objects.filter(pk__in=identifiers).delete()
    return BatchDeletion.objects.create(
        batch=batch, deleted=len(identifiers), kept=len(locked) - len(identifiers), person=user
    )


def batch_hide_machine(*, batch: str, hide: bool, user: User) -> int:
    """Hide the machine's opinion of a batch's undecided pairs until they are decided, or show it again.

    Returns:
        How many pairs are undecided.

    Raises:
        NotAllowed: the person is no reviewer.
        NotFound: there is no such batch.
    """
    pairs = _batch(batch, user).exclude(state=ParaphrasePair.State.DECIDED)
    return pairs.update(hides_machine=hide)


def _batch(batch: str, user: User) -> QuerySet[ParaphrasePair, ParaphrasePair]:
    require(user, "review", "You may not change batches of pairs.")
    pairs = ParaphrasePair.objects.filter(batch=batch)
    if not batch or not pairs.exists():
        raise NotFound("There is no such batch.")
    return pairs
