"""Jobs: list, live progress, stopping and starting again."""

from __future__ import annotations

import pytest
from django.urls import reverse

from questionbank.models import Run
from questionbank.services.runs import (
    run_create,
    run_heartbeat,
    run_log,
    run_progress,
    run_start,
    run_succeed,
)


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
    running.refresh_from_db()
    assert running.cancel_requested
    Run.objects.filter(pk=running.pk).update(state=Run.State.CANCELLED)
    as_admin.post(reverse("run_retry", args=[running.pk]))
    running.refresh_from_db()
    assert running.state == Run.State.QUEUED


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
