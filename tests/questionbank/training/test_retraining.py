"""Models that are retrained by themselves: when, what is skipped, judged and mailed, and never two at once."""

from __future__ import annotations

import errno
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from itertools import count

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from questionbank.core import task_queue
from questionbank.core.errors import NotAllowed, NotFound, ValidationFailed
from questionbank.models import (
    ModelArtifact,
    ModelComparison,
    OutgoingMail,
    ParaphrasePair,
    Retraining,
    RetrainingSchedule,
    Run,
    WorkerHeartbeat,
)
from questionbank.people.mail import mail_send_due
from questionbank.registry.artifact_services import artifact_promote
from questionbank.training import retraining_selectors as selectors
from questionbank.training import retraining_services as services
from questionbank.training.retraining_selectors import next_night, night_at, night_bounds, retrained_models
from questionbank.training.retraining_services import retrainings_advance, schedule_set
from questionbank.training.services import training_request
from tests.at_once import at_once
from tests.cases import each_case
from tests.factories import QuestionFactory, UserFactory
from tests.questionbank.page_bank import text_of

pytestmark = pytest.mark.django_db

SITE = "https://kindred.school.example/"
NIGHT = datetime(2027, 1, 4, 1, 30, tzinfo=UTC)
FIGURE = {
    "name": "precision", "label": "Precision", "higher_is_better": True, "questions": 60, "decides": True,
    "champion": 0.52,
}  # fmt: skip
BETTER = FIGURE | {"candidate": 0.61, "difference": 0.09, "low": 0.03, "high": 0.15, "worse": False}
WORSE = FIGURE | {"candidate": 0.43, "difference": -0.09, "low": -0.15, "high": -0.03, "worse": True}
SUITE = {"questions": 60, "lost": 0, "gained": 0, "seed": 0, "suites": []}
numbers = count(1)


@pytest.fixture(autouse=True)
def no_broker(monkeypatch):
    monkeypatch.setattr(task_queue, "_send", lambda run: None)
    monkeypatch.setattr(task_queue, "wake", lambda job, queue: None)


@pytest.fixture
def workers(monkeypatch):
    monkeypatch.setattr(selectors, "queue_has_worker", lambda queue: queue == "train")


def model(capability: str = "encoder", state: str = "candidate", scope: str = "") -> ModelArtifact:
    name = f"{capability}-{next(numbers)}"
    return ModelArtifact.objects.create(
        capability=capability, scope=scope, name=name, state=state, checksum=name.ljust(64, "0"), location=name
    )


def schedule(person, capability: str = "encoder", scope: str = "", **values) -> RetrainingSchedule:
    return schedule_set(
        user=person, capability=capability, scope=scope, site=SITE, values={"is_on": True, "every_weeks": 4} | values
    )


def train(run: Run) -> dict[str, object]:
    return {"model": model(run.capability).pk}


def compare(run: Run, figure: dict[str, object]) -> dict[str, object]:
    pair = {role: ModelArtifact.objects.get(pk=run.parameters[role]) for role in ("candidate", "champion")}
    ModelComparison.objects.create(run=run, figures={"suite": SUITE, "metrics": [figure]}, **pair)
    return {}


def promote(run: Run) -> dict[str, object]:
    artifact_promote(artifact=ModelArtifact.objects.get(pk=run.parameters["model"]))
    return {}


def work(*, figure: dict[str, object] = BETTER, fails: str = "") -> Run | None:
    """Do the one job that waits, as a worker would, and return it."""
    run = Run.objects.exclude(state__in=Run.FINISHED).exclude(kind="import").first()
    if run is None:
        return None
    jobs: dict[str, Callable[[], dict[str, object]]] = {
        "train": lambda: train(run), "evaluate": lambda: compare(run, figure), "promote": lambda: promote(run),
    }  # fmt: skip
    if run.kind == fails:
        run.state, run.error = "failed", "There are too few questions to learn from."
    else:
        run.state, run.result = "succeeded", jobs[run.kind]()
    run.save()
    return run


def nightly(row: RetrainingSchedule) -> list[tuple[str, str]]:
    return [(f"{one.night:%d %b}", one.outcome) for one in row.retrainings.order_by("night")]


def decide_pairs(number: int) -> None:
    ParaphrasePair.objects.bulk_create(
        ParaphrasePair(original="2 + 2", paraphrase=f"{next(numbers)} + 2", state="decided", outcome="accept")
        for _ in range(number)
    )


