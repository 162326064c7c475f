"""Duplicates before they are merged: pairs of questions that read almost the same, and questions side by side."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from django.db.models import Count, Q, QuerySet

from analytics.catalog import FALLBACK_LENS
from analytics.text.meaning import same_answer
from analytics.text.numbers import find_numbers
from questionbank.bank.bulk_selectors import merge_refusal
from questionbank.bank.history_selectors import SHOWN_FIELDS, field_label, field_shown
from questionbank.bank.question_selectors import concept_paths, visible_to
from questionbank.bank.vector_selectors import Candidates, nearest, vectors_of
from questionbank.core.errors import NotFound
from questionbank.jobs.run_selectors import run_get
from questionbank.models import ItemStatistics, Question, QuestionListItem, Run, User, WorksheetItem
from questionbank.models.visibility import seen_rows
from questionbank.registry.serving import serving
from questionbank.similar.evidence import same_spelling
from questionbank.similar.similarity import NEAR_DUPLICATE

_COPIES = 5  # of each question
_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_MOST_ALIGNED = 1_000_000  # pairs of words of two texts; to align them takes a second
_NOT_COMPARED = ("text", "status", "visibility", "school_id", "facility", "responses")  # shown elsewhere, or equal
_PROSE = ("options", "answer", "solution")


@dataclass(frozen=True, slots=True)
class NearCopy:
    """A question, an earlier one that reads almost the same, and their cosine.

    Attributes:
        differs: what shows that they may be two questions: ``"numbers"`` or ``"answer"``.
        refusal: a sentence that says why the person cannot merge the question into the earlier one; empty if they can.
        is_suggested: whether to merge it unless the person chooses otherwise; all such pairs can be merged at once.
    """

    question: Question
    earlier: Question
    score: float
    differs: tuple[str, ...]
    refusal: str
    is_suggested: bool

    @property
    def both(self) -> tuple[Question, Question]:
        """The earlier question, then the other one."""
        return self.earlier, self.question


def questions_of_import(*, run_id: int, user: User) -> QuerySet[Question]:
    """Return the questions of an import that the person sees and that are not retired.

    Raises:
        NotFound: there is no such import, or the person may not read its report.
    """
    run = run_get(run_id=run_id)
    if run.kind != Run.Kind.IMPORT or not user.has_perm("questionbank.run_read", run):
        raise NotFound("There is no such job.")
    rows = Question.objects.filter(visible_to(user), import_run=run)
    return rows.exclude(status=Question.Status.RETIRED).defer("search_vector")


def near_copy_pairs(*, questions: Sequence[Question], user: User) -> tuple[list[NearCopy], list[int]]:
    """Return these questions paired with others that read almost the same, and those that cannot be compared.

    The other question may be any of the bank that the person sees and that is not retired.

    Returns:
        The pairs, and the numbers of the questions without a vector.

    Raises:
        ServiceUnavailable: the bank has no vectors yet.
    """
    embedding_set = serving().embedding_set(FALLBACK_LENS.word)
    vectors = vectors_of(embedding_set=embedding_set, questions=questions)
    seen = Candidates(Question.objects.filter(visible_to(user)).exclude(status=Question.Status.RETIRED))
    scores: dict[tuple[int, int], float] = {}
    for number, vector in vectors.items():
        found = nearest(embedding_set=embedding_set, vector=vector, k=_COPIES, question_ids=seen, exclude=[number])
        scores |= {(max(number, pk), min(number, pk)): score for pk, score in found if score >= NEAR_DUPLICATE}
    rows = Question.objects.defer("search_vector").in_bulk({number for pair in scores for number in pair})
    pairs: list[NearCopy] = []
    merged: set[int] = set()  # by the suggested pairs; of three copies, two are merged into the first
    for (later, earlier), score in sorted(scores.items()):
        if later in rows and earlier in rows:
            pair = rows[later], rows[earlier]
            differs, refusal = _differences(*pair), merge_refusal(*pair, {}, user)
            is_suggested = not differs and not refusal and merged.isdisjoint((later, earlier))
            merged |= {later} if is_suggested else set()
            pairs.append(NearCopy(*pair, round(score, 4), differs, refusal, is_suggested))
    return pairs[::-1], [question.pk for question in questions if question.pk not in vectors]


def _differences(question: Question, other: Question) -> tuple[str, ...]:
    numbers, others = (
        [mention.value for mention in find_numbers(same_spelling(each.analysed_text))] for each in (question, other)
    )
    has_answers = question.answer and other.answer
    found = {
        "numbers": numbers != others,
        "answer": has_answers and same_answer(question.answer, other.answer) != "same",
    }
    return tuple(name for name, differs in found.items() if differs)


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
    prose = {field_label(name) for name in _PROSE}
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
    fields = {field_label(name): field_shown(name, getattr(question, name)) for name in names}
    percent = question.difficulty_percent
    return fields | {
        "equation": equation.expression if equation else "",
        "difficulty in per cent": "" if percent is None else f"{percent:.0f}",
        "concepts": "\n".join(" > ".join(path) for path in paths),
    }


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
