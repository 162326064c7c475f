"""Reading lists of questions."""

from __future__ import annotations

from django.db.models import Count, Q, QuerySet

from questionbank.models import Question, QuestionList, User
from questionbank.rows import existing
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
    lists = QuestionList.objects.select_related("owner").filter(readable_by(user))
    return existing(lists.filter(pk=list_id), "There is no such list, or it is not shared.")


def readable_by(user: User) -> Q:
    """Return the condition of lists, or worksheets, that the person owns or that are shared."""
    return Q(is_shared=True) | Q(owner_id=user.pk)


def questions_of_list(*, question_list: QuestionList, user: User | None = None) -> list[Question]:
    """Return the list's questions in order, without others' drafts."""
    questions = Question.objects.filter(visible_to(user), list_items__question_list=question_list)
    return list(questions.defer("search_vector", "content_hash").order_by("list_items__position"))
