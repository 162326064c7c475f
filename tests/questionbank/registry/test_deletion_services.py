"""Which models a rule deletes, and which it never does."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.urls import reverse
from django.utils import timezone

from questionbank.core.errors import Conflict, NotAllowed
from questionbank.models import EmbeddingSet, ModelArtifact, ModelComparison, ModelEvent, ModelRetention, Run
from questionbank.registry.artifact_services import artifact_delete, artifact_promote
from questionbank.registry.lifecycle_services import old_models_delete, retention_set
from questionbank.registry.model_selectors import model_bytes, models_in_jobs, old_models, rejected_candidates

pytestmark = pytest.mark.django_db


@pytest.fixture
def make(own_artifacts):
    """Models by name, each a day younger than the one before, with files of 1,000 bytes."""
    made = []

    def make(name: str, capability: str = "solver", **columns: Any) -> ModelArtifact:
        storages["artifacts"].save(f"{name}/manifest.json", ContentFile(b"{}"))
        storages["artifacts"].save(f"{name}/weights.bin", ContentFile(b"x" * 998))
        manifest = {"files": {"weights.bin": "0" * 64}, "extra": {}}
        values = {"capability": capability, "name": name, "location": name, "manifest": manifest, **columns}
        made.append(ModelArtifact.objects.create(**values))
        moment = timezone.now() - timedelta(days=100 - len(made))
        ModelArtifact.objects.filter(pk=made[-1].pk).update(created_at=moment)
        return made[-1]

    return make


def names(models: list[ModelArtifact]) -> list[str]:
    return [model.name for model in models]


@pytest.mark.parametrize(
    ("keep", "old"),
    [
        ({}, []),
        ({"encoder": 0}, []),
        ({"solver": 0}, ["one", "zh", "two", "three"]),
        ({"solver": 1}, ["one", "two"]),
        ({"solver": 3}, []),
    ],
)
def test_the_newest_of_each_language_stay(make, keep, old):
    for name in ("one", "zh", "two", "three"):
        make(name, scope="zh" if name == "zh" else "en")
    assert names(old_models(keep=keep)) == old


def test_what_serves_what_it_replaced_and_what_a_job_needs_stay_whatever_the_rule(make):
    oldest, former, champion = make("oldest"), make("former"), make("champion")
    artifact_promote(artifact=oldest)
    artifact_promote(artifact=former)
    artifact_promote(artifact=champion)
    for key in ("model", "candidate", "champion", "start"):
        Run.objects.create(kind="train", parameters={key: make(f"run-{key}").pk, "set": {"backbone": "x"}})
    Run.objects.create(kind="train", state="failed", parameters={"model": make("done").pk})
    serving = make("serving")
    EmbeddingSet.objects.create(lens="x", artifact=serving, encoder_name="x", dimension=2, is_current=True)
    assert names(old_models(keep={"solver": 0})) == ["oldest", "done"]
    assert names(old_models(keep={"solver": 1})) == ["oldest"]  # those that always stay do not count


@pytest.mark.parametrize("key", ["model", "candidate", "champion", "start"])
def test_a_model_that_a_job_names_cannot_be_deleted(make, key):
    model = make("needed")
    run = Run.objects.create(kind="train", parameters={key: model.pk})
    assert models_in_jobs() == {model.pk}
    with pytest.raises(Conflict):
        artifact_delete(artifact=model)
    Run.objects.filter(pk=run.pk).update(state="succeeded")
    assert models_in_jobs() == set()


def test_the_job_deletes_with_a_line_in_the_history(make, admin_person):
    kept, _gone = make("newest"), make("gone")
    ModelArtifact.objects.filter(pk=kept.pk).update(created_at=timezone.now())
    assert old_models_delete() == 0  # no rule
    retention_set(user=admin_person, keep={"solver": 1, "encoder": None})
    assert old_models_delete() == 1
    assert names(list(ModelArtifact.objects.all())) == ["newest"]
    event = ModelEvent.objects.get()
    assert (event.kind, event.artifact_name, event.person) == ("deleted", "gone", None)
    assert event.reason == "The rule keeps the newest unused model."
    assert storages["artifacts"].listdir("gone")[1] == []
    retention_set(user=admin_person, keep={"solver": None})
    assert not ModelRetention.objects.exists()


def test_only_admins_set_the_rule(teacher):
    with pytest.raises(NotAllowed):
        retention_set(user=teacher, keep={"solver": 1})


def test_a_size_is_that_of_all_files_and_none_where_they_are_gone(make):
    model = make("sized")
    assert model_bytes(model) == 1000
    assert model_bytes(ModelArtifact(location="nowhere", manifest={})) == 0


def compare(candidate: ModelArtifact, champion: ModelArtifact, difference: float) -> None:
    low, high = difference - 0.01, difference + 0.01
    metric = {"name": "answer_accuracy", "label": "answers right", "higher_is_better": True, "questions": 99}
    metric |= {"candidate": 0.5, "champion": 0.5, "difference": difference, "low": low, "high": high}
    figures = {"suite": {"questions": 99, "lost": 0, "gained": 0}, "metrics": [{**metric, "worse": high < 0}]}
    ModelComparison.objects.create(candidate=candidate, champion=champion, figures=figures)


def test_rejected_is_who_was_compared_with_the_model_in_use_and_is_not_better(make):
    former, champion = make("former"), make("champion")
    worse, same, better, before, busy = map(make, ("worse", "same", "better", "before", "busy"))
    make("never compared")
    artifact_promote(artifact=former)
    compare(before, former, -0.5)
    artifact_promote(artifact=champion)
    for candidate, difference in ((worse, -0.5), (same, 0.0), (better, 0.5), (busy, -0.5)):
        compare(candidate, champion, difference)
    Run.objects.create(kind="promote", parameters={"model": busy.pk})
    assert set(names(rejected_candidates())) == {"worse", "same"}


def test_an_admin_sees_what_goes_before_it_goes(make, client, admin_person, settings, tmp_path):
    settings.VAR_DIR = tmp_path
    client.force_login(admin_person)
    for number in range(3):
        make(f"model-{number}")
    here = reverse("old_models")
    assert "there is no rule" in client.get(here).content.decode()
    preview = client.get(here, {"solver": "1", "preview": "1"}).content.decode()
    assert "2 models, 2.0\xa0KB" in preview.replace("1.9\xa0KB", "2.0\xa0KB").replace("2.0 KB", "2.0\xa0KB")
    assert "Nothing is deleted unless you save the rule" in preview
    assert "Delete them now" not in preview
    assert not ModelRetention.objects.exists()
    wrong = client.post(here, {"solver": "-1"})
    assert wrong.status_code == 422
    saved = client.post(here, {"solver": "1"}, follow=True).content.decode()
    assert "What it deletes next" in saved
    assert "model-0 (model" in saved
    assert "model-2 (model" not in saved
    client.post(reverse("old_models_delete"))
    assert ModelArtifact.objects.count() == 3  # by a job, not by the page
    assert old_models_delete() == 2
    listed = client.get(reverse("model_list")).content.decode()
    assert "Together they take 1000\xa0bytes" in listed