@each_case("retraining_nights")
def test_a_night_has_its_length_where_clocks_change(settings, zone, night, begins_at, ends_at, begins, ends):
    settings.TIME_ZONE = zone
    row = RetrainingSchedule(begins_at=begins_at, ends_at=ends_at)
    assert night_bounds(row, night) == (begins, ends)
    a_second = timedelta(seconds=1)
    assert [night_at(row, moment) for moment in (begins - a_second, begins, ends - a_second, ends)] == [
        None, night, night, None,
    ]  # fmt: skip


def test_a_simulated_quarter_runs_skips_gates_and_mails_and_never_two_at_once(
    settings, workers, admin_person, django_user_model, mailoutbox
):
    """From New Year to April in Berlin, whose clocks skip 2:30 in the night of 28 March."""
    settings.TIME_ZONE = "Europe/Berlin"
    former = UserFactory(email="former@school.example", is_superuser=True)
    django_user_model.objects.filter(pk=admin_person.pk).update(email="admin@school.example")
    first = model(state="champion")
    model("paraphrase", state="champion")
    encoders = schedule(admin_person, begins_at=time(2, 30), ends_at=time(3), promotes=True)
    scorers = schedule(
        admin_person, "paraphrase", every_weeks=None, after_labels=20, begins_at=time(1), ends_at=time(5)
    )
    happens: dict[date, Callable[[], object]] = {
        date(2027, 1, 15): lambda: decide_pairs(19),
        date(2027, 1, 20): lambda: decide_pairs(1),
        date(2027, 1, 25): QuestionFactory,  # the encoder learns from questions, and has new ones
        date(2027, 1, 29): lambda: Run.objects.create(kind="import", title="A large file"),
        date(2027, 1, 30): lambda: Run.objects.filter(kind="import").update(state="succeeded"),
        date(2027, 2, 10): lambda: django_user_model.objects.filter(pk=former.pk).update(is_active=False),
        date(2027, 3, 20): lambda: decide_pairs(25),
        date(2027, 3, 27): QuestionFactory,
    }
    day, underway, mails = datetime(2027, 1, 2, tzinfo=UTC), [], []
    while day.date() < date(2027, 4, 1):
        for minutes in range(0, 6 * 60, 30):
            retrainings_advance(now=day + timedelta(minutes=minutes))
            unfinished = Run.objects.exclude(state__in=Run.FINISHED)
            underway.append((unfinished.count(), Retraining.objects.filter(outcome="under_way").count()))
            is_worse = day.date() == date(2027, 1, 31)
            work(figure=WORSE if is_worse else BETTER, fails="train" if day.date() == date(2027, 3, 28) else "")
        happens.get(day.date(), lambda: None)()
        mail_send_due()
        mails += [(f"{day:%d %b}", mail.to[0], mail.subject) for mail in mailoutbox]
        mailoutbox.clear()
        day += timedelta(days=1)

    assert nightly(encoders) == [
        ("02 Jan", "promoted"), ("30 Jan", "busy"), ("31 Jan", "kept"), ("28 Feb", "skipped"), ("28 Mar", "failed"),
    ]  # fmt: skip
    assert nightly(scorers) == [("21 Jan", "kept"), ("21 Mar", "kept")]
    assert [max(numbers) for numbers in zip(*underway, strict=True)] == [1, 1]
    promoted, busy, kept, skipped, failed = encoders.retrainings.order_by("night")
    assert promoted.why == "Every 4 weeks."
    assert (promoted.artifact.state, ModelArtifact.objects.get(pk=first.pk).state) == ("champion", "archived")
    assert "Precision: 0.610, in use 0.520 (difference 0.030 to 0.150)" in promoted.report
    assert busy.report.startswith("Job ")
    assert "(Import): waiting." in busy.report
    assert kept.report.startswith("It did not pass the gate")
    assert "Precision is worse" in kept.report
    assert kept.artifact.state == "candidate"
    assert skipped.report == f"Nothing to learn from has changed since job {kept.training_id} trained this model."
    assert failed.report.endswith("There are too few questions to learn from.")
    third = scorers.retrainings.first()
    assert third.why == "25 new labels and responses since the last training."
    assert third.report.startswith("It passes the gate. An admin may put it into use.")
    of_encoders, of_scorers = "Retraining of “Question encoder”: ", "Retraining of “Paraphrase scorer”: "
    both = ("former@school.example", "admin@school.example")
    expected = [("02 Jan", who, of_encoders + "put into use") for who in both]
    expected += [("21 Jan", who, of_scorers + "not put into use") for who in both]
    expected += [("31 Jan", who, of_encoders + "not put into use") for who in both]
    expected += [("21 Mar", both[1], of_scorers + "not put into use"), ("28 Mar", both[1], of_encoders + "failed")]
    assert sorted(mails) == sorted(expected)


