"""Questions that are merged into others: what forbids it, what differs between them, and what a merge did."""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from django.db.models import Count, Q, QuerySet

from questionbank.bank.history_selectors import SHOWN_FIELDS, field_shown
from questionbank.bank.question_selectors import concept_paths
from questionbank.models import (
    BulkChange,
    BulkChangeItem,
    ItemStatistics,
    Question,
    QuestionList,
    QuestionListItem,
    User,
    Worksheet,
    WorksheetItem,
)
from questionbank.models.visibility import seen_rows

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_SHOWN = 10  # pairs
_MOST_ALIGNED = 1_000_000  # pairs of words of two texts; to align them takes a second
_NOT_COMPARED = ("text", "status", "visibility", "school_id", "facility", "responses")  # shown elsewhere, or equal
_PROSE = ("options", "answer", "solution")
Values = Mapping[str, Any]


def merges_of(values: Values) -> dict[int, int]:
    """Return the question to keep, by the number of each duplicate, from the values of a change."""
    return {int(merged): kept for merged, kept in values["into"].items()}


def why_not_merged(merged: Question, kept: Question, versions: Mapping[int, int], user: User) -> str:
    """Return why a question cannot be merged into another; empty if it can.

    Args:
        versions: the versions that the person compared, by question.
    """
    pair = (merged, kept)
    reasons = {
        "teachers merge only questions that they wrote themselves": not all(
            user.has_perm("questionbank.question_edit", question) for question in pair
        ),
        "somebody changed one of them in the meantime; compare them again": any(
            versions.get(question.pk, question.version) != question.version for question in pair
        ),
        "the duplicate is merged into another question already": merged.merged_into_id is not None,
        "the question to keep is merged into another itself": kept.merged_into_id is not None,
        "they are not visible to the same people; choose this on the page of one of them": (
            merged.audience != kept.audience
        ),
        "the question to keep is retired; bring it back first": kept.status == Question.Status.RETIRED,
        "the question to keep is a draft; publish it first": (kept.status == Question.Status.DRAFT != merged.status),
        "the question to keep is a paraphrase of the other; keep the original": kept.paraphrase_of_id == merged.pk,
        "the question to keep draws its numbers, which worksheets leave out": (
            kept.draws_numbers and not merged.draws_numbers
        ),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def merge_refusal(merged: Question, kept: Question, versions: Mapping[int, int], user: User) -> str:
    """Return a sentence that says why a question cannot be merged into another; see `why_not_merged`."""
    reason = why_not_merged(merged, kept, versions, user)
    return f"Question {merged.pk} cannot be merged into question {kept.pk}: {reason}." if reason else ""


def merge_refusals(values: Values, user: User) -> dict[str, Q]:
    """Return the reasons to leave out duplicates of a change, each with its condition."""
    into, versions = merges_of(values), versions_of(values)
    questions = Question.objects.defer("search_vector").in_bulk([*into, *into.values()])
    left_out: dict[str, list[int]] = {}
    for merged, kept in into.items():
        if merged not in questions or kept not in questions:
            reason = "the question to keep no longer exists"
        else:
            reason = why_not_merged(questions[merged], questions[kept], versions, user)
        if reason:
            left_out.setdefault(f"{reason[0].upper()}{reason[1:]}.", []).append(merged)
    return {sentence: Q(pk__in=numbers) for sentence, numbers in left_out.items()}


def versions_of(values: Values) -> dict[int, int]:
    """Return the versions that were compared, by question, from the values of a change."""
    return {int(number): version for number, version in values["versions"].items()}


@dataclass(frozen=True, slots=True)
class MarkedWords:
    """A part of a text; `differs` if the other text has something else in its place."""

    text: str
    differs: bool


@dataclass(frozen=True, slots=True)
class ComparedField:
    """A field of a question as text; `differs` if the first question has another value.

    Attributes:
        is_prose: whether it may hold formulas, like the question's text.
    """

    name: str
    value: str
    differs: bool
    is_prose: bool


@dataclass(frozen=True, slots=True)
class ComparedQuestion:
    """A question beside others.

    Attributes:
        wording: its text; words that the first question does not have are marked.
        fields: everything else.
        lists, worksheets: how many have it, of those that the viewer may see.
        sets: how many sets of responses have figures of it, of those that the viewer may see.
    """

    question: Question
    wording: tuple[MarkedWords, ...]
    fields: tuple[ComparedField, ...]
    lists: int
    worksheets: int
    sets: int


def compared_questions(questions: Sequence[Question]) -> list[ComparedQuestion]:
    """Return questions side by side, with what differs from the first one."""
    numbers = [question.pk for question in questions]
    lists = _counted(QuestionListItem.objects.filter(seen_rows("question_list__audience"), question__in=numbers))
    worksheets = _counted(WorksheetItem.objects.filter(seen_rows("worksheet__audience"), question__in=numbers))
    seen_sets = Q(response_set__isnull=False) & seen_rows("response_set__audience")
    sets = _counted(ItemStatistics.objects.filter(seen_sets, question__in=numbers))
    paths = concept_paths(numbers)
    shown = {question.pk: _fields_shown(question, paths.get(question.pk, [])) for question in questions}
    first = questions[0]
    names = [name for name in shown[first.pk] if any(fields[name] for fields in shown.values())]
    prose = {_label(name) for name in _PROSE}
    return [
        ComparedQuestion(
            question,
            tuple(marked_words(question.text, first.text)),
            tuple(
                ComparedField(name, value, value != shown[first.pk][name], name in prose)
                for name, value in ((name, shown[question.pk][name]) for name in names)
            ),
            lists.get(question.pk, 0),
            worksheets.get(question.pk, 0),
            sets.get(question.pk, 0),
        )
        for question in questions
    ]


def _counted(items: QuerySet[Any]) -> dict[int, int]:
    return dict(items.order_by().values_list("question").annotate(Count("pk")))


def _fields_shown(question: Question, paths: Iterable[Sequence[str]]) -> dict[str, str]:
    """Return what a question holds besides its text, as readable text by the name of the field."""
    equation = getattr(question, "equation", None)
    names = (name for name in SHOWN_FIELDS if name not in _NOT_COMPARED)
    fields = {_label(name): field_shown(name, getattr(question, name)) for name in names}
    percent = question.difficulty_percent
    return fields | {
        "equation": equation.expression if equation else "",
        "difficulty in per cent": "" if percent is None else f"{percent:.0f}",
        "concepts": "\n".join(" > ".join(path) for path in paths),
    }


def _label(name: str) -> str:
    return str(Question._meta.get_field(name).verbose_name)  # type: ignore[union-attr]


def marked_words(text: str, other: str) -> list[MarkedWords]:
    """Return a text in pieces: those that another text has too, and those that it does not have.

    >>> [piece.text for piece in marked_words("Add 2 and 3.", "Add 2 and 4.") if piece.differs]
    ['3']
    """
    words, others = _WORD.findall(text), _WORD.findall(other)
    start = _shared(words, others)
    end = _shared(reversed(words[start:]), reversed(others[start:]))
    inner, against = words[start : len(words) - end], others[start : len(others) - end]
    spans = [("replace", 0, len(inner))]  # all of it, if there is too much to align
    if len(inner) * len(against) <= _MOST_ALIGNED:
        matcher = difflib.SequenceMatcher(None, against, inner, autojunk=False)
        spans = [(kind, first, last) for kind, _first, _last, first, last in matcher.get_opcodes()]
    pieces = [
        (words[:start], False),
        *((inner[first:last], kind != "equal") for kind, first, last in spans),
        (words[len(words) - end :], False),
    ]
    return [MarkedWords("".join(piece), differs) for piece, differs in pieces if piece]


def _shared(words: Iterable[str], others: Iterable[str]) -> int:
    """Return the number of words with which both begin."""
    return sum(1 for _pair in takewhile(lambda pair: pair[0] == pair[1], zip(words, others, strict=False)))


def merged_numbers(*, question: Question) -> list[int]:
    """Return the numbers of the questions that were merged into this one."""
    return list(Question.objects.filter(merged_into=question).order_by("pk").values_list("pk", flat=True))


def merge_of(*, question: Question) -> BulkChange | None:
    """Return the change by which a question was merged into another."""
    items = BulkChangeItem.objects.filter(question_id=question.pk, change__kind=BulkChange.Kind.MERGE)
    item = items.exclude(before=None).filter(change__undone_at=None).select_related("change__person").last()
    return item.change if item is not None else None


def left_out_of(*, worksheet: Worksheet, questions: Iterable[int]) -> list[tuple[int, int]]:
    """Return the questions that a merge left out of a worksheet because it also had the one that is kept.

    Args:
        questions: ids of the worksheet's questions.

    Returns:
        Pairs of the merged question and the one that is kept.
    """
    rows = Question.objects.filter(merged_into__in=list(questions)).values_list("pk", "merged_into")
    kept = {merged: number for merged, number in rows if number is not None}
    if not kept:
        return []
    left_out = [{"table": WorksheetItem._meta.model_name, "before": {"worksheet_id": worksheet.pk}, "after": None}]
    items = BulkChangeItem.objects.filter(change__kind=BulkChange.Kind.MERGE, change__undone_at=None)
    numbers = items.filter(question_id__in=kept, before__contains=left_out).order_by("question_id")
    return [(number, kept[number]) for number in numbers.values_list("question_id", flat=True)]


@dataclass(frozen=True, slots=True)
class MergeOutcome:
    """What merging questions moved, besides the questions themselves, as far as the viewer may see it.

    Attributes:
        kept: the question that is kept, by the number of each merged one.
        lists, worksheets: places that the questions that are kept have now.
        doubled: names of the lists and worksheets that had both questions, and now have one.
        printed: number of worksheets that keep merged questions, because they were handed out.
    """

    kept: Mapping[int, int]
    tags: int
    lists: int
    worksheets: int
    paraphrases: int
    doubled: Sequence[str]
    printed: int

    @property
    def first(self) -> list[tuple[int, int]]:
        """The first pairs: the merged question and the one that is kept."""
        return list(self.kept.items())[:_SHOWN]

    @property
    def more(self) -> int:
        """How many pairs follow the first ones."""
        return max(len(self.kept) - _SHOWN, 0)


def merge_outcome(*, change: BulkChange) -> MergeOutcome:
    """Return what a merge did."""
    items = change.items.exclude(before=None).order_by("question_id")
    notes = [note for before in items.values_list("before", flat=True) for note in before or ()]
    rows: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for note in notes:
        done = "added" if note["before"] is None else "left out" if note["after"] is None else "moved"
        rows[note["table"], done].append(note)
    lists = {note["before"]["question_list_id"] for note in rows["questionlistitem", "left out"]}
    sheets = {note["before"]["worksheet_id"] for note in rows["worksheetitem", "left out"]}
    into = merges_of(change.values)
    merged = list(items.values_list("question_id", flat=True))
    on_list, on_sheet = seen_rows("question_list__audience"), seen_rows("worksheet__audience")
    moved = {table: [note["pk"] for note in rows[table, "moved"]] for table in ("questionlistitem", "worksheetitem")}
    return MergeOutcome(
        kept={number: into[number] for number in merged},
        tags=len(rows["questiontag", "added"]),
        lists=QuestionListItem.objects.filter(on_list, pk__in=moved["questionlistitem"]).count(),
        worksheets=WorksheetItem.objects.filter(on_sheet, pk__in=moved["worksheetitem"]).count(),
        paraphrases=len(rows["paraphrasepair", "moved"]),
        doubled=[
            *QuestionList.objects.filter(pk__in=lists).order_by("pk").values_list("name", flat=True),
            *Worksheet.objects.filter(pk__in=sheets).order_by("pk").values_list("name", flat=True),
        ],
        printed=WorksheetItem.objects.filter(on_sheet, question__in=merged).values("worksheet").distinct().count(),
    )
