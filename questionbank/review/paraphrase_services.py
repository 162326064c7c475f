"""Paraphrases of bank questions: proposed by rules or models, or typed; added to the bank once they are accepted.

Each candidate becomes a pair to review. A question made from a pair is retired when the decision on it is undone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from django.conf import settings
from django.db import transaction

from analytics.analysed_text import is_invented
from analytics.json_lines import TEXT_LIMIT, string_problem
from analytics.languages import primary_language
from analytics.paraphrase.proposals import Paraphraser, RuleParaphraser
from analytics.question_content import content_of
from questionbank.bank.question_selectors import content_hash, exact_duplicates
from questionbank.bank.question_services import question_add_reworded, question_restore, question_retire
from questionbank.core.errors import Conflict, ValidationFailed
from questionbank.core.wording import counted
from questionbank.jobs.run_services import run_create_alone
from questionbank.models import ParaphrasePair, Question, Run, User
from questionbank.people.permissions import require
from questionbank.registry.language_model_selectors import configured_language_model
from questionbank.review.pair_selectors import ACCEPTED, accepted_pairs
from questionbank.review.pair_services import PairInput, pairs_create

RULES = "rules"
SEQUENCE_MODEL = "sequence"
LANGUAGE_MODEL = "language"
RULE_LANGUAGE = "en"
MOST_EACH = 5  # paraphrases of a question per request
MOST_QUESTIONS = 100  # per job: it occupies the worker
MOST_ADDED = 500  # accepted paraphrases per request


@dataclass(frozen=True, slots=True)
class ParaphraserChoice:
    """One way to propose paraphrases.

    Attributes:
        source: a `ParaphrasePair.Source`.
        language: language of the questions that it can reword; empty for any.
    """

    key: str
    label: str
    note: str
    source: str
    language: str = ""

    def rewords(self, language: str) -> bool:
        """Return whether it can reword questions in a language."""
        return not self.language or primary_language(language) == self.language


def paraphrasers() -> list[ParaphraserChoice]:
    """Return the available paraphrasers, the rules first."""
    model = ParaphrasePair.Source.MODEL.value
    choices = [
        ParaphraserChoice(
            RULES,
            "Rule-based",
            "English only; works best on word problems.",
            ParaphrasePair.Source.RULES.value,
            RULE_LANGUAGE,
        )
    ]
    if settings.PARAPHRASE_MODEL:
        name = PurePath(settings.PARAPHRASE_MODEL).name
        choices.append(ParaphraserChoice(SEQUENCE_MODEL, name, "A model on this installation.", model))
    if configured := configured_language_model():
        sent = f"The questions’ texts are sent to {configured.host}."
        note = sent if configured.host else configured.note
        choices.append(ParaphraserChoice(LANGUAGE_MODEL, configured.name, note, model))
    return choices


def paraphraser_choice(key: str) -> ParaphraserChoice:
    """Return the paraphraser with a key.

    Raises:
        ValidationFailed: there is no such paraphraser here.
    """
    chosen = next((choice for choice in paraphrasers() if choice.key == key), None)
    if chosen is None:
        raise ValidationFailed.beside("paraphraser", "There is no paraphraser with this name.")
    return chosen


@dataclass(frozen=True, slots=True)
class Proposals:
    """The result of proposing paraphrases of a question; `known` counts candidates that existed already."""

    made: Sequence[ParaphrasePair]
    known: int


def why_not_reworded(question: Question) -> str:
    """Return why a question should not be paraphrased; empty if it may be."""
    if question.status == Question.Status.RETIRED:
        return "This question is retired."
    if question.paraphrase_of_id is not None:
        return "This question is a paraphrase itself: ask for others of its original."
    if is_invented(question.text):
        return "This question has no text above its parts that could be put in other words."
    return ""


def paraphrases_propose(*, question: Question, each: int, user: User) -> Proposals:
    """Propose rule-based paraphrases of a question synchronously.

    Raises:
        NotAllowed: the person may not propose paraphrases.
        Conflict: the question is not to be paraphrased: retired, a paraphrase itself, or without text of its own.
        ValidationFailed: the rules do not support the question's language.
    """
    require(user, "paraphrase_propose", "You may not propose these paraphrases.")
    if reason := why_not_reworded(question):
        raise Conflict(reason)
    choice = paraphraser_choice(RULES)
    if not choice.rewords(question.language):
        raise ValidationFailed("The rules know English only.")
    return propose_for(question=question, paraphraser=RuleParaphraser(), each=each, user=user, source=choice.source)


def propose_for(
    *, question: Question, paraphraser: Paraphraser, each: int, user: User | None, **origin: Any
) -> Proposals:
    """Get new paraphrases of one question from one paraphraser, and add them to the queue.

    The number requested includes those that the question already has, so that repeated requests give new ones.

    Args:
        origin: further arguments of `pairs_create`.

    Raises:
        AnalyticsError: raised by the paraphraser.
    """
    text = question.text.strip()
    candidates = paraphraser.propose(text, each + question.paraphrases.count())
    with transaction.atomic():
        new, repeated = _new_pairs(question, text, candidates, each)
        made = pairs_create(pairs=new, user=user, generator=paraphraser.name, **origin)
    return Proposals(made, repeated)


def _new_pairs(question: Question, text: str, candidates: Iterable[str], each: int) -> tuple[list[PairInput], int]:
    """Return at most `each` new pairs, and the number of candidates that the question already has."""
    taken_hashes, repeated = _taken(question, text), 0
    new: list[PairInput] = []
    for candidate in candidates:
        if string_problem(candidate, TEXT_LIMIT):
            continue
        digest = content_hash(text=candidate)
        if digest in taken_hashes:
            repeated += 1
        elif len(new) < each:
            taken_hashes.add(digest)
            new.append(PairInput(text, candidate, question.language, question=question))
    return new, repeated


def _taken(question: Question, text: str) -> set[bytes]:
    """Return the hashes of the question's text and paraphrases; locks its row against concurrent requests."""
    Question.objects.select_for_update(no_key=True).filter(pk=question.pk).first()
    texts = [text]
    for pair in question.paraphrases.values_list("paraphrase", "outcome_text"):
        texts += filter(None, pair)
    return {content_hash(text=wording) for wording in texts}


