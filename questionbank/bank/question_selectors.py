"""Reading questions: single ones, records for files and capabilities, duplicates, other wordings, and pictures.

Also what a question's published answer says about a solution of it.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from django.core.files.storage import storages
from django.db import connection
from django.db.models import CharField, F, Func, Q, QuerySet, prefetch_related_objects
from django.db.models.fields.json import KT

from analytics.question_content import (
    EMPTY,
    Option,
    QuestionContent,
    asked_parts,
    content_digest,
    content_of,
    option_text,
    own_text,
)
from analytics.records import ConceptPath, Original, QuestionRecord
from analytics.solver.solution import Solution
from analytics.text.meaning import PublishedNumber, number_of_answer, same_answer
from questionbank.bank.concept_selectors import named_paths
from questionbank.core.database import get_or_not_found
from questionbank.core.errors import ValidationFailed
from questionbank.core.wording import whole_number
from questionbank.formats.columns import STORED
from questionbank.formats.kinds import right_labels
from questionbank.models import (
    KnowledgeConcept,
    KnowledgeHierarchy,
    ProblemVariant,
    Question,
    QuestionOriginal,
    QuestionTag,
    User,
)
from questionbank.people.permissions import is_admin

_SAME_STORY = (ProblemVariant.Kind.REVERSED.value, ProblemVariant.Kind.REORDERED.value)

# Raw SQL: every question's page runs this, and Django takes several times as long to build the query as the database
# to answer it.
_WORDINGS = """
    SELECT id FROM questionbank_question, (
        SELECT coalesce(paraphrase_of_id, id) AS original FROM questionbank_question WHERE id = ANY(%s)
    ) AS asked
    WHERE id = original OR paraphrase_of_id = original
"""
_STORY = f"""
    WITH wordings AS ({_WORDINGS}), variants AS (
        SELECT question_id, added_id FROM questionbank_problemvariant
        WHERE added_id IS NOT NULL AND kind = ANY(%s) AND (
            question_id IN (SELECT id FROM wordings) OR added_id IN (SELECT id FROM wordings)
        )
    )
    SELECT id FROM wordings UNION SELECT added_id FROM variants
    UNION SELECT question_id FROM variants WHERE question_id IS NOT NULL
"""  # noqa: S608 - no user input; a variant may outlive the question it was written from


def wording_ids(question_id: int) -> list[int]:
    """Return the ids of a question, of its original, and of all rewordings of either, with one query.

    The list is empty if there is no such question.
    """
    return _ids(_WORDINGS, [[question_id]])


def story_ids(*question_ids: int) -> list[int]:
    """Return the ids of some questions, of all their wordings, and of the questions made from the same stories.

    A reversed version of a problem reveals its answer.
    """
    return _ids(_STORY, [list(question_ids), list(_SAME_STORY)])


def _ids(query: str, parameters: list[Any]) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return [pk for (pk,) in cursor.fetchall()]


RECORDS_AT_ONCE = 2_000
_OPTION = [field.name for field in fields(Option)]


def is_text_of(*, question: Question, text: str) -> bool:
    """Return whether a text equals a question's, up to what `content_hash` ignores; options are not compared."""
    return content_hash(text=text) == content_hash(text=question.text)


def content_hash(
    *, text: str, options: Sequence[Option | Mapping[str, Any]] = (), content: QuestionContent = EMPTY
) -> bytes:
    """Return the SHA-256 of what a question asks: text, options, pairs, gaps, parts and pictures, in order.

    Computed by `analytics.question_content.content_digest`.
    """
    parts = [text, *map(option_text, options)]
    if content:
        parts.extend(asked_parts(content))
    return content_digest(parts)


_MOST_ANSWERS_COMPARED = 20  # by meaning


def question_hash(question: Question) -> bytes:
    """Return the `content_hash` of a stored question."""
    content = content_of(question.content)
    return content_hash(text=question.text, options=question.options, content=content)


