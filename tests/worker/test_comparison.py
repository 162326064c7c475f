"""Comparing two encoders on the fixed suite."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from analytics.splits import is_held_out
from questionbank.models import EmbeddingSet, ModelArtifact, ModelComparison, Question
from questionbank.registry.model_selectors import GateOutcome, comparison_latest, gate
from tests.questionbank.small_bank import add_concept, add_question, store_vectors
from tests.worker.encoder_bank import TOPICS, add_encoder_bank
from tests.worker.jobs import Reporter
from worker import comparison
from worker.bootstrap import paired_difference
from worker.encoder.jobs import comparison_figures
from worker.reporting import GaveWay

pytestmark = pytest.mark.django_db

DIMENSION = 16


def make_set(name: str, questions: list[Question], signal: float, *, seed: int = 0) -> EmbeddingSet:
    """Vectors in which the concept stands out by `signal`, and the difficulty along one axis."""
    artifact = ModelArtifact.objects.create(
        capability="encoder", name=name, location=name, manifest={"extra": {"dimension": DIMENSION}}
    )
    embedding_set = EmbeddingSet.objects.create(
        lens="purpose", artifact=artifact, encoder_name=name, dimension=DIMENSION
    )
    rng = np.random.default_rng(seed)
    vectors = rng.normal(scale=0.2, size=(len(questions), DIMENSION))
    for row, question in enumerate(questions):
        vectors[row, row % len(TOPICS)] += signal
        vectors[row, 10] += signal * (question.difficulty or 0) / 4
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    store_vectors(embedding_set, questions, vectors.astype(np.float32))
    return embedding_set


@pytest.fixture
def bank(db):
    return add_encoder_bank(400)


def figures_of(candidate: EmbeddingSet, champion: EmbeddingSet) -> dict:
    return comparison_figures(Reporter(), candidate=candidate, champion=champion)


def verdict(figures: dict):
    artifact = ModelArtifact.objects.first()
    return gate(ModelComparison(candidate=artifact, champion=artifact, figures=figures))


def test_a_better_encoder_passes_and_a_worse_one_does_not(bank):
    good, poor = make_set("good", bank, 1.0), make_set("poor", bank, 0.02, seed=1)
    figures = figures_of(good, poor)
    names = [metric["name"] for metric in figures["metrics"]]
    assert names == [
        "concept_accuracy_level_1", "concept_accuracy_level_2",
        "precision_at_10_level_1", "precision_at_10_level_2",
        "difficulty_mae", "difficulty_pearson",
    ]  # fmt: skip
    held = [question for question in bank if is_held_out(question.text)]
    assert figures["suite"]["questions"] == len(held)
    assert figures["suite"]["train_questions"] == len(bank) - len(held)
    for metric in figures["metrics"]:
        assert metric["low"] <= metric["difference"] <= metric["high"]
        better = metric["low"] > 0 if metric["higher_is_better"] else metric["high"] < 0
        assert better, metric
        assert not metric["worse"]
    assert verdict(figures).passes

    turned = figures_of(poor, good)
    assert all(metric["worse"] for metric in turned["metrics"])
    judged = verdict(turned)
    assert not judged.passes
    assert len(judged.reasons) == len(names)
    assert "Concept accuracy, level 1 on the bank’s held-out questions is worse" in judged.reasons[0]


def test_an_equal_encoder_is_not_better_and_changes_no_neighbour(bank):
    champion, same = make_set("one", bank, 0.5), make_set("same", bank, 0.5)
    figures = figures_of(same, champion)
    assert {metric["difference"] for metric in figures["metrics"]} == {0.0}
    assert {entry["overlap"] for entry in figures["changed"]} == {1.0}
    assert verdict(figures).outcome == GateOutcome.NOT_BETTER


def test_the_questions_whose_neighbours_changed_most_come_first_without_themselves(bank):
    figures = figures_of(make_set("new", bank, 0.3, seed=5), make_set("old", bank, 0.3, seed=6))
    overlaps = [entry["overlap"] for entry in figures["changed"]]
    assert overlaps == sorted(overlaps)
    assert overlaps[0] < 1
    for entry in figures["changed"]:
        assert len(entry["candidate"]) == len(entry["champion"]) == 10
        assert entry["question"] not in entry["candidate"] + entry["champion"]
        assert len({*entry["candidate"]} & {*entry["champion"]}) / 10 == entry["overlap"]


def test_questions_that_the_candidate_cannot_read_fail_the_gate(bank):
    chinese = []
    for number in range(200):
        text = "求" + "".join(chr(0x4E00 + (number * 37 + step * 11) % 500) for step in range(6))
        chinese.append(add_question(text, language="zh", concepts=[add_concept("Maths", "Number", "Primes")]))
    both, english = make_set("both", bank + chinese, 1.0), make_set("english", bank, 1.0)
    english.unknown_shares = {"zh": 0.9}
    lost = sum(is_held_out(question.text) for question in chinese)
    assert lost > 0
    figures = figures_of(english, both)
    assert (figures["suite"]["lost"], figures["suite"]["gained"]) == (lost, 0)
    assert any("cannot read" in reason for reason in verdict(figures).reasons)
    assert figures_of(both, english)["suite"]["gained"] == lost


def test_questions_added_while_vectors_were_computed_count_as_lost_for_nobody(bank):
    early = make_set("early", bank, 1.0)
    added = add_encoder_bank(60, seed=7)
    assert any(is_held_out(question.text) for question in added)
    figures = figures_of(early, make_set("late", bank + added, 1.0))
    assert figures["suite"]["lost"] == 0
    assert figures["suite"]["questions"] == sum(is_held_out(question.text) for question in bank)
    assert verdict(figures).outcome != GateOutcome.REFUSED


def test_too_few_questions_fail_the_gate_with_a_reason():
    few = add_encoder_bank(60)
    judged = verdict(figures_of(make_set("a", few, 1.0), make_set("b", few, 1.0)))
    assert not judged.passes
    assert "too few" in judged.reasons[0]


def test_a_bank_without_tags_fails_the_gate():
    questions = [add_question(f"Alone {number}") for number in range(5)]
    figures = figures_of(make_set("a", questions, 1.0), make_set("b", questions, 1.0))
    assert figures["metrics"] == []
    assert not verdict(figures).passes


def test_the_last_comparison_of_a_pair_counts(bank):
    model, rival = (ModelArtifact.objects.create(capability="encoder", name=name) for name in "ab")
    for number in range(2):
        ModelComparison.objects.create(candidate=model, champion=rival, figures={"number": number})
    assert comparison_latest(candidate=model, champion=rival).figures == {"number": 1}
    assert comparison_latest(candidate=rival, champion=model) is None


def test_the_interval_is_that_of_a_naive_bootstrap_and_draws_questions_whole():
    rng = np.random.default_rng(0)
    questions = [number // 2 for number in range(60)]  # every question stands in two rows
    candidate, champion = rng.random(60), rng.random(60)
    result = paired_difference(questions, [candidate, champion], "mean", np.random.default_rng(1))
    assert result["difference"] == pytest.approx(candidate.mean() - champion.mean())
    differences = (candidate - champion).reshape(30, 2).mean(axis=1)
    naive = [differences[rng.integers(0, 30, 30)].mean() for _draw in range(4000)]
    assert [result["low"], result["high"]] == pytest.approx(np.quantile(naive, [0.025, 0.975]), abs=0.02)


def test_the_correlation_of_the_whole_sample_is_pearsons():
    rng = np.random.default_rng(0)
    truth, candidate, champion = rng.random(50), rng.random(50), rng.random(50)
    result = paired_difference(list(range(50)), [candidate, champion, truth], "pearson", np.random.default_rng(1))
    assert result["candidate"] == pytest.approx(np.corrcoef(candidate, truth)[0, 1])
    assert result["champion"] == pytest.approx(np.corrcoef(champion, truth)[0, 1])
    assert result["low"] < result["difference"] < result["high"]


class Interrupted(Reporter):
    """A job that keeps somebody waiting after so many portions."""

    def __init__(self, portions: int) -> None:
        super().__init__()
        self.run, self.portions = SimpleNamespace(pk=7), portions

    def give_way(self, *, begins_again: bool = False) -> None:
        self.portions -= 1
        if self.portions < 0:
            raise GaveWay


@pytest.mark.parametrize(("suite_then", "measured_again"), [("abcde", "cde"), ("xbcde", "xbcde")])
def test_a_comparison_that_gave_way_measures_only_what_is_left_or_changed(suite_then, measured_again, monkeypatch):
    monkeypatch.setattr(comparison, "PORTION", 1)
    monkeypatch.setattr(comparison, "_measured", {})
    measured = []

    def measure(portion):
        measured.extend(portion)
        return [item.upper() for item in portion]

    with pytest.raises(GaveWay):
        comparison.in_portions(Interrupted(2), "candidate", "abcde", measure)
    assert "".join(measured) == "ab"
    measured.clear()
    results = comparison.in_portions(Interrupted(9), "candidate", suite_then, measure)
    assert "".join(results) == suite_then.upper()
    assert "".join(measured) == measured_again
