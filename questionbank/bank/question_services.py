"""Writing questions, their tags and equations; each function is one transaction.

Every save updates what is derived from the text (content hash, search vector, difficulty in per cent) and
requests new vectors.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NotRequired, TypedDict, Unpack
from uuid import UUID

from django.db import IntegrityError, transaction

from analytics.question_content import Option, QuestionContent, content_of
from analytics.solver.solution import Solution
from analytics.solver.targets import OPERATORS, problem_graph_key
from questionbank.bank.difficulty_selectors import counted_percent
from questionbank.bank.history_selectors import REVERTED_FIELDS
from questionbank.bank.question_fields import fill_question
from questionbank.bank.question_selectors import contradicts_published, question_hash, solution_from_json
from questionbank.bank.search_index import search_index_settle, search_vector
from questionbank.bank.series_services import Asked, SeriesChoice, series_continue
from questionbank.bank.vector_services import embedding_request
from questionbank.core.database import get_or_not_found
from questionbank.core.errors import Conflict, NotFound, ValidationFailed
from questionbank.formats.limits import SET_LIMIT
from questionbank.models import (
    GRAPH_KEY_LIMIT,
    KnowledgeConcept,
    Question,
    QuestionEquation,
    QuestionSolution,
    QuestionTag,
    User,
)
from questionbank.models.integrations import api_key_name
from questionbank.people.permissions import require
from questionbank.people.school_selectors import shows_to, visible_to_of
from questionbank.people.school_services import questions_fit

_REWORDED = ", paraphrased"  # appended to the name of the source
_TAKEN_OVER = (
    "language", "kind", "options", "answer", "solution", "content", "grade", "stage", "difficulty", "difficulty_scale",
    "visibility", "school_id",
)  # fmt: skip


class QuestionInput(TypedDict):
    """The fields that a person enters when creating or updating a question."""

    text: str
    language: str
    kind: str
    options: Sequence[Mapping[str, Any] | Option]
    answer: str
    solution: str
    grade: str
    status: str
    concepts: Sequence[KnowledgeConcept]
    equation: NotRequired[str]
    content: NotRequired[QuestionContent]
    visible_to: NotRequired[str]  # as in `questionbank.people.school_selectors`


def question_create(*, user: User | None, submission: UUID | None = None, **fields: Unpack[QuestionInput]) -> Question:
    """Add a question with its tags and equation.

    Args:
        submission: identifies the submitted form. If the same form is submitted again, by a second click or a reload,
            the question created the first time is returned.

    Raises:
        ValidationFailed: the fields are invalid, with the problems by field; or the school has no room.
        NotAllowed: the person may not write questions.
    """
    require(user, "question_create", "You may not write questions.")
    question = Question(created_by=user, through=api_key_name(user), submission=submission)
    question.visibility, question.school_id = shows_to(user, fields.get("visible_to", ""))
    equation = fill_question(question, fields)
    made = Question.objects.filter(submission=submission, created_by=user) if submission else None
    if made is not None and (earlier := made.first()) is not None:
        return earlier
    try:
        return _create(user, question, equation, fields["concepts"])
    except IntegrityError:
        if made is not None and (earlier := made.first()) is not None:  # both requests arrived at the same time
            return earlier
        raise


@transaction.atomic
def _create(user: User | None, question: Question, equation: str, concepts: Sequence[KnowledgeConcept]) -> Question:
    questions_fit(school_id=question.school_id, added=1)
    _save(question)
    equation_write(question=question, expression=equation, user=user, set_by=_set_by(user))
    _set_tags(question, {concept.pk for concept in concepts}, user)
    embedding_request()
    return question


@transaction.atomic
def question_add_reworded(*, user: User | None, original: Question, text: str, status: str, source_id: str) -> Question:
    """Add a question that rewords `original`.

    Options, answer, solution, equation, grade and tags (with who set them) are copied from the original, and so is its
    published difficulty; responses are not, because the students saw a different text. The same people see it.

    Raises:
        NotAllowed: the person may not write questions.
    """
    require(user, "question_create", "You may not write questions.")
    question = Question(created_by=user, through=api_key_name(user), text=text, status=status, source_id=source_id)
    for name in _TAKEN_OVER:
        setattr(question, name, getattr(original, name))
    question.source = f"{original.source[: SET_LIMIT - len(_REWORDED)]}{_REWORDED}".lstrip(", ")
    question.paraphrase_of_id = original.paraphrase_of_id or original.pk
    questions_fit(school_id=question.school_id, added=1)
    _save(question)
    equation = QuestionEquation.objects.filter(question=original).first()
    if equation is not None:
        equation_write(question=question, expression=equation.expression, user=equation.user, set_by=equation.set_by)
    QuestionTag.objects.bulk_create(
        QuestionTag(
            question=question,
            concept_id=tag.concept_id,
            set_by=tag.set_by,
            user_id=tag.user_id,
            probability=tag.probability,
        )
        for tag in original.tags.order_by("pk")
    )
    embedding_request()
    return question


@transaction.atomic
def question_update(
    *,
    user: User | None,
    question: Question,
    version: int,
    seen: Collection[int] | None = None,
    series: SeriesChoice = SeriesChoice.AUTOMATIC,
    **fields: Unpack[QuestionInput],
) -> Question:
    """Update a question, unless somebody else did so since `version` was read.

    Args:
        seen: ids of the question's concepts when the form was opened. Concepts that somebody else added or removed
            since then are left as they are, unless this edit changes them too; None to overwrite.
        series: whether earlier responses still count for the question.

    Raises:
        Conflict: the question now has another version, or was merged into another question.
        ValidationFailed: the fields are invalid; it lists the problems by field.
        NotAllowed: the person may not change this question.
    """
    fresh = _locked(question)
    require(user, "question_edit", "You may not change this question.", fresh)
    _check_not_merged(fresh)
    if fresh.version != version:
        raise Conflict("Somebody else has just changed this question. Check the new version, then save again.")
    fields.setdefault("content", content_of(fresh.content))
    before = Asked.of(fresh)
    equation = fill_question(fresh, fields)
    if (visible_to := fields.get("visible_to", "")) not in ("", visible_to_of(fresh)):
        fresh.visibility, fresh.school_id = shows_to(user, visible_to)
        questions_fit(school_id=fresh.school_id, added=1)
    fresh.version += 1
    _save(fresh)
    series_continue(question=fresh, before=before, choice=series)
    solution_compare(question=fresh)
    equation_write(question=fresh, expression=equation, user=user, set_by=_set_by(user))
    concept_ids = {concept.pk for concept in fields["concepts"]}
    if seen is not None:
        current = set(fresh.tags.values_list("concept_id", flat=True))
        concept_ids = (current | (concept_ids - set(seen))) - (set(seen) - concept_ids)
    _set_tags(fresh, concept_ids, user)
    embedding_request()
    return fresh


@transaction.atomic
def question_revert(*, user: User | None, question: Question, event: int, version: int) -> Question:
    """Restore the wording, grading and grade that a question had before a change; the history records this too.

    Args:
        event: event of the history, which holds the question's state before the change.
        version: version of the question that the person saw.

    Raises:
        Conflict: the question now has another version, or was merged into another question.
        NotFound: its history has no such change.
        NotAllowed: the person may not change this question.
    """
    fresh = _locked(question)
    require(user, "question_edit", "You may not change this question.", fresh)
    _check_not_merged(fresh)
    if fresh.version != version:
        raise Conflict("Somebody else has just changed this question. Check the new version first.")
    updates = fresh.events.filter(pk=event, pgh_label="update")  # type: ignore[attr-defined]
    former = get_or_not_found(updates, "The history of this question has no such version.")
    before = Asked.of(fresh)
    for name in REVERTED_FIELDS:
        setattr(fresh, name, getattr(former, name))
    fresh.version += 1
    _save(fresh)
    series_continue(question=fresh, before=before)
    solution_compare(question=fresh)
    embedding_request()
    return fresh


@transaction.atomic
def question_retire(*, user: User | None, question: Question) -> Question:
    """Remove a question from search; it stays in the bank and in its worksheets.

    Raises:
        NotAllowed: the person may not change this question.
    """
    return _set_status(user, question, Question.Status.RETIRED)


@transaction.atomic
def question_restore(*, user: User | None, question: Question, status: str = Question.Status.READY) -> Question:
    """Restore a retired question.

    Raises:
        NotAllowed: the person may not change this question.
        Conflict: it was merged into another question.
    """
    restored = _set_status(user, question, status)
    embedding_request()  # retired questions get no new vectors
    return restored


def _set_status(user: User | None, question: Question, status: str) -> Question:
    fresh = _locked(question)
    require(user, "question_edit", "You may not change this question.", fresh)
    if fresh.status != status:
        _check_not_merged(fresh)
        fresh.status = status
        fresh.version += 1
        fresh.save(update_fields=["status", "version", "updated_at"])
        search_index_settle()
    return fresh


@transaction.atomic
def question_set_tags(
    *, user: User | None, question: Question, concepts: Sequence[KnowledgeConcept], seen: Collection[int] | None = None
) -> Question:
    """Tag the question with exactly these concepts; remaining tags keep the record of who set them.

    Args:
        seen: ids of the question's concepts when the person began to choose; None to overwrite.

    Raises:
        Conflict: its concepts have changed in the meantime.
        NotAllowed: the person may not tag questions.
    """
    fresh = _locked(question)
    require(user, "tags_edit", "You may not tag questions.", fresh)
    if seen is not None and set(seen) != set(fresh.tags.values_list("concept_id", flat=True)):
        raise Conflict(
            "Somebody else has just changed the concepts. Their choice is shown below: choose again, then save."
        )
    _set_tags(fresh, {concept.pk for concept in concepts}, user)
    return fresh


@transaction.atomic
def question_accept_prediction(
    *, user: User | None, question: Question, concept: KnowledgeConcept, probability: float | None
) -> QuestionTag:
    """Tag the question with a predicted concept that a person accepts.

    The tag counts as set by the person; the model's probability is stored with it.

    Raises:
        NotAllowed: the person may not tag questions.
        ValidationFailed: the probability is not between 0 and 1.
    """
    if probability is not None and not 0 <= probability <= 1:
        raise ValidationFailed("A probability lies between 0 and 1.", {"probability": ["Between 0 and 1."]})
    fresh = _locked(question)
    require(user, "tags_edit", "You may not tag questions.", fresh)
    if not KnowledgeConcept.objects.filter(pk=concept.pk).exists():
        raise NotFound("This concept no longer exists.")
    tag, _created = QuestionTag.objects.update_or_create(
        question=fresh,
        concept=concept,
        defaults={"set_by": QuestionTag.SetBy.PERSON, "user": user, "probability": probability},
    )
    return tag


def _locked(question: Question) -> Question:
    return get_or_not_found(
        Question.objects.select_for_update().filter(pk=question.pk), "This question no longer exists."
    )


def _check_not_merged(question: Question) -> None:
    if question.merged_into_id is not None:
        raise Conflict(
            f"This question was merged into question {question.merged_into_id}: change that one, or undo the merge."
        )


def _set_by(user: User | None) -> str:
    return QuestionEquation.SetBy.SOURCE if user is None else QuestionEquation.SetBy.PERSON


def _save(question: Question) -> None:
    question.content_hash = question_hash(question)
    question.difficulty_percent = counted_percent(question, question.combined)
    question.search_vector = search_vector(question)
    question.save()
    search_index_settle()
    question.refresh_from_db(fields=["search_vector"])  # it is still an expression


def _set_tags(question: Question, wanted: set[int], user: User | None) -> None:
    existing = set(KnowledgeConcept.objects.filter(pk__in=wanted).values_list("pk", flat=True))
    if wanted - existing:
        raise ValidationFailed("A chosen concept no longer exists.", {"concepts": ["Choose again."]})
    present = set(question.tags.values_list("concept_id", flat=True))
    question.tags.exclude(concept_id__in=wanted).delete()
    QuestionTag.objects.bulk_create(
        QuestionTag(question=question, concept_id=pk, set_by=QuestionTag.SetBy.PERSON, user=user)
        for pk in sorted(existing - present)
    )


def equation_graph_key(*, text: str, expression: str) -> str:
    """Return the graph key of a question's equation; empty if it has none, or one too long for a lookup."""
    if not expression:
        return ""
    # Each operand takes at least two characters of the key; keys of very long equations take seconds.
    if sum(expression.count(sign) for sign in OPERATORS) > GRAPH_KEY_LIMIT // 2:
        return ""
    key = problem_graph_key(text, expression)
    return key if len(key) <= GRAPH_KEY_LIMIT else ""