ANSWER_KEY_SQL = r"btrim(regexp_replace(normalize({answer}, NFKC), '\s+', ' ', 'g'), ' $')"
"""SQL equivalent of `answer_key`; ``{answer}`` is the column."""


def answer_key(answer: str) -> str:
    """Return a normalised answer: compatibility forms, whitespace and surrounding dollar signs do not matter.

    >>> answer_key("$12$  cm") == answer_key("$12$ cm"), answer_key("$12$"), answer_key("２０")
    (True, '12', '20')
    """
    return " ".join(unicodedata.normalize("NFKC", answer).split()).strip(" $")


def in_language(language: str) -> Q:
    """Return the condition for rows in a language, including its scripts and regional forms."""
    return Q(language__iexact=language) | Q(language__istartswith=f"{language}-")


def visible_to(user: User | None) -> Q:
    """Return the condition for questions visible to a person; others' drafts only for admins and the system (None)."""
    if user is None or is_admin(user):
        return Q()
    return ~Q(status=Question.Status.DRAFT) | Q(created_by=user)


def question_get(*, question_id: int, user: User | None = None) -> Question:
    """Return a question with its equation, its author, and as `imported_through` the key that requested its import.

    Args:
        user: the person who wants to see it; None is the system itself.
    """
    questions = Question.objects.select_related("equation", "machine_solution", "created_by")
    questions = questions.annotate(imported_through=F("import_run__through"))
    return get_or_not_found(questions.filter(visible_to(user), pk=question_id), f"There is no question {question_id}.")


def questions_numbered(*, numbers: Iterable[int], user: User) -> list[Question]:
    """Return the questions with these numbers, in their order.

    Raises:
        ValidationFailed: beside ``questions``: the first that is not there, or that the person may not see.
    """
    numbers = list(numbers)
    found = Question.objects.filter(visible_to(user)).defer("search_vector").in_bulk(numbers)
    for number in numbers:
        if number not in found:
            raise ValidationFailed.beside("questions", f"There is no question {number}.")
    return [found[number] for number in numbers]


def exact_duplicates(
    *,
    text: str,
    options: Sequence[Option | Mapping[str, Any]],
    content: QuestionContent = EMPTY,
    answer: str = "",
    exclude: Question | None = None,
    user: User | None = None,
) -> QuerySet[Question]:
    """Return the questions that ask the same, are not retired and are visible to the person, oldest first.

    Args:
        answer: if given, questions with another answer do not count, because they may show another figure.
            ``1/2`` and ``0.5`` are the same answer.
    """
    digest = content_hash(text=text, options=options, content=content)
    same = Question.objects.filter(visible_to(user), content_hash=digest)
    same = same.exclude(status=Question.Status.RETIRED).order_by("pk")
    if key := answer_key(answer):
        stored_key = Func(
            F("answer"), template=ANSWER_KEY_SQL.replace("{answer}", "%(expressions)s"), output_field=CharField()
        )
        stored = same.exclude(answer="").values_list("pk", "answer")[:_MOST_ANSWERS_COMPARED]
        equal = [pk for pk, stored_answer in stored if same_answer(answer, stored_answer) == "same"]
        same = same.alias(answer_key=stored_key).filter(Q(answer_key__in=("", key)) | Q(pk__in=equal))
    return same if exclude is None else same.exclude(pk=exclude.pk)


@dataclass(frozen=True, slots=True)
class TaggedPath:
    """A tag of a question: the path of its concept, in its hierarchy."""

    hierarchy: int
    path: ConceptPath


def concept_paths(
    question_ids: Iterable[int], *, hierarchy: KnowledgeHierarchy | None = None
) -> dict[int, list[ConceptPath]]:
    """Return the concept paths of many questions with two queries, each question's in tree order.

    If a hierarchy is given, only paths in it.
    """
    tags = tagged_paths(question_ids, hierarchy=hierarchy)
    return {question_id: [tag.path for tag in question_tags] for question_id, question_tags in tags.items()}


