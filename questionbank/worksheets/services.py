"""Writing worksheets; each function is one transaction and allows only the worksheet's owner to change it."""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import count
from typing import Any

from django.db import transaction
from django.utils import timezone

from analytics.question_content import Section, content_of, total_points
from questionbank.bank.list_selectors import items_of_list, questions_of_list, sections_begun
from questionbank.bank.question_selectors import visible_to
from questionbank.core.errors import ValidationFailed
from questionbank.models import Question, QuestionList, QuestionListItem, QuestionUse, User, Worksheet, WorksheetItem
from questionbank.models.visibility import EVERYBODY
from questionbank.people.owned import (
    NAME_LIMIT,
    checked_name,
    last_position,
    locked_rows,
    row_move,
    row_remove,
    rows_number,
)
from questionbank.people.permissions import require_owner
from questionbank.worksheets.selectors import sentences_on_left_out, why_left_out
from questionbank.worksheets.sheet import NOTHING_TO_WRITE, can_give, lines_brought, takes_lines


@dataclass(frozen=True, slots=True)
class OrderedRow:
    """A row of a worksheet.

    Attributes:
        is_fixed: whether it stays in place between what is above and below: a section or a description.
        shared: the text that it shares with others; consecutive rows that share one stay together.
        difficulty: on any scale with harder questions higher; None if not known.
    """

    key: int
    is_fixed: bool = False
    shared: str = ""
    difficulty: float | None = None


def by_difficulty(rows: Iterable[OrderedRow]) -> list[int]:
    """Return the keys of rows in order of difficulty; rows of unknown difficulty come last, in their current order.

    >>> by_difficulty([OrderedRow(1, difficulty=60), OrderedRow(2), OrderedRow(3, difficulty=20), OrderedRow(4, True)])
    [3, 1, 2, 4]
    """
    order: list[int] = []
    block: list[list[OrderedRow]] = []
    for row in rows:
        if row.is_fixed:
            order += [*_ordered(block), row.key]
            block = []
        elif block and row.shared and block[-1][0].shared == row.shared:
            block[-1].append(row)
        else:
            block.append([row])
    return [*order, *_ordered(block)]


def _ordered(block: Iterable[list[OrderedRow]]) -> list[int]:
    return [row.key for group in sorted(block, key=_mean) for row in group]


def _mean(group: list[OrderedRow]) -> float:
    known = [row.difficulty for row in group if row.difficulty is not None]
    return sum(known) / len(known) if known else math.inf


LONGEST_WORKSHEET = 400  # questions
MOST_SECTIONS = 50
TITLE_LIMIT, INSTRUCTIONS_LIMIT = 200, 4_000  # characters
_SEEDS = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Added:
    """The result of adding questions to a worksheet.

    Attributes:
        number: how many were added.
        refused: one sentence per reason why some cannot be printed.
        sections: how many sections were added with them.
        known: how many were on it already.
    """

    number: int
    refused: list[str] = field(default_factory=list)
    known: int = 0
    sections: int = 0


@transaction.atomic
def worksheet_create(*, user: User, name: str) -> Worksheet:
    """Create an empty worksheet with a seed of its own.

    Raises:
        ValidationFailed: the name is empty, too long, or the person has a worksheet of that name.
    """
    name = checked_name(Worksheet.unrestricted.filter(owner=user), name, noun="worksheet")
    return Worksheet.objects.create(owner=user, name=name, seed=_new_seed())


@transaction.atomic
def worksheet_from_list(*, user: User, question_list: QuestionList) -> tuple[Worksheet, Added]:
    """Create a worksheet from a list's questions in their order; unprintable questions are left out.

    It takes the list's name, with a number appended if the person has a worksheet of that name.
    """
    names = set(Worksheet.unrestricted.filter(owner=user).values_list("name", flat=True))
    stem = question_list.name[: NAME_LIMIT - 6]
    tried = (question_list.name if number == 1 else f"{stem} ({number})" for number in count(1))
    worksheet = worksheet_create(user=user, name=next(name for name in tried if name not in names))
    worksheet.source_list, worksheet.instructions = question_list, question_list.instructions
    worksheet.save(update_fields=["source_list", "instructions"])
    questions = questions_of_list(question_list=question_list, user=user)
    listed = items_of_list(question_list=question_list)
    return worksheet, worksheet_add(user=user, worksheet=worksheet, questions=questions, listed=listed)


