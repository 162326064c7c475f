"""Sets of responses, figures of questions, and the order of questions in a test."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Case, FloatField, Func, Q, QuerySet, When
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from analytics.responses.flags import FlagCode
from questionbank.bank.question_selectors import visible_to
from questionbank.core.database import get_or_not_found
from questionbank.core.errors import NotFound
from questionbank.models import ItemStatistics, Question, QuestionListItem, ResponseSet, User, Worksheet, WorksheetItem


def response_sets() -> QuerySet[ResponseSet]:
    """Return all sets that the viewer may see, the latest first."""
    return ResponseSet.objects.select_related("owner", "school")


def own_sets(*, user: User | None) -> QuerySet[ResponseSet]:
    """Return the sets that a person may delete: their own, or all for an admin or the system."""
    is_for_all = user is None or user.has_perm("questionbank.responses_delete")
    return ResponseSet.objects.all() if is_for_all else ResponseSet.objects.filter(owner=user)


def class_labels(*, user: User) -> list[str]:
    """Return the classes of the sets that a person may delete."""
    labels = own_sets(user=user).exclude(class_label="").order_by("class_label")
    return list(labels.values_list("class_label", flat=True).distinct())


def response_set_get(*, set_id: int) -> ResponseSet:
    """Return a set.

    Raises:
        NotFound: it does not exist.
    """
    return get_or_not_found(response_sets().filter(pk=set_id), "There is no such set of responses.")


def set_statistics(*, response_set: ResponseSet, user: User | None) -> list[ItemStatistics]:
    """Return the figures of a set's questions, except other people's drafts; flagged ones first."""
    seen = Question.objects.filter(visible_to(user))
    rows = ItemStatistics.objects.filter(response_set=response_set, question__in=seen).select_related("question")
    return sorted(rows.defer("question__search_vector"), key=lambda row: (not row.flags, row.question_id))


def overall_statistics(*, user: User | None) -> QuerySet[ItemStatistics]:
    """Return the figures of questions over all sets, except other people's drafts."""
    seen = Question.objects.filter(visible_to(user))
    return ItemStatistics.objects.filter(response_set=None, question__in=seen)


def flagged_questions(*, user: User | None) -> QuerySet[ItemStatistics]:
    """Return the figures over all sets of questions with a flag, except other people's drafts; the worst first."""
    seen = Question.objects.exclude(status=Question.Status.RETIRED)
    rank = Case(*(When(flags__0__code=code.value, then=place) for place, code in enumerate(FlagCode)), default=99)
    rows = overall_statistics(user=user).filter(question__in=seen).exclude(flags=[])
    return (
        rows.select_related("question")
        .defer("question__search_vector")
        .order_by(rank, Cast("flags__0__evidence", FloatField()).desc(), "question_id")
    )


def worksheet_statistics(
    *, worksheet: Worksheet, questions: Sequence[Question]
) -> tuple[list[ResponseSet], dict[tuple[int, int | None], ItemStatistics]]:
    """Return the sets of a worksheet with figures, the latest first, and the figures by question and set.

    Those of a question over all sets are under None.
    """
    sets = [found for found in response_sets().filter(worksheet=worksheet) if found.figures]
    rows = ItemStatistics.objects.filter(Q(response_set__in=sets) | Q(response_set=None), question__in=questions)
    return sets, {(row.question_id, row.response_set_id): row for row in rows}


def question_statistics(
    *, question: Question, merged: Sequence[int] = ()
) -> tuple[ItemStatistics | None, list[ItemStatistics]]:
    """Return the figures of a question over all sets, if there are some, and in each set that the viewer may see.

    The latest set is first. Among them are sets of earlier series: `ItemStatistics.version` tells. All sets count for
    the figures over all of them, whoever may see them (decision 171).

    Args:
        merged: questions that were merged into it, whose figures in each set are among the latter.
    """
    rows = list(
        ItemStatistics.objects.filter(
            Q(response_set=None) | Q(response_set__in=ResponseSet.objects.order_by()),
            question__in=[question.pk, *merged],
        )
        .select_related("response_set")
        .order_by("-response_set__day", "-response_set_id", "question_id")
    )
    overall = next((row for row in rows if row.response_set_id is None and row.question_id == question.pk), None)
    return overall, [row for row in rows if row.response_set_id is not None]


def contradicting_questions(*, user: User | None, surprise: float) -> QuerySet[ItemStatistics]:
    """Return the figures over all sets of questions whose responses contradict the text, the most surprising first.

    Args:
        user: the person viewing; other people's drafts are left out.
        surprise: fewest standard errors between the difficulty by the responses and that by the text.
    """
    seen = Question.objects.filter(visible_to(user)).exclude(status=Question.Status.RETIRED)
    contradiction = Func(Cast(KT("figures__surprise"), FloatField()), function="abs")
    rows = ItemStatistics.objects.filter(response_set=None, question__in=seen, figures__has_key="surprise")
    rows = rows.annotate(contradiction=contradiction).filter(contradiction__gte=surprise)
    return rows.select_related("question").defer("question__search_vector").order_by("-contradiction", "question_id")


def order_of_list(*, list_id: int) -> list[int]:
    """Return the ids of a list's questions in order.

    Raises:
        NotFound: the list does not exist, or is empty.
    """
    rows = QuestionListItem.objects.filter(question_list_id=list_id).order_by("position")
    return _order(list(rows.values_list("question_id", flat=True)), "list")


def order_of_worksheet(*, worksheet_id: int) -> list[int]:
    """Return the ids of a worksheet's questions in the order of version A, without descriptions.

    Raises:
        NotFound: the worksheet does not exist, or has no questions.
    """
    rows = WorksheetItem.objects.filter(worksheet_id=worksheet_id, question__isnull=False)
    asked = rows.exclude(question__kind=Question.Kind.DESCRIPTION).order_by("position")
    return _order([number for number in asked.values_list("question_id", flat=True) if number is not None], "worksheet")


def _order(ids: list[int], noun: str) -> list[int]:
    if not ids:
        raise NotFound(f"There is no such {noun}, or it has no questions.")
    return ids
