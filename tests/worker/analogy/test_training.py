"""Retrievers of analogous problems on a tiny backbone: trained on the bank, compared, promoted, and rolled back."""

from __future__ import annotations

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from analytics.backbone.bert import encode_bulk, load_backbone
from questionbank.bank.vector_selectors import embedding_count_pending, embedding_index_exists
from questionbank.core.errors import ValidationFailed
from questionbank.models import EmbeddingSet, ModelArtifact, ModelComparison, Question, Run
from questionbank.registry.artifact_selectors import artifact_source, lens_champion
from questionbank.registry.artifact_services import artifact_import, artifact_promote, artifact_register
from questionbank.registry.lifecycle_services import comparison_request, model_roll_back, promotion_request
from questionbank.registry.model_selectors import GateOutcome, changed_questions, gate, roll_back_target
from questionbank.training.analogy import analogy_material
from questionbank.training.services import training_request
from tests.questionbank.small_bank import add_questions, add_set, store_vectors
from tests.questionbank.story_bank import STORIES, add_story, story
from tests.worker.encoder_bank import tiny_retriever
from tests.worker.jobs import Reporter, done
from worker.analogy.jobs import retriever_figures
from worker.embedding import set_vectors
from worker.tasks import compare_models, promote_model

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files", "one_connection")]

TINY = {
    "batch_size": "8", "max_steps": "4", "epochs": "1", "measured": "8", "max_tokens": "64", "mixed_precision": "no",
    "device": "cpu",
}  # fmt: skip
DIMENSION = 8


@pytest.fixture
def backbone(tiny_folder) -> str:
    return tiny_folder(64)


def add_stories(count: int) -> list[Question]:
    return add_questions({"text": text, "equation": equation} for text, equation in map(story, range(count)))


class TestTraining:
    def test_a_run_trains_a_candidate_on_the_equations_of_the_bank(self, backbone, no_graph):
        add_stories(60)
        run = training_request(capability="analogy", settings={**TINY, "backbone": backbone}, send=False)
        model = ModelArtifact.objects.get(pk=done(run).result["model"])
        assert (model.capability, model.state) == ("analogy", ModelArtifact.State.CANDIDATE)
        assert model.name == f"tiny-analogy-{run.pk}"
        problems = analogy_material().problems
        assert model.manifest["metrics"]["test"]["problems"] == len(problems.held_out)
        assert model.manifest["extra"]["problems"] == len(problems.learned)
        assert 0 <= model.manifest["metrics"]["validation"]["validation_same_graph"] <= 1

    def test_a_retriever_is_trained_further_with_its_head_and_its_slots(self, tmp_path, no_graph):
        add_stories(60)
        first = artifact_register(folder=tiny_retriever(tmp_path / "first", slot_text=True))
        artifact_promote(artifact=first)
        still = {**TINY, "learning_rate": "1e-8", "backbone": "in use"}
        run = training_request(capability="analogy", settings=still, send=False)
        second = ModelArtifact.objects.get(pk=done(run).result["model"])
        assert second.parent == first
        assert second.name == f"tiny-analogy-{run.pk}"
        assert second.manifest["extra"]["slot_text"] is True
        before, after = (load_backbone(artifact_source(artifact), device="cpu") for artifact in (first, second))
        texts = [story(number)[0] for number in range(6)]
        np.testing.assert_allclose(encode_bulk(before, texts), encode_bulk(after, texts), atol=1e-2)
        after.head = None  # so it was the head that made the vectors what they are
        assert not np.allclose(encode_bulk(before, texts), encode_bulk(after, texts), atol=1e-2)

    def test_a_retriever_for_one_language_is_trained_further_on_its_problems_alone(self, tmp_path, no_graph):
        add_stories(60)
        foreign = Question.objects.order_by("pk")[:12]
        Question.objects.filter(pk__in=[question.pk for question in foreign]).update(language="zh")
        general = artifact_register(folder=tiny_retriever(tmp_path / "general"))
        english = artifact_register(folder=tiny_retriever(tmp_path / "english", seed=2), scope="en")
        for model in (general, english):
            artifact_promote(artifact=model)
        run = training_request(capability="analogy", settings={**TINY, "backbone": f"model {english.pk}"}, send=False)
        trained = ModelArtifact.objects.get(pk=done(run).result["model"])
        assert (trained.scope, trained.parent) == ("en", english)
        problems = analogy_material(left_out=["zh"]).problems
        assert trained.manifest["extra"]["problems"] == len(problems.learned) < 50

    def test_a_bank_with_too_few_problems_says_how_many_are_missing(self, backbone):
        add_stories(18)
        run = training_request(
            capability="analogy", settings={**TINY, "backbone": backbone, "batch_size": "18"}, send=False
        )
        done(run, state="failed")
        assert "more are needed" in run.error

    def test_the_command_trains_too_and_says_what_is_wrong_with_a_setting(self, backbone, no_graph, no_default_models):
        with pytest.raises(CommandError, match="temperature"):
            call_command("train", "analogy", "--set", "temperature=99")
        add_stories(40)
        settings = [f"--set={name}={value}" for name, value in {**TINY, "backbone": backbone}.items()]
        call_command("train", "analogy", "--with-predictions", *settings)
        run = Run.objects.get(kind="train")
        assert run.parameters["known_only"] is False
        assert "--with-predictions" in ModelArtifact.objects.get().manifest["extra"]["command"]