@transaction.atomic
def worksheet_update(*, user: User, worksheet: Worksheet, **values: Any) -> Worksheet:
    """Change the appearance of a worksheet, and how its versions are generated.

    Args:
        values: values of editable columns, as validated by the form.

    Raises:
        ValidationFailed: the name is empty, too long or taken.
        NotAllowed: the worksheet is somebody else's.
    """
    require_owner(user, worksheet)
    if "name" in values:
        others = Worksheet.unrestricted.filter(owner=user).exclude(pk=worksheet.pk)
        values["name"] = checked_name(others, values["name"], noun="worksheet")
    if "title" in values:
        values["title"] = " ".join(values["title"].split())
    if "instructions" in values:
        values["instructions"] = values["instructions"].replace("\r\n", "\n")
    for name, value in values.items():
        setattr(worksheet, name, value)
    worksheet.save()
    return worksheet


@transaction.atomic
def worksheet_draw_anew(*, user: User, worksheet: Worksheet) -> Worksheet:
    """Give a worksheet a new seed, so that versions B to D change.

    Raises:
        NotAllowed: the worksheet is somebody else's.
    """
    require_owner(user, worksheet)
    worksheet.seed = _new_seed()
    worksheet.save()
    return worksheet


@transaction.atomic
def worksheet_delete(*, user: User, worksheet: Worksheet) -> None:
    """Delete a worksheet; its questions and the records of their use stay in the bank.

    Raises:
        NotAllowed: the worksheet is somebody else's.
    """
    require_owner(user, worksheet)
    worksheet.delete()


@transaction.atomic
def worksheet_add(
    *,
    user: User,
    worksheet: Worksheet,
    questions: Iterable[Question],
    listed: Mapping[int, QuestionListItem] | None = None,
) -> Added:
    """Append questions to a worksheet, except those that cannot be printed.

    Points and answer lines come from their source, and sections from the list, if any.

    Args:
        listed: the list's items by question id; None if they do not come from a list.

    Raises:
        ValidationFailed: the worksheet would hold more than `LONGEST_WORKSHEET` questions.
        NotAllowed: the worksheet is somebody else's.
    """
    items = locked_rows(user=user, owner=worksheet)
    present = set(items.exclude(question=None).values_list("question_id", flat=True))
    by_id = {question.pk: question for question in questions}
    new = [question for pk, question in by_id.items() if pk not in present]
    added = [question for question in new if not why_left_out(question)]
    refused = sentences_on_left_out((why_left_out(question), question.pk) for question in new)
    if len(present) + len(added) > LONGEST_WORKSHEET:
        raise ValidationFailed(
            f"A worksheet holds up to {LONGEST_WORKSHEET} questions. This one has {len(present)},"
            f" and {len(added)} would be added."
        )
    rows = [*_brought(added, listed, items.filter(question=None).last())]
    headings = sum(row.is_section for row in rows)
    if items.filter(question=None).count() + headings > MOST_SECTIONS:
        rows = [row for row in rows if not row.is_section]
        refused.append(f"The headings of {headings} sections: a worksheet has up to {MOST_SECTIONS}.")
    for row in rows:
        if not can_give(row.points):
            refused.append(f"The points of question {row.question_id}, which are {row.points:g}.")
            row.points = None
    for position, row in enumerate(rows, start=last_position(items) + 1):
        row.worksheet, row.position = worksheet, position
    WorksheetItem.objects.bulk_create(rows)
    _touch(worksheet)
    return Added(len(added), refused, len(by_id) - len(new), len(rows) - len(added))


def _brought(
    questions: Sequence[Question], listed: Mapping[int, QuestionListItem] | None, last: WorksheetItem | None
) -> Iterator[WorksheetItem]:
    """Yield the rows of added questions, with the sections that they bring.

    Args:
        last: the last section of the worksheet, which need not be started again.
    """
    before = Section(last.heading, last.instructions) if last else None
    begun = [None] * len(questions) if listed is None else sections_begun(questions, listed, before)
    for question, section in zip(questions, begun, strict=True):
        if section is not None:
            yield WorksheetItem(heading=section.heading, instructions=section.instructions)
        content, item = content_of(question.content), (listed or {}).get(question.pk)
        points = item.points if item is not None and item.points is not None else total_points(content)
        lines = lines_brought(content) if takes_lines(question.kind) else 0
        yield WorksheetItem(question=question, points=points, answer_lines=lines)


