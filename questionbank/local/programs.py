"""The processes of a running Kindred. `make run` and the containers start the same ones."""

import os
import sys
from pathlib import Path

from questionbank.local.child import Program

LARGEST_WORKER_KIB = 1_200_000
NICENESS = {"worker-default": 5, "worker-train": 5}  # long-running work yields the processors to pages
_PROJECT = Path(__file__).resolve().parents[2]
_CELERY = [sys.executable, "-m", "celery", "--app", "worker.celery", "--quiet"]


def metrics_folder(var_dir: Path) -> Path:
    """Return the folder where web processes store their metrics for the process `metrics`."""
    return var_dir / "metrics"


def programs(var_dir: Path, *, host: str, port: int) -> dict[str, Program]:
    """Return all processes by name, each separate: the site, a worker for each queue, and the scheduler."""
    commands = {
        "web": _site(host, port, processes=2, threads=4),
        "worker-default": _bulk_worker("default"),
        # short tasks, in one process that never loads PyTorch
        "worker-light": [*_worker("light", "light"), "--pool", "solo"],
        # CUDA does not survive a fork, so training runs in the worker's main process
        "worker-train": [*_worker("train", "train"), "--pool", "solo"],
        "beat": [*_CELERY, "beat", "--schedule", str(_schedule(var_dir))],
    }
    return _with_settings(commands, var_dir, host=host, port=port)


def programs_of_machine(var_dir: Path, *, host: str, port: int, few: bool) -> dict[str, Program]:
    """Return the processes for a whole installation on one machine, with the scheduler as part of a worker.

    Args:
        few: for a machine with little memory: a single site process, and one worker for short and long tasks.
    """
    clock = ["--clock", str(_schedule(var_dir))]
    together = programs(var_dir, host=host, port=port)
    del together["beat"]
    commands = {"worker-default": [*together["worker-default"].command, *clock]}
    if few:
        del together["worker-light"]
        commands = {
            "web": _site(host, port, processes=1, threads=8),
            "worker-default": [*_bulk_worker("light,default"), *clock],  # short tasks first
        }
    changed = _with_settings(commands, var_dir, host=host, port=port)
    return {name: changed.get(name, program) for name, program in together.items()}


def _site(host: str, port: int, *, processes: int, threads: int) -> list[str]:
    """Return the command of the site; its processes share what is loaded before they start."""
    return [
        *[sys.executable, "-m", "gunicorn", "questionbank.wsgi", "--preload", "--no-control-socket"],
        *["--config", "python:questionbank.site_process"],
        *["--worker-class", "questionbank.local.buffering.BufferingWorker"],
        *["--bind", f"{host}:{port}", "--workers", str(processes), "--threads", str(threads)],
    ]


def _worker(queues: str, name: str) -> list[str]:
    return [*_CELERY, "worker", "--loglevel", "INFO", "--queues", queues, "--hostname", f"{name}@%h"]


def _bulk_worker(queues: str) -> list[str]:
    """Return the command of a worker for long tasks.

    Bulk encoding leaves a process large, so one that has grown is replaced between two jobs.
    """
    largest = ["--max-memory-per-child", str(LARGEST_WORKER_KIB)]
    return [*_worker(queues, "default"), "--concurrency", "1", *largest]


def _schedule(var_dir: Path) -> Path:
    """Return the file where the scheduler records its last runs."""
    return var_dir / "celerybeat-schedule"


def _with_settings(commands: dict[str, list[str]], var_dir: Path, *, host: str, port: int) -> dict[str, Program]:
    environment = {"PORT": str(port)}  # the chosen port rather than the preferred one
    if os.environ.get("METRICS_PORT", "").strip() not in ("", "0"):
        environment["PROMETHEUS_MULTIPROC_DIR"] = str(metrics_folder(var_dir))
        commands = {**commands, "metrics": [sys.executable, "manage.py", "metrics", "--host", host]}
    if pooler := os.environ.get("DATABASE_POOLER_URL"):
        environment["DATABASE_URL"] = pooler
    return {
        name: Program(name, command, environment, _PROJECT, NICENESS.get(name, 0)) for name, command in commands.items()
    }
