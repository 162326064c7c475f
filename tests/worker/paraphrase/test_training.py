"""Scorer training runs on a tiny backbone: candidate, decisions, figures, cancel, resume."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from analytics.paraphrase.scorer import load_scorer
from analytics.splits import HELD_OUT_SHARE, is_held_out
from questionbank.capabilities.paraphrase import ParaphraseInBank
from questionbank.jobs import run_services as runs
from questionbank.jobs.run_selectors import checkpoint_folder, run_metric_series
from questionbank.models import ModelArtifact, ModelEvent, ParaphrasePair, Question, Run
from questionbank.registry import artifact_services as artifacts
from questionbank.registry.artifact_selectors import artifact_folder
from questionbank.registry.artifact_services import artifact_promote, artifact_register
from questionbank.training.questions import VALIDATION_SHARE
from questionbank.training.services import training_request
from tests.analytics.paraphrase.tiny_scorer import tiny_scorer
from tests.worker.jobs import done
from tests.worker.scorer_bank import add_decided, add_word_problems
from tests.worker.stopping import runs_cancelled_at
from worker.paraphrase import training as paraphrase_training

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files", "one_connection")]


@pytest.fixture
def backbone(tiny_folder) -> str:
    return tiny_folder(256)


@pytest.fixture
def bank(db) -> list[Question]:
    return add_word_problems(80)


def small(backbone: str, **settings: str) -> dict[str, str]:
    return {
        "backbone": backbone, "batch_size": "8", "max_steps": "6", "triplets_per_question": "1",
        "max_tokens": "256", "learning_rate": "0.001", "evaluate_every": "0", "checkpoint_every": "1",
        "mixed_precision": "no", "device": "cpu", **settings,
    }  # fmt: skip


def request(settings: dict[str, str], **arguments) -> Run:
    return training_request(capability="paraphrase", settings=settings, send=False, **arguments)


def test_a_run_trains_a_scorer_on_questions_and_decisions_as_a_candidate_of_the_champion(
    bank, backbone, tmp_path, admin_person, monkeypatch
):
    champion = artifact_promote(artifact=artifact_register(folder=tiny_scorer(tmp_path / "first")))
    add_decided(bank)
    monkeypatch.setattr(paraphrase_training, "_FEWEST_VALIDATED", 1)
    run = done(request(small(backbone), user=admin_person))
    model = ModelArtifact.objects.get(pk=run.result["model"])
    assert (model.state, model.parent, model.created_by) == ("candidate", champion, admin_person)
    assert model.name == f"tiny-paraqd-{run.pk}"
    assert (ModelEvent.objects.get(artifact=model).kind, run.result["metrics"]) == (
        "registered",
        model.manifest["metrics"],
    )
    held = [question.text for question in bank if is_held_out(question.text)]
    measured = [
        question.text for question in bank if question.text not in held
        and is_held_out(question.text, HELD_OUT_SHARE + VALIDATION_SHARE)
    ]  # fmt: skip
    extra = model.manifest["extra"]
    assert extra["given_pairs"] == 2 * (len(bank) - len(measured))
    assert extra["questions"] <= len(bank) - len(held) - len(measured)
    scorer = load_scorer(artifact_folder(model))
    assert scorer.learned(measured) == 0
    assert scorer.learned(held) == len(held)  # the score's boundary was set on them
    series = run_metric_series(run=run)
    assert {"loss", "loss_triplet", "epoch", "validation_auc", "validation_separation"} <= series.keys()
    assert series["loss"][-1][0] == 6
    assert not checkpoint_folder(run.pk).exists()
    lines = " ".join(run.logs.values_list("text", flat=True))
    assert "80 of 80 ready questions are in English" in lines
    assert f"{len(held):,} held out for comparison" in lines
    assert "Reviewers' decisions:" in lines


def test_the_quick_training_goes_on_from_the_scorer_in_use_and_its_verdict_follows_decisions(bank, tmp_path, no_graph):
    champion = artifact_promote(artifact=artifact_register(folder=tiny_scorer(tmp_path / "first")))
    add_decided(bank)
    quick = {name: str(value) for name, value in ParaphraseInBank.quick.settings.items()}
    run = done(request(quick | small("in use", max_steps="2")))
    assert run.parameters["start"] == champion.pk
    manifest = ModelArtifact.objects.get(pk=run.result["model"]).manifest
    assert manifest["config"]["backbone"] == f"model {champion.pk}"
    assert manifest["extra"]["verdict_pairs"] > 100
    assert f"{manifest['extra']['verdict_pairs']:,} decisions" in " ".join(run.logs.values_list("text", flat=True))


def test_decisions_can_be_left_out(bank, backbone, no_graph):
    add_decided(bank)
    run = done(request(small(backbone), answers={"decisions": False}))
    assert run.parameters["decisions"] is False
    extra = ModelArtifact.objects.get(pk=run.result["model"]).manifest["extra"]
    assert extra["given_pairs"] == 0
    assert extra["questions"] <= 6 * 8  # as many as the steps can see
    assert "--without-decisions" in extra["command"]


def test_a_cancelled_training_goes_on_from_its_checkpoint_with_what_it_began_with(
    bank, backbone, no_graph, monkeypatch
):
    add_decided(bank)
    monkeypatch.setattr(paraphrase_training, "_FEWEST_VALIDATED", 1)
    whole = done(request(small(backbone)))
    expected = ModelArtifact.objects.get(pk=whole.result["model"]).manifest

    run = request(small(backbone))
    with runs_cancelled_at(monkeypatch, 3):
        done(run, state="cancelled")
    assert (checkpoint_folder(run.pk) / "checkpoint.pt").is_file()
    assert not ModelArtifact.objects.filter(name__endswith=f"-{run.pk}").exists()
    ParaphrasePair.objects.all().delete()
    Question.objects.all().delete()
    runs.run_retry(run_id=run.pk)
    done(run)
    assert "Going on from the checkpoint." in run.logs.values_list("text", flat=True)
    manifest = ModelArtifact.objects.get(pk=run.result["model"]).manifest
    # Stopped and resumed equals uninterrupted, to the last bit of the weights and of the verdict.
    assert manifest["extra"]["backbone_sha256"] == expected["extra"]["backbone_sha256"]
    assert manifest["files"]["verdict.json"] == expected["files"]["verdict.json"]
    assert manifest["metrics"]["validation"] == expected["metrics"]["validation"]


def test_a_bank_without_questions_or_with_few_fails_with_a_sentence(backbone, db):
    run = done(request(small(backbone)), state="failed")
    assert "no ready question in English" in run.error
    add_word_problems(10)
    runs.run_retry(run_id=run.pk)
    done(run, state="failed")
    assert "held out" in run.error or "at least 8 triplets" in run.error


def test_the_command_trains_compares_and_promotes_here(bank, backbone, monkeypatch, capsys):
    monkeypatch.setattr(artifacts, "artifact_install_default", lambda report=None: None)
    call = [argument for name, value in small(backbone).items() for argument in ("--set", f"{name}={value}")]
    with pytest.raises(CommandError, match="needs a reason"):
        call_command("train", "paraphrase", "--promote", *call)
    call_command("train", "paraphrase", "--without-decisions", "--promote", "--reason", "The first.", *call)
    champion = ModelArtifact.objects.get(capability="paraphrase", state="champion")
    said = capsys.readouterr().out
    assert f"trained as model {champion.pk}" in said
    assert "is now in use" in said
    gate = ModelEvent.objects.get(kind="promoted").gate
    assert gate["passes"]
    assert gate["reasons"] == ["No model of this kind is in use, so there is nothing to compare it with."]