@transaction.atomic
def worksheet_add_section(
    *, user: User, worksheet: Worksheet, heading: str, instructions: str = "", after: int | None = None
) -> WorksheetItem:
    """Start a section at the end of a worksheet, or after a row; it contains the questions below it.

    Args:
        after: the id of that row, 0 for the beginning; if the row was deleted, the section starts at the end.

    Raises:
        ValidationFailed: heading and instructions are empty, or there are `MOST_SECTIONS` already.
        NotAllowed: the worksheet is somebody else's.
    """
    items = locked_rows(user=user, owner=worksheet)
    if items.filter(question=None).count() >= MOST_SECTIONS:
        raise ValidationFailed(f"A worksheet has up to {MOST_SECTIONS} sections.")
    heading, instructions = _checked_section(heading, instructions)
    item = WorksheetItem.objects.create(
        worksheet=worksheet, position=last_position(items) + 1, heading=heading, instructions=instructions
    )
    row = items.filter(pk=after).first() if after else None
    if row is not None or after == 0:
        row_move(items, pk=item.pk, position=row.position + 1 if row else 1)
    _touch(worksheet)
    return item


@transaction.atomic
def worksheet_rows_replace(*, user: User, worksheet: Worksheet, rows: Sequence[WorksheetItem]) -> None:
    """Replace all rows of a worksheet by unsaved ones, in their order.

    Raises:
        ValidationFailed: a question is there twice or cannot be printed, a section has no text, or there are too many.
        NotAllowed: the worksheet is somebody else's.
    """
    items = locked_rows(user=user, owner=worksheet)
    present = set(items.exclude(question=None).values_list("question_id", flat=True))
    questions = [row.question_id for row in rows if row.question_id is not None]
    if len(questions) > LONGEST_WORKSHEET or len(rows) - len(questions) > MOST_SECTIONS:
        raise ValidationFailed(f"A worksheet holds up to {LONGEST_WORKSHEET} questions in {MOST_SECTIONS} sections.")
    if repeated := {number for number in questions if questions.count(number) > 1}:
        raise ValidationFailed(f"Question {min(repeated)} is named more than once.")
    seen = Question.objects.filter(visible_to(user)).defer("search_vector").in_bulk(questions)
    new = [number for number in questions if number not in present]
    if missing := [number for number in new if number not in seen]:
        raise ValidationFailed(f"There is no question {missing[0]}.")
    if refused := sentences_on_left_out((why_left_out(seen[number]), number) for number in new):
        raise ValidationFailed(" ".join(refused))
    for position, row in enumerate(rows, start=1):
        row.worksheet, row.position = worksheet, position
        if row.is_section:
            row.heading, row.instructions = _checked_section(row.heading, row.instructions)
    items.all().delete()
    WorksheetItem.objects.bulk_create(rows)
    _touch(worksheet)


@transaction.atomic
def worksheet_item_update(*, user: User, worksheet: Worksheet, item_id: int, **values: Any) -> None:
    """Change points and answer lines of a question, or heading and instructions of a section.

    Do nothing if the row was deleted.

    Raises:
        ValidationFailed: a section would have neither heading nor instructions.
        NotAllowed: the worksheet is somebody else's.
    """
    item = locked_rows(user=user, owner=worksheet).filter(pk=item_id).first()
    if item is None:
        return
    if item.is_section:
        heading = values.get("heading", item.heading)
        instructions = values.get("instructions", item.instructions)
        item.heading, item.instructions = _checked_section(heading, instructions)
    else:
        item.points = values.get("points", item.points)
        item.answer_lines = values.get("answer_lines", item.answer_lines) or 0
    item.save()
    _touch(worksheet)


