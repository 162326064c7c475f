"""Three lines and a package are all that a capability needs: the whole life of one, through the pages and the jobs."""

from __future__ import annotations

import html
import re
import time
from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.core.checks import run_checks
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from analytics.catalog import CAPABILITIES, lenses
from questionbank.core.capability_contract import BANK_CAPABILITIES, JobKind
from questionbank.jobs.run_services import run_cancel, run_create, run_under_way
from questionbank.models import EmbeddingSet, ModelArtifact, ModelEvent, Question, Run
from questionbank.registry.serving import serving
from tests.altered import altered
from tests.fake_capability import WORD, install
from tests.questionbank.small_bank import add_question, add_set, store_vectors
from worker import reporting
from worker.catalog import WORKER_CAPABILITIES, WorkerCapability
from worker.tasks import capability_task, compare_models, count_training_data, promote_model, train_model

STOPPED_AT = 5
PATIENCE_SECONDS = 30


@pytest.fixture
def installed(monkeypatch, settings) -> None:
    install(monkeypatch, settings)


@pytest.fixture
def questions(transactional_db, own_files) -> list[Question]:
    """Forty questions of different lengths, with vectors of the lenses that every bank has."""
    cache.clear()
    words = "find the sum of seven and three more than a half".split()
    made = [add_question(" ".join(words[: 2 + n % 9]) + f" in {n} steps?") for n in range(40)]
    for lens in ("purpose", "wording"):
        store_vectors(add_set(lens), made)
    return made


@pytest.fixture
def as_admin(client: Client, admin_person) -> Client:
    client.force_login(admin_person)
    return client


