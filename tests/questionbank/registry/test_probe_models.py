"""The models of a hierarchy's concepts on the pages of models."""

from __future__ import annotations

import pytest
from django.urls import reverse

from analytics.configuration import field_specs
from analytics.probes.data import ProbesConfig
from questionbank.models import EmbeddingSet, ModelArtifact, ModelComparison, Run
from questionbank.registry.artifact_services import artifact_promote
from tests.factories import HierarchyFactory, asked_of
from tests.questionbank.page_bank import text_of

TRAIN = "/models/train/probes/"


def add_probes(name: str, accuracy: float) -> ModelArtifact:
    encoder = EmbeddingSet.objects.get(lens="wording").encoder_name
    return ModelArtifact.objects.create(
        capability="probes",
        scope="School",
        name=name,
        checksum=name.ljust(64, "0"),
        location=f"probes/{name}",
        manifest={
            "metrics": {"questions": 20, "concepts": {"path_accuracy": accuracy, "levels": {"1": {}}}},
            "extra": {"encoder": encoder, "questions": 90, "questions_held_out": 10},
        },
    )


@pytest.fixture
def probes(bank):
    """Probes in use and a candidate that was compared with them."""
    champion, candidate = add_probes("first-probes", 0.8), add_probes("second-probes", 0.6)
    artifact_promote(artifact=champion, reason="The first.")
    question = bank.questions[0]
    metric = {
        "name": "path_accuracy", "label": "Accuracy of whole paths", "higher_is_better": True, "questions": 30,
        "candidate": 0.6, "champion": 0.8, "difference": -0.2, "low": -0.3, "high": -0.1, "worse": True,
    }  # fmt: skip
    ModelComparison.objects.create(
        candidate=candidate,
        champion=champion,
        figures={
            "suite": {
                "questions": 30, "train_questions": 90, "lost": 0, "gained": 0, "difficulties": 0, "seed": 0,
                "loses_concepts": False, "loses_difficulty": True, "seen_by_champion": True,
            },
            "metrics": [metric],
            "changed_concepts": [
                {
                    "question": question.pk, "tagged": [["Algebra", "Equations"]],
                    "candidate": {"path": ["Geometry"], "probability": 0.7, "right": False},
                    "champion": {"path": ["Algebra", "Equations"], "probability": 0.9, "right": True},
                },
                {"question": 0, "tagged": [], "candidate": {}, "champion": {}},  # deleted since
            ],
        },
    )  # fmt: skip
    return champion, candidate


def test_the_list_shows_each_with_its_accuracy_and_the_page_with_its_figures(probes, as_admin) -> None:
    page = text_of(as_admin.get(reverse("model_list")))
    assert f"first-probes (model {probes[0].pk}) School In use 80% correct on its held-out questions" in page
    beside = "60% correct on the bank’s held-out questions; the model in use 80%"
    assert f"second-probes (model {probes[1].pk}) School Candidate {beside}" in page
    detail = text_of(as_admin.get(reverse("model_detail", args=[probes[1].pk])))
    assert "Concepts: accuracy of whole paths 60%" in detail


def test_a_comparison_says_what_differs_and_why_the_gate_refuses(probes, as_admin) -> None:
    page = text_of(as_admin.get(reverse("model_compare", args=[probes[1].pk])))
    assert "Accuracy of whole paths is worse: 0.600 against 0.800" in page
    assert "It estimates no difficulty, and the model in use does." in page
    assert "30 questions of School that are kept out of training; this model learned from 90 others." in page
    assert "An earlier version trained the other model on these questions too" in page
    champion, candidate = (model.numbered_name for model in probes)
    assert f"{candidate} Geometry 70% {champion} Algebra" in page
    assert "Equations 90% right" in page


def test_a_roll_back_says_what_it_changes(probes, as_admin) -> None:
    artifact_promote(artifact=probes[1], reason="Try.")
    address = reverse("model_roll_back", args=["probes"]) + "?scope=School"
    assert "other hierarchies stay as they are" in text_of(as_admin.get(address))
    choices = as_admin.get(reverse("model_roll_back", args=["probes"]))
    assert "Choose the model to replace." in text_of(choices)
    assert 'href="?scope=School"' in choices.content.decode()
    as_admin.post(address, {"reason": "Worse.", "scope": "School"})
    probes[0].refresh_from_db()
    assert probes[0].state == ModelArtifact.State.CHAMPION


def test_an_admin_trains_the_probes_of_one_hierarchy_from_a_form(bank, as_admin) -> None:
    HierarchyFactory(name="Contest")
    page = text_of(as_admin.get(TRAIN))
    assert "Ready questions tagged in School." in page
    assert "after 95 more questions are labelled" in page
    sent = {spec.name: spec.default for spec in field_specs(ProbesConfig) if spec.type is not bool}
    sent |= {"surface_counts": "on", "hierarchies": "Contest", "seed": "4"}
    assert "tagged in Contest" in text_of(as_admin.post(TRAIN, sent | {"action": "report"}))
    response = as_admin.post(TRAIN, sent)
    run = Run.objects.get(kind="train")
    assert response["Location"] == reverse("run_detail", args=[run.pk])
    assert asked_of(run) == {"hierarchy": "Contest", "set": {"seed": "4"}}
    assert "being trained already" in text_of(as_admin.post(TRAIN, sent))
    assert as_admin.post(TRAIN, sent | {"hierarchies": "Nowhere"}).status_code == 422
