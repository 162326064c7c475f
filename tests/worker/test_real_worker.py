"""A real Celery worker on the test database and the embedded Redis: killed halfway, it loses nothing."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import numpy as np
import psycopg
import pytest
import structlog
from django.conf import settings
from django.db import connection
from django.db.models import Max
from django.db.models.functions import Now

from analytics.inference.encode import HashedNgramEncoder
from questionbank.bank import vector_services as embeddings
from questionbank.bank.vector_selectors import embedding_index_exists
from questionbank.core import task_queue
from questionbank.jobs.run_selectors import checkpoint_folder
from questionbank.jobs.run_services import runs_reconcile
from questionbank.models import EmbeddingSet, Question, QuestionEmbedding, Run, RunMetric, WorkBlock
from questionbank.training.services import training_request
from tests.pooler import pgbouncer
from tests.worker.encoder_bank import add_encoder_bank, tiny_folder
from tests.worker.jobs import done
from tests.worker.real_workers import worker_command, worker_environment
from worker.embedding import BLOCK_SIZE
from worker.reporting import RunReporter

pytestmark = pytest.mark.django_db(transaction=True)

QUESTIONS = 3 * BLOCK_SIZE + 300
PATIENCE_SECONDS = 180.0  # a worker that trains imports PyTorch first


@pytest.fixture
def start_worker(broker, tmp_path, request) -> Iterator[Callable[..., subprocess.Popen]]:
    """Starts workers, behind a pooler where there is one, and ends those that a test leaves."""
    parameters = connection.get_connection_params()
    if pgbouncer() is None:
        address = f"postgres://{parameters['user']}@/{parameters['host']}/{parameters['dbname']}"
    else:
        port = request.getfixturevalue("pooler_port")
        address = f"postgres://{parameters['user']}@127.0.0.1:{port}/{parameters['dbname']}"
    environment = worker_environment(DATABASE_URL=address, DATABASE_POOLER_URL="" if pgbouncer() is None else address)
    started: list[subprocess.Popen] = []

    def start(name: str, *, queue: str = "default", pool: str = "prefork") -> subprocess.Popen:
        with (tmp_path / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                worker_command(f"{name}@test", queue=queue, pool=pool),
                cwd=settings.BASE_DIR,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                kill(process)


def kill(process: subprocess.Popen) -> None:
    """kill -9 of a worker and the child that does its work (in a process group of its own)."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    for pid in [process.pid, *map(int, children)]:
        os.kill(pid, signal.SIGKILL)
    process.wait()


