"""Celery tasks, one a kind of run: take a run, hand it to whoever does the work, write how it ended.

What differs from capability to capability is in the classes of `worker.table`.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

from celery import Task

from questionbank.capabilities.catalog import job_kinds
from questionbank.dispatch import task_name
from questionbank.models import EmbeddingSet
from questionbank.selectors.registry.embeddings import embedding_missing
from questionbank.selectors.training.training_reports import training_report
from questionbank.services.attachments import attachments_sweep
from questionbank.services.bulk_changes import run_bulk_change
from questionbank.services.checkpoints import checkpoints_clear
from questionbank.services.document_drafts import document_drafts_forget_old, run_document_read
from questionbank.services.document_import import run_document_import
from questionbank.services.facet_counts import facet_counts_settle
from questionbank.services.import_jobs import run_import
from questionbank.services.import_undo import run_import_undo
from questionbank.services.mail import mail_send_due
from questionbank.services.old_models import old_models_delete
from questionbank.services.projections import projection_request_missing
from questionbank.services.recall import recall_measure
from questionbank.services.solutions import solve_request_missing
from questionbank.services.training import probes_request_missing
from worker.blocks import BlockJob, help_with_blocks
from worker.catalog import block_jobs
from worker.celery import application
from worker.embedding import VectorBlocks, embed_pending
from worker.jobs import capability_job
from worker.language_models import prepare_language_model
from worker.reporting import patiently, running


@application.task(name="bank.import", bind=True)
def import_questions(self: Task[Any, Any], run_id: int) -> None:
    """Import an uploaded file, or a test paper that was reviewed."""
    with running(run_id, self.request.hostname or "here") as reporter:
        if reporter is not None:
            work = run_document_import if "draft" in reporter.run.parameters else run_import
            reporter.result = work(reporter.run, reporter)


@application.task(name="bank.read", bind=True)
def read_document(self: Task[Any, Any], run_id: int) -> None:
    """Read an uploaded test paper."""
    with running(run_id, self.request.hostname or "here") as reporter:
        if reporter is not None:
            reporter.result = run_document_read(reporter.run, reporter)


@application.task(name="bank.undo", bind=True)
def import_undo(self: Task[Any, Any], run_id: int) -> None:
    """Remove what an import created."""
    with running(run_id, self.request.hostname or "here") as reporter:
        if reporter is not None:
            reporter.result = run_import_undo(reporter.run, reporter)


@application.task(name="bank.change", bind=True)
def change_questions(self: Task[Any, Any], run_id: int) -> None:
    """Change many questions, or undo that."""
    with running(run_id, self.request.hostname or "here") as reporter:
        if reporter is not None:
            reporter.result = run_bulk_change(reporter.run, reporter)


@application.task(name="bank.report", bind=True)
def count_training_data(self: Task[Any, Any], run_id: int) -> None:
    """Count what a training would learn from; the page that waits for it finds it kept."""
    with running(run_id, self.request.hostname or "here") as reporter:
        if reporter is not None:
            hierarchies = reporter.run.parameters["hierarchies"] or None
            training_report(reporter.run.capability)(hierarchies=hierarchies)


@application.task(name="bank.embed", bind=True)
def embed_questions(self: Task[Any, Any], run_id: int) -> None:
    """Compute missing vectors of the sets in use."""
    with running(run_id, self.request.hostname or "here") as reporter:
        if reporter is not None:
            reporter.result = {"stored": embed_pending(reporter)}
    patiently(probes_request_missing)
    patiently(projection_request_missing)
    patiently(solve_request_missing)


@application.task(name="bank.help")
def help_with_job(run_id: int, name: str) -> int:
    """Work on the blocks of a run that another worker has."""
    word, _, argument = name.partition("/")
    kinds: dict[str, type[BlockJob]] = {VectorBlocks.word: VectorBlocks, **block_jobs()}
    job = patiently(partial(kinds[word].named, argument))
    return help_with_blocks(run_id, job) if job else 0


@application.task(name="bank.train", bind=True)
def train_model(self: Task[Any, Any], run_id: int) -> None:
    """Train a model of a capability on the bank."""
    from worker.training import train_run  # PyTorch: only a process that trains pays for it

    with running(run_id, self.request.hostname or "here") as reporter:
        if reporter is not None:
            reporter.result = train_run(reporter)


@application.task(name="bank.evaluate", bind=True)
def compare_models(self: Task[Any, Any], run_id: int) -> None:
    """Measure a candidate against the champion."""
    from worker.comparison import compare_run

    with running(run_id, self.request.hostname or "here") as reporter:
        if reporter is not None:
            reporter.result = compare_run(reporter)


@application.task(name="bank.promote", bind=True)
def promote_model(self: Task[Any, Any], run_id: int) -> None:
    """Build what a model needs to serve, then let it serve."""
    from worker.promotion import promote_run

    with running(run_id, self.request.hostname or "here") as reporter:
        if reporter is not None:
            reporter.result = promote_run(reporter)
    patiently(projection_request_missing)


@cache
def capability_task(kind: str) -> Task[Any, Any]:
    """Return the task of a kind of run that a capability's class does (`worker.table`)."""

    @application.task(name=task_name(kind), bind=True)
    def work(self: Task[Any, Any], run_id: int) -> None:
        with running(run_id, self.request.hostname or "here") as reporter:
            if reporter is not None:
                reporter.result = capability_job(reporter)

    return work


for _kind in job_kinds():  # registered before the worker asks for its first message
    capability_task(_kind)


@application.task(name="bank.settle_facet_counts")
def settle_facet_counts() -> int:
    """Sum up the counts behind the filters of a search."""
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
    """Delete the checkpoints of trainings that nobody will go on with."""
    return checkpoints_clear()


@application.task(name="bank.send_mail")
def send_mail() -> int:
    """Send the mail that is due."""
    return mail_send_due()


@application.task(name="bank.delete_old_models")
def delete_old_models() -> int:
    """Delete the models that the admins' rule calls old."""
    return old_models_delete()


@application.task(name="bank.sweep_attachments")
def sweep_attachments() -> int:
    """Delete test papers that nobody has touched for a week, and the pictures that nothing shows."""
    document_drafts_forget_old()
    return attachments_sweep()


@application.task(name="bank.prepare_language_model")
def prepare_packaged_language_model() -> bool:
    """Make the language model that comes with a package ready, once."""
    return prepare_language_model()


@application.task(name="bank.measure_recall")
def measure_recall() -> dict[str, float]:
    """Measure the vector index against exact search, for the health page."""
    return {
        embedding_set.word: recall_measure(embedding_set=embedding_set).recall
        for embedding_set in EmbeddingSet.objects.filter(is_current=True)
    }
