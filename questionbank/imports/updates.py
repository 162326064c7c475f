"""Importing a file again: which lines match questions imported from it before, and which of those have changed.

A line is matched to a question by (source, identifier), else by (source, id in the bank), else by its content.
A question that still equals its line in the earlier file is updated; if it has been edited since and its line has
changed too, it waits for a person's choice.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db import transaction
from django.db.models import QuerySet

from analytics.records import ConceptPath
from questionbank.bank.concept_services import concept_paths_known
from questionbank.bank.difficulty_selectors import counted_percent
from questionbank.bank.question_selectors import ANSWER_KEY_SQL, question_hash
from questionbank.bank.question_services import equation_write, solution_compare
from questionbank.bank.search_index import search_index_settle, search_vector
from questionbank.bank.series_services import Asked, series_continue
from questionbank.bank.vector_services import embedding_request
from questionbank.core.errors import Conflict
from questionbank.formats.columns import COLUMNS, OPTION_COLUMNS, STORED
from questionbank.formats.layout import FileLayout
from questionbank.imports.report import Fields, ItemChange, KnownLines, differences_shown
from questionbank.imports.staging import Staging
from questionbank.models import (
    ImportUpdate,
    KnowledgeConcept,
    KnowledgeHierarchy,
    Question,
    QuestionEquation,
    QuestionOriginal,
    QuestionTag,
    Run,
    User,
)
from questionbank.models.visibility import seen_rows
from questionbank.people.permissions import require

REPLACED = tuple(column.stored for column in STORED if column.name != "set")
"""The columns of a question that a file can replace."""
_EMPTY: tuple[Any, ...] = ("", None, [], {}, 0)
_AT_ONCE = 500
_OF_ITEMS = frozenset({"text", "kind", "language", "options", "answer", "solution", "content"})
# The columns of a question that each column of a file states:
_FILLED = {column.name: column.fills or (column.stored,) for column in COLUMNS}
_FILLED |= dict.fromkeys(OPTION_COLUMNS, _FILLED["options"])

_BY_IDENTIFIER = """
    SELECT DISTINCT ON (id) line, id FROM (
        SELECT DISTINCT ON (s.line) s.line, q.id
        FROM staged_question s
        JOIN questionbank_question q ON q.source = s.source AND q.source_id = s.source_id
        WHERE s.source_id <> '' AND <may_claim>
        ORDER BY s.line, q.content_hash = s.content_hash DESC, q.status = 'retired', q.id DESC
    ) found ORDER BY id, line
"""
_BY_NUMBER = """
    SELECT DISTINCT ON (q.id) s.line, q.id
    FROM staged_question s
    JOIN questionbank_question q ON q.source = s.source AND q.source_id = ''
        AND q.id = CASE WHEN s.source_id ~ '^[1-9][0-9]{0,17}$' THEN s.source_id::bigint END
        AND <may_claim>
    ORDER BY q.id, s.line
"""  # an export uses the question's id in the bank if it has no identifier
_WITHOUT_NUMBER = """
    UPDATE staged_known k SET source_id = '' FROM questionbank_question q
    WHERE q.id = k.question_id AND q.source_id = '' AND k.source_id = q.id::text
"""
_BY_HASH = """
    SELECT DISTINCT ON (id) line, id FROM (
        SELECT DISTINCT ON (s.line) s.line, q.id, {key} = s.answer_key AS is_same
        FROM staged_question s
        JOIN questionbank_question q ON q.source = s.source AND q.content_hash = s.content_hash
        WHERE (s.source_id = '' OR q.source_id = '') AND q.status <> 'retired' AND <may_claim>
            AND NOT EXISTS (SELECT FROM staged_known k WHERE k.question_id = q.id)
        ORDER BY s.line, is_same DESC, q.id
    ) found ORDER BY id, is_same DESC, line
""".format(key=ANSWER_KEY_SQL.format(answer="q.answer"))  # noqa: S608 - only names from this module
_CLAIM = """
    WITH claimed AS ({claimed}), moved AS (
        DELETE FROM staged_question s USING claimed c WHERE s.line = c.line RETURNING c.id, s.*
    )
    INSERT INTO staged_known SELECT * FROM moved
"""
_DIFFERENT = f"""
    SELECT k.line FROM staged_known k
    JOIN questionbank_question q ON q.id = k.question_id
    LEFT JOIN questionbank_questionequation e ON e.question_id = q.id
    LEFT JOIN questionbank_questionoriginal o ON o.question_id = q.id AND o.format = k.original_format
    WHERE ({", ".join("k." + name for name in REPLACED)})
        IS DISTINCT FROM ({", ".join("q." + name for name in REPLACED)})
        OR k.equation <> coalesce(e.expression, '')
        OR k.original IS DISTINCT FROM o.data
    ORDER BY k.line
