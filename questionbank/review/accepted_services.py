"""Adding accepted paraphrases to the bank, and removing them when their decision is undone."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from analytics.question_content import content_of
from questionbank.bank.question_selectors import content_hash, exact_duplicates
from questionbank.bank.question_services import question_add_reworded, question_restore, question_retire
from questionbank.models import ParaphrasePair, Question, User
from questionbank.people.permissions import require
from questionbank.review.pair_selectors import ACCEPTED, accepted_pairs

MOST_AT_ONCE = 500  # pairs per request


@dataclass(frozen=True, slots=True)
class AddedParaphrases:
    """What happened to the accepted paraphrases of one request.

    Attributes:
        made: new questions.
        restored: questions that had been retired when a decision was undone, and are back in use.
        known: paraphrases whose text is already in the bank.
        left: paraphrases beyond `MOST_AT_ONCE`, not added yet.
    """

    made: int
    restored: int
    known: int
    left: int


@transaction.atomic
def accepted_pairs_add(*, user: User, question: Question | None = None, as_drafts: bool = False) -> AddedParaphrases:
    """Add the accepted paraphrases that the bank lacks, as questions linked to their originals.

    Repeating it adds nothing: each added pair refers to the question with its text.

    Args:
        question: if given, add only the paraphrases of this question.
        as_drafts: add them as drafts; paraphrases of a draft are always drafts.

    Raises:
        NotAllowed: the person may not write questions.
    """
    require(user, "question_create", "You may not add questions to the bank.")
    waiting = accepted_pairs(question=question)
    pairs = list(waiting.select_for_update(of=("self",), no_key=True).select_related("question")[:MOST_AT_ONCE])
    made = restored = existing_count = 0
    for pair in pairs:
        original = pair.question
        assert original is not None  # noqa: S101 - `accepted_pairs` asks for one
        text = pair.wording
        is_draft = as_drafts or original.status == Question.Status.DRAFT
        status = Question.Status.DRAFT if is_draft else Question.Status.READY
        if existing := exact_duplicates(
            text=text, options=original.options, content=content_of(original.content)
        ).first():
            pair.added, existing_count = existing, existing_count + 1
        elif (withdrawn := _withdrawn(original, text)) and withdrawn.merged_into is not None:
            pair.added, existing_count = withdrawn.merged_into, existing_count + 1
        elif withdrawn:
            pair.added = question_restore(user=None, question=withdrawn, status=status)
            restored += 1
        else:
            pair.added = question_add_reworded(
                user=user, original=original, text=text, status=status, source_id=f"paraphrase-{pair.pk}"
            )
            made += 1
        pair.save(update_fields=["added"])
    return AddedParaphrases(made, restored, existing_count, waiting.count())


def _withdrawn(original: Question, text: str) -> Question | None:
    """Return the paraphrase with this text that was retired when its decision was undone."""
    return Question.objects.filter(
        paraphrase_of=original.paraphrase_of_id or original.pk,
        content_hash=content_hash(text=text, options=original.options, content=content_of(original.content)),
        status=Question.Status.RETIRED,
    ).first()


def accepted_pair_withdraw(*, pair: ParaphrasePair) -> None:
    """Unlink a pair, whose decision was undone, from its question; retire the question unless another pair supports it.

    A question that is not a paraphrase stays. The caller holds the pair's lock.
    """
    question = pair.added
    if question is None:
        return
    pair.added = None
    pair.save(update_fields=["added"])
    is_borne = question.accepted_pairs.filter(outcome__in=ACCEPTED).exists()
    if question.paraphrase_of_id is not None and not is_borne:
        question_retire(user=None, question=question)
