"""Trainings by several processes: the losses of one, checkpoints, deaths, machines that join and leave."""

from __future__ import annotations

import json

import pytest

from questionbank.models import Run, RunMetric
from questionbank.services.training import training_request
from tests.worker.encoder_bank import add_encoder_bank, tiny_folder
from worker.tasks import train_model

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files", "one_connection")]


@pytest.fixture
def settings_of(tmp_path, db):
    """Settings of a tiny training without dropout, on a bank."""
    add_encoder_bank(80)
    folder = tiny_folder(tmp_path / "tiny")
    config = json.loads((folder / "config.json").read_text())
    config |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    (folder / "config.json").write_text(json.dumps(config))

    def make(**changed: object) -> dict[str, str]:
        asked = {
            "backbone": folder, "batch_size": 16, "epochs": 3, "levels": 2, "projection": 8, "max_tokens": 64,
            "checkpoint_every": 1, "evaluate_every": 0, "mixed_precision": "no", "device": "cpu", **changed,
        }  # fmt: skip
        return {name: str(value) for name, value in asked.items()}

    return make


def trained(settings: dict[str, str]) -> Run:
    run = training_request(capability="encoder", settings=settings, send=False)
    train_model(run.pk)
    run.refresh_from_db()
    return run


def losses(run: Run) -> dict[int, float]:
    return dict(RunMetric.objects.filter(run=run, name="loss").values_list("step", "value"))


def test_two_processes_have_the_losses_of_one(settings_of):
    alone, together = trained(settings_of()), trained(settings_of(processes=2))
    assert together.state == Run.State.SUCCEEDED, together.error
    assert losses(together) == pytest.approx(losses(alone), abs=1e-4)
