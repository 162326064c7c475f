"""Reading lists of questions."""

from __future__ import annotations

from django.db.models import Count, QuerySet

from questionbank.errors import NotFound
from questionbank.models import Question, QuestionList, User
from questionbank.selectors.questions.questions import visible_to


def question_lists_of(*, user: User) -> QuerySet[QuestionList]:
    """Return a person's lists with the number of their questions (`size`), the last changed first."""
    return QuestionList.objects.filter(owner_id=user.pk).annotate(size=Count("items"))


def shared_question_lists(*, user: User) -> QuerySet[QuestionList]:
    """Return the lists that others share, with their `size` and owner."""
    shared = QuestionList.objects.filter(is_shared=True).exclude(owner_id=user.pk)
    return shared.select_related("owner").annotate(size=Count("items"))


def question_list_get(*, list_id: int, user: User) -> QuestionList:
    """Return a list that the person owns or that is shared.

    Raises:
        NotFound: there is no such list, or it is somebody else's and not shared.
    """
    question_list = QuestionList.objects.select_related("owner").filter(pk=list_id).first()
    if question_list is None or not (question_list.is_shared or question_list.owner_id == user.pk):
        raise NotFound("There is no such list, or it is not shared.")
    return question_list


def questions_of_list(*, question_list: QuestionList, user: User | None = None) -> list[Question]:
    """Return the list's questions in order, without others' drafts."""
    questions = Question.objects.filter(visible_to(user), list_items__question_list=question_list)
    return list(questions.defer("search_vector", "content_hash").order_by("list_items__position"))
