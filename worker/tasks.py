"""Celery tasks: take a run, hand it to whoever does the work, write how it ended."""

from __future__ import annotations

from typing import Any

from celery import Task

from questionbank.models import EmbeddingSet
from questionbank.selectors.training_reports import TRAINING_REPORTS
from questionbank.services.bulk_changes import run_bulk_change
from questionbank.services.checkpoints import checkpoints_clear
from questionbank.services.facet_counts import facet_counts_settle
from questionbank.services.import_undo import run_import_undo
from questionbank.services.imports import run_import
from questionbank.services.projections import projection_request_missing
from questionbank.services.recall import recall_measure
from questionbank.services.training import probes_request_missing
from worker.celery import application
from worker.embedding import embed_pending
from worker.paraphrase import score_run
from worker.projection import project_run
from worker.proposals import propose_run
from worker.reporting import patiently, running

__all__ = [
    "change_questions",
    "checkpoints_clear_away",
    "count_training_data",
    "encoder_compare",
    "encoder_embed",
    "encoder_train",
    "import_questions",
    "import_undo",
    "measure_recall",
    "model_promote",
    "paraphrase_compare",
    "paraphrase_propose",
    "paraphrase_score",
    "paraphrase_train",
    "probes_compare",
    "probes_project",
    "probes_train",
    "settle_facet_counts",
]


@application.task(name="bank.import", bind=True)
def import_questions(self: Task[Any, Any], run_id: int) -> None:
    """Import an uploaded file."""
    with running(run_id, self.request.hostname or "here") as reporter:
        if reporter is not None:
            reporter.result = run_import(reporter.run, reporter)


@application.task(name="bank.undo_import", bind=True)
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
            TRAINING_REPORTS[reporter.run.capability](hierarchies=hierarchies)


@application.task(name="encoder.embed", bind=True)
def encoder_embed(self: Task[Any, Any], run_id: int) -> None:
    """Compute missing vectors of the sets in use."""
    with running(run_id, self.request.hostname or "here") as reporter:
        if reporter is not None:
            reporter.result = {"stored": embed_pending(reporter)}
    patiently(probes_request_missing)
    patiently(projection_request_missing)


@application.task(name="encoder.train", bind=True)
def encoder_train(self: Task[Any, Any], run_id: int) -> None:
    """Pre-train an encoder on the bank."""
    _train(run_id, self.request.hostname or "here")


@application.task(name="probes.train", bind=True)
def probes_train(self: Task[Any, Any], run_id: int) -> None:
    """Train the probes of one hierarchy."""
    _train(run_id, self.request.hostname or "here")


def _train(run_id: int, worker: str) -> None:
    from worker.training import train_run  # PyTorch: only a process that trains pays for it

    with running(run_id, worker) as reporter:
        if reporter is not None:
            reporter.result = train_run(reporter)


@application.task(name="paraphrase.train", bind=True)
def paraphrase_train(self: Task[Any, Any], run_id: int) -> None:
    """Train a scorer of paraphrases on the bank."""
    _train(run_id, self.request.hostname or "here")


@application.task(name="encoder.compare", bind=True)
def encoder_compare(self: Task[Any, Any], run_id: int) -> None:
    """Measure a candidate against the champion."""
    _compare(run_id, self.request.hostname or "here")


@application.task(name="paraphrase.compare", bind=True)
def paraphrase_compare(self: Task[Any, Any], run_id: int) -> None:
    """Measure a candidate scorer against the champion."""
    _compare(run_id, self.request.hostname or "here")


@application.task(name="probes.compare", bind=True)
def probes_compare(self: Task[Any, Any], run_id: int) -> None:
    """Measure candidate probes against the champion of their hierarchy."""
    _compare(run_id, self.request.hostname or "here")


def _compare(run_id: int, worker: str) -> None:
    from worker.comparison import compare_run

    with running(run_id, worker) as reporter:
        if reporter is not None:
            reporter.result = compare_run(reporter)


@application.task(name="bank.promote", bind=True)
def model_promote(self: Task[Any, Any], run_id: int) -> None:
    """Build what a model needs to serve, then let it serve."""
    from worker.promotion import promote_run

    with running(run_id, self.request.hostname or "here") as reporter:
        if reporter is not None:
            reporter.result = promote_run(reporter)
    patiently(projection_request_missing)


@application.task(name="probes.project", bind=True)
def probes_project(self: Task[Any, Any], run_id: int) -> None:
    """Draw the map of the bank."""
    with running(run_id, self.request.hostname or "here") as reporter:
        if reporter is not None:
            reporter.result = project_run(reporter)


@application.task(name="paraphrase.score", bind=True)
def paraphrase_score(self: Task[Any, Any], run_id: int) -> None:
    """Score paraphrases that wait for review."""
    with running(run_id, self.request.hostname or "here") as reporter:
        if reporter is not None:
            reporter.result = score_run(reporter)


@application.task(name="paraphrase.propose", bind=True)
def paraphrase_propose(self: Task[Any, Any], run_id: int) -> None:
    """Have paraphrases of questions proposed."""
    with running(run_id, self.request.hostname or "here") as reporter:
        if reporter is not None:
            reporter.result = propose_run(reporter)


@application.task(name="bank.settle_facet_counts")
def settle_facet_counts() -> int:
    """Sum up the counts behind the filters of a search."""
    return facet_counts_settle()


@application.task(name="bank.clear_checkpoints")
def checkpoints_clear_away() -> int:
    """Delete the checkpoints of trainings that nobody will go on with."""
    return checkpoints_clear()


@application.task(name="bank.measure_recall")
def measure_recall() -> dict[str, float]:
    """Measure the vector index against exact search, for the health page."""
    return {
        one.lens: recall_measure(embedding_set=one).recall
        for one in EmbeddingSet.objects.filter(is_current=True)
    }
