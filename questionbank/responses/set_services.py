"""Sets of responses: what a file would bring, importing it, and deleting a set, a pupil, a class or old tests.

Figures that another system computed are stored with a set, and count as so many responses to its questions.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import connection, transaction
from django.db.models import Count, F, QuerySet
from django.db.models.functions import Coalesce, TruncDate
from django.utils import timezone

from questionbank.bank.difficulty_selectors import counted_percent
from questionbank.bank.series_services import series_divide
from questionbank.core.errors import Conflict, ImportRefused, LineProblem, NotFound, ValidationFailed
from questionbank.core.storage import uploads_forget_old
from questionbank.models import ColumnChoice, ItemStatistics, Question, Response, ResponseSet, User, Visibility
from questionbank.people.permissions import require
from questionbank.people.school_selectors import shows_to
from questionbank.responses.matching_selectors import (
    BY_HAND,
    LEFT_OUT,
    Marked,
    MarkedQuestion,
    QuestionMatch,
    mark_response,
    match_questions,
    remembered_questions,
)
from questionbank.responses.reading import read_responses
from questionbank.responses.response_table import (
    PublishedFigures,
    ResponseRow,
    ResponseTable,
    column_hashes,
    dump_table,
    load_table,
    person_hash,
    without_names,
)
from questionbank.responses.set_selectors import own_sets
from questionbank.responses.statistics_services import bank_statistics_request, set_statistics_compute
from questionbank.responses.table_cells import person_key

_COPY = """
    COPY questionbank_response
        (response_set_id, question_id, person, version, score, choice, seconds, attempt, variant)
    FROM STDIN
"""
LEAST_FILLED = 0.5  # share of responses among all pupils and questions, below which an empty cell is "not asked"


@dataclass(frozen=True, slots=True)
class SetDetails:
    """What the person says about the responses.

    Attributes:
        counts_unreached: see `ResponseSet`; None to decide by the share of questions that have a response.
        visible_to: who sees the set (`questionbank.people.school_selectors`); empty for the person's only school, or
            for nobody else if they have several.
    """

    title: str
    class_label: str = ""
    day: date | None = None
    counts_unreached: bool | None = None
    worksheet: int | None = None
    visible_to: str = ""


@dataclass(slots=True)
class ImportPlan:
    """What an import would write.

    Attributes:
        rows: usable responses with their question and marking.
        published: figures that another system computed, with their question.
        problems: lines that are not used, with reasons.
    """

    table: ResponseTable
    matches: list[QuestionMatch]
    rows: list[tuple[ResponseRow, QuestionMatch, Marked]] = field(default_factory=list)
    published: list[tuple[PublishedFigures, MarkedQuestion]] = field(default_factory=list)
    problems: list[LineProblem] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether nothing can be imported."""
        return not self.rows and not self.published

    @property
    def matched(self) -> list[QuestionMatch]:
        """The questions that are in the bank."""
        return [match for match in self.matches if match.question is not None]

    @property
    def unmatched(self) -> list[QuestionMatch]:
        """Those not in the bank."""
        return [match for match in self.matches if match.question is None]

    @property
    def people(self) -> int:
        """Number of pupils with a usable response."""
        attempts = [figures.people or 0 for figures, _question in self.published]
        return max(attempts, default=0) or len({row.person for row, _match, _marked in self.rows})

    @property
    def is_filled(self) -> bool:
        """Whether most pupils have a response to most questions, so that a missing one means no marks."""
        cells = {(row.person, row.question) for row, _match, _marked in self.rows}
        return len(cells) >= LEAST_FILLED * self.people * max(len(self.matched), 1)


def responses_read(*, path: Path) -> ResponseTable:
    """Read a file; pupils are keyed hashes in what is returned.

    Raises:
        ImportRefused: it cannot be read, or holds no responses.
    """
    table = without_names(read_responses(path))
    table.title = path.stem
    return table


def prepared_keep(*, table: ResponseTable, user: User) -> str:
    """Store a table until its person has looked at the preview; return the name that finds it again.

    Raises:
        NotAllowed: the person may not import responses.
    """
    require(user, "responses_import", "You may not import responses.")
    uploads_forget_old()
    return storages["uploads"].save(f"{uuid.uuid4().hex}.responses", ContentFile(dump_table(table)))


def prepared_get(stored: str) -> ResponseTable:
    """Return a stored table.

    Raises:
        Conflict: it is no longer stored.
    """
    try:
        with storages["uploads"].open(stored) as file:
            return load_table(file.read())
    except FileNotFoundError as error:
        raise Conflict("The file is no longer stored; upload it again.") from error


def prepared_forget(stored: str) -> None:
    """Delete a stored table."""
    storages["uploads"].delete(stored)


