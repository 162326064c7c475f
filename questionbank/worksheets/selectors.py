"""Queries for worksheets, their rows, and questions to fill them up with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import chain, zip_longest
from random import Random

import numpy as np
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.text import get_text_list

from analytics.inference.encode import HashedNgramEncoder
from analytics.question_content import QuestionContent, content_of
from questionbank.bank.list_selectors import last_uses, readable
from questionbank.bank.question_selectors import story_ids, visible_to
from questionbank.bank.search_index import facet_cube
from questionbank.models import Question, User, Worksheet, WorksheetItem
from questionbank.search.filters import SearchFilters, filtered_questions
from questionbank.similar.similarity import NEAR_DUPLICATE
from questionbank.worksheets.sheet import part_points, part_scale

LEFT_OUT = {  # the wording for one question and for several
    "deleted": ("Question {} was deleted.", "Questions {} were deleted."),
    "draft": ("Question {} is somebody else’s draft.", "Questions {} are somebody else’s drafts."),
    "hidden": ("You may not see question {}.", "You may not see questions {}."),
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
_NOT_PRINTED = (  # equivalent to `why_left_out`
    Q(status=Question.Status.RETIRED, merged_into__isnull=True) | Q(kind=Question.Kind.OPAQUE) | Q(draws_numbers=True)
)


@dataclass(frozen=True, slots=True)
class WorksheetRow:
    """A question or a section on a worksheet.

    Attributes:
        place: counted from 1.
        question: None for a section, or if it was deleted.
        left_out: why it is not printed, a key of `LEFT_OUT`; empty if it is printed.
        last_used: the day on which it was last used on another worksheet.
        number: its printed number in version A; None for rows without one, such as sections.
    """

    item: WorksheetItem
    place: int
    question: Question | None = None
    left_out: str = ""
    last_used: date | None = None
    number: int | None = None

    @property
    def reason(self) -> str:
        """Why it is not printed, as a sentence; empty if it is printed."""
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
        """The printed points of its parts, such as "2 + 1"; empty if none are printed."""
        scale = part_scale(self._content, self.item.points)
        stated = [points for points in part_points(self._content.parts) if points is not None]
        return "" if scale is None else " + ".join(f"{points * scale:.12g}" for points in stated)

    @property
    def lost_part_points(self) -> str:
        """The points of its parts if they are not printed because they do not match those of the question."""
        stated = [f"{points:.12g}" for points in part_points(self._content.parts) if points is not None]
        is_lost = self.item.points is not None and part_scale(self._content, self.item.points) is None
        return " + ".join(stated) if is_lost else ""


def worksheets(user: User) -> QuerySet[Worksheet]:
    """Return all worksheets, annotated with the number of numbered questions that the person sees (`size`)."""
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
    """Return the rows in order, each with its question, unless that was deleted or the person may not see it."""
    items = list(worksheet.items.all())
    ids = [item.question_id for item in items if item.question_id is not None]
    # Unrestricted, to tell those that the person may not see from those that were deleted.
    questions = Question.unrestricted.select_related("equation").defer("search_vector").in_bulk(ids)
    seen = set(Question.objects.filter(visible_to(user), pk__in=ids).values_list("pk", flat=True))
    used = last_uses(ids, except_on=worksheet.pk)
    rows: list[WorksheetRow] = []
    count = 0
    for place, item in enumerate(items, start=1):
        number = item.question_id
        if number is None:
            rows.append(WorksheetRow(item, place))
        elif number in questions and number not in seen:
            is_draft = questions[number].status == Question.Status.DRAFT
            rows.append(WorksheetRow(item, place, left_out="draft" if is_draft else "hidden"))
        else:
            question = questions.get(number)
            left_out = why_left_out(question, is_listed=True)
            is_asked = question is not None and not left_out and question.kind != Question.Kind.DESCRIPTION
            count += is_asked
            rows.append(WorksheetRow(item, place, question, left_out, used.get(number), count if is_asked else None))
    return rows


def why_left_out(question: Question | None, *, is_listed: bool = False) -> str:
    """Return why a question is not printed, a key of `LEFT_OUT`; empty if it is printed.

    Args:
        is_listed: whether the worksheet has it already. A worksheet that pupils already have
            keeps questions that have been merged since then.
    """
    if question is None:
        return "deleted"
    if question.status == Question.Status.RETIRED and not (is_listed and question.merged_into_id is not None):
        return "retired"
    if question.kind == Question.Kind.OPAQUE:
        return "opaque"
    return "draws" if question.draws_numbers else ""


def sentences_on_left_out(questions: Iterable[tuple[str, int | None]]) -> list[str]:
    """Return one sentence per reason, with the numbers of the questions that are left out for it.

    Args:
        questions: the key of `LEFT_OUT` (empty if printed) and the number of each.
    """
    numbers: dict[str, list[str]] = {}
    for left_out, number in questions:
        if left_out:
            numbers.setdefault(left_out, []).append(str(number))
    return [
        LEFT_OUT[left_out][len(found) > 1].format(get_text_list(found, "and")) for left_out, found in numbers.items()
    ]


def worksheet_languages(*, worksheet: Worksheet) -> tuple[list[str], str]:
    """Return the languages of the bank's ready questions, and the commonest language on the worksheet."""
    cube = facet_cube()
    ready = cube.by_value("language", cube.equal("status", Question.Status.READY))
    ids = worksheet.items.order_by().values("question_id")
    counted = Question.objects.filter(pk__in=ids).values_list("language").annotate(Count("pk"))
    usual = max(counted, key=lambda row: (row[1], row[0]), default=("", 0))[0]
    return sorted(language for language, number in ready if number), usual


