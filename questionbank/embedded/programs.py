"""The processes that make up a running Kindred. `make run` and the containers start the same ones."""

import os
import sys
from pathlib import Path

from questionbank.embedded.child import Program

LARGEST_WORKER_KIB = 1_200_000
NICENESS = {"worker-default": 5, "worker-train": 5}  # long work leaves the processors to pages
_PROJECT = Path(__file__).resolve().parents[2]


def metrics_folder(var_dir: Path) -> Path:
    """Return where web processes leave their figures for the process `metrics`."""
    return var_dir / "metrics"


def programs(var_dir: Path, *, host: str, port: int) -> dict[str, Program]:
    """Return every process by name: the site, a worker for each queue, and the clock."""
    worker_class = ["--worker-class", "questionbank.embedded.buffering.BufferingWorker"]
    site = ["gunicorn", "questionbank.wsgi", "--no-control-socket", *worker_class]
    gunicorn = [sys.executable, "-m", *site]
    celery = [sys.executable, "-m", "celery", "--app", "worker.celery", "--quiet"]
    worker = [*celery, "worker", "--loglevel", "INFO", "--queues"]
    commands = {
        "web": [*gunicorn, "--bind", f"{host}:{port}", "--workers", "2", "--threads", "4"],
        # bulk encoding leaves its process large: one that has grown makes way for a new one between two jobs
        "worker-default": [
            *[*worker, "default", "--hostname", "default@%h", "--concurrency", "1"],
            *["--max-memory-per-child", str(LARGEST_WORKER_KIB)],
        ],
        # short work, in one process that never loads PyTorch
        "worker-light": [*worker, "light", "--hostname", "light@%h", "--pool", "solo"],
        # CUDA does not survive a fork: training runs in the worker's own process
        "worker-train": [*worker, "train", "--hostname", "train@%h", "--pool", "solo"],
        "beat": [*celery, "beat", "--schedule", str(var_dir / "celerybeat-schedule")],
    }
    environment = {"PORT": str(port)}  # the one chosen, not the one wished for
    if os.environ.get("METRICS_PORT", "").strip() not in ("", "0"):
        environment["PROMETHEUS_MULTIPROC_DIR"] = str(metrics_folder(var_dir))
        commands["metrics"] = [sys.executable, "manage.py", "metrics", "--host", host]
    if pooler := os.environ.get("DATABASE_POOLER_URL"):
        environment["DATABASE_URL"] = pooler
    return {
        name: Program(name, command, environment, _PROJECT, NICENESS.get(name, 0))
        for name, command in commands.items()
    }