def test_a_mail_and_a_notice_carry_the_figures_until_somebody_has_read_them(
    workers, admin_person, as_admin, mailoutbox
):
    type(admin_person).objects.filter(pk=admin_person.pk).update(email="admin@school.example")
    model(state="champion")
    row = schedule(admin_person)
    for _ in range(3):
        retrainings_advance(now=NIGHT)
        work()
    retrainings_advance(now=NIGHT)
    retraining = row.retrainings.get()
    mail_send_due()
    body = mailoutbox[0].body
    assert body.startswith("Hello admin,")
    assert "“Question encoder” was due to be retrained: Every 4 weeks." in body
    assert "Precision: 0.610, in use 0.520 (difference 0.030 to 0.150)" in body
    assert f"https://kindred.school.example/models/{retraining.artifact_id}/" in body
    for page in ("model_list", "home"):
        assert "Precision: 0.610" in text_of(as_admin.get(reverse(page)))
    as_admin.post(reverse("model_retraining_read", args=[retraining.pk]))
    assert "Precision: 0.610" not in text_of(as_admin.get(reverse("model_list")))
    assert "Precision: 0.610" in text_of(as_admin.get(reverse("model_retraining")))


def test_only_admins_see_notices(workers, admin_person, as_teacher):
    row = schedule(admin_person)
    Retraining.objects.create(schedule=row, night=NIGHT.date(), outcome="kept", why="Every week.", report="Figures.")
    assert "Figures." not in text_of(as_teacher.get(reverse("model_list")))


@pytest.mark.django_db(transaction=True)
def test_two_clocks_begin_a_training_once(workers, admin_person):
    model(state="champion")
    model("paraphrase", state="champion")
    schedule(admin_person)
    schedule(admin_person, "paraphrase")
    at_once(lambda _clock: retrainings_advance(now=NIGHT), range(2))
    assert Run.objects.count() == 1
    assert sorted(Retraining.objects.values_list("outcome", flat=True)) == ["busy", "under_way"]


def test_a_night_that_was_busy_at_first_still_begins(workers, admin_person):
    model(state="champion")
    row = schedule(admin_person)
    job = Run.objects.create(kind="embed", state="running")
    retrainings_advance(now=NIGHT)
    assert nightly(row) == [("04 Jan", "busy")]
    Run.objects.filter(pk=job.pk).update(state="succeeded")
    retrainings_advance(now=NIGHT + timedelta(minutes=5))
    assert nightly(row) == [("04 Jan", "under_way")]
    assert row.retrainings.get().report == ""


def test_without_a_worker_for_trainings_none_begins(admin_person):
    model(state="champion")
    row = schedule(admin_person)
    retrainings_advance(now=NIGHT)
    assert row.retrainings.get().report == "No worker for trainings is running."
    WorkerHeartbeat.objects.create(name="one", queues="default,train", seen_at=timezone.now())
    retrainings_advance(now=NIGHT)
    assert nightly(row) == [("04 Jan", "under_way")]


def test_a_clock_that_starts_again_goes_on_where_the_rows_say(workers, admin_person):
    """Nothing is kept in memory: each call is as good as one of a new process."""
    champion = model(state="champion")
    row = schedule(admin_person, promotes=True)
    retrainings_advance(now=NIGHT)
    retrainings_advance(now=NIGHT)  # the training still waits
    assert [run.kind for run in Run.objects.all()] == ["train"]
    work()
    for _ in range(2):
        retrainings_advance(now=NIGHT + timedelta(days=2))  # the machine was off meanwhile
    assert [run.kind for run in Run.objects.order_by("pk")] == ["train", "evaluate"]
    work()
    for _ in range(2):
        retrainings_advance(now=NIGHT + timedelta(days=2))
    assert work().parameters["reason"] == "Retrained by its schedule."
    for _ in range(2):
        retrainings_advance(now=NIGHT + timedelta(days=2))
    assert nightly(row) == [("04 Jan", "promoted")]
    champion.refresh_from_db()
    assert champion.state == "archived"


@pytest.mark.parametrize("gone", [Run, ModelArtifact])
def test_a_job_or_a_candidate_that_is_deleted_ends_the_retraining_with_a_reason(workers, admin_person, gone):
    model(state="champion")
    row = schedule(admin_person)
    retrainings_advance(now=NIGHT)
    work()
    gone.objects.exclude(state="champion").delete()
    retrainings_advance(now=NIGHT)
    retraining = row.retrainings.get()
    assert (retraining.outcome, "deleted" in retraining.report) == ("failed", True)


