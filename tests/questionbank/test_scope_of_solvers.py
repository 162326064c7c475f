"""Solvers of an earlier version get the language that they learned as their scope."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.db import connection

from questionbank.models import ModelArtifact, ModelEvent

pytestmark = pytest.mark.django_db

MIGRATION = import_module("questionbank.migrations.0034_scope_of_solvers")


def add_model(name: str, capability: str, **extra: object) -> ModelArtifact:
    model = ModelArtifact.objects.create(
        capability=capability, name=name, location=name, manifest={"extra": extra}, checksum=name
    )
    ModelEvent.objects.create(kind="registered", capability=capability, artifact=model, artifact_name=name)
    return model


def run(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


def test_solvers_and_their_history_get_a_language_and_lose_it_again():
    add_model("old", "solver", languages=["en"])
    add_model("foreign", "solver", languages=["zh-Hans", "en"])
    add_model("older", "solver")
    add_model("vectors", "encoder")
    gone = add_model("gone", "solver", languages=["zh"])
    ModelArtifact.objects.filter(pk=gone.pk).delete()
    run(MIGRATION.FORWARD)
    expected = {"old": "en", "foreign": "zh", "older": "en", "vectors": ""}
    assert dict(ModelArtifact.objects.values_list("name", "scope")) == expected
    events = dict(ModelEvent.objects.values_list("artifact_name", "scope"))
    assert events == {**expected, "gone": "en"}
    ModelArtifact.objects.filter(name__in=["old", "foreign"]).update(state="champion")
    run(MIGRATION.BACKWARD)
    assert set(ModelArtifact.objects.values_list("scope", flat=True)) == {""}
    assert ModelArtifact.objects.get(state="champion").name == "old"
