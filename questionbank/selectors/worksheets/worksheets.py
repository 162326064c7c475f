"""Worksheets and the rows on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from questionbank.models import Question, User, Worksheet, WorksheetItem
from questionbank.rows import existing
from questionbank.selectors.questions.facet_cube import facet_cube
from questionbank.selectors.questions.question_lists import readable_by
from questionbank.selectors.questions.questions import visible_to
from questionbank.selectors.questions.uses import last_uses


@dataclass(frozen=True, slots=True)
class WorksheetRow:
    """A question or a section on a worksheet.

    Attributes:
        place: counted from 1.
        question: None for a section, and where it is gone.
        reason: why it is left out of print; empty where it is printed.
        last_used: on which day it was last used on another worksheet.
        number: printed before it in version A; None for what has none, such as a section.
    """

    item: WorksheetItem
    place: int
    question: Question | None = None
    reason: str = ""
    last_used: date | None = None
    number: int | None = None

    @property
    def points_shown(self) -> str:
        """The points as a field for numbers takes them."""
        return "" if self.item.points is None else f"{self.item.points:.12g}"


def worksheets_of(*, user: User) -> QuerySet[Worksheet]:
    """Return a person's worksheets with the number of their questions (`size`), the last changed first."""
    return _with_size(Worksheet.objects.filter(owner_id=user.pk))


def shared_worksheets(*, user: User) -> QuerySet[Worksheet]:
    """Return the worksheets that others share, with their `size` and owner."""
    shared = Worksheet.objects.filter(is_shared=True).exclude(owner_id=user.pk)
    return _with_size(shared.select_related("owner"))


def _with_size(worksheets: QuerySet[Worksheet]) -> QuerySet[Worksheet]:
    return worksheets.annotate(size=Count("items", filter=Q(items__question__isnull=False)))


def worksheet_get(*, worksheet_id: int, user: User) -> Worksheet:
    """Return a worksheet that the person owns or that is shared.

    Raises:
        NotFound: there is no such worksheet, or it is somebody else's and not shared.
    """
    worksheets = Worksheet.objects.select_related("owner", "source_list").filter(readable_by(user))
    return existing(worksheets.filter(pk=worksheet_id), "There is no such worksheet, or it is not shared.")


def worksheet_rows(*, worksheet: Worksheet, user: User | None = None) -> list[WorksheetRow]:
    """Return the rows in order, each with its question, unless that is gone or somebody else's draft.

    Args:
        user: who asks; None is the system itself.
    """
    items = list(worksheet.items.all())
    ids = [item.question_id for item in items if item.question_id is not None]
    questions = Question.objects.select_related("equation").defer("search_vector").in_bulk(ids)
    seen = set(Question.objects.filter(visible_to(user), pk__in=ids).values_list("pk", flat=True))
    used = last_uses(ids, except_on=worksheet.pk)
    rows: list[WorksheetRow] = []
    count = 0
    for place, item in enumerate(items, start=1):
        number = item.question_id
        if number is None:
            rows.append(WorksheetRow(item, place))
        elif number in questions and number not in seen:
            rows.append(WorksheetRow(item, place, reason=f"Question {number} is somebody else’s draft."))
        else:
            question = questions.get(number)
            reason = why_not_printed(question, number)
            is_asked = question is not None and not reason and question.kind != Question.Kind.DESCRIPTION
            count += is_asked
            rows.append(
                WorksheetRow(item, place, question, reason, used.get(number), count if is_asked else None)
            )
    return rows


def why_not_printed(question: Question | None, number: int | None) -> str:
    """Return why a question is left out of print; empty where it is printed.

    Args:
        number: of the question, which may be gone.
    """
    if question is None:
        return f"Question {number} was deleted."
    if question.status == Question.Status.RETIRED:
        return f"Question {number} is retired."
    if question.kind == Question.Kind.OPAQUE:
        return f"Question {number} has a type that only its source can show, so a worksheet leaves it out."
    if question.draws_numbers:
        return f"Question {number} draws its numbers, so a worksheet leaves it out."
    return ""


def worksheet_languages(*, worksheet: Worksheet) -> tuple[list[str], str]:
    """Return the languages of the bank's ready questions, and that of most questions on the worksheet."""
    cube = facet_cube()
    ready = cube.by_value("language", cube.equal("status", Question.Status.READY))
    ids = worksheet.items.order_by().values("question_id")
    counted = Question.objects.filter(pk__in=ids).values_list("language").annotate(Count("pk"))
    usual = max(counted, key=lambda row: (row[1], row[0]), default=("", 0))[0]
    return sorted(language for language, number in ready if number), usual


@dataclass(frozen=True, slots=True)
class ChangesSinceUse:
    """What was changed after the day on which a worksheet was last handed out: a key made now may not fit the paper.

    Attributes:
        questions: their numbers.
        is_worksheet: whether rows, layout or versions were changed.
    """

    day: date
    questions: list[int]
    is_worksheet: bool


def changed_since(worksheet: Worksheet, rows: Sequence[WorksheetRow], day: date) -> ChangesSinceUse | None:
    """Return what was changed after a day; None where nothing was."""
    questions = [
        row.question.pk
        for row in rows
        if row.question is not None and timezone.localdate(row.question.updated_at) > day
    ]
    is_worksheet = timezone.localdate(worksheet.updated_at) > day
    return ChangesSinceUse(day, questions, is_worksheet) if questions or is_worksheet else None
