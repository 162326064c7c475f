"""The language model of this installation, opened for a job."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction

from analytics.errors import BackboneError
from analytics.language_model.packaged import is_packaged_installed
from analytics.language_model.protocol import LanguageModel
from questionbank.core.database import database_now
from questionbank.core.errors import ValidationFailed
from questionbank.core.storage import scratch_folder
from questionbank.jobs.run_services import run_create
from questionbank.local.die_with_parent import dying_with_us
from questionbank.models import Run
from questionbank.registry.language_model_selectors import (
    endpoint_model,
    local_model_folder,
    packaged_model_folder,
    packaged_model_is_ready,
)
from worker.reporting import LOOK_SECONDS, RunReporter

NICENESS = 15  # of the process that prepares the packaged model: nobody waits for it
TRIED_AGAIN_AFTER = timedelta(days=1)  # after a job that failed or was stopped


@transaction.atomic
def language_model_request() -> Run | None:
    """Request the preparation of the packaged model if nothing else is to be done.

    None if it is ready, not installed or was tried recently, or if another job waits or runs.
    """
    if packaged_model_is_ready() or not is_packaged_installed():
        return None
    if Run.objects.filter(state__in=(Run.State.QUEUED, Run.State.RUNNING)).exists():
        return None
    job: dict[str, Any] = {"kind": Run.Kind.PREPARE, "capability": "", "parameters": {}}
    given_up = Run.objects.filter(
        kind=Run.Kind.PREPARE,
        state__in=(Run.State.FAILED, Run.State.CANCELLED),
        finished_at__gt=database_now() - TRIED_AGAIN_AFTER,
    )
    if given_up.exists():
        return None
    return run_create(**job, title="Prepare the language model")


def prepare_language_model(reporter: RunReporter) -> None:
    """Convert the packaged model and store it where workers and pages find it.

    A separate process does it, with one thread and a low priority. It is killed if other work waits for this worker;
    the job then starts over later.

    Raises:
        BackboneError: a package is damaged or not installed, or the model cannot be written.
        Cancelled, GaveWay: the process was killed.
    """
    folder = packaged_model_folder()
    if packaged_model_is_ready():
        return
    reporter.progress(0, 1, "Converting the weights")
    with scratch_folder(parent=folder.parent, prefix="new-") as scratch, (scratch / "log").open("w+") as log:
        made = scratch / folder.name
        command = [sys.executable, "-m", "analytics", "prepare-language-model", "--output", str(made)]
        process = subprocess.Popen(
            dying_with_us(command, niceness=NICENESS),
            cwd=settings.BASE_DIR,
            stdout=log,
            stderr=log,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        try:
            while process.poll() is None:
                reporter.check()
                reporter.give_way(begins_again=True)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(LOOK_SECONDS)
        finally:
            process.kill()
            process.wait()
        if process.returncode:
            log.seek(0)
            raise BackboneError((log.read().strip().splitlines() or ["The model could not be prepared."])[-1])
        shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)


@contextmanager
def open_language_model() -> Iterator[LanguageModel]:
    """Yield the model that `configured_language_model` describes.

    Raises:
        ValidationFailed: no model is configured (any more).
        BackboneError, LanguageModelError: the model cannot be loaded, or its URL is invalid.
    """
    if (endpoint := endpoint_model()) is not None:
        with endpoint:
            yield endpoint
    elif local := local_model_folder():
        from analytics.language_model.local import load_local_model  # imports PyTorch

        yield load_local_model(local, seconds=settings.LANGUAGE_MODEL_SECONDS)
    else:
        raise ValidationFailed("No language model is configured.")
