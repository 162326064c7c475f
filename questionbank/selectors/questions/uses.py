"""When questions were used on worksheets."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from django.db.models import Count, Max, QuerySet

from questionbank.models import Question, QuestionUse, Worksheet


def question_uses(*, question: Question) -> QuerySet[QuestionUse]:
    """Return the uses of a question, the latest first, each with its worksheet and the person."""
    return QuestionUse.objects.filter(question=question).select_related("worksheet", "user")


def last_uses(question_ids: Iterable[int], *, except_on: int | None = None) -> dict[int, date]:
    """Return the day on which each of some questions was last used; those never used are left out.

    Args:
        except_on: a worksheet whose own uses do not count.
    """
    uses = QuestionUse.objects.filter(question__in=list(question_ids)).order_by()
    if except_on is not None:
        uses = uses.exclude(worksheet=except_on)
    return dict(uses.values_list("question").annotate(Max("day")))


def worksheet_use_days(*, worksheet: Worksheet) -> list[tuple[date, int]]:
    """Return the days on which a worksheet was used, the latest first, with the number of its questions."""
    uses = QuestionUse.objects.filter(worksheet=worksheet).order_by("-day").values_list("day")
    return list(uses.annotate(Count("pk")))
