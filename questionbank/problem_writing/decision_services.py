"""Decisions on generated similar problems: accept, reject, reword, and add to the bank."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from analytics.errors import DataError
from analytics.expression.evaluate import evaluate
from analytics.expression.parser import parse_expression
from analytics.solver.targets import problem_graph_key
from analytics.text.number_slots import number_slots
from analytics.text.word_problems import asks_nothing, is_word_problem
from questionbank.bank.question_selectors import exact_duplicates
from questionbank.bank.question_services import question_add_reworded, question_create
from questionbank.core.errors import Conflict, ValidationFailed
from questionbank.models import ProblemVariant, Question, User, Visibility
from questionbank.people.permissions import require
from questionbank.people.school_selectors import visible_to_of
from questionbank.problem_writing.reversal import blanks
from questionbank.problem_writing.selectors import accepted_variants, own_drafts
from questionbank.problem_writing.services import LONGEST_TEXT, MOST_ADDED


@transaction.atomic
def variant_decide(*, variant: ProblemVariant, accept: bool, user: User) -> ProblemVariant:
    """Accept or reject a similar problem; a decision can be changed until the problem is in the bank.

    Raises:
        NotAllowed: the person is not a reviewer.
        Conflict: it is in the bank already.
    """
    state = ProblemVariant.State
    return _with_state(variant, state.ACCEPTED if accept else state.REJECTED, user)


@transaction.atomic
def variant_reopen(*, variant: ProblemVariant, user: User) -> ProblemVariant:
    """Undo the decision on a similar problem, so that reviewers see it again.

    Raises:
        NotAllowed: the person is not a reviewer.
        Conflict: it is in the bank already.
    """
    return _with_state(variant, ProblemVariant.State.OPEN, user)


@transaction.atomic
def variant_reword(*, variant: ProblemVariant, text: str, user: User) -> ProblemVariant:
    """Change the wording of a similar problem and reopen it for a decision; an unchanged text has no effect.

    Its equation must compute the same result from the new text's numbers.

    Raises:
        NotAllowed: the person is not a reviewer.
        Conflict: it is in the bank already.
        ValidationFailed: the text is too long, lacks a number that the equation uses or the blank, states the answer
            or asks for none, or is a question that the bank already has.
    """
    fresh = _to_decide_on(variant, user)
    text = text.replace("\r\n", "\n").strip()
    if text == fresh.text.replace("\r\n", "\n").strip():
        return fresh
    if problem := _rewording_problem(fresh, text):
        raise ValidationFailed.beside("text", problem)
    fresh.text = text
    fresh.state = ProblemVariant.State.OPEN
    fresh.decided_by, fresh.decided_at = None, None
    fresh.save(update_fields=["text", "state", "decided_by", "decided_at"])
    return fresh


def _rewording_problem(variant: ProblemVariant, text: str) -> str:
    """Return why a text cannot be the wording of a similar problem; empty if it can."""
    if len(text) > LONGEST_TEXT:
        return f"The text has more than {LONGEST_TEXT} characters."
    key = problem_graph_key(text, variant.equation)
    if not key or key != problem_graph_key(variant.text, variant.equation):
        return f"The text must keep the numbers of the equation {variant.equation}."
    if (gaps := blanks(variant.text)) and blanks(text) != gaps:
        return "Keep the blank, written as ____: the answer is the number that is missing there."
    if _times_stated(variant.answer, text) > _times_stated(variant.answer, variant.text):
        return f"The text states the answer, {variant.answer}. Leave it out."
    if is_word_problem(variant.text) and not is_word_problem(text):
        return "This is no longer a word problem. Tell a story in words, with its numbers."
    if asks_nothing(text) and not asks_nothing(variant.text):
        return "The text asks nothing. End it with a question."
    if exact_duplicates(text=text, options=()).exists():
        return "The bank has this question already."
    return ""


def _times_stated(answer: str, text: str) -> int:
    """Count the numbers of a text that equal the answer; words such as "one" and "both" do not count."""
    try:
        value = evaluate(parse_expression(answer))
    except DataError:
        return 0
    slots = (slot for slot in number_slots(text) if not (slot.in_words and slot.value <= 2))
    return len({slot.start for slot in slots if slot.value == value})


def _to_decide_on(variant: ProblemVariant, user: User) -> ProblemVariant:
    """Return the problem's current state, locked.

    Raises:
        NotAllowed: the person is not a reviewer.
        Conflict: it is in the bank already.
    """
    require(user, "review", "You may not decide on similar problems.")
    fresh = ProblemVariant.objects.select_for_update().get(pk=variant.pk)
    if fresh.added_id is not None:
        raise Conflict("This similar problem is in the bank already.")
    return fresh


def _with_state(variant: ProblemVariant, state: ProblemVariant.State, user: User) -> ProblemVariant:
    fresh = _to_decide_on(variant, user)
    is_open = state == ProblemVariant.State.OPEN
    fresh.state = state
    fresh.decided_by, fresh.decided_at = (None, None) if is_open else (user, timezone.now())
    fresh.save(update_fields=["state", "decided_by", "decided_at"])
    return fresh


@transaction.atomic
def variants_add_accepted(*, user: User, question: Question | None = None, as_drafts: bool = False) -> int:
    """Add the accepted similar problems that the bank lacks, with equation, answer and the concepts of their question.

    A similar or reversed problem becomes a question of its own, with its own answer; a reversed one is computed in the
    opposite direction, so it gets no concepts. One with the question first is a rewording of its question.

    Args:
        question: add only the problems of this one.

    Returns:
        The number of questions added; problems that the bank already has are only linked.

    Raises:
        NotAllowed: the person may not write questions.
    """
    require(user, "question_create", "You may not add questions to the bank.")
    made = 0
    waiting = accepted_variants(question=question).select_for_update(of=("self",), no_key=True)
    for variant in waiting.select_related("question")[:MOST_ADDED]:
        original = variant.question
        assert original is not None  # noqa: S101 - `accepted_variants` asks for one
        in_bank = exact_duplicates(text=variant.text, options=()).exclude(status=Question.Status.DRAFT)
        variant.added = in_bank.first()
        if variant.added is None:
            is_draft = as_drafts or original.status == Question.Status.DRAFT
            status = Question.Status.DRAFT if is_draft else Question.Status.READY
            variant.added = _question_of(variant, original, status, user)
            made += 1
        variant.save(update_fields=["added"])
    return made


@transaction.atomic
def variant_keep_as_draft(*, variant: ProblemVariant, user: User) -> Question:
    """Add a problem to a person's own drafts, which needs no reviewer, or return the person's existing draft.

    The problem itself remains for the reviewers, who decide whether it enters the bank (decision 78).

    Raises:
        NotAllowed: the person may not write questions.
        Conflict: the question that it was written from was deleted.
    """
    require(user, "question_create", "You may not write questions.")
    drafts = own_drafts(texts=[variant.text], user=user)
    if drafts:
        return drafts[variant.text]
    if variant.question is None:
        raise Conflict("The question that this problem was written from was deleted.")
    return _question_of(variant, variant.question, Question.Status.DRAFT, user)


def _question_of(variant: ProblemVariant, original: Question, status: str, user: User) -> Question:
    """Add the question made from a problem."""
    if variant.kind == ProblemVariant.Kind.REORDERED and variant.original == original.text:
        return question_add_reworded(
            user=user, original=original, text=variant.text, status=status, source_id=f"variant-{variant.pk}"
        )
    keeps_concepts = variant.kind != ProblemVariant.Kind.REVERSED
    return question_create(
        user=user,
        text=variant.text,
        language=variant.language,
        kind=Question.Kind.OPEN,
        options=[],
        answer=variant.answer,
        solution="",
        grade=original.grade,
        status=status,
        concepts=[tag.concept for tag in original.tags.select_related("concept")] if keeps_concepts else [],
        equation=variant.equation,
        visible_to="" if original.visibility == Visibility.ALL else visible_to_of(original),
    )
