"""Reading lists of questions, and when questions were used on worksheets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import TypeVar

from django.db.models import Count, Max, Model, Q, QuerySet

from analytics.question_content import Section, content_of
from questionbank.bank.question_selectors import visible_to
from questionbank.core.database import get_or_not_found
from questionbank.models import Question, QuestionList, QuestionListItem, QuestionUse, User, Worksheet
from questionbank.worksheets.brought import sections_brought

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
    return get_or_not_found(
        rows.select_related("owner").filter(own if is_own else own | Q(is_shared=True)), refusal
    )


def question_lists() -> QuerySet[QuestionList]:
    """Return all lists, each with the number of its questions (`size`)."""
    return QuestionList.objects.annotate(size=Count("items"))


def last_list(*, user: User) -> QuestionList | None:
    """Return the list that a person changed last; None where they have none."""
    return QuestionList.objects.filter(owner_id=user.pk).first()


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


def sections_begun(
    questions: Sequence[Question], listed: Mapping[int, QuestionListItem], before: Section | None = None
) -> list[Section | None]:
    """Return the section that begins with each of some questions; None where the one before goes on.

    Args:
        listed: what a list says of some of them, by their ids.
        before: the section in which they follow.
    """
    contents = [content_of(question.content) for question in questions]
    own = sections_brought([one.section for one in contents], [question.source for question in questions])
    begun: list[Section | None] = []
    last = before or Section()
    for question, section in zip(questions, own, strict=True):
        item = listed.get(question.pk)
        if item is not None and (item.heading or item.instructions):
            section = Section(item.heading, item.instructions)
        if section in (Section(), last):
            begun.append(None)
            continue
        heading = "" if section.heading == last.heading else section.heading  # it has other instructions
        begun.append(Section(heading, section.instructions))
        last = section
    return begun


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