@pytest.mark.parametrize("broken_mail", [False, True])
def test_an_error_when_a_retraining_begins_is_its_reason_and_the_others_go_on(
    workers, admin_person, monkeypatch, broken_mail
):
    def request(*, capability: str, **values: object) -> Run:
        if capability == "analogy":
            raise KeyError("graph_key")
        return training_request(capability=capability, **values)

    def mail(**values: object) -> None:
        raise OSError("no such template")

    monkeypatch.setattr(services, "training_request", request)
    if broken_mail:
        monkeypatch.setattr(services, "mail_retrained", mail)
    model(state="champion")
    broken, sound = schedule(admin_person, "analogy"), schedule(admin_person)
    retrainings_advance(now=NIGHT)
    failed = broken.retrainings.get()
    assert (failed.outcome, failed.why) == ("failed", "Every 4 weeks.")
    assert failed.report == "An unexpected error ended it: KeyError, 'graph_key'"
    assert nightly(sound) == [("04 Jan", "under_way")]
    retrainings_advance(now=NIGHT + timedelta(minutes=5))
    assert (Run.objects.count(), Retraining.objects.count()) == (1, 2)


def test_an_error_under_way_ends_that_retraining_and_the_next_begins(workers, admin_person, monkeypatch):
    def verdict(**values: object) -> dict[str, object]:
        raise ZeroDivisionError("no questions in the suite")

    model(state="champion")
    model("paraphrase", state="champion")
    broken, sound = schedule(admin_person), schedule(admin_person, "paraphrase")
    retrainings_advance(now=NIGHT)
    work()
    monkeypatch.setattr(services, "comparison_request", verdict)
    retrainings_advance(now=NIGHT + timedelta(minutes=5))
    assert broken.retrainings.get().sentence == (
        "An unexpected error ended it: ZeroDivisionError, no questions in the suite"
    )
    assert (nightly(broken), nightly(sound)) == ([("04 Jan", "failed")], [("04 Jan", "under_way")])


def test_an_outage_fails_no_retraining(workers, admin_person, monkeypatch):
    def request(**values: object) -> Run:
        raise OSError(errno.ENOSPC, "No space left on device")

    model(state="champion")
    row = schedule(admin_person)
    with monkeypatch.context() as patched:
        patched.setattr(services, "training_request", request)
        with pytest.raises(OSError, match="No space left"):
            retrainings_advance(now=NIGHT)
    assert nightly(row) == []
    retrainings_advance(now=NIGHT + timedelta(minutes=5))
    assert nightly(row) == [("04 Jan", "under_way")]


def test_the_command_sets_and_lists_schedules(workers, admin_person, capsys):
    model("solver", "champion", "zh")
    call_command("retraining", "set", "solver", "--scope", "zh", "--every-weeks", "6", "--after-labels", "1500")
    call_command("retraining", "set", "solver", "--scope", "zh", "--from", "23:30", "--until", "04:00", "--promote")
    call_command("retraining", "set", "solver", "--scope", "zh", "--site", SITE)
    row = RetrainingSchedule.objects.get()
    assert (row.is_on, row.every_weeks, row.after_labels, row.promotes) == (True, 6, 1500, True)
    call_command("retraining", "list")
    listed = capsys.readouterr().out.splitlines()
    assert "encoder  -  no schedule" in listed
    (line,) = (line for line in listed if line.startswith("solver  zh  "))
    assert "every 6 weeks or after 1,500 new labels (0 so far)  23:30 to 04:00  put into use if it passes" in line
    call_command("retraining", "set", "solver", "--scope", "zh", "--no-on", "--after-labels", "0")
    row.refresh_from_db()
    assert (row.is_on, row.every_weeks, row.after_labels, row.site) == (False, 6, None, SITE.rstrip("/"))
    for refused, reason in {
        ("--every-weeks", "53"): "Enter a number from 1 to 52",
        ("--on", "--every-weeks", "0"): "a number of labels, or both",
        ("--from", "25:00"): "Enter a valid time",
    }.items():
        with pytest.raises(CommandError, match=reason):
            call_command("retraining", "set", "solver", "--scope", "zh", *refused)
    schedule(admin_person, "solver", "zh")
    call_command("retraining", "set", "solver", "--scope", "zh", "--every-weeks", "8")
    row.refresh_from_db()
    assert (row.every_weeks, row.site) == (8, SITE.rstrip("/"))


