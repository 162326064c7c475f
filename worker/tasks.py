"""Celery tasks, one per kind of run: start the run, do the work, store the outcome.

Code that differs between capabilities is in the classes of `worker.table`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

import structlog
from celery import Task

from questionbank.bank.bulk_services import run_bulk_change
from questionbank.bank.search_index import facet_counts_settle
from questionbank.bank.vector_selectors import embedding_missing
from questionbank.bank.vector_services import projection_request_missing
from questionbank.core.capability_catalog import job_kinds
from questionbank.core.errors import NotFound
from questionbank.core.task_queue import task_name
from questionbank.imports.services import run_import
from questionbank.imports.undo_services import run_import_undo
from questionbank.jobs.resume_services import checkpoints_clear
from questionbank.models import EmbeddingSet
from questionbank.papers.import_services import run_document_import
from questionbank.papers.second_reading_services import run_second_reading
from questionbank.papers.services import run_document_read
from questionbank.people.mail import mail_send_due
from questionbank.people.permissions import viewing_for
from questionbank.protection.retention_services import retention_apply
from questionbank.registry.lifecycle_services import old_models_delete
from questionbank.responses.statistics_services import run_statistics
from questionbank.review.evidence_services import judgements_withdraw
from questionbank.search.services import recall_measure
from questionbank.similar.predictions import text_difficulties
from questionbank.similar.suggestion_services import run_concepts_suggest
from questionbank.solving.services import solve_request_missing, worked_out_request
from questionbank.training.retraining_services import retrainings_advance
from questionbank.training.services import probes_request_missing
from questionbank.training.views import training_report
from worker.blocks import BlockJob, help_with_blocks
from worker.catalog import block_jobs, worker_capability
from worker.celery import application
from worker.embedding import VectorBlocks, embed_pending
from worker.hook_sending import hooks_deliver
from worker.language_models import language_model_request, prepare_language_model
from worker.reporting import RunReporter, patiently, running

logger = structlog.get_logger(__name__)


def run_task(
    kind: str, *afterwards: Callable[[], object]
) -> Callable[[Callable[[RunReporter], Mapping[str, Any]]], Task[Any, Any]]:
    """Turn a function that executes a run and returns its result into the Celery task of its kind.

    Args:
        kind: kind of run.
        afterwards: called when the run has ended, whatever its outcome.
    """

    def register(work: Callable[[RunReporter], Mapping[str, Any]]) -> Task[Any, Any]:
        @application.task(name=task_name(kind), bind=True)
        def task(self: Task[Any, Any], run_id: int) -> None:
            with running(run_id, self.request.hostname or "here") as reporter:
                if reporter is not None:
                    with viewing_for(reporter.run):
                        reporter.result = work(reporter)
            for request in afterwards:
                patiently(request)

        return task

    return register


@run_task("import")
def import_questions(reporter: RunReporter) -> Mapping[str, Any]:
    """Import an uploaded file, or a reviewed test paper."""
    work = run_document_import if "draft" in reporter.run.parameters else run_import
    return work(reporter.run, reporter)


@run_task("read")
def read_document(reporter: RunReporter) -> Mapping[str, Any]:
    """Read an uploaded test paper, or have the language model read one as well."""
    work = run_second_reading if "reader" in reporter.run.parameters else run_document_read
    return work(reporter.run, reporter)


@run_task("undo")
def import_undo(reporter: RunReporter) -> Mapping[str, Any]:
    """Remove what an import created."""
    return run_import_undo(reporter.run, reporter)


@run_task("change")
def change_questions(reporter: RunReporter) -> Mapping[str, Any]:
    """Change many questions, or undo such a change."""
    return run_bulk_change(reporter.run, reporter)


@run_task("report")
def count_training_data(reporter: RunReporter) -> Mapping[str, Any]:
    """Count the data of a training run; the waiting page reads the cached report."""
    training_report(reporter.run.capability)(hierarchies=reporter.run.parameters["hierarchies"] or None)
    return {}


@run_task("prepare")
def prepare_packaged_language_model(reporter: RunReporter) -> Mapping[str, Any]:
    """Store the packaged language model where workers and pages find it."""
    prepare_language_model(reporter)
    return {}


@run_task("suggest")
def suggest_concepts(reporter: RunReporter) -> Mapping[str, Any]:
    """Have the language model suggest concepts of a question."""
    return run_concepts_suggest(reporter.run, reporter)


@run_task("exam")
def examine_language_model(reporter: RunReporter) -> Mapping[str, Any]:
    """Take the exam of the language model."""
    from worker.exam.taking import exam_run

    return exam_run(reporter)


@run_task("figures")
def compute_figures(reporter: RunReporter) -> Mapping[str, Any]:
    """Compute the figures of all responses."""
    return run_statistics(reporter, text_estimates=text_difficulties)


@run_task("embed", probes_request_missing, projection_request_missing, solve_request_missing)
def embed_questions(reporter: RunReporter) -> Mapping[str, Any]:
    """Compute missing vectors of the sets in use."""
    return {"stored": embed_pending(reporter)}


@application.task(name="bank.help", bind=True)
def help_with_job(self: Task[Any, Any], run_id: int, name: str) -> int:
    """Work on the blocks of a run that another worker holds."""
    word, _, argument = name.partition("/")
    kinds: dict[str, type[BlockJob]] = {VectorBlocks.word: VectorBlocks} | block_jobs()
    if word not in kinds:  # from another version: its own worker does the blocks
        return 0
    job = patiently(partial(kinds[word].named, argument))
    blocks = help_with_blocks(run_id, job, worker=self.request.hostname or "here") if job else 0
    if blocks:
        logger.info("run_helped", run=run_id, job=name, blocks=blocks)
    return blocks


@run_task("train")
def train_model(reporter: RunReporter) -> Mapping[str, Any]:
    """Train a model of a capability on the bank."""
    return worker_capability(reporter.run.capability).train(reporter)


@run_task("evaluate")
def compare_models(reporter: RunReporter) -> Mapping[str, Any]:
    """Compare a candidate with the champion."""
    from worker.comparison import compare_run

    return compare_run(reporter)


@run_task("promote", projection_request_missing)
def promote_model(reporter: RunReporter) -> Mapping[str, Any]:
    """Build what a model needs, then put it into use."""
    from worker.comparison import promote_run

    return promote_run(reporter)


@cache
def capability_task(kind: str) -> Task[Any, Any]:
    """Return the task for a kind of run that a capability's class executes (`worker.table`)."""

    def work(reporter: RunReporter) -> Mapping[str, Any]:
        capability = reporter.run.capability
        job = worker_capability(capability).jobs.get(kind)
        if job is None:
            raise NotFound(f"“{capability}” has no jobs of the kind “{kind}”.")
        return job(reporter)

    return run_task(kind)(work)


