"""Queries on the pairs of the review, their batches, and the paraphrases of bank questions."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Exists, F, Func, Max, OuterRef, Q, QuerySet, TextField, Value
from django.db.models.functions import Now

from questionbank.jobs.run_selectors import strangers
from questionbank.models import (
    BatchDeletion,
    ParaphrasePair,
    Question,
    ReviewDecision,
    ReviewLease,
    SettlementLease,
    User,
)
from questionbank.review.selectors import decisions_seen, opinions
from questionbank.search.filters import SearchFilters, filtered_questions

_State = ParaphrasePair.State
_BATCHES_SHOWN = 200
_DELETIONS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class PairFilters:
    """Filters of the list; empty ones match everything.

    Attributes:
        state: a `ParaphrasePair.State` or an outcome.
        least, most: bounds of the probability that a pair is valid, 0 to 1.
        reason: a `ReviewDecision.Reason`.
    """

    state: str = ""
    batch: str = ""
    least: float | None = None
    most: float | None = None
    reviewer: int | None = None
    reason: str = ""
    text: str = ""


def pairs_found(*, filters: PairFilters, viewer: User) -> QuerySet[ParaphrasePair, ParaphrasePair]:
    """Return the pairs that match, newest first."""
    pairs = ParaphrasePair.objects.select_related("question", "added").order_by("-pk")
    if filters.state in ParaphrasePair.Outcome.values:
        pairs = pairs.filter(outcome=filters.state)
    elif filters.state:
        pairs = pairs.filter(state=filters.state)
    if filters.batch:
        pairs = pairs.filter(batch=filters.batch)
    if filters.least is not None or filters.most is not None:
        pairs = pairs.filter(Q(hides_machine=False) | Q(state=_State.DECIDED))
    if filters.least is not None:
        pairs = pairs.filter(verdict__gte=filters.least)
    if filters.most is not None:
        pairs = pairs.filter(verdict__lte=filters.most)
    if filters.reviewer is not None or filters.reason:
        pairs = pairs.filter(Exists(_decisions(filters, viewer)))
    if filters.text:
        pairs = pairs.filter(Q(original__icontains=filters.text) | Q(paraphrase__icontains=filters.text))
    return pairs


def _decisions(filters: PairFilters, viewer: User) -> QuerySet[ReviewDecision, ReviewDecision]:
    """Return a pair's decisions that match the reviewer and reason filters and that the viewer may know of."""
    readable = Q(pair__state=_State.DECIDED) | Q(reviewer=viewer)  # as `pair_history` and `settle` show them
    if viewer.has_perm("questionbank.review"):
        readable |= Q(pair__state=_State.ADJUDICATION)
    decisions = ReviewDecision.objects.filter(readable, pair=OuterRef("pk"), undone_at__isnull=True)
    decisions = decisions.exclude(verdict=ReviewDecision.Verdict.SKIP)
    if filters.reviewer is not None:
        decisions = decisions.filter(reviewer=filters.reviewer)
    return decisions.filter(reason=filters.reason) if filters.reason else decisions


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch with counts of its pairs; `hidden` counts those whose machine assessment is still hidden."""

    name: str
    pairs: int
    decided: int
    hidden: int


def batches() -> list[Batch]:
    """Return the batches, those with the newest pairs first."""
    rows = (
        ParaphrasePair.objects.exclude(batch="")
        .values("batch")
        .annotate(
            pairs=Count("pk"),
            decided=Count("pk", filter=Q(state=_State.DECIDED)),
            hidden=Count("pk", filter=Q(hides_machine=True) & ~Q(state=_State.DECIDED)),
            newest=Max("pk"),
        )
        .order_by("-newest")[:_BATCHES_SHOWN]
    )
    return [Batch(row["batch"], row["pairs"], row["decided"], row["hidden"]) for row in rows]


def batch_deletions() -> list[BatchDeletion]:
    """Return the deletions of batches with who made them, latest first, those of other schools' people left out."""
    deletions = BatchDeletion.objects.exclude(person__in=strangers()).select_related("person")
    return list(deletions[:_DELETIONS_SHOWN])


def pair_reviewers() -> list[User]:
    """Return everybody who ever decided on a pair that the viewer may see, sorted by name."""
    return list(User.objects.filter(Exists(decisions_seen().filter(reviewer=OuterRef("pk")))).order_by("username"))