def test_a_training_that_an_admin_requested_counts_as_the_last_one(workers, admin_person):
    QuestionFactory()
    model(state="champion")
    run = training_request(capability="encoder", user=admin_person)
    Run.objects.filter(pk=run.pk).update(state="succeeded")
    row = schedule(admin_person)
    retrainings_advance(now=NIGHT)
    assert row.retrainings.get().report == f"Nothing to learn from has changed since job {run.pk} trained this model."
    QuestionFactory()
    retrainings_advance(now=NIGHT + timedelta(weeks=4))
    assert nightly(row) == [("04 Jan", "skipped"), ("01 Feb", "under_way")]


def test_a_training_without_data_fails_with_its_reason(workers, admin_person):
    row = schedule(admin_person, "analogy")  # an empty bank: no questions share a graph
    retrainings_advance(now=NIGHT)
    retraining = row.retrainings.get()
    assert retraining.outcome == "failed"
    assert retraining.report.startswith("It could not be trained.")
    assert "more are needed" in retraining.report
    assert not Run.objects.exists()


def test_what_is_switched_off_or_due_later_does_not_begin(workers, admin_person):
    model(state="champion")
    row = schedule(admin_person, is_on=False)
    retrainings_advance(now=NIGHT)
    schedule(admin_person)
    retrainings_advance(now=NIGHT + timedelta(hours=12))  # by day
    assert nightly(row) == []
    assert next_night(RetrainingSchedule.objects.get(), now=NIGHT + timedelta(hours=12)) == datetime(
        2027, 1, 5, 1, tzinfo=UTC
    )
    assert RetrainingSchedule.objects.count() == 1


def test_what_would_never_begin_is_refused(admin_person, teacher):
    with pytest.raises(ValidationFailed, match="a number of labels, or both"):
        schedule(admin_person, every_weeks=None)
    with pytest.raises(ValidationFailed, match="at least half an hour"):
        schedule(admin_person, begins_at=time(3), ends_at=time(3, 20))
    with pytest.raises(ValidationFailed, match="at least half an hour"):
        schedule(admin_person, begins_at=time(3), ends_at=time(3))
    for capability, scope in (("nothing", ""), ("encoder", "School"), ("solver", "fr")):
        with pytest.raises(NotFound):
            schedule(admin_person, capability, scope)
    with pytest.raises(NotAllowed):
        schedule(teacher)
    assert not RetrainingSchedule.objects.exists()


def test_each_model_in_use_has_a_schedule_of_its_own(admin_person):
    model("solver", "champion", "en")
    model("solver", "champion", "zh")
    schedule(admin_person, "solver", "zh")
    shown = {(one.capability, one.scope): one for one in retrained_models()}
    assert {("encoder", ""), ("analogy", ""), ("solver", "en"), ("solver", "zh")} <= shown.keys()
    assert shown["solver", "zh"].next_at is not None
    assert shown["solver", "en"].schedule is None


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"every_weeks": "0"}, "Enter a number from 1 to 52."),
        ({"every_weeks": ""}, "Enter a number of weeks, a number of labels, or both."),
        ({"after_labels": "-5"}, "Enter a number from 1 to 10,000,000."),
        ({"ends_at": "02:10"}, "The night must last at least half an hour."),
        ({"begins_at": "25:00"}, "Enter a valid time."),
    ],
)
def test_the_form_says_what_is_wrong_beside_its_field(as_admin, changed, problem):
    model(state="champion")
    sent = {"is_on": "on", "every_weeks": "4", "after_labels": "", "begins_at": "02:00", "ends_at": "05:00"}
    response = as_admin.post(reverse("model_retraining_schedule", args=["encoder"]), sent | changed)
    assert response.status_code == 422
    assert problem in text_of(response)
    assert not RetrainingSchedule.objects.exists()


def test_a_schedule_is_saved_from_its_form_and_shown(as_admin):
    model("solver", "champion", "zh")
    address = reverse("model_retraining_schedule", args=["solver"])
    assert "Chinese" in text_of(as_admin.get(address, {"scope": "zh"}))
    assert as_admin.get(address, {"scope": "fr"}).status_code == 404
    assert as_admin.get(reverse("model_retraining_schedule", args=["nothing"])).status_code == 404
    sent = {"scope": "zh", "is_on": "on", "every_weeks": "6", "after_labels": "500", "promotes": "on"}
    response = as_admin.post(address, sent | {"begins_at": "23:30", "ends_at": "04:00"}, follow=True)
    page = text_of(response)
    assert "The schedule is saved." in page
    assert "Every 6 weeks, or after 500 new labels (0 so far)" in page
    assert "23:30 to 04:00 · put into use if it passes" in page
    row = RetrainingSchedule.objects.get()
    assert (row.scope, row.promotes, row.site) == ("zh", True, "http://testserver")
    assert OutgoingMail.objects.count() == 0
