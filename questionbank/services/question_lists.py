"""Writing lists of questions; each function is one transaction and lets only the list's owner in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db import transaction
from django.utils.translation import ngettext

from questionbank.errors import NotAllowed, ValidationFailed
from questionbank.models import Question, QuestionList, QuestionListItem, User

LONGEST_LIST = 300  # questions; the page shows all of them
NAME_LIMIT = 120


@transaction.atomic
def question_list_create(*, user: User, name: str) -> QuestionList:
    """Create an empty list.

    Raises:
        ValidationFailed: the name is empty, too long, or the person has a list of that name.
    """
    return QuestionList.objects.create(owner=user, name=_checked_name(user, name))


@transaction.atomic
def question_list_update(
    *, user: User, question_list: QuestionList, name: str, is_shared: bool
) -> QuestionList:
    """Rename a list, share it inside the school, or stop sharing it.

    Raises:
        ValidationFailed: as for `question_list_create`.
        NotAllowed: the list is somebody else's.
    """
    _check_owner(user, question_list)
    question_list.name = _checked_name(user, name, exclude=question_list)
    question_list.is_shared = is_shared
    question_list.save()
    return question_list


@transaction.atomic
def question_list_delete(*, user: User, question_list: QuestionList) -> None:
    """Delete a list; its questions stay in the bank.

    Raises:
        NotAllowed: the list is somebody else's.
    """
    _check_owner(user, question_list)
    question_list.delete()


@transaction.atomic
def question_list_add(
    *, user: User, question_list: QuestionList, questions: Iterable[Question], with_templates: bool = False
) -> int:
    """Add questions at the end of a list and return how many were not in it yet.

    Args:
        with_templates: also those that draw their numbers, whose variables would stand on the worksheet.

    Raises:
        ValidationFailed: the list would hold more than `LONGEST_LIST` questions.
        NotAllowed: the list is somebody else's.
    """
    _check_owner(user, question_list)
    order = _locked_order(question_list)
    listed = set(order)
    wanted = (question.pk for question in questions if with_templates or not question.draws_numbers)
    added = [pk for pk in dict.fromkeys(wanted) if pk not in listed]
    if len(order) + len(added) > LONGEST_LIST:
        message = ngettext(
            "A list holds up to %(number)d question.",
            "A list holds up to %(number)d questions.",
            LONGEST_LIST,
        ) % {"number": LONGEST_LIST}
        raise ValidationFailed(message)
    QuestionListItem.objects.bulk_create(
        QuestionListItem(question_list=question_list, question_id=pk, position=position)
        for position, pk in enumerate(added, start=_last_position(question_list) + 1)
    )
    question_list.save(update_fields=["updated_at"])
    return len(added)


@transaction.atomic
def question_list_remove(*, user: User, question_list: QuestionList, question_id: int) -> None:
    """Take a question out of a list; nothing happens where it is not in it.

    Raises:
        NotAllowed: the list is somebody else's.
    """
    _check_owner(user, question_list)
    order = _locked_order(question_list)
    QuestionListItem.objects.filter(question_list=question_list, question_id=question_id).delete()
    _number(question_list, [pk for pk in order if pk != question_id])


@transaction.atomic
def question_list_move(*, user: User, question_list: QuestionList, question_id: int, position: int) -> None:
    """Move a question to a place, counted from 1; a place beyond the end is the last one.

    Raises:
        NotAllowed: the list is somebody else's.
    """
    _check_owner(user, question_list)
    order = _locked_order(question_list)
    if question_id not in order:
        return
    order.remove(question_id)
    order.insert(max(0, position - 1), question_id)
    _number(question_list, order)


def _check_owner(user: User, question_list: QuestionList) -> None:
    if question_list.owner_id != user.pk:
        raise NotAllowed("This list belongs to somebody else.")


def _checked_name(user: User, name: str, exclude: QuestionList | None = None) -> str:
    name = " ".join(name.replace("\x00", "").split())
    problem = ""
    if not name:
        problem = "Enter a name for the list."
    elif len(name) > NAME_LIMIT:
        problem = f"Use at most {NAME_LIMIT} characters."
    else:
        same_name = QuestionList.objects.filter(owner=user, name=name)
        if exclude is not None:
            same_name = same_name.exclude(pk=exclude.pk)
        if same_name.exists():
            problem = "You already have a list with this name."
    if problem:
        raise ValidationFailed(problem, fields={"name": [problem]})
    return name


def _locked_order(question_list: QuestionList) -> list[int]:
    """Return the ids of the list's questions in order; two changes of one list wait for each other."""
    QuestionList.objects.select_for_update().get(pk=question_list.pk)
    return list(question_list.items.values_list("question_id", flat=True))


def _last_position(question_list: QuestionList) -> int:
    last = question_list.items.last()
    return last.position if last else 0


def _number(question_list: QuestionList, order: Sequence[int]) -> None:
    places = {pk: position for position, pk in enumerate(order, start=1)}
    items = list(question_list.items.all())
    for item in items:
        item.position = places[item.question_id]
    QuestionListItem.objects.bulk_update(items, ["position"])
    question_list.save(update_fields=["updated_at"])