def deletable_pairs(
    pairs: QuerySet[ParaphrasePair, ParaphrasePair], *, user: User, with_opinions: bool = False
) -> QuerySet[ParaphrasePair, ParaphrasePair]:
    """Return the pairs that the person may delete: their own ones, or any for an admin.

    Pairs on somebody's screen and pairs that became a question are never deletable. Without `with_opinions`, neither
    are pairs with somebody's opinion or settlement; a label from the file does not count as such a decision.
    """
    leases = ReviewLease.objects.filter(pair=OuterRef("pk"), expires_at__gt=Now())
    settling = SettlementLease.objects.filter(pair=OuterRef("pk"), expires_at__gt=Now())
    deletable = pairs.filter(~Exists(leases), ~Exists(settling), added__isnull=True)
    if not user.has_perm("questionbank.settle_own"):
        deletable = deletable.filter(created_by=user)
    if not with_opinions:
        settled = ReviewDecision.objects.filter(pair=OuterRef("pk"), undone_at__isnull=True, is_adjudication=True)
        labelled = ReviewDecision.objects.filter(pair=OuterRef("pk"), undone_at__isnull=True, is_label=True)
        deletable = deletable.filter(~Exists(opinions().filter(pair=OuterRef("pk"))), ~Exists(settled))
        deletable = deletable.filter(~Q(state=_State.DECIDED) | Exists(labelled))
    return deletable


ACCEPTED = (ParaphrasePair.Outcome.ACCEPT, ParaphrasePair.Outcome.EDIT)


def question_paraphrases(*, question: Question) -> QuerySet[ParaphrasePair, ParaphrasePair]:
    """Return the question's paraphrases, newest first."""
    return question.paraphrases.select_related("added", "created_by").order_by("-pk")


def accepted_pairs(*, question: Question | None = None) -> QuerySet[ParaphrasePair, ParaphrasePair]:
    """Return accepted paraphrases that can be added to the bank, oldest first.

    Their original must be a question in use whose text has not changed since the paraphrase was made.
    """
    trimmed = Func(
        F("question__text"), Value(" \t\r\n"), function="btrim", output_field=TextField()
    )  # as `pairs_create` trims the original
    pairs = ParaphrasePair.objects.filter(
        state=ParaphrasePair.State.DECIDED, outcome__in=ACCEPTED, added__isnull=True, original=trimmed
    ).exclude(question__status=Question.Status.RETIRED)
    if question is not None:
        pairs = pairs.filter(question=question)
    return pairs.order_by("pk")


@dataclass(frozen=True, slots=True)
class ParaphraseOrigin:
    """The origin of a question that is a paraphrase of another.

    Attributes:
        pair: the accepted pair it was made from; None if its decision was undone.
        is_outdated: whether the original has changed since.
    """

    original: Question
    pair: ParaphrasePair | None
    is_outdated: bool


def paraphrase_origin(*, question: Question) -> ParaphraseOrigin | None:
    """Return the question's origin; None if it is not a paraphrase, or of a question that the viewer may not see."""
    original = Question.objects.filter(pk=question.paraphrase_of_id).first() if question.paraphrase_of_id else None
    if original is None:
        return None
    pair = question.accepted_pairs.filter(outcome__in=ACCEPTED).order_by("pk").first()
    return ParaphraseOrigin(original, pair, pair is not None and pair.original != original.text.strip())


def question_sources() -> list[str]:
    """Return the names of the sources of ready questions, leaving paraphrases out."""
    ready = Question.objects.filter(status=Question.Status.READY, paraphrase_of__isnull=True)
    return list(ready.exclude(source="").order_by("source").values_list("source", flat=True).distinct())


def questions_to_reword(*, number: int, concept: int | None = None, source: str = "", language: str = "") -> list[int]:
    """Return the ids of random ready questions without a paraphrase, leaving paraphrases themselves out."""
    questions = filtered_questions(SearchFilters(concept=concept, source=source)).filter(
        ~Exists(ParaphrasePair.objects.filter(question=OuterRef("pk"))), paraphrase_of__isnull=True
    )
    if language:
        questions = questions.filter(language__startswith=language)
    return list(questions.order_by("?").values_list("pk", flat=True)[:number])
