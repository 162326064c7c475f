"""Jobs and models over the API."""

from __future__ import annotations

import pytest

from questionbank.models import ModelArtifact, Run, RunLog
from tests.questionbank.api_client import Program


@pytest.fixture
def program(admin_person) -> Program:
    return Program(admin_person)


def test_a_job_is_listed_read_and_cancelled(program, admin_person) -> None:
    run = Run.objects.create(kind="report", capability="solver", title="Count", requested_by=admin_person)
    RunLog.objects.create(run=run, text="It begins.")
    Run.objects.create(kind="embed", state=Run.State.SUCCEEDED)
    listed = program("GET", "/runs?state=queued").json()["items"]
    assert [(one["id"], one["title"], one["requested_by"]) for one in listed] == [(run.pk, "Count", "admin")]
    assert program("GET", f"/runs/{run.pk}").json()["log"] == ["It begins."]
    cancelled = program("POST", f"/runs/{run.pk}/cancel")
    assert (cancelled.status_code, cancelled.json()["state"]) == (202, "cancelled")
    assert program("POST", f"/runs/{run.pk}/cancel").status_code == 409


def test_others_imports_are_listed_without_what_is_in_them(teacher, admin_person) -> None:
    run = Run.objects.create(
        kind=Run.Kind.IMPORT,
        title="Import of secret.csv",
        parameters={"upload": "secret.csv"},
        result={"file": "secret.csv"},
        error="secret.csv is empty",
        message="reads secret.csv",
        requested_by=admin_person,
    )
    colleague = Program(teacher)
    assert "secret" not in colleague("GET", "/runs").content.decode()
    assert "secret" not in colleague("GET", f"/runs/{run.pk}").content.decode()
    assert "secret" in Program(admin_person)("GET", f"/runs/{run.pk}").content.decode()


def test_a_failed_job_starts_again(program, admin_person) -> None:
    run = Run.objects.create(kind="report", capability="solver", state=Run.State.FAILED, requested_by=admin_person)
    assert program("POST", f"/runs/{run.pk}/retry").json()["state"] == "queued"
    assert program("POST", f"/runs/{run.pk}/retry").status_code == 409


def test_models_are_listed_by_capability_and_state(program) -> None:
    ModelArtifact.objects.create(capability="encoder", name="Old", state="archived")
    model = ModelArtifact.objects.create(capability="encoder", name="New")
    ModelArtifact.objects.create(capability="solver", name="Other")
    listed = program("GET", "/models?capability=encoder&state=candidate").json()["items"]
    assert [one["name"] for one in listed] == ["New"]
    assert program("GET", f"/models/{model.pk}").json() == listed[0]


def test_a_promotion_needs_a_reason_and_runs_once(program) -> None:
    model = ModelArtifact.objects.create(capability="encoder", name="New")
    path = f"/models/{model.pk}/promote"
    assert list(program("POST", path, {"reason": " "}).json()["error"]["fields"]) == ["reason"]
    promotion = program("POST", path, {"reason": "It is the first."})
    assert promotion.status_code == 202
    run = Run.objects.get(pk=promotion.json()["id"])
    assert (run.kind, run.parameters["reason"]) == ("promote", "It is the first.")
    assert program("POST", path, {"reason": "Again."}).status_code == 409


def test_without_a_former_model_there_is_no_way_back(program) -> None:
    body = {"capability": "encoder", "reason": "Worse."}
    assert program("POST", "/models/roll-back", body).status_code == 409
    assert program("POST", "/models/roll-back", body | {"capability": "oracle"}).status_code == 404
