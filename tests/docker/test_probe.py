"""The health check of one container."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from tests.docker.conftest import DOCKER, unused_port


def probe(role: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, DOCKER / "probe.py", role],
        env={"PATH": os.environ["PATH"], "SECRET_KEY": "k", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def var(tmp_path):
    return tmp_path


def test_the_clock_is_healthy_while_it_saves_its_schedule(var):
    assert probe("beat", VAR_DIR=str(var)).returncode == 1
    schedule = var / "celerybeat-schedule"
    schedule.touch()
    assert probe("beat", VAR_DIR=str(var)).returncode == 0
    long_ago = time.time() - 700
    os.utime(schedule, (long_ago, long_ago))
    finished = probe("beat", VAR_DIR=str(var))
    assert finished.returncode == 1
    assert "not saved its schedule" in finished.stderr


@pytest.mark.parametrize(
    ("role", "sentence"),
    [
        ("web", "The site does not answer"),
        ("worker-default", "The database does not answer"),
        ("nonsense", "There is no role nonsense"),
        ("wait", "DATABASE_URL and REDIS_URL must be set"),
    ],
)
def test_what_is_wrong_is_one_sentence(var, role, sentence):
    environment = {"PORT": str(unused_port()), "VAR_DIR": str(var)}
    if role.startswith("worker"):
        environment["DATABASE_URL"] = f"postgres://nobody@127.0.0.1:{unused_port()}/nothing"
    finished = probe(role, **environment)
    assert finished.returncode == 1
    assert sentence in finished.stderr
    assert "Traceback" not in finished.stderr


def test_asking_starts_neither_django_nor_celery_nor_pytorch(var):
    program = (
        "import runpy, sys; sys.argv = ['probe.py', 'beat']\n"
        "try:\n    runpy.run_path('docker/probe.py', run_name='__main__')\n"
        "except SystemExit:\n    pass\n"
        "print(sorted({'django.db', 'torch', 'celery'} & set(sys.modules)))"
    )
    finished = subprocess.run(
        [sys.executable, "-c", program],
        cwd=DOCKER.parent,
        env={"PATH": os.environ["PATH"], "VAR_DIR": str(var)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert finished.stdout.strip() == "[]"
