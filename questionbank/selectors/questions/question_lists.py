"""Reading lists of questions."""

from __future__ import annotations

from typing import TypeVar

from django.db.models import Count, Model, Q, QuerySet

from questionbank.models import Question, QuestionList, QuestionListItem, User
from questionbank.rows import existing
from questionbank.selectors.questions.questions import visible_to

Shareable = TypeVar("Shareable", bound=Model)


def own_and_shared(rows: QuerySet[Shareable], user: User) -> dict[str, QuerySet[Shareable]]:
    """Return a person's own lists or worksheets, the last changed first, and those that others share."""
    shared = rows.filter(is_shared=True).exclude(owner_id=user.pk)
    return {"own": rows.filter(owner_id=user.pk), "shared": shared.select_related("owner")}


def readable(rows: QuerySet[Shareable], user: User, noun: str, *, is_own: bool = False) -> Shareable:
    """Return a list or worksheet that the person owns or, unless it must be their own, that is shared.

    Raises:
        NotFound: there is none, or it is not theirs or shared.
    """
    own = Q(owner_id=user.pk)
    refusal = f"There is no such {noun}, or it is not {'yours' if is_own else 'shared'}."
    return existing(rows.select_related("owner").filter(own if is_own else own | Q(is_shared=True)), refusal)


def question_lists() -> QuerySet[QuestionList]:
    """Return all lists, each with the number of its questions (`size`)."""
    return QuestionList.objects.annotate(size=Count("items"))


def question_list_get(*, list_id: int, user: User, is_own: bool = False) -> QuestionList:
    """Return a list; see `readable`."""
    return readable(QuestionList.objects.filter(pk=list_id), user, "list", is_own=is_own)


def questions_of_list(*, question_list: QuestionList, user: User | None = None) -> list[Question]:
    """Return the list's questions in order, without others' drafts."""
    questions = Question.objects.filter(visible_to(user), list_items__question_list=question_list)
    return list(questions.defer("search_vector", "content_hash").order_by("list_items__position"))


def items_of_list(*, question_list: QuestionList) -> dict[int, QuestionListItem]:
    """Return what the list says of its questions, by their ids."""
    return {item.question_id: item for item in question_list.items.all()}