@pytest.fixture
def bank(db) -> list[Question]:
    return add_stories(320)


def make_set(name: str, questions: list[Question], signal: float, *, seed: int = 0) -> EmbeddingSet:
    """Vectors in which what is computed stands out by `signal`."""
    artifact = ModelArtifact.objects.create(
        capability="analogy", name=name, location=name, manifest={"extra": {"dimension": DIMENSION}}
    )
    embedding_set = EmbeddingSet.objects.create(
        lens="structure", artifact=artifact, encoder_name=name, dimension=DIMENSION
    )
    vectors = np.random.default_rng(seed).normal(scale=0.2, size=(len(questions), DIMENSION))
    for row in range(len(questions)):
        vectors[row, row % len(STORIES)] += signal
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    store_vectors(embedding_set, questions, vectors.astype(np.float32))
    return embedding_set


def verdict(figures: dict):
    artifact = ModelArtifact.objects.filter(capability="analogy").first()
    return gate(ModelComparison(candidate=artifact, champion=artifact, figures=figures))


class TestComparison:
    def test_a_better_retriever_passes_and_a_worse_one_does_not(self, bank):
        good, poor = make_set("good", bank, 1.0), make_set("poor", bank, 0.02, seed=1)
        figures = retriever_figures(Reporter(), candidate=good, champion=poor)
        parts = analogy_material().problems
        assert figures["suite"]["questions"] == len(parts.held_out) >= 20
        assert figures["suite"]["train_questions"] == len(parts.learned) + len(parts.validation)
        assert [metric["name"] for metric in figures["metrics"]] == ["same_graph_at_8", "ndcg_at_8"]
        share, order = figures["metrics"]
        assert share["candidate"] == order["candidate"] == 1
        assert 0.2 < share["champion"] < 0.5  # three computations, found by chance
        assert verdict(figures).outcome == GateOutcome.BETTER
        turned = verdict(retriever_figures(Reporter(), candidate=poor, champion=good))
        assert turned.outcome == GateOutcome.REFUSED
        assert "with the same computation on the bank’s held-out questions is worse" in turned.reasons[0]

    def test_the_share_and_the_order_are_those_of_a_naive_count(self, bank):
        own, same = make_set("own", bank, 0.3), make_set("same", bank, 0.3)
        figures = retriever_figures(Reporter(), candidate=own, champion=same)
        vectors = set_vectors(own)
        parts = analogy_material().problems
        corpus = [*parts.learned, *parts.validation]
        shares = []
        for question in parts.held_out:
            cosines = [float(vectors[int(question.problem.id)] @ vectors[int(row.problem.id)]) for row in corpus]
            near = sorted(range(len(corpus)), key=lambda place: -cosines[place])[:8]
            shares.append(np.mean([corpus[place].graph_key == question.graph_key for place in near]))
        assert figures["metrics"][0]["candidate"] == pytest.approx(np.mean(shares), abs=1e-4)
        assert verdict(figures).outcome == GateOutcome.NOT_BETTER
        assert {row["overlap"] for row in figures["changed"]} == {1.0}

    def test_the_questions_whose_neighbours_changed_most_come_first_and_say_which_are_computed_alike(self, bank):
        figures = retriever_figures(
            Reporter(), candidate=make_set("new", bank, 0.3, seed=5), champion=make_set("old", bank, 0.3, seed=6)
        )
        overlaps = [row["overlap"] for row in figures["changed"]]
        assert overlaps == sorted(overlaps)
        assert overlaps[0] < 1
        assert all(len(row["candidate"]) == len(row["champion"]) == 8 for row in figures["changed"])
        shown = changed_questions(ModelComparison(figures=figures), are_graphs_looked_at=True)
        keys = {question.pk: number % len(STORIES) for number, question in enumerate(bank)}
        for row in shown:
            for neighbour in (*row.candidate, *row.champion):
                alike = keys[neighbour.question.pk] == keys[row.question.pk]
                assert neighbour.computed_alike == alike

    def test_too_few_fixed_questions_with_an_equation_measure_nothing_and_say_so(self):
        few = add_stories(60)
        figures = retriever_figures(Reporter(), candidate=make_set("a", few, 1.0), champion=make_set("b", few, 0.1))
        assert figures["metrics"] == []
        assert figures["suite"]["questions"] < figures["suite"]["fewest"] == 20
        judged = verdict(figures)
        assert judged.outcome == GateOutcome.REFUSED
        assert "too few" in judged.reasons[0]

    def test_problems_that_the_candidate_cannot_read_fail_the_gate(self, bank):
        chinese = []
        for name in "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗":
            for number in (4, 5):
                text = f"{name}有{number}支笔，又买了{number + 3}支笔，现在一共有几支笔？"
                chinese.append(add_story(text, f"{number}+{number + 3}", language="zh"))
        both, english = make_set("both", bank + chinese, 1.0), make_set("english", bank, 1.0)
        english.unknown_shares = {"zh": 0.9}
        figures = retriever_figures(Reporter(), candidate=english, champion=both)
        assert figures["suite"]["lost"] > 0
        assert any("cannot read" in reason for reason in verdict(figures).reasons)


