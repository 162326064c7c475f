"""Encoder training runs on a tiny backbone: candidate, metrics, cancel, resume after a killed worker."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
import torch
from django.core.management import CommandError, call_command
from django.utils import timezone

from analytics.backbone import export
from analytics.backbone.bert import artifact_backbone
from analytics.inference.encode import load_encoder
from analytics.splits import is_held_out
from questionbank.capabilities.encoder import EncoderInBank
from questionbank.core import storage as disk
from questionbank.core.errors import Conflict, ValidationFailed
from questionbank.jobs import run_services as runs
from questionbank.jobs.run_selectors import checkpoint_folder, run_metric_series, run_version, run_wait
from questionbank.models import ModelArtifact, ModelEvent, Question, Run, RunMetric
from questionbank.registry.artifact_selectors import artifact_folder
from questionbank.registry.artifact_services import artifact_promote, artifact_register
from questionbank.training.services import training_request
from tests.questionbank.small_bank import add_question
from tests.worker.encoder_bank import add_encoder_bank, tiny_encoder, tiny_folder
from tests.worker.jobs import Killed, done
from worker.encoder import jobs as encoder_training
from worker.encoder.jobs import encoder_feed
from worker.tasks import train_model

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files", "one_connection")]


@pytest.fixture
def backbone(tmp_path):
    return str(tiny_folder(tmp_path / "tiny"))


@pytest.fixture
def bank(db):
    return add_encoder_bank(120)


QUICK = {name: str(value) for name, value in ({**EncoderInBank.quick.settings} | {"metric_steps": 20}).items()}


def small(backbone: str, **settings: str) -> dict[str, str]:
    return {
        "backbone": backbone, "batch_size": "16", "epochs": "2", "projection": "8", "levels": "2",
        "max_tokens": "64", "evaluate_every": "0", "checkpoint_every": "1", "mixed_precision": "no", **settings,
    }  # fmt: skip


def request(settings: dict[str, str], **arguments) -> Run:
    return training_request(capability="encoder", settings=settings, send=False, **arguments)


def test_a_run_trains_an_encoder_shows_its_figures_and_registers_a_candidate_of_the_champion(
    bank, backbone, tmp_path, admin_person
):
    champion = artifact_promote(artifact=artifact_register(folder=tiny_encoder(tmp_path / "first", seed=1)))
    run = request(small(backbone), user=admin_person)
    before = run_version(run_id=run.pk)
    done(run)
    model = ModelArtifact.objects.get(pk=run.result["model"])
    assert (model.state, model.parent, model.created_by) == ("candidate", champion, admin_person)
    assert model.name == f"tiny-quesco-{run.pk}"
    assert model.manifest["extra"]["questions"] == sum(not is_held_out(question.text) for question in bank)
    assert load_encoder(artifact_folder(model)).encode(["a circle"]).shape == (1, 32)
    assert (artifact_folder(model) / "backbone" / "config.json").is_file()
    event = ModelEvent.objects.get(artifact=model)
    assert (event.kind, event.person) == ("registered", admin_person)
    assert not checkpoint_folder(run.pk).exists()
    lines = " ".join(run.logs.values_list("text", flat=True))
    assert "120 ready questions" in lines
    assert "Level 2: 120 questions in 4 concepts" in lines
    steps = 2 * (model.manifest["extra"]["questions"] // 16)
    series = run_metric_series(run=run)
    assert series["loss"][-1][0] == steps
    assert {"epoch", "loss_rank_0", "loss_rank_1", "held_out_precision_at_10"} <= series.keys()
    assert (run.done, run.total) == (steps, steps)
    assert run_version(run_id=run.pk) != before


def test_a_training_without_space_for_its_checkpoints_ends_in_a_sentence(bank, backbone, monkeypatch):
    monkeypatch.setattr(disk, "free_bytes", lambda _folder: 1_100_000_000)  # less than the reserve more is needed
    run = request(small(backbone))
    done(run, state="failed")
    assert run.error.startswith("The training needs about 1.1")
    assert not ModelArtifact.objects.exists()


def test_the_quick_training_puts_a_last_layer_behind_the_encoder_in_use(bank, tmp_path):
    with pytest.raises(ValidationFailed, match="no model is in use"):
        request(QUICK)
    trained = request(small(str(tiny_folder(tmp_path / "tiny"))))
    train_model(trained.pk)
    trained.refresh_from_db()
    champion = artifact_promote(artifact=ModelArtifact.objects.get(pk=trained.result["model"]))
    run = request({**QUICK, "levels": "2"})
    successor = artifact_promote(artifact=artifact_register(folder=tiny_encoder(tmp_path / "other", seed=1)))
    done(run)  # it begins with what was in use when it was asked for
    model = ModelArtifact.objects.get(pk=run.result["model"])
    assert (model.name, model.parent) == (f"tiny-quesco-{run.pk}", successor)
    assert champion.manifest["license_note"] in model.manifest["license_note"]
    assert model.manifest["config"]["backbone"] == f"model {champion.pk}"
    assert f"backbone=model {champion.pk}" in model.manifest["extra"]["command"]
    assert model.manifest["extra"]["begun_with"]["name"] == champion.name
    before, after = (artifact_backbone(artifact_folder(artifact)) for artifact in (champion, model))
    assert after.head is not None
    for name, tensor in before.model.state_dict().items():
        assert torch.equal(tensor, after.model.state_dict()[name]), name
    series = run_metric_series(run=run)
    assert {"loss", "held_out_precision_at_10"} <= set(series)


def test_metrics_of_a_step_are_replaced_and_those_without_a_number_left_out():
    run = runs.run_start(run_id=runs.run_create(kind="train", capability="encoder", send=False).pk, worker="w")
    runs.run_metrics(run=run, step=3, metrics={"loss": 2.0, "other": float("nan")})
    version = run_version(run_id=run.pk)
    runs.run_metrics(run=run, step=3, metrics={"loss": 1.5})
    runs.run_metrics(run=run, step=4, metrics={"loss": 1.0})
    assert run_metric_series(run=run) == {"loss": [(3, 1.5), (4, 1.0)]}
    assert run_version(run_id=run.pk) != version
    runs.run_succeed(run=run)
    runs.run_metrics(run=run, step=5, metrics={"loss": 0.5})  # whoever lost the run writes nothing more
    assert RunMetric.objects.count() == 2


def test_the_place_in_a_queue_counts_only_what_waits_there():
    first, default_run, second = (
        runs.run_create(kind="train", capability="probes", queue=queue, send=False)
        for queue in ("train", "default", "train")
    )
    assert [run_wait(run=run).ahead for run in (first, default_run, second)] == [0, 0, 1]
    started = runs.run_start(run_id=first.pk, worker="w")
    assert run_wait(run=started) is None
    assert run_wait(run=second).ahead == 0


def _die_at(monkeypatch, step: int) -> None:
    report = encoder_training.RunReporter.step

    def die(self, step_report):
        report(self, step_report)
        if step_report.step >= step:
            raise Killed

    monkeypatch.setattr("worker.reporting.RunReporter.step", die)


def test_a_training_whose_worker_died_goes_on_from_its_checkpoint_with_the_same_questions(
    bank, backbone, no_graph, monkeypatch
):
    settings = small(backbone, epochs="4")
    whole = request(settings)
    train_model(whole.pk)
    expected = ModelArtifact.objects.get(name=f"tiny-quesco-{whole.pk}").manifest

    run = request(settings)
    with monkeypatch.context() as patched:
        _die_at(patched, 10)
        with pytest.raises(Killed):
            train_model(run.pk)
    run.refresh_from_db()
    assert run.state == "running"  # nobody could say that it ended
    assert (checkpoint_folder(run.pk) / "checkpoint.pt").is_file()

    Question.objects.all().delete()  # a run that goes on keeps to the questions that it began with
    several = {**settings, "processes": "2", "nodes": "2"}  # as an earlier version stored it
    parameters = {**run.parameters, "set": several}
    Run.objects.filter(pk=run.pk).update(heartbeat_at=timezone.now() - timedelta(hours=1), parameters=parameters)
    assert runs.runs_reconcile()["requeued"] == 1
    train_model(run.pk)
    run.refresh_from_db()
    assert (run.error, run.state, run.attempts) == ("", "succeeded", 2)
    said = run.logs.values_list("text", flat=True)
    assert "Going on from the checkpoint." in said
    assert any(line.startswith("This job asked for several processes; jobs now train in one.") for line in said)
    manifest = ModelArtifact.objects.get(pk=run.result["model"]).manifest
    assert manifest["data_hash"] == expected["data_hash"]
    # Stopped and resumed equals uninterrupted, to the last bit of the weights.
    assert manifest["extra"]["backbone_sha256"] == expected["extra"]["backbone_sha256"]


def test_a_run_that_failed_for_want_of_questions_finds_those_that_were_added(backbone, no_graph, db):
    add_encoder_bank(20)
    run = request(small(backbone))
    done(run, state="failed")
    assert "at least 32 questions" in run.error
    add_encoder_bank(100, seed=3)
    runs.run_retry(run_id=run.pk)
    done(run)


def test_a_run_that_was_cancelled_while_it_exported_registers_nothing(bank, backbone, monkeypatch):
    run = request(small(backbone))

    def cancelled_meanwhile(_backbone, path, _output):
        path.write_bytes(b"graph")
        runs.run_cancel(run_id=run.pk)
        stop.set()

    stop = threading.Event()
    monkeypatch.setattr(export, "_export_graph", cancelled_meanwhile)
    monkeypatch.setattr("worker.reporting.RunReporter.should_stop", lambda _self: stop.is_set())
    done(run, state="cancelled")
    assert not ModelArtifact.objects.exists()
    assert (checkpoint_folder(run.pk) / "checkpoint.pt").is_file()


def test_a_run_that_was_killed_after_registering_registers_nothing_twice(bank, backbone, no_graph):
    run = request(small(backbone))
    train_model(run.pk)
    Run.objects.filter(pk=run.pk).update(state="queued", result={})
    done(run)
    assert run.result["model"] == ModelArtifact.objects.get().pk


def test_the_feed_drops_shared_nodes_unknown_languages_and_repetitions(bank):
    add_question(bank[0].text, concepts=[tag.concept for tag in bank[0].tags.all()])
    add_question("求圆的面积", language="zh", concepts=[tag.concept for tag in bank[0].tags.all()])
    add_question("A draft", status="draft")
    add_question("No concept at all")
    feed = encoder_feed(
        hierarchies=None, unknown_share=lambda texts: sum(not text.isascii() for text in texts) / len(texts)
    )
    assert feed.unknown_languages == {"zh": (1, 1.0)}
    assert feed.duplicates == 1
    assert len(feed.examples) == 121
    by_text = {example.text: example for example in feed.examples}
    assert by_text[bank[0].text].paths == (("Number", "Primes"),)
    assert by_text[bank[0].text].hierarchy == "School"
    assert 0 <= by_text[bank[0].text].difficulty <= 1
    assert by_text["No concept at all"].paths == ()
    only = encoder_feed(hierarchies=["School"], unknown_share=lambda texts: 0.0)
    assert "No concept at all" not in {example.text for example in only.examples}


def test_a_request_names_every_wrong_setting_by_its_field(bank):
    with pytest.raises(ValidationFailed) as caught:
        training_request(capability="encoder", settings={"epochs": "0", "momentum": "much", "speed": "1"})
    assert caught.value.fields.keys() == {"epochs", "momentum", ""}
    with pytest.raises(ValidationFailed, match="no hierarchy “Nowhere”"):
        training_request(capability="encoder", hierarchies=["School", "Nowhere"])
    with pytest.raises(ValidationFailed):
        training_request(capability="encoder", hierarchies=[])


def test_only_one_encoder_training_waits_or_runs(bank):
    request({})
    with pytest.raises(Conflict, match="already"):
        request({})


def test_the_command_trains_here_and_refuses_what_it_does_not_know(
    bank, backbone, no_graph, no_default_models, tmp_path, capsys
):
    artifact_promote(artifact=artifact_register(folder=tiny_encoder(tmp_path / "first", seed=1)))
    call = [argument for name, value in small(backbone).items() for argument in ("--set", f"{name}={value}")]
    with pytest.raises(CommandError, match="'juggling' cannot be trained"):
        call_command("train", "juggling")
    with pytest.raises(CommandError, match="--language does not apply to encoder"):
        call_command("train", "encoder", "--language", "zh", *call)
    with pytest.raises(CommandError, match="needs a reason"):
        call_command("train", "encoder", "--promote", *call)
    with pytest.raises(CommandError, match="no hierarchy"):
        call_command("train", "encoder", "--hierarchy", "Nowhere", *call)
    call_command("train", "encoder", "--hierarchy", "School", *call)
    model = ModelArtifact.objects.get(state="candidate")
    assert f"trained as model {model.pk}" in capsys.readouterr().out
    assert "--hierarchy School" in model.manifest["extra"]["command"]
