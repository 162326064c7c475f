from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analytics.artifacts import artifact_read
from analytics.errors import Cancelled, DataError
from analytics.inference.heads import load_heads
from analytics.probes.data import ProbeData, ProbesConfig
from analytics.probes.order import ladder_texts
from analytics.probes.train import split_and_measure, train_probes
from analytics.splits import crossing_fold
from analytics.training.context import TrainingContext
from tests.analytics.probes.small_world import small_world


def labelled(world) -> ProbeData:
    return ProbeData.of(
        world.vectors, world.paths, world.difficulties, texts=world.texts, scales=["1-5"] * len(world.texts)
    )


def untexted(world, count: int) -> ProbeData:
    return ProbeData.of(world.vectors[:count], world.paths[:count], [None] * count)


@pytest.fixture(scope="module")
def trained(world, tmp_path_factory):
    folder = tmp_path_factory.mktemp("probes") / "heads"
    manifest = train_probes(labelled(world), ProbesConfig(), folder, encoder="small", hierarchy="Small world")
    return manifest, load_heads(folder), folder


def test_held_out_questions_are_predicted_better_than_by_every_baseline(trained):
    concepts, difficulty = (trained[0].metrics[part] for part in ("concepts", "difficulty"))
    assert concepts["path_accuracy"] > concepts["path_majority_accuracy"] + 0.4
    assert concepts["path_top5_accuracy"] > 0.95
    for level in concepts["levels"].values():
        assert level["accuracy"] > level["majority_accuracy"] + 0.2
        assert level["macro_f1"] > 0.7
    assert list(concepts["levels"]) == ["1", "2", "3"]
    assert difficulty["mae"] < difficulty["median_mae"]
    assert difficulty["rmse"] < difficulty["true_concept_rmse"] < difficulty["mean_rmse"]
    assert difficulty["pearson"] > 0.6
    assert difficulty["doa"] > 0.7


def test_the_manifest_says_what_the_heads_are_for(trained):
    manifest = trained[0]
    assert manifest == artifact_read(trained[2])
    assert manifest.extra["encoder"] == "small"
    assert manifest.extra["hierarchy"] == "Small world"
    assert (manifest.extra["dimension"], manifest.extra["paths"], manifest.extra["leading"]) == (24, 7, ["Mathematics"])
    assert manifest.extra["difficulty_scale"] == "1-5"
    assert manifest.config["coverage"] == 0.9


def test_predictions_carry_whole_paths_falling_and_an_interval_on_the_scale(trained, world):
    heads = trained[1]
    for prediction in heads.predict(world.vectors[:50], texts=world.texts[:50]):
        probabilities = [guess.probability for guess in prediction.concepts]
        assert probabilities == sorted(probabilities, reverse=True)
        assert len(probabilities) == 5
        assert sum(probabilities) <= 1 + 1e-5
        assert all(guess.path[0] == "Mathematics" for guess in prediction.concepts)
        estimate = prediction.difficulty
        assert 1 <= estimate.low <= estimate.value <= estimate.high <= 5
        assert (estimate.scale, estimate.coverage) == ("1-5", 0.9)


def test_all_path_probabilities_sum_to_one(trained, world):
    guesses = trained[1].predict(world.vectors[:20], top=100)
    assert [len(guess.concepts) for guess in guesses] == [7] * 20
    np.testing.assert_allclose([sum(g.probability for g in guess.concepts) for guess in guesses], 1, atol=1e-5)


def test_without_texts_the_difficulty_comes_from_the_vector_alone(trained, world):
    heads = trained[1]
    assert len(heads.difficulty.surface_weights)
    assert not len(heads.difficulty_of_vector.surface_weights)
    alone = heads.predict(world.vectors[:5])
    assert all(guess.difficulty is not None for guess in alone)
    assert [guess.difficulty for guess in alone] != [
        guess.difficulty for guess in heads.predict(world.vectors[:5], texts=world.texts[:5])
    ]


def test_training_again_gives_the_same_model(trained, world, tmp_path):
    manifest = train_probes(
        labelled(world), ProbesConfig(), tmp_path / "again", encoder="small", hierarchy="Small world"
    )
    assert manifest.metrics == trained[0].metrics
    assert load_heads(tmp_path / "again").predict(world.vectors[:9]) == trained[1].predict(world.vectors[:9])


def test_intervals_cover_nine_of_ten_held_out_questions(world):
    covered = []
    for seed in range(6):
        sample = small_world(400, seed=seed + 10)
        data = ProbeData.of(sample.vectors, sample.paths, sample.difficulties, texts=sample.texts)
        covered.append(split_and_measure(data, ProbesConfig(seed=seed, iterations=10))["difficulty"]["coverage"])
    assert 0.85 <= np.mean(covered) <= 0.96


def test_probabilities_are_calibrated(world):
    noisy_world = small_world(1200, noise=1.2, seed=3)
    data = ProbeData.of(noisy_world.vectors, noisy_world.paths, [None] * 1200, texts=noisy_world.texts)
    concepts = split_and_measure(data, ProbesConfig(test_share=0.4))["concepts"]
    assert concepts["path_accuracy"] < 0.9  # hard enough to be wrong
    assert concepts["expected_calibration_error"] < 0.08


def test_questions_without_difficulty_give_heads_without_one(world, tmp_path):
    data = ProbeData.of(world.vectors, world.paths, [None] * len(world.paths), texts=world.texts)
    manifest = train_probes(data, ProbesConfig(), tmp_path / "m")
    assert "difficulty" not in manifest.metrics
    assert load_heads(tmp_path / "m").predict(world.vectors[:1])[0].difficulty is None