class TestPromotion:
    @pytest.fixture
    def models(self, tmp_path) -> list[ModelArtifact]:
        add_stories(40)
        return [
            artifact_register(folder=tiny_retriever(tmp_path / f"model-{seed}", seed=seed, name=f"retriever {seed}"))
            for seed in (1, 2)
        ]

    @pytest.mark.django_db(transaction=True)
    def test_a_retriever_serves_with_its_set_and_index_and_is_rolled_back_at_once(self, models):
        first, second = models
        promote_model(promotion_request(artifact=first, reason="The first.", send=False).pk)
        first_set = EmbeddingSet.objects.get(lens="structure", is_current=True)
        assert first_set.artifact == first
        assert embedding_index_exists(embedding_set=first_set)
        assert embedding_count_pending(embedding_set=first_set) == 0

        compare = comparison_request(candidate=second, send=False)
        done(compare, compare_models)
        assert EmbeddingSet.objects.get(lens="structure", is_current=True) == first_set

        run = promotion_request(artifact=second, reason="Other neighbours.", override=True, send=False)
        done(run, promote_model)
        second_set = EmbeddingSet.objects.get(lens="structure", is_current=True)
        assert second_set.artifact == second
        assert embedding_index_exists(embedding_set=second_set)
        states = dict(ModelArtifact.objects.values_list("pk", "state"))
        assert states == {first.pk: "archived", second.pk: "champion"}

        probes = ModelArtifact.objects.create(  # nothing that a retriever decides
            capability="probes",
            name="p",
            scope="School",
            state="archived",
            location="p",
            manifest={"extra": {"encoder": add_set().encoder_name}},
        )
        assert model_roll_back(capability="analogy", reason="Only a trial.") == first
        first_set.refresh_from_db()
        assert first_set.is_current
        assert embedding_index_exists(embedding_set=first_set)
        probes.refresh_from_db()
        assert probes.state == "archived"

    @pytest.mark.django_db(transaction=True)
    def test_a_retriever_for_one_language_serves_beside_the_general_one(self, models, tmp_path):
        general, _second = models
        promote_model(promotion_request(artifact=general, reason="For all.", send=False).pk)
        ours = Question.objects.order_by("pk").first()
        Question.objects.filter(pk=ours.pk).update(language="zh")
        folder = tiny_retriever(tmp_path / "chinese", seed=3, name="retriever 3")
        chinese = artifact_import(folder=folder, loads=lambda _word, _folder: None, scope="zh-CN")
        assert chinese.scope == "zh"
        other = tiny_retriever(tmp_path / "other", seed=4)
        with pytest.raises(ValidationFailed, match="by its code, such as zh"):
            artifact_import(folder=other, loads=lambda _word, _folder: None, scope="Chinese")
        run = promotion_request(artifact=chinese, reason="For Chinese.", send=False)
        done(run, promote_model)
        sets = {row.scope: row for row in EmbeddingSet.objects.filter(lens="structure", is_current=True)}
        assert {scope: row.artifact for scope, row in sets.items()} == {"": general, "zh": chinese}
        assert list(sets["zh"].embeddings.values_list("question", flat=True)) == [ours.pk]
        assert embedding_count_pending(embedding_set=sets["zh"]) == 0

        assert roll_back_target("analogy", "zh") == general
        assert model_roll_back(capability="analogy", reason="Only a trial.", scope="zh") == general
        (left,) = EmbeddingSet.objects.filter(lens="structure", is_current=True)
        assert left.artifact == general
        assert dict(ModelArtifact.objects.filter(scope="zh").values_list("pk", "state")) == {chinese.pk: "archived"}
        assert roll_back_target("analogy", "zh") is None
        assert lens_champion(capability="analogy", language="zh") == general
        promote_model(promotion_request(artifact=chinese, reason="After all.", send=False).pk)
        assert lens_champion(capability="analogy", language="zh") == chinese
