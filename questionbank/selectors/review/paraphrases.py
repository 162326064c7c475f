"""Paraphrases of the bank's questions: those of one, those that may enter the bank, questions without any."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Exists, F, Func, OuterRef, QuerySet, TextField, Value

from questionbank.models import ParaphrasePair, Question
from questionbank.selectors.search.filters import SearchFilters, filtered_questions

ACCEPTED = (ParaphrasePair.Outcome.ACCEPT, ParaphrasePair.Outcome.EDIT)


def question_paraphrases(*, question: Question) -> QuerySet[ParaphrasePair, ParaphrasePair]:
    """Return the question's paraphrases, the newest first."""
    return question.paraphrases.select_related("added", "created_by").order_by("-pk")


def accepted_pairs(*, question: Question | None = None) -> QuerySet[ParaphrasePair, ParaphrasePair]:
    """Return accepted paraphrases that can be added to the bank, the oldest first.

    Their original is a question that is in use and reads as it did when the paraphrase was made.
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
    """Where a question comes from that is a paraphrase of another.

    Attributes:
        pair: the accepted pair behind it; None where its decision was taken back.
        is_outdated: the original was changed since.
    """

    original: Question
    pair: ParaphrasePair | None
    is_outdated: bool


def paraphrase_origin(*, question: Question) -> ParaphraseOrigin | None:
    """Return the question's original; None for one that is no paraphrase."""
    original = question.paraphrase_of
    if original is None:
        return None
    pair = question.accepted_pairs.filter(outcome__in=ACCEPTED).order_by("pk").first()
    return ParaphraseOrigin(original, pair, pair is not None and pair.original != original.text.strip())


def question_sources() -> list[str]:
    """Return the names of the sources of ready questions, paraphrases left out."""
    ready = Question.objects.filter(status=Question.Status.READY, paraphrase_of__isnull=True)
    return list(ready.exclude(source="").order_by("source").values_list("source", flat=True).distinct())


def questions_to_reword(
    *, number: int, concept: int | None = None, source: str = "", language: str = ""
) -> list[int]:
    """Return ready questions without a paraphrase, drawn at random; paraphrases themselves are left out."""
    questions = filtered_questions(SearchFilters(concept=concept, source=source)).filter(
        ~Exists(ParaphrasePair.objects.filter(question=OuterRef("pk"))), paraphrase_of__isnull=True
    )
    if language:
        questions = questions.filter(language__startswith=language)
    return list(questions.order_by("?").values_list("pk", flat=True)[:number])
