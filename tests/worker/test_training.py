"""From tagged questions with vectors to a champion, on the real database."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from django.utils import timezone

from analytics.splits import is_held_out
from questionbank.bank.vector_selectors import embedding_pending
from questionbank.bank.vector_services import embedding_store
from questionbank.core.errors import Conflict
from questionbank.jobs.run_services import run_create
from questionbank.models import (
    EmbeddingSet,
    KnowledgeHierarchy,
    ModelArtifact,
    ModelComparison,
    ModelEvent,
    Question,
    QuestionTag,
    RetrainingSchedule,
    Run,
    WorkerHeartbeat,
)
from questionbank.registry import model_selectors as models
from questionbank.registry.artifact_selectors import artifact_champion, artifact_folder
from questionbank.registry.artifact_services import artifact_delete
from questionbank.registry.lifecycle_services import comparison_request, model_roll_back, promotion_request
from questionbank.training.retraining_services import retrainings_advance
from tests.factories import ConceptFactory, HierarchyFactory, QuestionFactory
from tests.worker.jobs import done
from worker.probes import jobs
from worker.probes.jobs import probe_data, probe_set
from worker.tasks import compare_models, promote_model

pytestmark = pytest.mark.django_db

DIMENSION = 16


@pytest.fixture
def sets(db):
    return {
        lens: EmbeddingSet.objects.create(lens=lens, encoder_name=lens, dimension=DIMENSION, is_current=True)
        for lens in ("purpose", "wording")
    }


@pytest.fixture
def hierarchy(sets):
    """Sixty questions of two concepts whose vectors tell them apart, and whose difficulty shows in one place."""
    school, rng = HierarchyFactory(name="School"), np.random.default_rng(0)
    concepts = [ConceptFactory(hierarchy=school, names=("Number", name)) for name in ("Primes", "Factors")]
    for index in range(60):
        QuestionFactory(
            text=f"Word{index} of {chr(97 + index // 26)}{chr(97 + index % 26)} unlike others",
            concepts=[concepts[index % 2]],
            difficulty=float(1 + index % 5), difficulty_scale="1-5",
        )  # fmt: skip
    for embedding_set in sets.values():
        batch = embedding_pending(embedding_set=embedding_set, first=0, last=2**40)
        vectors = rng.normal(scale=0.1, size=(len(batch), DIMENSION))
        for row, question in enumerate(batch):
            index = int(question.text.split()[0].removeprefix("Word"))
            vectors[row, index % 2] += 1
            vectors[row, 2] += (index % 5) / 5
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        embedding_store(embedding_set=embedding_set, questions=batch, vectors=vectors.astype(np.float32))
    return school


def test_probes_learn_from_vectors_paths_and_one_scale(hierarchy, sets):
    Question.objects.filter(text__startswith="Word3 ").update(difficulty_scale="0-4")
    Question.objects.filter(text__startswith="Word4 ").update(status="retired")
    original = Question.objects.get(text__startswith="Word5 ")
    Question.objects.filter(text__startswith="Word6 ").update(paraphrase_of=original)
    data = probe_data(hierarchy=hierarchy, embedding_set=sets["purpose"])
    assert data.vectors.shape == (58, DIMENSION)
    np.testing.assert_allclose(np.linalg.norm(data.vectors, axis=1), 1, atol=1e-2)
    assert data.paths[0] == (("Number", "Primes"),)
    assert (data.scale.name, int((~data.graded).sum())) == ("1-5", 1)


def test_a_language_the_encoder_does_not_know_is_fed_from_the_wording(hierarchy, sets):
    assert probe_set(hierarchy=hierarchy) == sets["purpose"]
    Question.objects.update(language="zh")
    EmbeddingSet.objects.filter(lens="purpose").update(unknown_shares={"zh": 0.51})
    assert probe_set(hierarchy=hierarchy) == sets["wording"]


def test_a_run_trains_probes_without_the_fixed_questions_and_makes_them_champion(hierarchy, settings, tmp_path):
    run = run_create(
        kind="train", capability="probes", parameters={"hierarchy": "School", "set": {"seed": "3"}}, send=False
    )
    done(run)
    model = ModelArtifact.objects.get(pk=run.result["model"])
    assert (model.state, model.scope, model.manifest["config"]["seed"]) == ("champion", "School", 3)
    assert artifact_folder(model).is_dir()
    extra = model.manifest["extra"]
    kept_out = sum(is_held_out(text) for text in Question.objects.values_list("text", flat=True))
    assert kept_out >= 3
    assert (extra["questions"], extra["questions_held_out"]) == (60 - kept_out, kept_out)


def train(**settings: str) -> Run:
    run = run_create(
        kind="train", capability="probes", send=False,
        parameters={"hierarchy": "School", "set": {"iterations": "10", **settings}},
    )  # fmt: skip
    done(run)
    return run


@pytest.fixture
def small_suite(monkeypatch):
    """Few questions are enough to tell a difference: the bank has sixty, some six of them kept out."""
    monkeypatch.setattr(models, "SMALLEST_SUITE", 3)


def spoil(hierarchy: KnowledgeHierarchy) -> None:
    """Swap the concepts of the questions that are trained on, not of those kept out."""
    primes, factors = hierarchy.concepts.filter(name__in=["Primes", "Factors"]).order_by("name")
    for tag in QuestionTag.objects.select_related("question"):
        if not is_held_out(tag.question.text):
            tag.concept = primes if tag.concept_id == factors.pk else factors
            tag.save()


def test_new_probes_that_are_not_worse_take_over_with_the_gates_verdict(hierarchy, small_suite):
    first = ModelArtifact.objects.get(pk=train().result["model"])
    run = train(seed="1")
    assert run.result["serves"] is True
    second = ModelArtifact.objects.get(pk=run.result["model"])
    event = ModelEvent.objects.get(artifact=second, kind="promoted")
    assert (event.former, event.gate["outcome"], event.gate["overridden"]) == (first, "not_worse", False)
    assert event.reason.startswith("Trained on the bank: School. In no deciding figure")
    assert first.numbered_name in event.reason
    comparison = ModelComparison.objects.get(candidate=second, champion=first)
    names = {metric["name"] for metric in comparison.figures["metrics"]}
    assert names == {"path_accuracy", "concept_accuracy_level_1", "difficulty_mae"}
    assert comparison.figures["suite"]["seen_by_champion"] is False
    assert model_roll_back(capability="probes", scope="School", reason="Back") == first


def test_new_probes_that_are_worse_stay_a_candidate_and_change_no_prediction(hierarchy, small_suite):
    first = ModelArtifact.objects.get(pk=train().result["model"])
    spoil(hierarchy)
    run = train()
    assert run.result["serves"] is False
    assert run.logs.filter(text__startswith="It stays a candidate.", text__contains="is worse").exists()
    second = ModelArtifact.objects.get(pk=run.result["model"])
    assert (second.state, artifact_champion(capability="probes", scope="School")) == ("candidate", first)
    changed = ModelComparison.objects.get().figures["changed_concepts"]
    assert {row["candidate"]["right"] for row in changed} == {False}
    with pytest.raises(Conflict, match="is worse"):
        promotion_request(artifact=second, reason="Better.")
    artifact_delete(artifact=second, reason="Not wanted.")


def test_probes_are_compared_by_a_job_of_their_own_too(hierarchy, small_suite):
    train()
    spoil(hierarchy)
    second = ModelArtifact.objects.get(pk=train().result["model"])
    run = comparison_request(candidate=second, send=False)
    compare_models(run.pk)
    run.refresh_from_db()
    assert (run.state, run.result["passes"]) == ("succeeded", False)


@pytest.mark.parametrize("promotes", [False, True])
def test_probes_that_a_schedule_trains_serve_only_where_it_may_promote_them(hierarchy, small_suite, promotes):
    first = ModelArtifact.objects.get(pk=train().result["model"])
    WorkerHeartbeat.objects.create(name="one", queues="train", seen_at=timezone.now())
    schedule = RetrainingSchedule.objects.create(capability="probes", scope="School", every_weeks=1, promotes=promotes)
    night = datetime(2027, 1, 4, 2, tzinfo=UTC)
    retrainings_advance(now=night)
    run = Run.objects.get(retrainings__schedule=schedule)
    assert run.parameters["set"]["iterations"] == "10"  # like the probes in use
    done(run)
    second = ModelArtifact.objects.get(pk=run.result["model"])
    assert artifact_champion(capability="probes", scope="School") == first
    retrainings_advance(now=night)
    retraining = schedule.retrainings.get()
    if promotes:
        done(retraining.promotion, promote_model)
        retrainings_advance(now=night)
        retraining.refresh_from_db()
    assert retraining.outcome == ("promoted" if promotes else "kept")
    assert "difficulty" in retraining.report
    assert artifact_champion(capability="probes", scope="School") == (second if promotes else first)


def test_too_few_fixed_questions_keep_the_probes_in_use(hierarchy):
    first = ModelArtifact.objects.get(pk=train().result["model"])
    run = train(seed="1")
    assert run.result["serves"] is False
    assert run.logs.filter(text__contains="too few to tell a difference").exists()
    assert artifact_champion(capability="probes", scope="School") == first


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"hierarchy": "Nowhere"}, "There is no hierarchy 'Nowhere'."),
        ({"hierarchy": "School", "set": {"seeed": "1"}}, "seeed is not a setting"),
    ],
)
def test_a_run_that_cannot_train_fails_with_a_sentence(hierarchy, parameters, reason):
    run = run_create(kind="train", capability="probes", parameters=parameters, send=False)
    done(run, state="failed")
    assert reason in run.error
    assert not ModelArtifact.objects.exists()


def test_probes_whose_encoder_was_replaced_meanwhile_are_trained_again_on_the_new_vectors(hierarchy, sets, monkeypatch):
    newer_set = EmbeddingSet.objects.create(lens="purpose", encoder_name="newer", dimension=DIMENSION)
    batch = embedding_pending(embedding_set=newer_set, first=0, last=2**40)
    vectors = np.random.default_rng(1).normal(size=(len(batch), DIMENSION)).astype(np.float32)
    embedding_store(embedding_set=newer_set, questions=batch, vectors=vectors)
    fit = jobs.fit_hierarchy_probes

    def fit_and_swap(reporter, **arguments):
        fitted = fit(reporter, **arguments)
        EmbeddingSet.objects.filter(lens="purpose").update(is_current=False)
        EmbeddingSet.objects.filter(pk=newer_set.pk).update(is_current=True)
        return fitted

    monkeypatch.setattr(jobs, "fit_hierarchy_probes", fit_and_swap)
    run = run_create(kind="train", capability="probes", parameters={"hierarchy": "School"}, send=False)
    done(run)
    champion = ModelArtifact.objects.get(state="champion")
    assert champion.manifest["extra"]["encoder"] == "newer"
    assert [artifact.manifest["extra"]["encoder"] for artifact in ModelArtifact.objects.filter(state="candidate")] == [
        "purpose"
    ]
