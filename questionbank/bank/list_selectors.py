"""Lists of questions, and when questions were used on worksheets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import TypeVar

from django.db.models import Count, Max, Model, Q, QuerySet

from analytics.question_content import Section, content_of
from questionbank.bank.question_selectors import visible_to
from questionbank.core.database import get_or_not_found
from questionbank.models import Question, QuestionList, QuestionListItem, QuestionUse, User, Visibility, Worksheet
from questionbank.models.visibility import seen_rows

Shareable = TypeVar("Shareable", bound=Model)
SHARED = ~Q(visibility=Visibility.PRIVATE)
"""The condition for rows shared with whoever sees them; an admin sees other people's private rows, too."""


def own_or_shared(rows: QuerySet[Shareable], user: User) -> QuerySet[Shareable]:
    """Return a person's own rows and those that others share with them, each with its owner and school."""
    return rows.select_related("owner", "school").filter(Q(owner_id=user.pk) | SHARED)


def own_and_shared(rows: QuerySet[Shareable], user: User) -> dict[str, QuerySet[Shareable]]:
    """Return a person's own lists or worksheets, most recently changed first, and those that others share with them."""
    shared = rows.filter(SHARED).exclude(owner_id=user.pk)
    return {
        "own": rows.filter(owner_id=user.pk).select_related("school"),
        "shared": shared.select_related("owner", "school"),
    }


def readable(rows: QuerySet[Shareable], user: User, noun: str, *, is_own: bool = False) -> Shareable:
    """Return a list, worksheet or test paper that the person owns or, unless `is_own`, that is shared with them.

    Raises:
        NotFound: it does not exist, or is neither theirs nor shared with them.
    """
    rows = own_or_shared(rows, user)
    refusal = f"There is no such {noun}, or it is not {'yours' if is_own else 'shared with you'}."
    return get_or_not_found(rows.filter(owner_id=user.pk) if is_own else rows, refusal)


def question_lists() -> QuerySet[QuestionList]:
    """Return all lists, annotated with their number of questions that the viewer may see (`size`)."""
    return QuestionList.objects.annotate(size=Count("items", filter=seen_rows("items__question__audience") or None))


def last_list(*, user: User) -> QuestionList | None:
    """Return the list that a person changed most recently; None if they have no list."""
    return QuestionList.objects.filter(owner_id=user.pk).first()


def question_list_get(*, list_id: int, user: User, is_own: bool = False) -> QuestionList:
    """Return a list; see `readable`."""
    return readable(QuestionList.objects.filter(pk=list_id), user, "list", is_own=is_own)


def questions_of_list(*, question_list: QuestionList, user: User | None = None) -> list[Question]:
    """Return the list's questions in order, except other people's drafts."""
    questions = Question.objects.filter(visible_to(user), list_items__question_list=question_list)
    return list(questions.defer("search_vector", "content_hash").order_by("list_items__position"))


def items_of_list(*, question_list: QuestionList) -> dict[int, QuestionListItem]:
    """Return the list's items by question id."""
    return {item.question_id: item for item in question_list.items.all()}


def sections_begun(
    questions: Sequence[Question], listed: Mapping[int, QuestionListItem], before: Section | None = None
) -> list[Section | None]:
    """Return the section that begins at each question; None where the previous section continues.

    Args:
        listed: the list's items by question id, if any.
        before: the section that precedes the first question.
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
        heading = "" if section.heading == last.heading else section.heading  # only the instructions differ
        begun.append(Section(heading, section.instructions))
        last = section
    return begun


def sections_brought(sections: Sequence[Section], sources: Sequence[str]) -> list[Section]:
    """Return the section of each question in a list, given the questions' sections and sources.

    A single question among questions from other sources brings no section, because it would have no context.

    >>> a = Section("Part A")
    >>> [one.heading for one in sections_brought([a, a, a, Section()], ["x", "x", "y", "z"])]
    ['Part A', 'Part A', '', '']
    """
    kept = []
    for place, (section, source) in enumerate(zip(sections, sources, strict=True)):
        beside = (other for other in (place - 1, place + 1) if 0 <= other < len(sources))
        is_known = len(sources) == 1 or any(sources[other] == source for other in beside)
        kept.append(section if is_known else Section())
    return kept


def question_uses(*, question: Question) -> QuerySet[QuestionUse]:
    """Return the uses of a question, most recent first, each with its worksheet and person."""
    return QuestionUse.objects.filter(question=question).select_related("worksheet", "user")


def last_uses(question_ids: Iterable[int], *, except_on: int | None = None) -> dict[int, date]:
    """Return the day on which each question was last used; questions never used are left out.

    Args:
        except_on: a worksheet whose uses are ignored.
    """
    uses = QuestionUse.objects.filter(question__in=list(question_ids)).order_by()
    if except_on is not None:
        uses = uses.exclude(worksheet=except_on)
    return dict(uses.values_list("question").annotate(Max("day")))


def worksheet_use_days(*, worksheet: Worksheet) -> list[tuple[date, int]]:
    """Return the days on which a worksheet was used, most recent first, with the number of questions used."""
    uses = QuestionUse.objects.filter(worksheet=worksheet).order_by("-day").values_list("day")
    return list(uses.annotate(Count("pk")))
