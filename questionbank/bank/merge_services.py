"""Merging duplicates: checks the pairs, and requests the change of many questions that merges them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction

from questionbank.bank.bulk_selectors import merge_refusal
from questionbank.bank.bulk_services import bulk_change_request
from questionbank.bank.question_selectors import visible_to
from questionbank.core.errors import Conflict, NotAllowed, ValidationFailed
from questionbank.models import BulkChange, Question, User

MOST_MERGED = 1_000  # pairs per change; the undo restores them together


@dataclass(frozen=True, slots=True)
class MergePair:
    """A duplicate and the question to keep, with the versions that the person compared; None for any version."""

    merged: int
    kept: int
    merged_version: int | None = None
    kept_version: int | None = None


@transaction.atomic
def questions_merge(*, user: User, pairs: Sequence[MergePair]) -> BulkChange:
    """Merge each duplicate into the question to keep, or queue a job that does if there are many.

    Raises:
        ValidationFailed: a pair merges a question into itself, or the pairs form a circle or name a question twice.
        NotAllowed: the person may not change one of the questions.
        Conflict: one of the questions has changed since, or cannot be kept or merged.
    """
    if len(pairs) > MOST_MERGED:
        raise ValidationFailed.beside("pairs", f"Merge up to {MOST_MERGED:,} questions at once.")
    numbers = sorted({number for pair in pairs for number in (pair.merged, pair.kept)})
    rows = Question.objects.filter(pk__in=numbers).order_by("pk").select_for_update(no_key=True)
    questions = {row.pk: row for row in rows.defer("search_vector").filter(visible_to(user))}
    if missing := next((number for number in numbers if number not in questions), None):
        raise ValidationFailed.beside("pairs", f"There is no question {missing}.")
    _check_form(pairs)
    versions = dict(_versions(pairs))
    for pair in pairs:
        merged, kept = questions[pair.merged], questions[pair.kept]
        if refusal := merge_refusal(merged, kept, versions, user):
            is_forbidden = not all(user.has_perm("questionbank.question_edit", question) for question in (merged, kept))
            raise NotAllowed(refusal) if is_forbidden else Conflict(refusal)
    return bulk_change_request(
        user=user,
        kind=BulkChange.Kind.MERGE,
        values={
            "into": {str(pair.merged): pair.kept for pair in pairs},
            "versions": {str(number): questions[number].version for number in numbers},
        },
        question_ids=[pair.merged for pair in pairs],
        selection={},
    )


def _versions(pairs: Iterable[MergePair]) -> Iterable[tuple[int, int]]:
    for pair in pairs:
        for number, version in ((pair.merged, pair.merged_version), (pair.kept, pair.kept_version)):
            if version is not None:
                yield number, version


def _check_form(pairs: Sequence[MergePair]) -> None:
    """Check that no question is merged twice, into itself, or into one that is merged too."""
    merged: set[int] = set()
    for pair in pairs:
        if pair.merged == pair.kept:
            raise ValidationFailed.beside("pairs", f"Question {pair.merged} cannot be merged into itself.")
        if pair.merged in merged:
            raise ValidationFailed.beside("pairs", f"Question {pair.merged} can be merged into one question only.")
        merged.add(pair.merged)
    for pair in pairs:
        if pair.kept in merged:
            sentence = f"Question {pair.kept} is to be merged and kept at once: choose one question to keep."
            raise ValidationFailed.beside("pairs", sentence)