def equation_write(*, question: Question, expression: str, user: User | None, set_by: str) -> None:
    """Store a question's equation for its current text; an empty expression deletes it.

    An unchanged equation keeps its author. Call it in the transaction that saves the question.

    Args:
        set_by: a `QuestionEquation.SetBy` value, for a new equation.
    """
    stored = QuestionEquation.objects.filter(question=question).first()
    if not expression:
        if stored is not None:
            stored.delete()
        return
    equation = stored or QuestionEquation(question=question)
    if stored is None or stored.expression != expression:
        equation.expression, equation.set_by, equation.user = expression, set_by, user
    equation.graph_key = equation_graph_key(text=question.text, expression=expression)
    equation.save()


def solution_compare(*, question: Question) -> None:
    """Compare the stored solution of a question with its published answer again, in case that changed."""
    stored = QuestionSolution.objects.filter(question=question).first()
    if stored is None or not stored.alternatives or bytes(stored.content_hash) != bytes(question.content_hash):
        return  # nothing was found, or it is for an earlier text and will be replaced
    graph_key = solution_graph_key(question, solution_from_json(stored.alternatives[0]))
    if graph_key != stored.graph_key:
        stored.graph_key = graph_key
        stored.save(update_fields=["graph_key"])


def solution_graph_key(question: Question, solution: Solution) -> str:
    """Return the key for finding a solved question by graph; empty without a value or if it contradicts the source."""
    if solution.value is None or contradicts_published(question, solution):
        return ""
    return equation_graph_key(text=question.text, expression=solution.equation)