def readable_text(source: str) -> str:
    """What a reader sees, in one line."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html.unescape(source)))


def page(client: Client, name: str, *arguments: object) -> str:
    response = client.get(reverse(name, args=arguments))
    assert response.status_code == 200
    return readable_text(response.content.decode())


def latest(kind: str) -> Run:
    return Run.objects.filter(kind=kind, capability=WORD).latest("pk")


def do(task: Callable[[int], None], kind: str) -> Run:
    run = latest(kind)
    task(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.SUCCEEDED, run.error
    return run


def train(client: Client, **settings: object) -> ModelArtifact:
    sent = {"steps": 20, "rate": "0.01", "seed": 0, **settings}
    assert client.post(reverse("model_train", args=[WORD]), sent).status_code == 302
    return ModelArtifact.objects.get(pk=do(train_model, "train").result["model"])


def promote(client: Client, model: ModelArtifact) -> Run:
    sent = {"reason": "It is better."}
    assert client.post(reverse("model_promote", args=[model.pk]), sent).status_code == 302
    return do(promote_model, "promote")


def test_it_is_trained_from_its_form_and_goes_on_after_an_interruption(installed, questions, as_admin, monkeypatch):
    shown = page(as_admin, "model_train", WORD)
    assert "Retrain: Length gauge" in shown
    assert "40 questions to gauge" in shown
    assert "How long" in shown
    wrong = as_admin.post(reverse("model_train", args=[WORD]), {"steps": 0, "rate": "0.01", "seed": 0})
    assert wrong.status_code == 422
    report_step = reporting.RunReporter.step

    def stop_once(reporter, report) -> None:
        report_step(reporter, report)
        if report.step == STOPPED_AT and reporter.run.attempts == 1:
            run_cancel(run_id=reporter.run.pk)
            give_up = time.monotonic() + PATIENCE_SECONDS
            while not reporter.should_stop() and time.monotonic() < give_up:
                time.sleep(0.02)

    monkeypatch.setattr(reporting.RunReporter, "step", stop_once)
    monkeypatch.setattr(reporting, "HEARTBEAT_SECONDS", 0.05)
    sent = {"steps": 20, "rate": "0.01", "seed": 0}
    as_admin.post(reverse("model_train", args=[WORD]), sent)
    run = latest("train")
    again = as_admin.post(reverse("model_train", args=[WORD]), sent)
    assert again.status_code == 409
    assert "“Length gauge” is being trained already" in readable_text(again.content.decode())
    train_model(run.pk)
    shown = page(as_admin, "run_progress", run.pk)
    assert "Cancelled" in shown
    assert "Resume continues from the last checkpoint" in shown
    monkeypatch.setattr(reporting.RunReporter, "step", report_step)
    as_admin.post(reverse("run_retry", args=[run.pk]))
    do(train_model, "train")
    shown = page(as_admin, "run_detail", run.pk)
    assert "Going on from the checkpoint." in shown
    assert f"At step {STOPPED_AT}." in shown
    stopped = ModelArtifact.objects.get(capability=WORD)
    whole = train(as_admin)
    assert stopped.manifest["metrics"] == whole.manifest["metrics"]  # as if it had never stopped


def test_it_is_compared_promoted_and_rolled_back_with_the_vectors_of_its_lens(installed, questions, as_admin):
    first = train(as_admin, steps=1)
    assert "No model of this kind is in use" in page(as_admin, "model_promote", first.pk)
    run = promote(as_admin, first)
    assert "Lengths are measured anew." in page(as_admin, "run_detail", run.pk)
    assert EmbeddingSet.objects.get(lens="length", is_current=True).artifact == first

    second = train(as_admin, steps=300)
    as_admin.post(reverse("model_compare", args=[second.pk]))
    assert do(compare_models, "evaluate").result["outcome"] == "better"  # the figure “speed” decides nothing
    shown = page(as_admin, "model_compare", second.pk)
    assert "The lengths of 40 questions." in shown
    assert "The longest question" in shown
    assert "neighbours" not in shown
    assert "Every length is estimated anew." in page(as_admin, "model_promote", second.pk)
    promote(as_admin, second)
    assert EmbeddingSet.objects.get(lens="length", is_current=True).artifact == second
    assert EmbeddingSet.objects.filter(lens="purpose", is_current=True).count() == 1

    shown = page(as_admin, "model_list")
    assert "Length gauge" in shown
    assert "letters wrong on average" in shown
    assert "It is better." in page(as_admin, "model_history", WORD)
    assert "Lengths are estimated as before." in page(as_admin, "model_roll_back", WORD)
    as_admin.post(reverse("model_roll_back", args=[WORD]), {"reason": "Only a trial."})
    assert EmbeddingSet.objects.get(lens="length", is_current=True).artifact == first
    first.refresh_from_db()
    assert first.state == ModelArtifact.State.CHAMPION
    kinds = ModelEvent.objects.filter(capability=WORD).values_list("kind", flat=True)
    assert list(kinds)[:2] == ["rolled_back", "promoted"]


def test_questions_are_compared_under_its_lens_though_only_workers_load_it(installed, questions, as_admin):
    promote(as_admin, train(as_admin, steps=300))
    shown = page(as_admin, "question_similar", questions[0].pk, "length")
    assert "Questions that are as long." in shown
    assert "Length" in page(as_admin, "question_detail", questions[0].pk)
    text = readable_text(as_admin.post(reverse("paste"), {"text": "Find the sum of 7 and 3."}).content.decode())
    assert "Under this lens only questions of the bank can be compared." in text
    assert list(lenses()) == ["purpose", "structure", "length", "wording"]
    assert serving().serves("length", "en")


def test_commands_and_counts_know_it(installed, questions, as_admin, tmp_path, monkeypatch, capsys):
    from questionbank.registry import artifact_services as artifacts

    monkeypatch.setattr(artifacts, "artifact_install_default", lambda report=None: None)
    call_command("train", WORD, "--set", "steps=3", "--promote", "--reason", "The first.")
    assert "is now in use" in capsys.readouterr().out
    champion = ModelArtifact.objects.get(capability=WORD, state="champion")
    call_command("export_model", str(champion.pk), str(tmp_path / "out"))
    assert (tmp_path / "out" / "gauge.json").is_file()
    monkeypatch.setattr("questionbank.training.views.COUNTED_AT_ONCE", 3)
    shown = page(as_admin, "model_train", WORD)
    assert "The questions are being counted." in shown
    do(count_training_data, "report")
    assert "40 questions to gauge" in page(as_admin, "model_train", WORD)


def test_its_rows_are_complete(installed):
    assert run_checks(tags=["capabilities"]) == []


def test_its_page_and_its_job_need_no_further_place(installed, questions, as_admin):
    assert page(as_admin, "lengths") == "Not measured."
    run = run_create(kind="measure", capability=WORD, send=False)
    assert run_under_way(kind="measure", capability=WORD, parameters={}) == run
    do(capability_task("measure"), "measure")
    assert "letters" in page(as_admin, "lengths")
    shown = page(as_admin, "run_detail", run.pk)
    assert "Measure lengths" in shown
    assert "View the lengths" in shown


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"templates": "nowhere"}, "The capability 'gauge' has no template nowhere/suite.html."),
        ({"lens": None}, "has a lens in one of its rows and no lens in the other."),
        (
            {"jobs": (JobKind("weigh", "Weigh"),)},
            "The capability 'gauge' has jobs of the kind 'weigh', but workers cannot do them.",
        ),
    ],
)
def test_what_a_row_lacks_is_said_at_start(installed, monkeypatch, changed, sentence):
    monkeypatch.setitem(BANK_CAPABILITIES, WORD, altered(BANK_CAPABILITIES[WORD], **changed))
    messages = [problem.msg for problem in run_checks(tags=["capabilities"])]
    assert any(message.endswith(sentence) for message in messages), messages


def test_a_form_that_names_no_setting_and_a_worker_that_cannot_compare_are_said_too(installed, monkeypatch):
    monkeypatch.setitem(WORKER_CAPABILITIES, WORD, WorkerCapability())
    monkeypatch.setitem(CAPABILITIES, WORD, altered(CAPABILITIES[WORD], config=CAPABILITIES["probes"].config))
    messages = [problem.msg for problem in run_checks(tags=["capabilities"])]
    assert "The capability 'gauge' has a gate, but workers cannot compare its models." in messages
    assert any("names the setting 'steps', which its configuration lacks" in message for message in messages)