@transaction.atomic
def worksheet_items_update(*, user: User, worksheet: Worksheet, **values: float) -> int:
    """Give every question the same points or number of answer lines; return the number of questions.

    Questions with answers that are ticked, or written in their text, get no lines.

    Args:
        values: ``points``, ``answer_lines`` or both.

    Raises:
        NotAllowed: the worksheet is somebody else's.
    """
    questions = locked_rows(user=user, owner=worksheet).exclude(question=None).order_by()
    _touch(worksheet)
    if (lines := values.pop("answer_lines", None)) is not None:
        unwritten = Question.objects.filter(kind__in=NOTHING_TO_WRITE).values("pk")
        questions.exclude(question__in=unwritten).update(answer_lines=lines)
    return questions.update(**values) if values else questions.count()


@transaction.atomic
def worksheet_item_move(*, user: User, worksheet: Worksheet, item_id: int, position: int) -> None:
    """Move a question or a section to a position, counted from 1; a position beyond the end means the last one.

    Raises:
        NotAllowed: the worksheet is somebody else's.
    """
    row_move(locked_rows(user=user, owner=worksheet), pk=item_id, position=position)
    _touch(worksheet)


@transaction.atomic
def worksheet_order(*, user: User, worksheet: Worksheet, places: Mapping[int, float]) -> None:
    """Sort the questions of each section by difficulty, the easiest first.

    Questions that share a text stay together. Questions of unknown difficulty come last; a description stays where it
    is, and so do the questions below it.

    Args:
        places: ranks by question id, from 0 (easiest) to 1.

    Raises:
        NotAllowed: the worksheet is somebody else's.
    """
    items = locked_rows(user=user, owner=worksheet)
    rows = []
    for item in items.select_related("question"):
        question = item.question if item.question_id is not None else None
        shared = content_of(question.content).stimulus.text if question else ""
        is_fixed = item.is_section or (question is not None and question.kind == Question.Kind.DESCRIPTION)
        rows.append(OrderedRow(item.pk, is_fixed, shared, places.get(item.question_id or 0)))
    rows_number(items, by_difficulty(rows))
    _touch(worksheet)


@transaction.atomic
def worksheet_item_remove(*, user: User, worksheet: Worksheet, item_id: int) -> None:
    """Remove a question from a worksheet, or a section's heading, whose questions stay.

    Raises:
        NotAllowed: the worksheet is somebody else's.
    """
    row_remove(locked_rows(user=user, owner=worksheet), pk=item_id)
    _touch(worksheet)


@transaction.atomic
def worksheet_use(*, user: User, worksheet: Worksheet, question_ids: Iterable[int]) -> int:
    """Record that questions were handed out today; return how many were not recorded yet."""
    used = dict.fromkeys(question_ids)
    day = timezone.localdate()
    uses = QuestionUse.unrestricted  # colleagues of another school may have used it today, too
    before = set(uses.filter(worksheet=worksheet, day=day).values_list("question_id", flat=True))
    there = Question.objects.filter(pk__in=used).values_list("pk", flat=True)
    use = {"worksheet": worksheet, "worksheet_name": worksheet.name, "user": user, "audience": _told(worksheet, user)}
    made = uses.bulk_create(
        (QuestionUse(question_id=pk, day=day, **use) for pk in there if pk not in before), ignore_conflicts=True
    )
    return len(made)


@transaction.atomic
def worksheet_use_forget(*, user: User, worksheet: Worksheet, day: date) -> int:
    """Delete a worksheet's records of use on a day, for example after a trial download; return how many.

    Raises:
        NotAllowed: the worksheet is somebody else's.
    """
    require_owner(user, worksheet)
    return QuestionUse.unrestricted.filter(worksheet=worksheet, day=day).delete()[0]


def _told(worksheet: Worksheet, user: User) -> int:
    """Return the audience that may know that a worksheet was used: its school, or else the person's only one.

    A person with several schools tells none of them, and one without a school tells everybody.
    """
    if worksheet.school_id is not None:
        return worksheet.school_id
    if len(user.school_ids) > 1:
        return -user.pk
    return user.school_ids[0] if user.school_ids else EVERYBODY


def _new_seed() -> int:
    return secrets.randbelow(_SEEDS) + 1


def _touch(worksheet: Worksheet) -> None:
    worksheet.save(update_fields=["updated_at"])


def _checked_section(heading: str, instructions: str) -> tuple[str, str]:
    heading, instructions = " ".join(heading.split()), instructions.replace("\r\n", "\n")
    if not heading and not instructions:
        raise ValidationFailed.beside("heading", "Enter a heading for the section.")
    return heading, instructions
