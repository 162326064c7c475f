"""Worksheets and the rows on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.text import get_text_list

from analytics.question_content import QuestionContent, content_of
from questionbank.models import Question, User, Worksheet, WorksheetItem
from questionbank.selectors.questions.facet_cube import facet_cube
from questionbank.selectors.questions.question_lists import readable
from questionbank.selectors.questions.questions import visible_to
from questionbank.selectors.questions.uses import last_uses
from questionbank.worksheets.brought import part_points, part_scale

LEFT_OUT = {  # what is said of one question, and of several
    "deleted": ("Question {} was deleted.", "Questions {} were deleted."),
    "draft": ("Question {} is somebody else’s draft.", "Questions {} are somebody else’s drafts."),
    "retired": ("Question {} is retired.", "Questions {} are retired."),
    "opaque": (
        "Question {} has a type that only its source can show, so a worksheet leaves it out.",
        "Questions {} have a type that only their source can show, so a worksheet leaves them out.",
    ),
    "draws": (
        "Question {} draws its numbers, so a worksheet leaves it out.",
        "Questions {} draw their numbers, so a worksheet leaves them out.",
    ),
}
_NOT_PRINTED = (  # as `why_left_out`
    Q(status=Question.Status.RETIRED) | Q(kind=Question.Kind.OPAQUE) | Q(draws_numbers=True)
)


@dataclass(frozen=True, slots=True)
class WorksheetRow:
    """A question or a section on a worksheet.

    Attributes:
        place: counted from 1.
        question: None for a section, and where it is gone.
        left_out: why it is left out of print, a key of `LEFT_OUT`; empty where it is printed.
        last_used: on which day it was last used on another worksheet.
        number: printed before it in version A; None for what has none, such as a section.
    """

    item: WorksheetItem
    place: int
    question: Question | None = None
    left_out: str = ""
    last_used: date | None = None
    number: int | None = None

    @property
    def reason(self) -> str:
        """Why it is left out of print, as a sentence; empty where it is printed."""
        return " ".join(sentences_on_left_out([(self.left_out, self.item.question_id)]))

    @property
    def points_shown(self) -> str:
        return "" if self.item.points is None else f"{self.item.points:.12g}"

    @property
    def _content(self) -> QuestionContent:
        return content_of(self.question.content if self.question is not None else {})

    @property
    def has_parts(self) -> bool:
        return bool(self._content.parts)

    @property
    def part_points(self) -> str:
        """The points of its parts as they are printed, such as "2 + 1"; empty where none are."""
        scale = part_scale(self._content, self.item.points)
        stated = [points for points in part_points(self._content.parts) if points is not None]
        return "" if scale is None else " + ".join(f"{points * scale:.12g}" for points in stated)

    @property
    def lost_part_points(self) -> str:
        """The points of its parts where they do not fit those of the question, so that they are not printed."""
        stated = [f"{points:.12g}" for points in part_points(self._content.parts) if points is not None]
        is_lost = self.item.points is not None and part_scale(self._content, self.item.points) is None
        return " + ".join(stated) if is_lost else ""


def worksheets(user: User) -> QuerySet[Worksheet]:
    """Return all worksheets, each with the number of numbered questions that a person sees on it (`size`)."""
    printed = Question.objects.filter(visible_to(user)).exclude(_NOT_PRINTED)
    asked = printed.exclude(kind=Question.Kind.DESCRIPTION)
    items = WorksheetItem.objects.filter(worksheet=OuterRef("pk"), question__in=asked).order_by()
    counted = items.values("worksheet").annotate(size=Count("pk")).values("size")
    return Worksheet.objects.annotate(size=Coalesce(Subquery(counted), 0))


def worksheet_get(*, worksheet_id: int, user: User, is_own: bool = False) -> Worksheet:
    """Return a worksheet; see `readable`."""
    rows = Worksheet.objects.select_related("source_list").filter(pk=worksheet_id)
    return readable(rows, user, "worksheet", is_own=is_own)


def worksheet_rows(*, worksheet: Worksheet, user: User | None = None) -> list[WorksheetRow]:
    """Return the rows in order, each with its question, unless that is gone or somebody else's draft."""
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
            rows.append(WorksheetRow(item, place, left_out="draft"))
        else:
            question = questions.get(number)
            left_out = why_left_out(question)
            is_asked = question is not None and not left_out and question.kind != Question.Kind.DESCRIPTION
            count += is_asked
            rows.append(
                WorksheetRow(item, place, question, left_out, used.get(number), count if is_asked else None)
            )
    return rows


def why_left_out(question: Question | None) -> str:
    """Return why a question is left out of print, a key of `LEFT_OUT`; empty where it is printed."""
    if question is None:
        return "deleted"
    if question.status == Question.Status.RETIRED:
        return "retired"
    if question.kind == Question.Kind.OPAQUE:
        return "opaque"
    return "draws" if question.draws_numbers else ""


def sentences_on_left_out(questions: Iterable[tuple[str, int | None]]) -> list[str]:
    """Return a sentence for each reason with the numbers of the questions that it leaves out.

    Args:
        questions: a key of `LEFT_OUT`, empty for what is printed, and the number of each.
    """
    numbers: dict[str, list[str]] = {}
    for left_out, number in questions:
        if left_out:
            numbers.setdefault(left_out, []).append(str(number))
    return [
        LEFT_OUT[left_out][len(found) > 1].format(get_text_list(found, "and"))
        for left_out, found in numbers.items()
    ]


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
    """What was changed after the day on which a worksheet was last handed out: a key made now may not fit the paper."""

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