def responses_plan(
    *,
    table: ResponseTable,
    user: User | None,
    order: Sequence[int] = (),
    chosen: Mapping[int, int] | None = None,
    day: date | None = None,
) -> ImportPlan:
    """Match a table's questions and mark its responses; write nothing.

    Args:
        order, chosen, day: see `match_questions`.
    """
    matches = match_questions(
        table.questions, user=user, order=order, chosen=chosen, remembered=remembered_questions(table), day=day
    )
    plan = ImportPlan(table, matches)
    plan.problems = list(table.problems)
    for row in table.rows:
        match = plan.matches[row.question]
        if match.question is None:
            continue
        try:
            plan.rows.append((row, match, mark_response(row, match.reference.maximum, match.question)))
        except ValueError as error:
            plan.problems.append(LineProblem(row.line, f"{match.reference.name}: {error}"))
    matched = ((figures, plan.matches[figures.question].question) for figures in table.published)
    plan.published = [(figures, question) for figures, question in matched if question is not None]
    plan.problems.sort(key=lambda problem: problem.line)
    return plan


@transaction.atomic
def responses_import(*, plan: ImportPlan, details: SetDetails, user: User | None) -> ResponseSet:
    """Write a set of responses and compute its figures; a job computes those of all sets.

    Raises:
        NotAllowed: the person may not import responses.
        ImportRefused: no question of the file is in the bank, or no response can be used.
        ValidationFailed: the person does not belong to the school that shall see the set.
    """
    require(user, "responses_import", "You may not import responses.")
    if not plan.matched:
        raise ImportRefused("No question of this file is in the bank.", plan.problems)
    if plan.is_empty:
        raise ImportRefused("No response of this file can be used.", plan.problems)
    if details.day is not None:
        series_divide(versions={match.question.id: match.question.version for match in plan.matches if match.question})
    _choices_remember(plan)
    counts_unreached = plan.is_filled if details.counts_unreached is None else details.counts_unreached
    response_set = ResponseSet.objects.create(
        title=details.title,
        class_label=details.class_label,
        day=details.day,
        worksheet_id=details.worksheet,
        owner=user,
        layout=plan.table.kind,
        counts_unreached=counts_unreached,
        **_shows(user, details.visible_to),
        maximum_marks={
            str(match.question.id): match.reference.maximum or 1.0
            for match in plan.matches
            if match.question is not None
        },
        people=plan.people,
    )
    with connection.cursor() as cursor, cursor.cursor.copy(_COPY) as copy:
        for row, match, marked in plan.rows:
            question = match.question
            assert question is not None  # noqa: S101
            what = (question.id, bytes.fromhex(row.person), question.version, marked.score, marked.choice)
            copy.write_row((response_set.pk, *what, row.seconds, row.attempt, row.variant))
    if plan.published:
        figures = [(question.id, question.version, published) for published, question in plan.published]
        published_add(response_set=response_set, figures=figures)
    set_statistics_compute(response_set=response_set)
    bank_statistics_request()
    return response_set


def _shows(user: User | None, visible_to: str) -> dict[str, Any]:
    """Return who sees a new set: by default the person's only school; of several, none, until they choose one."""
    has_several = user is not None and len(user.school_ids) > 1
    visibility, school = shows_to(user, visible_to or (Visibility.PRIVATE if has_several else ""))
    return {"visibility": visibility, "school_id": school}


def _choices_remember(plan: ImportPlan) -> None:
    """Remember the questions that were chosen by hand, and forget those of columns that were left out by hand."""
    hashes = column_hashes(plan.table)
    chosen: dict[bytes, int] = {}
    for column, match in zip(hashes, plan.matches, strict=True):
        if match.how == BY_HAND and match.question is not None:
            chosen[column] = match.question.id
    left_out = [column for column, match in zip(hashes, plan.matches, strict=True) if match.how == LEFT_OUT]
    ColumnChoice.objects.filter(column__in=left_out).delete()
    ColumnChoice.objects.bulk_create(
        [ColumnChoice(column=column, question_id=question) for column, question in chosen.items()],
        update_conflicts=True,
        unique_fields=["column"],
        update_fields=["question"],
    )