for _kind in job_kinds():  # registered before the worker fetches its first message
    capability_task(_kind)


@application.task(name="bank.settle_facet_counts")
def settle_facet_counts() -> int:
    """Sum up the facet counts shown next to search filters."""
    return facet_counts_settle()


@application.task(name="bank.count_missing_vectors")
def count_missing_vectors() -> dict[str, int]:
    """Count the questions without a vector, for the health page."""
    return {
        embedding_set.word: embedding_missing(embedding_set=embedding_set, anew=True)[0]
        for embedding_set in EmbeddingSet.objects.filter(is_current=True)
    }


@application.task(name="bank.clear_checkpoints")
def checkpoints_clear_away() -> int:
    """Delete checkpoints that no training will resume from."""
    return checkpoints_clear()


@application.task(name="bank.send_mail")
def send_mail() -> int:
    """Send the mail that is due."""
    return mail_send_due()


@application.task(name="bank.deliver_hooks")
def deliver_hooks() -> int:
    """Announce what happened to the web hooks that want to know."""
    return hooks_deliver()


@application.task(name="bank.delete_old_models")
def delete_old_models() -> int:
    """Delete the models that are old by the admins' rule."""
    return old_models_delete()


@application.task(name="bank.delete_old_data")
def delete_old_data() -> dict[str, int]:
    """Delete what is older than admins want to keep, and pictures that nothing shows."""
    return retention_apply()


@application.task(name="bank.request_language_model")
def request_language_model() -> None:
    """Request the preparation of the packaged language model, once; and what the school's model is to be asked."""
    language_model_request()
    worked_out_request()
    judgements_withdraw()


@application.task(name="bank.retrain_models")
def retrain_models() -> None:
    """Begin the retrainings that are due, and take those under way to their next step."""
    retrainings_advance()


@application.task(name="bank.measure_recall")
def measure_recall() -> dict[str, float]:
    """Measure the recall of the vector index against exact search, for the health page."""
    return {
        embedding_set.word: recall_measure(embedding_set=embedding_set).recall
        for embedding_set in EmbeddingSet.objects.filter(is_current=True)
    }