def test_questions_without_concepts_give_heads_without_them(world, tmp_path):
    data = ProbeData.of(world.vectors, [[]] * len(world.paths), world.difficulties)
    manifest = train_probes(data, ProbesConfig(), tmp_path / "m")
    assert "concepts" not in manifest.metrics
    (prediction,) = load_heads(tmp_path / "m").predict(world.vectors[:1])
    assert prediction.concepts == ()
    assert prediction.difficulty is not None


def test_too_few_labels_are_refused_in_a_sentence(world, tmp_path):
    with pytest.raises(DataError, match=r"at least 20 questions with a concept or 50 .* there are 19 and 0"):
        train_probes(untexted(world, 19), ProbesConfig(), tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_just_enough_labels_train(world, tmp_path):
    train_probes(untexted(world, 20), ProbesConfig(), tmp_path / "m")
    assert load_heads(tmp_path / "m").concepts is not None


@pytest.mark.parametrize(
    "paths",
    [
        [[("Only", "one")]] * 60,
        [[("Only", f"leaf {number}")] for number in range(60)],
        [[("A",), ("B", "b")]] * 30 + [[]] * 10 + [[("A", "a")]] * 19 + [[("Once", "seen")]],
    ],
    ids=["one class", "labels seen once", "several paths and none"],
)
def test_degenerate_labels_train_and_predict(world, tmp_path, paths):
    manifest = train_probes(ProbeData.of(world.vectors[:60], paths, [None] * 60), ProbesConfig(), tmp_path / "m")
    (prediction,) = load_heads(tmp_path / "m").predict(world.vectors[:1])
    assert prediction.concepts[0].path in {path for own in paths for path in own}
    assert 0 <= manifest.metrics["concepts"]["path_accuracy"] <= 1


def test_equal_difficulties_are_nothing_to_learn(world, tmp_path):
    data = ProbeData.of(world.vectors, world.paths, [3.0] * len(world.paths))
    train_probes(data, ProbesConfig(), tmp_path / "m")
    assert load_heads(tmp_path / "m").difficulty_of_vector is None


def test_progress_counts_up_and_a_cancelled_training_writes_nothing(world, tmp_path):
    seen = []

    def progress(done, total, what):
        seen.append((done, total, what))

    context = TrainingContext(progress=progress, cancel=lambda: len(seen) >= 5)
    data = ProbeData.of(world.vectors, world.paths, world.difficulties)
    with pytest.raises(Cancelled):
        train_probes(data, ProbesConfig(), tmp_path / "m", context)
    assert [done for done, *_ in seen] == [0, 1, 2, 3, 4]
    assert {total for _, total, _ in seen} == {8}
    assert list(tmp_path.iterdir()) == []


def test_at_most_the_configured_number_is_learned_from(world):
    data = ProbeData.of(world.vectors, world.paths, world.difficulties, texts=world.texts)
    metrics = split_and_measure(data, ProbesConfig(maximum_questions=100, iterations=10))
    assert metrics["concepts"]["path_accuracy"] > 0.3


def test_with_vectors_of_the_ladders_the_order_of_two_questions_is_learned_too(world, tmp_path):
    rng = np.random.default_rng(0)
    ladders = rng.normal(size=(len(ladder_texts()), world.vectors.shape[1])).astype(np.float32)
    data = replace(labelled(world), ladders=ladders)
    manifest = train_probes(data, ProbesConfig(), tmp_path / "m")
    heads = load_heads(tmp_path / "m")
    easy, hard = heads.predict(ladders[:2], texts=["Solve x = 2.", "Prove that 3x - 4 = 2(x + 1)/5 has a solution."])
    assert manifest.metrics["order"]["pairs"] > len(ladders)
    assert hard.order > easy.order
    assert heads.predict(ladders[:1])[0].order is None


def test_half_of_the_difficulties_lie_in_the_middle_of_the_interval(trained):
    difficulty = trained[0].metrics["difficulty"]
    assert difficulty["middle_coverage"] == pytest.approx(0.5, abs=0.15)
    assert difficulty["middle_width"] < difficulty["interval_width"]


def test_responses_do_not_count_twice(world, tmp_path):
    """What a question's own responses say, and those to its copies, does not reach its estimate that stands apart."""
    data = replace(labelled(world), errors=np.full(len(world.texts), 0.2))
    first = np.array([crossing_fold(text, 5) == 0 for text in world.texts])
    turned = replace(data, difficulties=np.where(first, 6 - data.difficulties, data.difficulties))
    texts = [text for text, is_first in zip(world.texts, first, strict=True) if is_first]
    apart, usual = [], []
    for number, each in enumerate((data, turned)):
        train_probes(each, ProbesConfig(), tmp_path / str(number))
        heads = load_heads(tmp_path / str(number))
        assert len(heads.by_fold) == 5
        estimates = heads.difficulties_apart(data.vectors[first], texts)
        apart.append([estimate.value for estimate in estimates])
        usual.append([each.difficulty.value for each in heads.predict(data.vectors[first], texts=texts)])
    np.testing.assert_allclose(apart[0], apart[1], atol=1e-4)
    assert np.abs(np.subtract(*usual)).mean() > 0.2
    assert np.corrcoef(apart[0], data.difficulties[first])[0, 1] > 0.5


def test_probes_that_learned_from_no_responses_have_one_estimate(trained, world):
    heads = trained[1]
    assert heads.by_fold == ()
    estimates = heads.difficulties_apart(world.vectors[:5], world.texts[:5])
    assert estimates == [each.difficulty for each in heads.predict(world.vectors[:5], texts=world.texts[:5])]
