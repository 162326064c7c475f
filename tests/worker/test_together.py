"""Trainings by several processes and machines; test_two_hosts.py has two real hosts."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from analytics.encoder.config import EncoderConfig
from analytics.errors import ConfigurationError
from questionbank.errors import KindredError, ValidationFailed
from questionbank.models import Run, WorkBlock
from questionbank.selectors.registry.checkpoints import checkpoint_folder
from questionbank.services.blocks import BlockRange, block_claim, blocks_plan
from questionbank.services.training import training_request
from tests.worker.jobs import done
from tests.worker.tiny_training import losses, tiny_training, train_here
from worker import together
from worker.reporting import RunReporter
from worker.tasks import help_with_job
from worker.together import TakePart, fewer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files", "one_connection")]


@pytest.fixture
def asked(tmp_path, db) -> dict[str, str]:
    return tiny_training(tmp_path)


def processes_of_trainings() -> list[int]:
    """Those of this test, by the command that runs them."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            command = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
        except OSError:
            continue
        if b"analytics.training.share" in command and b"torch.distributed.run" not in command:
            found.append(int(entry.name))
    return sorted(found)


def test_two_processes_learn_as_one_though_one_is_killed_and_the_rest_is_done_by_one(
    asked, no_graph, monkeypatch
):
    alone = train_here(asked)
    run = training_request(capability="encoder", settings={**asked, "processes": "2"}, send=False)
    steps, step = [], RunReporter.step

    def disturb(self: RunReporter, report) -> None:
        step(self, report)
        steps.append(report.step)
        if len(steps) == 1:
            os.kill(processes_of_trainings()[-1], signal.SIGKILL)
        if len(steps) == 3:
            self._stop_requested.set()

    with monkeypatch.context() as patched:
        patched.setattr(RunReporter, "step", disturb)
        done(run, state="cancelled")
    assert not processes_of_trainings()
    assert (checkpoint_folder(run.pk) / "checkpoint.pt").is_file()
    assert any(
        line.endswith("The training continues from its last checkpoint.")
        for line in run.logs.values_list("text", flat=True)
    )
    stopped_at = max(losses(run))
    assert stopped_at < max(losses(alone))

    run.parameters["set"]["processes"] = "1"
    run.state, run.cancel_requested = Run.State.QUEUED, False
    run.save()
    done(run)
    assert "Going on from the checkpoint." in run.logs.values_list("text", flat=True)
    assert losses(run) == pytest.approx(losses(alone), abs=1e-4)


def test_a_training_that_too_few_machines_join_ends_with_a_sentence(asked, settings):
    settings.TRAINING_WAIT_SECONDS = 0
    run = train_here({**asked, "nodes": "2"})
    assert run.state == Run.State.FAILED
    assert run.error.startswith("Only 1 of 2 machines took part within")
    assert not WorkBlock.objects.filter(job__startswith="machine/").exists()


def test_a_machine_that_does_not_reach_the_first_says_so_and_one_that_comes_too_late_does_nothing(
    asked, monkeypatch
):
    run = training_request(capability="encoder", settings={**asked, "nodes": "2"}, send=False)
    job = f"machine/{run.pk}/10.83.0.1:5000/2"
    assert help_with_job(run.pk, job) == 0  # it does not run yet
    Run.objects.update(state=Run.State.RUNNING)
    assert help_with_job(run.pk, job) == 0  # there is no place
    blocks_plan(job=job, ranges=[BlockRange(1, 1, 1)])
    monkeypatch.setattr(together, "run_processes", lambda *_arguments, **_options: None)
    assert help_with_job(run.pk, job) == 1
    (line,) = run.logs.values_list("text", flat=True)
    assert line.endswith("took no part: it did not reach 10.83.0.1:5000")


def test_a_machine_ends_when_its_place_is_gone_or_another_worker_has_the_run(asked, monkeypatch):
    run = training_request(capability="encoder", settings={**asked, "nodes": "2"}, send=False)
    Run.objects.update(state=Run.State.RUNNING)
    job = TakePart.named(f"{run.pk}/10.83.0.1:5000/2")
    blocks_plan(job=job.name, ranges=[BlockRange(1, 1, 1)])
    block, seen = block_claim(job=job.name), []

    def look(_folder, place, hear, *, stop, is_lost):
        hear.began = True
        seen.append((place.node, place.nodes, place.address, is_lost()))
        Run.objects.update(state=Run.State.QUEUED)
        seen.append(is_lost())

    monkeypatch.setattr(together, "run_processes", look)
    job.compute(block, lambda: False)
    assert seen == [(1, 2, "10.83.0.1:5000", False), True]


@pytest.mark.parametrize(
    ("processes", "nodes", "left"),
    [(2, 3, (2, 2)), (4, 1, (4, 1)), (3, 1, (2, 1)), (1, 3, (1, 2))],
)
def test_what_goes_on_with_fewer_shares_its_batches_out_evenly(processes, nodes, left):
    asked = EncoderConfig(batch_size=16, processes=4, nodes=4)
    config = fewer(asked, processes, nodes, is_begun=True)
    assert (config.processes, config.nodes) == left


def test_a_training_that_has_not_begun_gets_what_it_asks_for_or_says_what_lacks():
    asked = EncoderConfig(batch_size=16, processes=4, nodes=2)
    with pytest.raises(ConfigurationError, match="processes is 4, but this machine has 2 GPUs"):
        fewer(asked, 2, 2, is_begun=False)
    with pytest.raises(KindredError, match="Only 1 of 2 machines"):
        fewer(asked, 4, 1, is_begun=False)


def test_batches_that_cannot_be_shared_out_are_refused_where_the_training_is_asked_for(asked):
    with pytest.raises(ValidationFailed) as refused:
        training_request(capability="encoder", settings={**asked, "processes": "3"}, send=False)
    assert refused.value.fields == {
        "batch_size": ["Batch size must be a multiple of 3 for 3 processes, not 16."]
    }
    with pytest.raises(ConfigurationError, match="device must not be cuda:1 for 2 processes"):
        replace(EncoderConfig(), processes=2, device="cuda:1")
