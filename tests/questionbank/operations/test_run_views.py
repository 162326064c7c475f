"""Jobs: list, live progress, stopping and starting again."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.db.models import F
from django.test import Client
from django.urls import reverse
from pytest_django.asserts import assertContains

from analytics.encoder.metric_layer import VECTORS_PREFIX
from analytics.training.checkpoint import CHECKPOINT_NAME
from questionbank.core.errors import LineProblem
from questionbank.imports.report import ImportReport
from questionbank.jobs.run_selectors import CHECKPOINT, VECTORS, run_title
from questionbank.jobs.run_services import (
    run_cancel,
    run_create,
    run_fail,
    run_give_way,
    run_heartbeat,
    run_log,
    run_metrics,
    run_progress,
    run_start,
    run_succeed,
    worker_seen,
)
from questionbank.models import EmbeddingSet, ModelArtifact, Run, School, User
from questionbank.people.permissions import viewing_as
from tests.factories import QuestionFactory


@pytest.fixture
def running(db) -> Run:
    run = run_create(kind=Run.Kind.EMBED, title="Compute missing vectors", send=False)
    held = run_start(run_id=run.pk, worker="test worker")
    run_progress(run=held, done=250, total=1000, message="Encoding.")
    return held


def progress(client, run: Run, **headers):
    return client.get(reverse("run_progress", args=[run.pk]), headers={"HX-Request": "true"} | headers)


def test_the_list_shows_every_job_with_its_state(running, as_teacher) -> None:
    page = as_teacher.get(reverse("run_list")).content.decode()
    assert "Compute missing vectors" in page
    assert "250 / 1,000" in page


def test_no_jobs_is_a_friendly_page(as_teacher) -> None:
    assert "No jobs yet" in as_teacher.get(reverse("run_list")).content.decode()


def test_the_live_part_shows_how_far_it_is_and_asks_for_itself(running, as_teacher) -> None:
    page = progress(as_teacher, running).content.decode()
    assert 'value="25"' in page
    assert "Encoding." in page
    assert 'hx-trigger="every 2s"' in page
    assert "<html" not in page


def test_an_unchanged_part_is_a_304_even_after_a_heartbeat(running, as_teacher) -> None:
    first = progress(as_teacher, running)
    run_heartbeat(run=running)
    again = progress(as_teacher, running, **{"If-None-Match": first["ETag"]})
    assert again.status_code == 304
    assert again.content == b""
    assert "no-cache" in first["Cache-Control"]
    assert "private" in first["Cache-Control"]


@pytest.mark.parametrize("change", ["progress", "log", "end"])
def test_whatever_the_page_shows_changes_the_etag(running, as_teacher, change) -> None:
    before = progress(as_teacher, running)["ETag"]
    if change == "progress":
        run_progress(run=running, done=251, total=1000, message="Encoding.")
    elif change == "log":
        run_log(run=running, text="A batch was skipped.")
    else:
        run_succeed(run=running)
    assert progress(as_teacher, running, **{"If-None-Match": before}).status_code == 200


def test_people_of_different_rights_do_not_share_an_etag(running, client, teacher, admin_person) -> None:
    client.force_login(teacher)
    first = progress(client, running)["ETag"]
    client.force_login(admin_person)
    assert progress(client, running, **{"If-None-Match": first}).status_code == 200


def test_a_finished_job_is_asked_for_no_more(running, as_teacher) -> None:
    run_succeed(run=running, result={"vectors_stored": 1000})
    page = progress(as_teacher, running).content.decode()
    assert "hx-trigger" not in page
    assert "Vectors stored" in page
    assert "1,000" in page


def test_without_javascript_the_page_reloads_itself_while_the_job_runs(running, as_teacher) -> None:
    address = reverse("run_detail", args=[running.pk])
    assert '<noscript><meta http-equiv="refresh"' in as_teacher.get(address).content.decode()
    run_succeed(run=running)
    assert "http-equiv" not in as_teacher.get(address).content.decode()


def test_an_admin_cancels_and_starts_again(running, as_admin) -> None:
    page = as_admin.post(reverse("run_cancel", args=[running.pk]), follow=True).content.decode()
    assert "stops at its next step" in page
    assert "stops at its next step" in progress(as_admin, running).content.decode()
    running.refresh_from_db()
    assert running.cancel_requested
    Run.objects.filter(pk=running.pk).update(state=Run.State.CANCELLED)
    assert "stops at its next step" not in progress(as_admin, running).content.decode()
    again = as_admin.post(reverse("run_retry", args=[running.pk]), follow=True)
    running.refresh_from_db()
    assert running.state == Run.State.QUEUED
    assert not list(again.context["messages"])  # whatever stands above the live part stays when the job goes on


def test_cancelling_a_finished_job_says_that_it_has_finished(running, as_admin) -> None:
    run_succeed(run=running)
    page = as_admin.post(reverse("run_cancel", args=[running.pk]), follow=True).content.decode()
    assert "has finished already" in page


def test_a_teacher_watches_but_has_no_buttons(running, as_teacher) -> None:
    page = as_teacher.get(reverse("run_detail", args=[running.pk])).content.decode()
    assert "cancel-run" not in page


def test_a_job_that_is_not_there_is_a_404(as_admin) -> None:
    assert as_admin.get(reverse("run_detail", args=[4711])).status_code == 404
    assert as_admin.get(reverse("run_progress", args=[4711])).status_code == 404
    assert as_admin.post(reverse("run_cancel", args=[4711])).status_code == 404


@pytest.fixture
def training(db) -> Run:
    run = run_create(
        kind=Run.Kind.TRAIN, capability="encoder", title="Train the encoder", queue="train", send=False,
        parameters={"set": {"epochs": "3"}, "hierarchies": ["School"]},
    )  # fmt: skip
    held = run_start(run_id=run.pk, worker="test worker")
    run_progress(run=held, done=20, total=450, message="Step 20 of 450, 3 min left")
    for step in (10, 20):
        run_metrics(
            run=held, step=step, metrics={"epoch": 1, "loss": 4 - step / 20, "loss_rank_0": 1.5, "loss_rank_1": 2.5}
        )
    run_metrics(run=held, step=20, metrics={"held_out_precision_at_10": 0.25})
    return held


def test_a_training_shows_step_epoch_time_left_settings_and_curves(training, as_teacher) -> None:
    page = progress(as_teacher, training).content.decode()
    assert "Step 20 of 450, 3 min left" in page
    assert "<dt>Epoch</dt><dd>2</dd>" in page
    assert "<code>epochs=3</code>" in page
    assert "School" in page
    for id, series in (("chart-loss", "Loss"), ("chart-rank", "Rank 1, the same concept"),
                       ("chart-held-out", "Questions held out of its training")):  # fmt: skip
        assert f'id="{id}-title"' in page
        assert series in page
    assert "chart-epoch" not in page


def test_new_figures_change_the_etag(training, as_teacher) -> None:
    before = progress(as_teacher, training)["ETag"]
    assert progress(as_teacher, training, **{"If-None-Match": before}).status_code == 304
    run_metrics(run=training, step=30, metrics={"loss": 2.0})
    after = progress(as_teacher, training, **{"If-None-Match": before})
    assertContains(after, '<th class="number" scope="row">30</th>')


def test_a_job_that_gave_way_is_paused_and_does_not_claim_to_run(as_teacher) -> None:
    solving = run_create(kind="solve", capability="solver", title="Solve", send=False)
    held = run_start(run_id=solving.pk, worker="default@here")
    run_progress(run=held, done=8, total=2400, message="Solving: 8 of 2,400")
    worker_seen(name="default@here", queues="default,light")
    check = run_create(kind=Run.Kind.IMPORT, title="Check a file", queue="light", send=False)
    assert "Starts when “Solve” pauses or ends." in progress(as_teacher, check).content.decode()
    run_give_way(run=held)
    run_start(run_id=check.pk, worker="default@here")
    page = progress(as_teacher, solving).content.decode()
    assert re.search(r"Paused\s*</span>", page)
    assert "Waiting for “Check a file” to finish." in page
    assert re.search(r"8 /\s+2,400", page)
    assert not re.search("Running|Took", page)
    assertContains(as_teacher.get(reverse("run_list")), "8 / 2,400")


def test_a_waiting_job_says_how_many_are_ahead_and_that_changes(as_teacher) -> None:
    first, second, third = (
        run_create(kind=Run.Kind.TRAIN, capability="probes", title=name, queue="train", send=False)
        for name in ("First", "Second", "Third")
    )
    run_create(kind=Run.Kind.EMBED, title="In another queue", send=False)
    assert "No worker is running for this kind of job." in progress(as_teacher, first).content.decode()
    worker_seen(name="train@here", queues="train")
    assert "Starting." in progress(as_teacher, first).content.decode()
    before = progress(as_teacher, third)
    assert "2 more jobs are ahead of it." in before.content.decode()
    run_cancel(run_id=second.pk)
    after = progress(as_teacher, third, **{"If-None-Match": before["ETag"]})
    assert "1 more job is ahead of it." in after.content.decode()
    run_start(run_id=first.pk, worker="train@here")
    last = progress(as_teacher, third, **{"If-None-Match": after["ETag"]}).content.decode()
    assert "Waiting for “First” to finish." in last
    assert "ahead" not in last


def test_missing_vectors_are_asked_for_on_the_health_page(as_admin) -> None:
    health, button = reverse("health"), reverse("health_vectors")
    assert button not in as_admin.get(health).content.decode()  # there is no encoder to compute them
    EmbeddingSet.objects.create(lens="wording", encoder_name="n-grams", dimension=8, is_current=True)
    assert button not in as_admin.get(health).content.decode()  # nothing is missing
    QuestionFactory()
    assert button in as_admin.get(health).content.decode()
    run = Run.objects.filter(kind=Run.Kind.EMBED)
    answer = as_admin.post(button)
    assert answer["Location"] == reverse("run_detail", args=[run.get().pk])
    assert "queued already" in as_admin.post(button, follow=True).content.decode()
    assert run.count() == 1
    assert button not in as_admin.get(health).content.decode()


def test_a_failed_job_is_dismissed_from_health_until_it_is_started_again(as_admin) -> None:
    run = run_start(run_id=run_create(kind=Run.Kind.EMBED, title="Vectors", send=False).pk, worker="w")
    run_fail(run=run, error="The disk is full.")
    health = reverse("health")
    assert "1 job failed in the last 24 hours." in as_admin.get(health).content.decode()
    page = as_admin.post(reverse("run_dismiss", args=[run.pk]), follow=True).content.decode()
    assert "no longer counts" in page
    assert "dismiss-run" not in page
    assert "No job failed in the last 24 hours." in as_admin.get(health).content.decode()
    as_admin.post(reverse("run_retry", args=[run.pk]))
    page = as_admin.post(reverse("run_dismiss", args=[run.pk]), follow=True).content.decode()
    assert "Only a failed job can be dismissed." in page


def test_a_refused_file_is_called_refused_and_is_not_started_again(as_admin) -> None:
    run = run_start(run_id=run_create(kind=Run.Kind.IMPORT, title="Import", send=False).pk, worker="w")
    report = ImportReport("a.csv", "a", "a")
    report.refuse(LineProblem(0, "The file holds no questions."))
    result = {**report.as_dict(), Run.REFUSAL: True}
    run_fail(run=run, error="The file holds no questions.", result=result)
    assertContains(progress(as_admin, run), "The file holds no questions.", count=1)
    for page in (progress(as_admin, run), as_admin.get(reverse("run_list"))):
        assert re.search(r"Refused\s*</span>", page.content.decode())
    assert not re.search("retry-run|dismiss-run", progress(as_admin, run).content.decode())
    page = as_admin.post(reverse("run_retry", args=[run.pk]), follow=True).content.decode()
    assert "Correct it, then upload it anew." in page


def test_figures_are_shown_with_numbers_written_out(running, as_teacher) -> None:
    figures = {"questions": 1_000_000.0, "learning_rate": 0.00002, "improved": True}
    run_succeed(run=running, result={"model": 7, "metrics": figures})
    Run.objects.filter(pk=running.pk).update(started_at=F("finished_at") - timedelta(seconds=91))
    page = progress(as_teacher, running).content.decode()
    for name, value in (("Questions", "1,000,000"), ("Learning rate", "0.00002"), ("Improved", "yes")):
        assert f"<dt>{name}</dt><dd>{value}</dd>" in page
    assert re.search(r"<dt>Took</dt>\s*<dd>1 min 31 s</dd>", page)


def test_a_stopped_training_with_a_checkpoint_is_resumed_one_without_is_started_again(
    training, as_admin, settings, tmp_path
) -> None:
    settings.VAR_DIR = tmp_path
    Run.objects.filter(pk=training.pk).update(state=Run.State.CANCELLED, lease=None)
    page = progress(as_admin, training).content.decode()
    assert re.search(r"Start again\s*</button>", page)
    folder = Path(tmp_path) / "checkpoints" / f"run-{training.pk}"
    folder.mkdir(parents=True)
    (folder / CHECKPOINT_NAME).touch()
    page = progress(as_admin, training).content.decode()
    assert re.search(r"Resume\s*</button>", page)
    assert "Resume continues from the last checkpoint" in page
    as_admin.post(reverse("run_retry", args=[training.pk]))
    page = progress(as_admin, training).content.decode()
    assert not re.search(r"Resume\s*</button>", page)
    assert "Resume continues from the last checkpoint" not in page


def test_the_page_looks_for_the_checkpoint_where_the_worker_writes_it() -> None:
    assert CHECKPOINT == CHECKPOINT_NAME
    assert VECTORS == VECTORS_PREFIX


def test_a_finished_training_leads_to_its_model_and_a_comparison_to_its_page(training, as_teacher) -> None:
    model = ModelArtifact.objects.create(capability="encoder", name="A candidate")
    run_succeed(run=training, result={"model": model.pk, "metrics": {"loss": 2.5}})
    assert reverse("model_detail", args=[model.pk]) in progress(as_teacher, training).content.decode()
    run = run_create(kind=Run.Kind.EVALUATE, title="Compare", send=False, parameters={"candidate": model.pk})
    run_succeed(run=run_start(run_id=run.pk, worker="test worker"), result={"passes": True})
    assert reverse("model_compare", args=[model.pk]) in progress(as_teacher, run).content.decode()


@pytest.mark.parametrize(
    ("kind", "parameters", "shown"),
    [
        ("import", {"draft": 1, "name": "mock.docx"}, "A test paper of a colleague"),
        ("import", {"upload": "u", "name": "mock.xml"}, "A colleague’s import"),
        ("read", {"draft": 1}, "A test paper of a colleague"),
        ("undo", {"import": 1}, "Undo of a colleague’s import"),
        ("change", {"change": 1}, "A colleague’s change"),
    ],
)
def test_no_page_tells_a_colleague_which_file_a_job_is_about(
    as_teacher, admin_person, reviewer, kind, parameters, shown
) -> None:
    as_admin = Client()
    as_admin.force_login(admin_person)
    QuestionFactory()
    run = run_create(kind=kind, title="Of mock.docx", parameters=parameters, requested_by=reviewer, send=False)
    held = run_start(run_id=run.pk, worker="here")
    waiting = run_create(kind=Run.Kind.EMBED, title="Compute missing vectors", send=False)
    worker_seen(name="here", queues="default")
    pages = [("home", []), ("run_list", []), ("run_detail", [run.pk]), ("run_progress", [waiting.pk])]
    for name, arguments in pages:
        address = reverse(name, args=arguments)
        assertContains(as_teacher.get(address), shown)
        assertContains(as_admin.get(address), "Of mock.docx")
    run_log(run=held, text="A line of mock.docx")
    run_fail(run=held, error="mock.docx is damaged.", result=ImportReport("mock.docx", "", "").as_dict())
    for name in ("run_detail", "run_progress"):
        page = as_teacher.get(reverse(name, args=[run.pk])).content.decode()
        assert "mock" not in page
        assertContains(as_admin.get(reverse(name, args=[run.pk])), "mock.docx is damaged.")


def test_a_personal_job_of_another_school_is_not_there(as_teacher, teacher, reviewer) -> None:
    ours, theirs = (School.objects.create(name=name, slug=name.lower()) for name in ("Hillside", "Lakeside"))
    ours.people.add(teacher)
    theirs.people.add(reviewer)
    hidden = Run.objects.create(kind="import", title="Import of herons.csv", requested_by=reviewer, state="running")
    elsewhere = Run.objects.create(kind="import", title="Import of herons.csv", parameters={"visible_to": "lakeside"})
    shown = [
        Run.objects.create(kind="import", title="Import of sums.csv", parameters={"visible_to": "hillside"}),
        Run.objects.create(kind="embed", title="Compute missing vectors", requested_by=reviewer),
        Run.objects.create(kind="change", title="Retire", requested_by=teacher),
    ]
    listed = as_teacher.get(reverse("run_list")).content.decode()
    assert [reverse("run_detail", args=[run.pk]) in listed for run in (hidden, elsewhere, *shown)] == [
        False, False, True, True, True,
    ]  # fmt: skip
    assert "herons" not in listed
    assert "herons" not in as_teacher.get(reverse("home")).content.decode()
    for name in ("run_detail", "run_progress"):
        assert [as_teacher.get(reverse(name, args=[run.pk])).status_code for run in (hidden, elsewhere, shown[0])] == [
            404, 404, 200,
        ]  # fmt: skip
    assert as_teacher.post(reverse("run_retry", args=[hidden.pk])).status_code == 404
    with viewing_as(User.objects.get(pk=teacher.pk)):
        assert run_title(Run.objects.get(pk=hidden.pk), user=teacher) == "Another job"