"""  # noqa: S608
_STAGED = f"""
    SELECT line, question_id, {", ".join(REPLACED)}, equation, original_format, original, preamble, fields
    FROM staged_known WHERE line = ANY(%s) ORDER BY line
"""  # noqa: S608
_VANISHED = """
    SELECT q.id FROM questionbank_question q
    WHERE q.source IN (SELECT source FROM staged_known UNION SELECT source FROM staged_question)
        AND q.import_run_id IS NOT NULL AND q.status <> 'retired' AND <may_claim>
        AND NOT EXISTS (SELECT FROM staged_known k WHERE k.question_id = q.id)
        AND NOT EXISTS (SELECT FROM staged_match m WHERE m.existing_id = q.id)
    ORDER BY q.id
"""
_TAGS = """
    SELECT t.question_id, array_agg(t.concept_id)
    FROM questionbank_questiontag t JOIN staged_known k USING (question_id)
    JOIN questionbank_knowledgeconcept c ON c.id = t.concept_id
    JOIN questionbank_knowledgehierarchy h ON h.id = c.hierarchy_id
    WHERE t.set_by = 'import' AND h.name = %s GROUP BY 1
"""


def known_lines(
    staging: Staging, *, layout: FileLayout | None, paths: Sequence[ConceptPath], hierarchy: str
) -> KnownLines:
    """Move the staged lines of questions imported from this file before to `staged_known`, and return their changes.

    Only questions that the person may change are considered.

    Args:
        layout: the file's columns; fields without a column are left alone.
        paths: concept paths, indexed by their numbers in the staged lines.
        hierarchy: name of the hierarchy of these concepts.
    """
    known = KnownLines()
    for claimed in (_BY_IDENTIFIER, _BY_NUMBER, _BY_HASH):
        staging.execute(_CLAIM.format(claimed=_claimable(staging, claimed)))
    staging.execute(_WITHOUT_NUMBER)
    ((known.count,),) = staging.execute("SELECT count(*) FROM staged_known")
    stated = _stated(layout)
    lines = [line for (line,) in staging.execute(_DIFFERENT)]
    for first in range(0, len(lines), _AT_ONCE):
        known.changes += _changes(staging.execute(_STAGED, [lines[first : first + _AT_ONCE]]), stated, known)
    if paths:
        _add_moved(staging, known, paths, hierarchy)
    known.changes.sort(key=lambda change: change.line)
    return known


def _claimable(staging: Staging, statement: str) -> str:
    """Restrict a statement to questions that the import may change."""
    return statement.replace("<may_claim>", f"{staging.is_visible} AND {staging.may_change}")


def _stated(layout: FileLayout | None) -> frozenset[str]:
    """Return the question columns that a file states; for other columns, only values that are not empty count."""
    if layout is None:
        return _OF_ITEMS
    fields = [name for _column, name in layout.pairs]
    return frozenset(column for name in fields for column in _FILLED[name])


def _changes(staged: Iterable[tuple[Any, ...]], stated: Collection[str], known: KnownLines) -> Iterator[ItemChange]:
    rows = {row[1]: row for row in staged}
    questions = Question.objects.select_for_update(of=("self",)).select_related("equation", "original")
    bases, kept_updates = _earlier_imports(rows)
    for question in questions.filter(pk__in=rows).order_by("pk"):
        line, _question, *values, form, data, preamble, digest = rows[question.pk]
        incoming: Fields = dict(zip((*REPLACED, "equation"), values, strict=True))
        incoming |= {name: json.loads(incoming[name]) for name in ("options", "content")}
        if data is not None:
            incoming["original"] = _original(form, data, preamble, digest)
        now = question_fields(question)
        before, after = _differences(now, incoming, stated)
        if not after:
            continue
        if question.status == Question.Status.RETIRED:
            known.kept_retired += 1
            continue
        base = bases.get(question.pk, 1)
        change = ItemChange(line, question.pk, before, after, is_conflict=question.version != base)
        if not change.is_conflict or not _is_seen(question, base, incoming, stated, kept_updates.get(question.pk)):
            yield change


def _earlier_imports(questions: Iterable[int]) -> tuple[dict[int, int], dict[int, ImportUpdate]]:
    """Return the version in which each question last equalled its file, and a later choice to keep the bank's."""
    bases: dict[int, int] = {}
    kept_updates: dict[int, ImportUpdate] = {}
    for update in ImportUpdate.objects.filter(question__in=list(questions)).order_by("pk"):
        if update.outcome == ImportUpdate.Outcome.KEPT:
            kept_updates[update.question_id] = update
        elif update.version is not None:
            bases[update.question_id] = update.version
            kept_updates.pop(update.question_id, None)
    return bases, kept_updates