@dataclass(frozen=True, slots=True)
class Deletion:
    """What somebody wants to delete: exactly one of these.

    Attributes:
        people: keyed hashes of a pupil, in hexadecimal, one for each order of the names.
        class_label: a class.
        before: a day; sets of earlier tests are deleted.
    """

    people: tuple[str, ...] = ()
    class_label: str = ""
    before: date | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What would be deleted: the sets that it concerns, and the number of responses."""

    sets: list[ResponseSet]
    responses: int


def pupil_hashes(text: str) -> tuple[str, ...]:
    """Return the keyed hashes of a pupil by what a file may have identified them by.

    Files write names in either order, so "Ada Lovelace" is also looked for as "Lovelace Ada".
    """
    words = re.split(r"[\s,]+", text.strip(" ,\t\n"))
    orders = [words[place:] + words[:place] for place in range(len(words))]
    return tuple(dict.fromkeys(person_hash(person_key(" ".join(order))) for order in orders if order[0]))


def responses_found(*, wanted: Deletion, user: User | None) -> Found:
    """Return what a deletion would delete: of a person's own sets, or of all for an admin or the system.

    Raises:
        ValidationFailed: not exactly one thing is wanted.
    """
    if sum(map(bool, (wanted.people, wanted.class_label, wanted.before))) != 1:
        raise ValidationFailed("Choose one: a pupil, a class or a day.")
    sets = own_sets(user=user)
    if wanted.people:
        responses = _of_people(wanted.people).filter(response_set__in=sets)
        sets = sets.filter(pk__in=responses.values("response_set"))
    else:
        sets = sets.filter(class_label=wanted.class_label) if wanted.class_label else _before(sets, wanted.before)
        responses = Response.objects.filter(response_set__in=sets)
    return Found(list(sets), responses.count())


@transaction.atomic
def responses_delete(*, wanted: Deletion, user: User | None) -> Found:
    """Delete what `responses_found` finds and return it; a job computes the figures of what remains anew.

    Figures of a set from which fewer than five pupils were deleted stay as they are, and the set no longer counts for
    the figures of all sets: new figures would differ by what these pupils answered.

    Raises:
        NotFound: there is nothing to delete.
        ValidationFailed: see `responses_found`.
    """
    found = responses_found(wanted=wanted, user=user)
    if not found.sets:
        raise NotFound("There are no such responses.")
    outdated = _questions_of(found.sets)
    for response_set in found.sets:
        require(user, "responses_delete", "Only its owner or an admin can delete this set of responses.", response_set)
        if wanted.people:
            _people_delete(response_set, wanted.people)
        else:
            _set_delete(response_set)
    bank_statistics_request(outdated=outdated)
    return found


@transaction.atomic
def response_set_delete(*, response_set: ResponseSet, user: User | None) -> None:
    """Delete a set with its responses and figures, and request the figures of the other sets anew.

    Raises:
        NotAllowed: it belongs to somebody else, and the person is no admin.
    """
    require(user, "responses_delete", "Only its owner or an admin can delete this set of responses.", response_set)
    outdated = _questions_of([response_set])
    _set_delete(response_set)
    bank_statistics_request(outdated=outdated)


def responses_delete_old(*, before: date) -> int:
    """Delete the sets of tests that were written before a day, and return their number."""
    try:
        return len(responses_delete(wanted=Deletion(before=before), user=None).sets)
    except NotFound:
        return 0


def years_ago(years: int) -> date:
    """Return this day some years ago; 28 February for a leap day."""
    today = timezone.localdate()
    return today.replace(year=today.year - years, day=28 if (today.month, today.day) == (2, 29) else today.day)


def _of_people(people: Iterable[str]) -> QuerySet[Response]:
    return Response.objects.filter(person__in=[bytes.fromhex(person) for person in people])


def _questions_of(sets: Iterable[ResponseSet]) -> list[int]:
    return list(Response.objects.filter(response_set__in=list(sets)).values_list("question_id", flat=True).distinct())


def _before(sets: QuerySet[ResponseSet], day: date | None) -> QuerySet[ResponseSet]:
    return sets.annotate(written=Coalesce("day", TruncDate("created_at"))).filter(written__lt=day)


def _set_delete(response_set: ResponseSet) -> None:
    published_remove(response_set=response_set)
    response_set.delete()


def _people_delete(response_set: ResponseSet, people: Iterable[str]) -> None:
    rows = _of_people(people).filter(response_set=response_set)
    removed = rows.aggregate(people=Count("person", distinct=True))["people"]
    rows.delete()
    people_left = response_set.responses.aggregate(people=Count("person", distinct=True))["people"]
    if not people_left:
        response_set.delete()
        return
    ResponseSet.objects.filter(pk=response_set.pk).update(people=people_left, removed=F("removed") + removed)
    response_set.refresh_from_db()
    set_statistics_compute(response_set=response_set)


def published_add(*, response_set: ResponseSet, figures: Iterable[tuple[int, int, PublishedFigures]]) -> None:
    """Store the figures of a set that has no responses.

    Args:
        figures: id and version of a question, and its figures.
    """
    ItemStatistics.objects.bulk_create(
        ItemStatistics(
            question_id=question,
            response_set=response_set,
            version=version,
            people=published.people or 0,
            figures=published.figures,
        )
        for question, version, published in figures
    )
    _count(response_set, 1)


def published_remove(*, response_set: ResponseSet) -> None:
    """Take the figures of a set back before it is deleted; one with responses counted for nothing here."""
    if not response_set.responses.exists():
        _count(response_set, -1)


def _count(response_set: ResponseSet, sign: int) -> None:
    """Add a set's figures to what was observed elsewhere, weighted by the number of pupils, or take them away.

    Also for questions that the person who deletes the set no longer sees.
    """
    figures = {row.question_id: row for row in response_set.item_statistics.filter(people__gt=0)}
    questions = list(Question.unrestricted.select_for_update().filter(pk__in=figures).defer("search_vector"))
    for question in questions:
        added = figures[question.pk]
        responses = max(question.responses + sign * added.people, 0)
        right = (question.facility or 0.0) * question.responses + sign * added.people * added.figures["facility"]
        question.facility = min(max(right / responses, 0.0), 1.0) if responses else None
        question.responses = responses
        question.difficulty_percent = counted_percent(question, question.combined)
    Question.unrestricted.bulk_update(questions, ["facility", "responses", "difficulty_percent"], batch_size=200)
