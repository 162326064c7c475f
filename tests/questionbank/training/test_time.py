"""How long a training takes, from those that were done on the machine that trains."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from questionbank.core.capability_catalog import training_of
from questionbank.core.capability_report import Report, Row, Table, TableRow
from questionbank.models import Run, RunMetric, WorkerHeartbeat
from questionbank.training.start import TrainingTime, training_time

pytestmark = pytest.mark.django_db
HERE = "train@here"


@pytest.fixture(autouse=True)
def worker() -> None:
    WorkerHeartbeat.objects.create(name=HERE, queues="train", seen_at=timezone.now())


def trained(seconds: float = 600, steps: int = 100, capability: str = "solver", worker: str = HERE, **more: Any) -> Run:
    """A training that succeeded: 600 seconds for 100 steps of 32 in 5 passes, unless it says otherwise."""
    parameters = {"set": {"epochs": "5", "batch_size": "32", **more.pop("set", {})}, "language": "en"}
    now = timezone.now()
    values = {
        "state": "succeeded", "attempts": 1, "worker": worker, "finished_at": now,
        "started_at": now - timedelta(seconds=seconds), "parameters": {**parameters, **more.pop("parameters", {})},
    }  # fmt: skip
    run = Run.objects.create(kind="train", capability=capability, **values | more)
    RunMetric.objects.create(run=run, step=steps, name="loss", value=1.0)
    return run


def ask(settings: dict[str, str] | None = None, **more: Any) -> TrainingTime:
    values = {"epochs": "5", "batch_size": "32", **(settings or {})}
    return training_time(
        capability="solver", settings=values, parameters={"language": "en", "hierarchies": None, **more}
    )


def test_nothing_is_known_before_the_first_training() -> None:
    assert ask() == TrainingTime()


@pytest.mark.parametrize(
    ("settings", "seconds"),
    [
        ({}, 600),
        ({"seed": "7"}, 600),
        ({"epochs": "10"}, 1200),
        ({"epochs": "1"}, 120),
        ({"batch_size": "16"}, 600),  # twice the steps, each half as long
        ({"batch_size": "64", "epochs": "10"}, 1200),
        ({"max_steps": "50"}, 300),
        ({"max_steps": "1000"}, 600),  # there are no more than 100
        ({"max_steps": "100", "batch_size": "16"}, 300),
    ],
)
def test_a_training_of_another_length_takes_its_share(settings, seconds) -> None:
    trained()
    assert ask(settings).seconds == pytest.approx(seconds, rel=0.01)


@pytest.mark.parametrize(
    ("settings", "seconds"),
    [({"max_steps": "50"}, 600), ({"max_steps": "25"}, 300), ({"max_steps": "80"}, None), ({}, None)],
)
def test_of_one_that_was_cut_off_nobody_knows_how_long_it_would_have_been(settings, seconds) -> None:
    trained(steps=50, set={"max_steps": "50"})
    found = ask(settings)
    assert found.seconds == (None if seconds is None else pytest.approx(seconds, rel=0.01))
    assert found.longest == pytest.approx(600, rel=0.01)


@pytest.mark.parametrize(
    "other",
    [
        {"set": {"contrast": "textual"}},
        {"set": {"adapter_rank": "8"}},
        {"set": {"a setting of an earlier version": "1"}},
        {"parameters": {"language": "zh"}},
        {"parameters": {"hierarchies": ["Algebra"]}},
    ],
)
def test_a_training_of_other_things_gives_only_a_range(other) -> None:
    trained(**other)
    assert (ask().seconds, ask().shortest) == (None, pytest.approx(600, rel=0.01))


@pytest.mark.parametrize(
    "unlike", [{"worker": "train@elsewhere"}, {"state": "failed"}, {"attempts": 2}, {"deaths": 1}, {"pauses": 1}]
)
def test_what_was_done_elsewhere_or_was_interrupted_says_nothing(unlike) -> None:
    trained(**unlike)
    assert ask() == TrainingTime()


def test_the_latest_counts_and_every_model_of_the_bank_stands_for_every_other() -> None:
    trained(seconds=100, set={"backbone": "model 4"})
    trained(seconds=900, set={"backbone": "model 12"})
    assert ask({"backbone": "in use"}).seconds == pytest.approx(900, rel=0.01)
    assert ask().seconds is None


@pytest.mark.parametrize(
    ("capability", "settings", "seconds"),
    [
        ("encoder", {}, 0.043 * 1000 * 5),
        ("encoder", {"max_steps": "10", "batch_size": "16"}, 0.043 * 160),
        ("encoder", {"objective": "last-layer", "metric_steps": "30"}, 18 + 17.5),
        ("solver", {"epochs": "5"}, 0.04 * 300 * 5),
        ("solver", {"epochs": "5", "max_steps": "3", "batch_size": "32"}, 0.04 * 96),
        ("solver", {"contrast": "textual"}, None),
        ("paraphrase", {"max_steps": "60", "batch_size": "16"}, (0.015 + 0.0625) * 960),
        ("paraphrase", {"epochs": "2", "triplets_per_question": "3"}, 0.015 * 2000 + 0.0625 * 2000 * 3 * 2),
    ],
)
def test_a_first_training_is_estimated_from_what_it_learns_from(capability, settings, seconds) -> None:
    counts = {"questions": 1000, "learned": 1000, "english": 4000, "examined": 2000}  # a half was examined
    english = TableRow("English", (300, 0, 0))
    columns = {"To learn from": "count", "Validation": "count", "Unreadable": "count"}
    report = Report(
        rows=tuple(Row(name, number) for name, number in counts.items()),
        tables=(Table("Problems by language", "Language", columns, (english,)),),
    )
    found = training_of(capability).first_seconds(report, settings, {"language": "en"})
    assert found == (None if seconds is None else pytest.approx(seconds))


def test_the_form_says_it_before_a_training_starts(client, admin_person) -> None:
    client.force_login(admin_person)
    address = reverse("model_train", args=["solver"])
    page = client.get(address).content.decode()
    assert "No training of this kind has been done here yet" in page
    assert "On two otherwise idle cores it takes about" in page
    trained(set={"epochs": "50", "batch_size": "16"})
    page = client.get(address).content.decode()
    assert "it takes about 10 min 0 s here" in page
    fields = {name: str(field.initial) for name, field in client.get(address).context["form"].fields.items()}
    sent = {name: value for name, value in fields.items() if value not in ("None", "False")}
    sent |= {"language": "en", "epochs": "100", "action": "report"}
    assert "it takes about 20 min 0 s here" in client.post(address, sent).content.decode()
    assert "Correct the settings first" in client.post(address, sent | {"epochs": "x"}).content.decode()
    assert Run.objects.count() == 1


def test_settings_that_exclude_each_other_give_no_time_and_no_fault(client, admin_person) -> None:
    client.force_login(admin_person)
    address = reverse("model_train", args=["encoder"])
    fields = {name: str(field.initial) for name, field in client.get(address).context["form"].fields.items()}
    sent = {name: value for name, value in fields.items() if value not in ("None", "False")}
    sent |= {"objective": "last-layer", "metric_steps": "0", "action": "report"}
    page = client.post(address, sent)
    assert page.status_code == 200
    assert "Correct the settings first" in page.content.decode()


def test_a_look_at_settings_that_cannot_be_used_names_them_and_leaves_their_fold_open(client, admin_person) -> None:
    client.force_login(admin_person)
    address = reverse("model_train", args=["paraphrase"]) + "?quick=1"
    fields = {name: str(field.initial) for name, field in client.get(address).context["form"].fields.items()}
    sent = {name: value for name, value in fields.items() if value not in ("None", "False")}
    sent |= {"translator_there": "a folder", "action": "report"}
    page = client.post(address, sent)
    assert "Forward translation model and Back-translation model must be given together" in page.content.decode()
    assert "translator_back must" not in page.content.decode()
    (models,) = [group for group in page.context["form"].groups if group.title == "Models instead of rules"]
    assert models.is_open
