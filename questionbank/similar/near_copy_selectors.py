"""Pairs of questions that read almost the same, to compare and merge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from analytics.catalog import FALLBACK_LENS
from analytics.text.meaning import same_answer
from analytics.text.numbers import find_numbers
from questionbank.bank.merge_selectors import merge_refusal
from questionbank.bank.question_selectors import visible_to
from questionbank.bank.vector_selectors import Candidates, nearest, vectors_of
from questionbank.core.errors import NotFound
from questionbank.jobs.run_selectors import run_get
from questionbank.models import Question, Run, User
from questionbank.registry.serving import serving
from questionbank.similar.evidence import same_spelling
from questionbank.similar.similarity import NEAR_DUPLICATE

_COPIES = 5  # of each question


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
