"""When probes are asked for, and what the log of a training says of its questions."""

from __future__ import annotations

import pytest

from questionbank.models import ModelArtifact, Run
from questionbank.training import services as training
from questionbank.training.questions import Parts
from tests.factories import ConceptFactory, HierarchyFactory, QuestionFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def few_are_enough(monkeypatch):
    monkeypatch.setattr(training, "FEWEST_TAGGED", 3)
    monkeypatch.setattr("questionbank.core.task_queue._send", lambda run: None)


@pytest.fixture
def hierarchy(db):
    school = HierarchyFactory(name="School")
    concept = ConceptFactory(hierarchy=school, names=("Number", "Primes"))
    QuestionFactory.create_batch(3, concepts=[concept])
    QuestionFactory(concepts=[concept], status="draft")
    return school


def champion(questions: int) -> ModelArtifact:
    return ModelArtifact.objects.create(
        capability="probes", scope="School", name="old", state="champion", checksum="0" * 64,
        manifest={"extra": {"questions": questions}}, location="probes/old",
    )  # fmt: skip


def test_a_hierarchy_with_enough_ready_questions_gets_one_waiting_run(hierarchy):
    runs = training.probes_request_missing()
    assert [(run.kind, run.queue, run.parameters["hierarchy"]) for run in runs] == [("train", "train", "School")]
    assert training.probes_request_missing() == []
    assert training.probes_request(hierarchy=hierarchy) is None


def test_too_few_questions_ask_for_nothing(hierarchy, monkeypatch):
    monkeypatch.setattr(training, "FEWEST_TAGGED", 4)  # the draft does not count
    assert training.probes_request_missing() == []


def test_probes_are_trained_anew_only_when_the_bank_has_doubled(hierarchy):
    model = champion(questions=2)
    assert training.probes_request_missing() == []
    ModelArtifact.objects.filter(pk=model.pk).update(manifest={"extra": {"questions": 1}})
    assert len(training.probes_request_missing()) == 1


def test_a_refused_candidate_is_not_trained_again_at_the_next_import(hierarchy):
    champion(questions=1)
    run = training.probes_request_missing()[0]
    Run.objects.filter(pk=run.pk).update(state="succeeded", result={"questions": 3})
    assert training.probes_request_missing() == []
    Run.objects.filter(pk=run.pk).update(result={"questions": 1})
    assert len(training.probes_request_missing()) == 1


def test_a_finished_run_does_not_keep_an_admin_from_asking_again(hierarchy):
    first = training.probes_request(hierarchy=hierarchy)
    Run.objects.filter(pk=first.pk).update(state="succeeded")
    assert training.training_request(
        capability="probes", hierarchies=[hierarchy.name], settings={"seed": "1"}
    ).parameters["set"] == {"seed": "1"}


def test_what_left_nothing_out_is_not_named() -> None:
    divided = "1,200 to learn from, 2 to validate with, 1 held out for comparison."
    parts = Parts(tuple(range(1200)), (1, 2), (3,), left_out=0)
    assert parts.described([(0, "unreadable")]) == divided
    reasons = "4 unreadable, 1,000 near-duplicates of validation, held-out or test questions"
    some = Parts(parts.learned, parts.validation, parts.held_out, left_out=1000)
    assert some.described([(0, "repeated"), (4, "unreadable")]) == f"{divided} Left out: {reasons}."
