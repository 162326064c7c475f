"""Vectors by two workers of one core each, beside one.

    python -m tests.bench.blocks [--block-questions N] [--rounds N] [--keep FOLDER]

Real workers, each bound to a core, on a bank of generated questions whose vectors are deleted before each round; the
time is from the start of the run until its last block is stored, without the start of the workers and the index. The
aim: two are at least 1.8 times as quick. It is printed, and missing it is no error: other programs may have been busy.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench.bank import set_up
from tests.bench.benchmark import BASE_DIR, aim, read_options
from tests.bench.imports import generated

AIM = 1.8
WARM_UP = 400  # questions for each worker: more than one block where there are two


def main() -> int:
    """Print a table."""
    options = read_options(block_questions=6_000, rounds=3)
    var = options.keep / f"blocks-{options.block_questions}"
    set_up(var)
    fill(options.block_questions)
    seconds: dict[int, list[float]] = {1: [], 2: []}
    for _round in range(options.rounds):  # in turns, so that whatever else runs disturbs both
        for workers, times in seconds.items():
            times.append(measured(workers, var))
            print(f"{workers} workers: {times[-1]:.1f} s", flush=True)
    medians = {workers: statistics.median(times) for workers, times in seconds.items()}
    for workers, median in medians.items():
        print(f"{workers} workers of one core: median {median:.1f} s ({options.block_questions / median:.0f} a second)")
    ratio = medians[1] / medians[2]
    aim(f"{ratio:.2f} times as quick >= {AIM}", ratio >= AIM)
    return 0


def fill(questions: int) -> None:
    """Create the questions."""
    import hashlib

    from questionbank.models import Question

    if Question.objects.exists():
        return
    texts = {row["text"] for row in generated(questions)}
    rows = [Question(text=text, content_hash=hashlib.sha256(text.encode()).digest()) for text in sorted(texts)]
    Question.objects.bulk_create(rows, batch_size=1000)


def measured(workers: int, var: Path) -> float:
    """Return the seconds that so many workers take for the vectors of the encoder's set."""
    from analytics.catalog import main_lens
    from questionbank.models import QuestionEmbedding

    vectors = QuestionEmbedding.objects.filter(embedding_set__lens=main_lens().word)
    with workers_started(workers, var):
        few = vectors.order_by("pk").values("pk")[: WARM_UP * workers]
        vectors.filter(pk__in=few).delete()
        compute()  # each process has imported what it needs
        vectors.delete()
        return compute()


def compute() -> float:
    """Ask for the missing vectors; return the seconds from the start of the run until its last block is stored."""
    from django.utils import timezone

    from questionbank.bank.vector_services import embedding_request
    from questionbank.models import Run, WorkBlock

    run = embedding_request()
    assert run is not None
    stored, last = 0, timezone.now()
    while True:
        run.refresh_from_db()
        if run.is_finished:
            break
        blocks = WorkBlock.objects.filter(done__isnull=False).count()
        if blocks > stored:
            stored, last = blocks, timezone.now()
        elif not blocks:
            stored = 0
        time.sleep(0.05)
    if run.state != Run.State.SUCCEEDED:
        raise SystemExit(f"The vectors were not computed: {run.error}")
    return float((last - run.started_at).total_seconds())


@contextmanager
def workers_started(workers: int, var: Path) -> Iterator[None]:
    """Start real workers, each bound to a core."""
    from django.conf import settings

    from questionbank import local as embedded
    from questionbank.models import Run, WorkBlock, WorkerHeartbeat

    embedded.ensure(settings.VAR_DIR, services={"redis"})
    for model in (WorkBlock, Run, WorkerHeartbeat):
        model.objects.all().delete()
    environment = {**os.environ, "TEST_VAR_DIR": str(var), "OMP_NUM_THREADS": "1", "PYTHONPATH": str(BASE_DIR)}
    command = [sys.executable, "-m", "celery", "-A", "worker.celery", "worker", "-Q", "default", "-c", "1"]
    processes = [
        subprocess.Popen(
            ["taskset", "-c", str(number), *command, "--hostname", f"bench{number}@%h"],
            cwd=BASE_DIR,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for number in range(workers)
    ]
    try:
        while WorkerHeartbeat.objects.count() < workers:
            time.sleep(0.1)
        yield
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()


if __name__ == "__main__":
    sys.exit(main())
