"""Changing lists of questions; each function is one transaction and requires the list's owner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from django.db import transaction

from analytics.question_content import Section
from questionbank.core.errors import ValidationFailed
from questionbank.models import Question, QuestionList, QuestionListItem, User
from questionbank.people.owned import checked_name, last_position, locked_rows, row_move, row_remove
from questionbank.people.permissions import require_owner

LONGEST_LIST = 300  # questions; the page shows all of them


@dataclass(frozen=True, slots=True)
class ListedPlace:
    """Points and section of a question in a list, which override the question's own."""

    points: float | None = None
    section: Section = field(default_factory=Section)


@transaction.atomic
def question_list_create(*, user: User, name: str, instructions: str = "") -> QuestionList:
    """Create an empty list.

    Args:
        instructions: the instructions of the paper that the list is made from.

    Raises:
        ValidationFailed: the name is empty, too long, or already used for one of the person's lists.
    """
    return QuestionList.objects.create(
        owner=user,
        name=checked_name(QuestionList.unrestricted.filter(owner=user), name, noun="list"),
        instructions=instructions,
    )


@transaction.atomic
def question_list_rename(*, user: User, question_list: QuestionList, name: str) -> QuestionList:
    """Rename a list.

    Raises:
        ValidationFailed: as for `question_list_create`.
        NotAllowed: the list belongs to somebody else.
    """
    require_owner(user, question_list)
    others = QuestionList.unrestricted.filter(owner=user).exclude(pk=question_list.pk)
    question_list.name = checked_name(others, name, noun="list")
    question_list.save(update_fields=["name", "updated_at"])
    return question_list


@transaction.atomic
def question_list_delete(*, user: User, question_list: QuestionList) -> None:
    """Delete a list; its questions stay in the bank.

    Raises:
        NotAllowed: the list belongs to somebody else.
    """
    require_owner(user, question_list)
    question_list.delete()


@transaction.atomic
def question_list_add(
    *,
    user: User,
    question_list: QuestionList,
    questions: Iterable[Question],
    with_templates: bool = False,
    places: Mapping[int, ListedPlace] | None = None,
) -> int:
    """Append questions to a list and return how many were not on it yet.

    Args:
        with_templates: also add questions that draw their numbers, which worksheets leave out.
        places: points and sections for some questions, by question id.

    Raises:
        ValidationFailed: the list would hold more than `LONGEST_LIST` questions.
        NotAllowed: the list belongs to somebody else.
    """
    items = locked_rows(user=user, owner=question_list)
    listed = set(items.values_list("question_id", flat=True))
    question_ids = (question.pk for question in questions if with_templates or not question.draws_numbers)
    added = [pk for pk in dict.fromkeys(question_ids) if pk not in listed]
    if len(listed) + len(added) > LONGEST_LIST:
        raise ValidationFailed(f"A list holds up to {LONGEST_LIST} questions.")
    usual = ListedPlace()
    QuestionListItem.objects.bulk_create(
        QuestionListItem(
            question_list=question_list,
            question_id=pk,
            position=position,
            points=(place := (places or {}).get(pk, usual)).points,
            heading=place.section.heading,
            instructions=place.section.instructions,
        )
        for position, pk in enumerate(added, start=last_position(items) + 1)
    )
    question_list.save(update_fields=["updated_at"])
    return len(added)


@transaction.atomic
def question_list_remove(*, user: User, question_list: QuestionList, question_id: int) -> int:
    """Remove a question from a list and return its former position, from 1; 0 if it was not on the list.

    Raises:
        NotAllowed: the list belongs to somebody else.
    """
    items = locked_rows(user=user, owner=question_list)
    item = items.filter(question_id=question_id).first()
    if item is None:
        return 0
    place = items.filter(position__lte=item.position).count()
    row_remove(items, pk=item.pk)
    question_list.save(update_fields=["updated_at"])
    return place


@transaction.atomic
def question_list_move(*, user: User, question_list: QuestionList, question_id: int, position: int) -> None:
    """Move a question to a position, counted from 1; a position beyond the end means the last one.

    Raises:
        NotAllowed: the list belongs to somebody else.
    """
    items = locked_rows(user=user, owner=question_list)
    item = items.filter(question_id=question_id).first()
    if item is not None:
        row_move(items, pk=item.pk, position=position)
        question_list.save(update_fields=["updated_at"])