def _differences(now: Fields, incoming: Fields, stated: Collection[str]) -> tuple[Fields, Fields]:
    """Return the fields that differ, with their current and their incoming values."""
    after = {
        name: value
        for name, value in incoming.items()
        if name in now
        and value != now[name]
        and (name in stated or (value not in _EMPTY and name not in ("kind", "language")))
    }
    if "original" in after and set(after) == {"original"} and _is_same_item(now["original"], after["original"]):
        after = {}
    return {name: now[name] for name in after}, after


def _is_same_item(one: Fields | None, other: Fields | None) -> bool:
    return one is not None and other is not None and one["data"] == other["data"]


def _is_seen(
    question: Question, base: int, incoming: Fields, stated: Collection[str], kept: ImportUpdate | None
) -> bool:
    """Return whether the file is unchanged since before the person's edit, or has a version they already rejected."""
    if kept is not None:
        _before, after = _differences(question_fields(question) | kept.incoming, incoming, stated)
        return not after.keys() - {"original"}
    events = apps.get_model("questionbank", "QuestionEvent")._default_manager
    event = events.filter(pgh_obj_id=question.pk, pgh_label="update", version=base).first()
    if event is None:
        return False
    was = {name: getattr(event, name) for name in REPLACED}
    _before, after = _differences(was, {name: incoming[name] for name in REPLACED}, stated)
    return not after


def question_fields(question: Question) -> Fields:
    """Return the fields of a question that a file can replace, as JSON values."""
    equation: QuestionEquation | None = getattr(question, "equation", None)
    original: QuestionOriginal | None = getattr(question, "original", None)
    return {name: getattr(question, name) for name in REPLACED} | {
        "equation": equation.expression if equation else "",
        "original": _original(original.format, original.data, original.preamble, original.fields) if original else None,
    }


def _original(form: str, *parts: bytes | memoryview) -> Fields:
    names = ("data", "preamble", "fields")
    return {"format": form} | {
        name: base64.b64encode(bytes(part)).decode() for name, part in zip(names, parts, strict=True)
    }


def _add_moved(staging: Staging, known: KnownLines, paths: Sequence[ConceptPath], hierarchy: str) -> None:
    """Add the questions that have other concepts in the file."""
    owner = KnowledgeHierarchy.objects.filter(name=hierarchy).first()
    if owner is None:
        return
    names = {concept.pk: path for path, concept in concept_paths_known(hierarchy=owner).items()}
    changes = {change.question: change for change in known.changes}
    tagged = {question: set(concepts) for question, concepts in staging.execute(_TAGS, [hierarchy])}
    for line, question, numbers in staging.execute("SELECT line, question_id, paths FROM staged_known"):
        old = {pk: list(names[pk]) for pk in tagged.get(question, ()) if pk in names}
        new = [list(paths[number]) for number in numbers]
        gone = sorted(pk for pk, path in old.items() if path not in new)
        if not gone and all(path in old.values() for path in new):
            continue
        change = changes.get(question)
        if change is None:
            change = ItemChange(line, question, {}, {})
            known.changes.append(change)
        change.before |= {"concepts": sorted(old.values()), "tags": gone}
        change.after["concepts"] = sorted(new)


def apply_updates(known: KnownLines, *, run_id: int | None) -> None:
    """Update the changed questions, and record those that wait for a choice."""
    for change in known.changes:
        question = Question.objects.get(pk=change.question)
        is_applied = not change.is_conflict
        # Concepts always follow the file: an import never changes people's own tags.
        fields = change.after if is_applied else {}
        question_replace(question, fields, gone=change.before.get("tags", ()))
        if run_id is not None:
            ImportUpdate.objects.create(
                run_id=run_id,
                question=question,
                outcome=ImportUpdate.Outcome.UPDATED if is_applied else ImportUpdate.Outcome.CONFLICT,
                before=change.before,
                incoming={name: value for name, value in change.after.items() if name != "concepts"},
                version=question.version if is_applied and change.after.keys() - {"concepts"} else None,
            )


def question_replace(question: Question, fields: Mapping[str, Any], *, gone: Sequence[int] = ()) -> None:
    """Replace fields of a question and increment its version; `question` then equals the stored row.

    Args:
        fields: in the format of `question_fields`.
        gone: ids of concepts whose imported tags are removed.
    """
    before = Asked.of(question)
    for name in REPLACED:
        if name in fields:
            setattr(question, name, fields[name])
    if any(name in fields for name in REPLACED):
        question.version += 1
        question.content_hash = question_hash(question)
        question.difficulty_percent = counted_percent(question, question.combined)
        question.search_vector = search_vector(question)
        question.save()
        question.refresh_from_db(fields=["search_vector"])  # it is still an expression
        series_continue(question=question, before=before)
        solution_compare(question=question)
    if "equation" in fields:
        equation_write(
            question=question, expression=fields["equation"], user=None, set_by=QuestionEquation.SetBy.SOURCE
        )
    if "original" in fields:
        _write_original(question, fields["original"])
    if gone:
        question.tags.filter(concept__in=gone, set_by="import").delete()