def tagged_paths(
    question_ids: Iterable[int], *, hierarchy: KnowledgeHierarchy | None = None
) -> dict[int, list[TaggedPath]]:
    """Return concept paths like `concept_paths`, each with its hierarchy."""
    ids = list(question_ids)
    if not ids:
        return {}
    # Raw SQL, because every page of results runs it: Django takes longer to build it than PostgreSQL to answer.
    query = """
        SELECT t.question_id, k.hierarchy_id, k.path
        FROM questionbank_questiontag t JOIN questionbank_knowledgeconcept k ON k.id = t.concept_id
        WHERE t.question_id = ANY(%s::bigint[]) AND coalesce(k.hierarchy_id = %s, true) ORDER BY k.path
    """
    with connection.cursor() as cursor:
        cursor.execute(query, [ids, hierarchy.pk if hierarchy else None])
        tags = cursor.fetchall()
    names = named_paths(path for *_, path in tags)
    paths: dict[int, list[TaggedPath]] = {}
    for question_id, hierarchy_id, path in tags:
        paths.setdefault(question_id, []).append(TaggedPath(hierarchy_id, names[path]))
    return paths


def numbered_question_records(
    questions: QuerySet[Question] | Sequence[Question],
    *,
    hierarchy: KnowledgeHierarchy | None = None,
    originals_of: str = "",
) -> Iterator[tuple[int, QuestionRecord]]:
    """Yield many questions as (id, record) in bounded memory: a query set by id, a sequence in its own order.

    If a hierarchy is given, only its concepts are included; if a format is given, the originals read from it.
    """
    if not isinstance(questions, QuerySet):
        prefetch_related_objects(questions, "equation")
        yield from _records(questions, hierarchy, originals_of)
        return
    questions = questions.select_related("equation").order_by("pk")
    last = 0
    while batch := list(questions.filter(pk__gt=last)[:RECORDS_AT_ONCE]):
        last = batch[-1].pk
        yield from _records(batch, hierarchy, originals_of)


def _records(
    questions: Sequence[Question], hierarchy: KnowledgeHierarchy | None, originals_of: str
) -> Iterator[tuple[int, QuestionRecord]]:
    ids = [question.pk for question in questions]
    paths = concept_paths(ids, hierarchy=hierarchy)
    original_rows = QuestionOriginal.objects.filter(format=originals_of, question__in=ids) if originals_of else ()
    originals = {
        row.question_id: Original(row.format, bytes(row.data), bytes(row.preamble), bytes(row.fields))
        for row in original_rows
    }
    for question in questions:
        record = _record(question, paths.get(question.pk, []))
        original = originals.get(question.pk)
        yield question.pk, replace(record, original=original) if original else record


def _record(question: Question, paths: Sequence[ConceptPath]) -> QuestionRecord:
    equation = getattr(question, "equation", None)
    stored = {column.attribute: getattr(question, column.stored) for column in STORED}
    return QuestionRecord(
        **stored
        | {
            "id": question.source_id or str(question.pk),
            "options": tuple(
                Option(**{name: option[name] for name in _OPTION if name in option}) for option in question.options
            ),
            "equation": equation.expression if equation else "",
            "numbers": tuple(equation.numbers) if equation else (),
            "concepts": tuple(paths),
            "content": content_of(question.content),
        }
    )


EXPORT_FILTERS = ("source", "language", "kind", "grade", "stage", "status", "hierarchy", "concept", "difficulty")