def wait_for(condition: Callable[[], object], what: str, worker: subprocess.Popen, logs: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > deadline or worker.poll() is not None:
            said = "\n".join(log.read_text(errors="replace")[-3000:] for log in sorted(logs.glob("*.log")))
            pytest.fail(f"waited in vain for {what}; the workers said:\n{said}")
        time.sleep(0.05)


def make_questions() -> list[int]:
    rows = [
        Question(text=f"What is {n} + {n % 7}?", content_hash=hashlib.sha256(str(n).encode()).digest())
        for n in range(QUESTIONS)
    ]
    return [question.pk for question in Question.objects.bulk_create(rows)]


def versions() -> dict[int, str]:
    """Of each vector the id of the transaction that wrote it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT question_id, xmin::text FROM questionbank_questionembedding")
        return dict(cursor.fetchall())


def waiting_for_a_lock() -> int:
    """How many connections wait for a row of somebody else."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return cursor.fetchone()[0]


def test_two_workers_share_the_vectors_and_one_killed_loses_nothing(start_worker, broker, tmp_path):
    ngrams = HashedNgramEncoder()
    embedding_set = EmbeddingSet.objects.create(
        lens="wording", encoder_name=ngrams.name, dimension=ngrams.dimension, is_current=True
    )
    ids = make_questions()
    with structlog.contextvars.bound_contextvars(request_id="of-the-page"):
        run = embeddings.embedding_request()
    assert run is not None
    assert task_queue.queue_depths() == {"default": 1, "light": 0, "train": 0}

    # A block cannot be stored while somebody else is about to store one of its vectors: the first worker is halfway in
    # the first block.
    parameters = connection.get_connection_params()
    address = {key: parameters[key] for key in ("host", "user", "dbname")}
    with psycopg.connect(**address) as holder:
        holder.execute(
            "INSERT INTO questionbank_questionembedding (embedding_set_id, question_id, vector, content_hash)"
            " VALUES (%s, %s, '[1]', '')",
            [embedding_set.pk, ids[0]],
        )
        first = start_worker("first")
        wait_for(lambda: waiting_for_a_lock() == 1, "the first worker to be halfway", first, tmp_path)
        second = start_worker("second")
        rest = QUESTIONS - BLOCK_SIZE
        wait_for(lambda: QuestionEmbedding.objects.count() == rest, "the helper", second, tmp_path)
        kill(first)
        holder.rollback()
    written = versions()
    long_ago = Now() - timedelta(minutes=5)
    WorkBlock.objects.filter(until__isnull=False).update(until=long_ago)
    run.refresh_from_db()
    assert (run.state, run.worker) == (Run.State.RUNNING, "first@test")
    Run.objects.update(heartbeat_at=long_ago)
    assert runs_reconcile()["requeued"] == 1
    wait_for(lambda: Run.objects.get().is_finished, "the run to finish", second, tmp_path)

    run.refresh_from_db()
    assert (run.state, run.error, run.result) == (
        Run.State.SUCCEEDED, "", {"stored": {"wording": QUESTIONS}},
    )  # fmt: skip
    rows = QuestionEmbedding.objects.order_by("question_id").values_list("question_id", "vector")
    assert [question_id for question_id, _vector in rows] == ids
    texts = list(Question.objects.order_by("pk").values_list("text", flat=True))
    alone = ngrams.encode(texts).astype(np.float16)
    np.testing.assert_array_equal(np.array([vector for _id, vector in rows], dtype=np.float16), alone)
    again = versions()
    assert {pk: again[pk] for pk in written} == written  # none written twice
    assert embedding_index_exists(embedding_set=embedding_set)

    # The dead worker's message comes again an hour later: it must start nothing.
    # The second worker acknowledges its own just after the run has finished.
    assert (run.worker, run.attempts) == ("second@test", 2)
    assert run.logs.filter(text__startswith="The worker first@test stopped answering.").exists()
    wait_for(lambda: broker.hlen("unacked") == 1, "the second message to be gone", second, tmp_path)
    log = (tmp_path / "second.log").read_text()  # a helper knows whose request it works for
    assert "request_id=of-the-page" in log.replace(": ", "=").replace('"', "")


def test_a_training_goes_on_after_its_worker_was_shut_down(start_worker, broker, tmp_path, monkeypatch):
    add_encoder_bank(80)
    asked = {
        "backbone": str(tiny_folder(tmp_path / "tiny")), "batch_size": "16", "epochs": "400", "levels": "2",
        "projection": "8", "checkpoint_every": "1", "evaluate_every": "0", "mixed_precision": "no",
    }  # fmt: skip
    run = training_request(capability="encoder", settings=asked)
    worker = start_worker("trainer", queue="train", pool="solo")
    wait_for(lambda: RunMetric.objects.filter(name="loss").exists(), "the first figures", worker, tmp_path)
    worker.terminate()
    worker.wait(timeout=PATIENCE_SECONDS)
    run.refresh_from_db()
    assert (run.state, run.attempts) == (Run.State.QUEUED, 0)
    reached = RunMetric.objects.filter(name="loss").aggregate(last=Max("step"))["last"]

    begun = []
    step = RunReporter.step

    def note(self, report):
        begun.append(report.step)
        step(self, report)
        self._stop_requested.set()  # it went on; the other steps tell nothing new

    monkeypatch.setattr(RunReporter, "step", note)
    done(run, state="cancelled")
    assert begun[0] >= reached
    assert "Going on from the checkpoint." in run.logs.values_list("text", flat=True)
    shutil.rmtree(checkpoint_folder(run.pk))