@dataclass(frozen=True, slots=True)
class ChangesSinceUse:
    """What changed after a worksheet was last handed out, so that a new key may not match the printed copies."""

    day: date
    questions: list[int]
    is_worksheet: bool


def changed_since(worksheet: Worksheet, rows: Sequence[WorksheetRow], day: date) -> ChangesSinceUse | None:
    """Return what was changed after a day; None if nothing was."""
    questions = [
        row.question.pk
        for row in rows
        if row.question is not None and timezone.localdate(row.question.updated_at) > day
    ]
    is_worksheet = timezone.localdate(worksheet.updated_at) > day
    return ChangesSinceUse(day, questions, is_worksheet) if questions or is_worksheet else None


MOST_FILLED = 50  # questions per request
_POOL = 5_000  # questions of each concept, from which some are drawn
_AT_ONCE = 200  # questions whose texts are loaded in one batch
_MOST_READ = 3_000
_NOT_ASKED = (Question.Kind.OPAQUE, Question.Kind.DESCRIPTION)


@dataclass(frozen=True, slots=True)
class FillUpWish:
    """The selection of questions to fill up with.

    Attributes:
        concepts: ids; questions are taken in turn from each concept and its descendants. Empty for any concept.
    """

    number: int
    concepts: tuple[int, ...] = ()
    filters: SearchFilters = field(default_factory=SearchFilters)


@dataclass(frozen=True, slots=True)
class FillUp:
    """The selected questions.

    Attributes:
        near_duplicates: how many were skipped because they read almost like another one or tell the same story.
    """

    questions: list[Question]
    near_duplicates: int


def fill_up(*, wish: FillUpWish, taken: Sequence[Question], user: User, rng: Random | None = None) -> FillUp:
    """Draw printable questions, none of them similar to each other or to a question already on the worksheet.

    Two questions are near-duplicates if their texts read almost the same (`NEAR_DUPLICATE`, as for a newly written
    question), or if one rewords the other or was made from its story.

    Args:
        rng: draws them; by default every call draws different ones.
    """
    rng = rng or Random()  # noqa: S311 - no secret
    pools = [_pool(wish, concept, user, rng) for concept in wish.concepts or (None,)]
    in_turn = (pk for pk in chain.from_iterable(zip_longest(*pools)) if pk is not None)
    on_worksheet = {question.pk for question in taken}
    excluded = on_worksheet | set(story_ids(*on_worksheet))
    encoder = HashedNgramEncoder()
    vectors = encoder.encode([question.analysed_text for question in taken])
    chosen: list[Question] = []
    near_duplicates = 0
    for question in _read(dict.fromkeys(in_turn)):
        if len(chosen) == wish.number:
            break
        if question.pk in excluded:
            near_duplicates += question.pk not in on_worksheet
            continue
        vector = encoder.encode([question.analysed_text])
        if vectors.size and float((vectors @ vector[0]).max()) >= NEAR_DUPLICATE:
            near_duplicates += 1
            continue
        chosen.append(question)
        vectors = np.concatenate([vectors, vector])
        excluded.update(story_ids(question.pk))
    return FillUp(chosen, near_duplicates)


def _pool(wish: FillUpWish, concept: int | None, user: User, rng: Random) -> list[int]:
    """Return the ids of matching questions, in random order."""
    filters = replace(wish.filters.seen_by(user), concept=concept, figure="none", numbers="given")
    passing = filtered_questions(filters).exclude(kind__in=_NOT_ASKED)
    ids = _some(passing, rng)
    rng.shuffle(ids)
    return ids


def _some(questions: QuerySet[Question], rng: Random) -> list[int]:
    """Return the ids of all questions, or of `_POOL` consecutive ones from a random id on."""
    ids = list(questions.values_list("pk", flat=True)[:_POOL])
    if len(ids) < _POOL:
        return ids
    last = Question.objects.order_by("pk").values_list("pk", flat=True).last() or 0
    ordered = questions.order_by("pk").values_list("pk", flat=True)
    begin = rng.randint(1, last)
    after = list(ordered.filter(pk__gte=begin)[:_POOL])
    return after + list(ordered.filter(pk__lt=begin)[: _POOL - len(after)])


def _read(ids: Iterable[int]) -> Iterator[Question]:
    most = list(ids)[:_MOST_READ]
    for start in range(0, len(most), _AT_ONCE):
        batch = most[start : start + _AT_ONCE]
        questions = Question.objects.defer("search_vector", "solution").in_bulk(batch)
        yield from (questions[pk] for pk in batch if pk in questions)