@transaction.atomic
def paraphrase_type(*, question: Question, text: str, user: User, opinions: int | None = None) -> ParaphrasePair:
    """Add a paraphrase of a question that somebody typed.

    Args:
        opinions: as for `pairs_create`.

    Raises:
        NotAllowed: the person may not propose paraphrases.
        Conflict: the question is not to be paraphrased: retired, a paraphrase itself, or without text of its own.
        ValidationFailed: the text is empty or too long, equals the question's, or is among its paraphrases already.
    """
    require(user, "paraphrase_propose", "You may not propose these paraphrases.")
    if reason := why_not_reworded(question):
        raise Conflict(reason)
    original, text = question.text.strip(), text.replace("\r\n", "\n").strip()
    if text and text != original and content_hash(text=text) in _taken(question, original):
        raise ValidationFailed.beside("paraphrase", "The question has this paraphrase already.")
    (made,) = pairs_create(
        pairs=[PairInput(original, text, question.language, question=question)],
        source=ParaphrasePair.Source.TYPED,
        user=user,
        opinions=opinions,
    )
    return made


@transaction.atomic
def proposals_request(*, questions: Sequence[int], paraphraser: str, each: int, user: User) -> Run:
    """Request paraphrases of questions in a job.

    The run's parameters are ``{"paraphraser": key, "questions": [ids], "each": number}``.

    Args:
        questions: ids; for more than one the person must be a reviewer.
        paraphraser: a key of `review.paraphrase_services`.

    Raises:
        NotAllowed: the person may not propose paraphrases of this many questions.
        ValidationFailed: there is no such paraphraser.
        Conflict: an unfinished job has the same request.
    """
    permission = "paraphrase_propose" if len(questions) == 1 else "review"
    require(user, permission, "You may not propose these paraphrases.")
    paraphraser_choice(paraphraser)
    parameters = {"paraphraser": paraphraser, "questions": list(questions), "each": each}
    return run_create_alone(
        "These paraphrases are being written already: wait for that job.",
        kind="propose",
        capability="paraphrase",
        title=f"Propose paraphrases of {counted(len(questions), 'question', 'questions')}",
        parameters=parameters,
        requested_by=user,
    )


@dataclass(frozen=True, slots=True)
class AddedParaphrases:
    """What happened to the accepted paraphrases of one request.

    Attributes:
        made: new questions.
        restored: questions that had been retired when a decision was undone, and are back in use.
        known: paraphrases whose text is already in the bank.
        left: paraphrases beyond `MOST_ADDED`, not added yet.
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
    pairs = list(waiting.select_for_update(of=("self",), no_key=True).select_related("question")[:MOST_ADDED])
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