def _write_original(question: Question, original: Fields | None) -> None:
    QuestionOriginal.objects.filter(question=question).delete()
    if original is not None:
        parts = {name: base64.b64decode(original[name]) for name in ("data", "preamble", "fields")}
        QuestionOriginal.objects.create(question=question, format=original["format"], **parts)


def restore_updates(ids: Sequence[int]) -> None:
    """Revert the updates with these ids."""
    concepts = set(KnowledgeConcept.objects.values_list("pk", flat=True)) if ids else set()
    for update in ImportUpdate.objects.filter(pk__in=ids).select_related("question").order_by("pk"):
        question = update.question
        question_replace(question, update.before if update.version is not None else {})
        QuestionTag.objects.bulk_create(
            (
                QuestionTag(question=question, concept_id=pk, set_by=QuestionTag.SetBy.IMPORT)
                for pk in update.before.get("tags", ())
                if pk in concepts
            ),
            ignore_conflicts=True,
        )
        if update.outcome in (ImportUpdate.Outcome.UPDATED, ImportUpdate.Outcome.TAKEN):
            update.outcome = ImportUpdate.Outcome.UNDONE
        update.before.pop("tags", None)
        update.version = question.version if update.version is not None else None
        update.save(update_fields=["outcome", "version", "before"])


@dataclass(frozen=True, slots=True)
class ShownConflict:
    """A question with both versions of its fields: (field, in the bank, in the file)."""

    question: Question
    differences: list[tuple[str, str, str]]


def import_conflicts_of(*, run: Run) -> QuerySet[ImportUpdate]:
    """Return the import's conflicts that wait for a choice, of questions that the viewer may see.

    Those of questions that were merged into others wait until the merge is undone.
    """
    seen = seen_rows("question__audience")
    conflicts = {"outcome": ImportUpdate.Outcome.CONFLICT, "question__merged_into": None}
    waiting = ImportUpdate.objects.filter(seen, run=run, **conflicts)
    return waiting.select_related("question").order_by("pk")


def shown_conflicts(conflicts: Iterable[ImportUpdate]) -> list[ShownConflict]:
    """Return conflicts for a page, with the bank's current values."""
    return [
        ShownConflict(
            conflict.question,
            differences_shown(
                conflict.before
                | {
                    name: getattr(conflict.question, name)
                    for name in conflict.incoming
                    if hasattr(conflict.question, name) and name not in ("equation", "original")
                },
                conflict.incoming,
            ),
        )
        for conflict in conflicts
    ]


@transaction.atomic
def import_conflicts_settle(*, run: Run, user: User | None, take: bool, question: int | None = None) -> int:
    """Settle conflicts by taking the file's version or keeping the bank's; return how many were settled.

    Args:
        question: id of one question; None for all that wait.

    Raises:
        NotAllowed: the import belongs to somebody else.
        Conflict: no conflict waits for a choice.
    """
    require(user, "import_continue", "Somebody else has imported this file.", run)
    waiting = ImportUpdate.objects.select_for_update(of=("self",)).filter(
        seen_rows("question__audience"),
        run=run,
        outcome=ImportUpdate.Outcome.CONFLICT,
        question__merged_into=None,  # what is merged does not change, or the merge could not be undone
    )
    if question is not None:
        waiting = waiting.filter(question=question)
    updates = list(waiting.order_by("pk"))
    if not updates:
        raise Conflict("These questions no longer wait for a choice.")
    for update in updates:
        if take:
            fresh = Question.objects.select_for_update(of=("self",)).get(pk=update.question_id)
            now = question_fields(fresh)
            update.before |= {name: now[name] for name in update.incoming}
            question_replace(fresh, update.incoming)
            update.version = fresh.version
        update.outcome = ImportUpdate.Outcome.TAKEN if take else ImportUpdate.Outcome.KEPT
        update.save(update_fields=["outcome", "before", "version"])
    if take:
        search_index_settle()
        embedding_request()
    return len(updates)


def vanished_questions(staging: Staging) -> list[int]:
    """Return the ids of imported questions of the file's sets that are missing from the file."""
    return [pk for (pk,) in staging.execute(_claimable(staging, _VANISHED))]
