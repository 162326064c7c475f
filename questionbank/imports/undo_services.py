"""Undoing an import: a job that removes what it created and restores what it replaced, in one transaction.

Whatever has been edited, tagged, paraphrased or used since is kept and listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pghistory
from django.db import connection, transaction

from analytics.errors import Cancelled
from questionbank.bank.concept_services import hierarchy_lock
from questionbank.bank.search_index import facet_counts_settle, search_index_settle, vocabulary_refresh
from questionbank.bank.vector_services import embedding_request
from questionbank.core.database import advisory_lock
from questionbank.core.errors import Conflict
from questionbank.imports.staging import IMPORT_LOCK
from questionbank.imports.undo_selectors import (
    UndoPlan,
    import_can_be_undone,
    import_undo_plan,
    loose_tags,
    require_all_seen,
)
from questionbank.imports.updates import restore_updates
from questionbank.jobs import run_services as runs
from questionbank.jobs.progress import JobReporter
from questionbank.models import ImportDuplicate, KnowledgeConcept, KnowledgeHierarchy, Question, Run, User
from questionbank.people.permissions import require
from questionbank.registry.lifecycle_services import hierarchy_models_delete, hierarchy_models_retire

KEPT_LISTED = 1_000  # kept questions that are listed; all are counted
_AT_ONCE = 2_000  # questions removed per statement


@transaction.atomic
def import_undo_request(*, run: Run, user: User | None) -> Run:
    """Queue the job that undoes an import.

    Raises:
        NotAllowed: only admins and the importer may undo it.
        Conflict: nothing of the import is left, it is being undone already, or `require_all_seen` refuses.
    """
    require(user, "import_continue", "You may not undo this import.", run)
    parameters = {"import": run.pk}
    if runs.run_under_way(kind=Run.Kind.UNDO, capability="", parameters=parameters) is not None:
        raise Conflict("This import is being undone already.")
    require_all_seen(run)
    if not import_can_be_undone(run=run):
        raise Conflict("Nothing that this import created is left in the bank.")
    title = f"Undo: {run}"
    return runs.run_create(kind=Run.Kind.UNDO, title=title[:200], parameters=parameters, requested_by=user)


def run_import_undo(run: Run, reporter: JobReporter) -> dict[str, Any]:
    """Execute the job of `import_undo_request`; return what was removed and kept, as the run's result.

    All or nothing: a cancellation or a crash leaves the bank unchanged, and the job may run again.

    Raises:
        Cancelled: somebody cancelled the run.
    """
    imported = Run.objects.get(pk=run.parameters["import"])
    with pghistory.context(user=run.requested_by_id, run=run.pk), transaction.atomic():
        plan = _lock_and_plan(imported)
        models, cancelled = (
            hierarchy_models_retire(hierarchy_name=plan.hierarchy.name, reason=_REASON, user=run.requested_by)
            if plan.hierarchy
            else ([], 0)
        )
        _remove(imported, plan, reporter)
    hierarchy_models_delete(models, reason=_REASON, user=run.requested_by)
    if plan.restored:
        embedding_request()
    reporter.progress(plan.removed, plan.removed, "Updating the vocabulary of search")
    vocabulary_refresh()
    facet_counts_settle()
    return {
        "removed": plan.removed,
        "restored": len(plan.restored),
        "kept": len(plan.kept),
        "kept_questions": [
            {"question": pk, "reasons": reasons} for pk, reasons in sorted(plan.kept.items())[:KEPT_LISTED]
        ],
        "tags": plan.tags,
        "concepts": len(plan.concepts),
        "concepts_kept": plan.concepts_kept[:KEPT_LISTED],
        "hierarchy": plan.hierarchy.name if plan.hierarchy else "",
        "probes": len(models),
        "jobs_cancelled": cancelled,
    }


_REASON = "The import of its hierarchy was undone."


def _lock_and_plan(imported: Run) -> UndoPlan:
    """Lock out imports, changes of the tree, and new uses of the questions to be deleted, and plan the undo."""
    advisory_lock(IMPORT_LOCK)
    with connection.cursor() as cursor:
        # If it is unset, every trigger of every row raises and catches an error inside PostgreSQL to find that out,
        # which takes time quadratic in the number of rows.
        cursor.execute("SET LOCAL pgtrigger.ignore = '{}'")
        cursor.execute(
            "SELECT count(*) FROM (SELECT FROM questionbank_question WHERE import_run_id = %s FOR UPDATE) q",
            [imported.pk],
        )
    plan = import_undo_plan(run=imported)
    if plan.concepts or plan.hierarchy:
        named = plan.hierarchy or KnowledgeHierarchy.objects.get(concepts__pk=plan.concepts[0])
        hierarchy_lock(named.pk)
        plan = import_undo_plan(run=imported)
    return plan


def _remove(imported: Run, plan: UndoPlan, reporter: JobReporter) -> None:
    restore_updates(plan.restored)
    loose_tags(run=imported).delete()
    ImportDuplicate.objects.filter(run=imported).delete()
    done = 0
    for ids in _batches(imported, plan):
        if reporter.should_stop():
            raise Cancelled("The undo was cancelled; nothing was removed.")
        reporter.progress(done, plan.removed, "Removing questions")
        _remove_questions(ids)
        done += len(ids)
    search_index_settle()
    _remove_concepts(plan)
    connection.check_constraints()


def _batches(imported: Run, plan: UndoPlan) -> Iterator[list[int]]:
    last = 0
    while True:
        rows = Question.objects.filter(import_run=imported, pk__gt=last).order_by("pk")
        ids = list(rows.values_list("pk", flat=True)[:_AT_ONCE])
        if not ids:
            return
        last = ids[-1]
        yield [pk for pk in ids if pk not in plan.kept]


def _remove_questions(ids: list[int]) -> None:
    """Delete questions with SQL, because the ORM would fetch every vector first; nothing else refers to them."""
    with connection.cursor() as cursor:
        for table in (
            "questionembedding", "questionequation", "questionoriginal", "questionsolution", "questiontag",
            "importupdate",
        ):  # fmt: skip
            cursor.execute(f"DELETE FROM questionbank_{table} WHERE question_id = ANY(%s)", [ids])  # noqa: S608
        cursor.execute("DELETE FROM questionbank_question WHERE id = ANY(%s)", [ids])


def _remove_concepts(plan: UndoPlan) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM questionbank_knowledgeconcept WHERE id = ANY(%s) RETURNING path", [plan.concepts])
        step = KnowledgeConcept.steplen
        parents = sorted({path[:-step] for (path,) in cursor.fetchall()})
        cursor.execute(
            """
            UPDATE questionbank_knowledgeconcept parent SET numchild = counted.children
            FROM (
                SELECT p.path, count(c.id) AS children
                FROM unnest(%s::text[]) AS p(path)
                LEFT JOIN questionbank_knowledgeconcept c ON left(c.path, %s) = p.path
                GROUP BY 1
            ) counted
            WHERE parent.path = counted.path
            """,
            [parents, -step],
        )
    if plan.hierarchy is not None:
        plan.hierarchy.delete()