def questions_matching(*, filters: Mapping[str, str]) -> QuerySet[Question]:
    """Return questions for an export; only ready ones unless `filters` contains a status.

    Args:
        filters: names from `EXPORT_FILTERS`; ``concept`` is an id and includes its descendants, ``difficulty``
            is a range in per cent such as ``20-60``, and the others are compared for equality.

    Raises:
        ValidationFailed: a filter is unknown or its value is invalid.
    """
    questions = Question.objects.filter(status=filters.get("status", Question.Status.READY))
    for name, value in filters.items():
        if name not in EXPORT_FILTERS:
            raise ValidationFailed(f"The filter {name!r} is not known; use one of {', '.join(EXPORT_FILTERS)}.")
        if name == "hierarchy":
            if not KnowledgeHierarchy.objects.filter(name=value).exists():
                raise ValidationFailed(f"There is no hierarchy {value!r}.")
            tagged = QuestionTag.objects.filter(concept__hierarchy__name=value)
            questions = questions.filter(pk__in=tagged.values("question_id"))
        elif name == "concept":
            questions = questions.filter(pk__in=_tagged_below(value).values("question_id"))
        elif name == "difficulty":
            questions = questions.filter(difficulty_percent__range=_percent_range(value))
        elif name == "status" and value not in Question.Status.values:
            raise ValidationFailed(f"status must be one of {', '.join(Question.Status.values)}.")
        else:
            questions = questions.filter(**{name: value})
    return questions


def _tagged_below(concept_id: str) -> QuerySet[QuestionTag]:
    concept = KnowledgeConcept.objects.filter(pk=whole_number(concept_id)).first()
    if concept is None:
        raise ValidationFailed(f"There is no concept {concept_id!r}; give its number.")
    return QuestionTag.objects.filter(concept__path__startswith=concept.path)


def _percent_range(value: str) -> tuple[float, float]:
    low, dash, high = value.partition("-")
    try:
        return float(low), float(high) if dash else float(low)
    except ValueError as error:
        raise ValidationFailed("difficulty must be a range of per cent such as 20-60.") from error


SHARING_SHOWN = 20


def questions_sharing_text(*, question: Question, user: User) -> list[Question]:
    """Return at most `SHARING_SHOWN` other questions whose texts begin with the same stimulus."""
    content = content_of(question.content)
    if own_text(question.text, content) == question.text:
        return []
    shared = Question.objects.alias(shared=KT("content__stimulus__text")).filter(
        Q(content__has_key="stimulus"), visible_to(user), shared=content.stimulus.text
    )
    others = shared.exclude(pk=question.pk).exclude(status=Question.Status.RETIRED).order_by("pk")
    return list(others.defer("search_vector", "content_hash")[:SHARING_SHOWN])


def stored_name(sha256: str) -> str:
    """Return the storage name of a picture's file."""
    return f"{sha256[:2]}/{sha256}"


def picture_bytes(sha256: str) -> bytes | None:
    """Return a picture's bytes, or None if its file is missing or damaged."""
    try:
        with storages["attachments"].open(stored_name(sha256)) as file:
            data: bytes = file.read()
    except FileNotFoundError:
        return None
    return data if hashlib.sha256(data).hexdigest() == sha256 else None  # damaged


def solution_from_json(row: Mapping[str, Any]) -> Solution:
    """Deserialize a solution from `QuestionSolution.alternatives`."""
    return Solution(**{**row, "tokens": tuple(row["tokens"]), "terms": tuple(row["terms"])})


def published_answer(question: Question) -> str:
    """Return the published answer; for a multiple-choice question, the texts of the right options."""
    answer = question.answer.strip()
    if question.kind != Question.Kind.CHOICE:
        return answer
    texts = {option["label"]: str(option["text"]) for option in question.options}
    return "; ".join(texts[label] for label in right_labels(answer, list(texts)) or ())


def published_number(question: Question) -> PublishedNumber | None:
    """Return the published answer if it is a single number, as read by `number_of_answer`, otherwise None."""
    return number_of_answer(published_answer(question))


def contradicts_published(question: Question, solution: Solution) -> bool:
    """Return whether a solution contradicts a numeric published answer."""
    published = published_number(question)
    return published is not None and not gives_published(published, solution.value, solution.quotient)


def gives_published(published: PublishedNumber, *values: float | None) -> bool:
    """Return whether one of a solution's values, rounded or exact, is the published answer."""
    return any(map(published.agrees_with, values))
