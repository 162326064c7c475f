"""The verdict: a regression on score and findings."""

from __future__ import annotations

import json

import numpy as np
import pytest

from analytics.errors import ArtifactError, DataError
from analytics.paraphrase.findings.finding import Finding
from analytics.paraphrase.findings.rules import find_changes
from analytics.paraphrase.scoring.fitting import calibrate_bias, fit_boundary, fit_verdict
from analytics.paraphrase.scoring.verdict import (
    COLUMNS,
    FEATURES,
    UNSTRETCHED,
    Verdict,
    stretched,
    verdict_features,
)


def drawn(count: int = 400, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    rows = np.zeros((count, len(COLUMNS)))
    rows[:, -1] = 1
    rows[:, 0] = rng.uniform(-1, 1, count)
    rows[:, FEATURES.index("number")] = rng.integers(0, 3, count)
    odds = 3 * rows[:, 0] - 2 * rows[:, FEATURES.index("number")] + 1
    return rows, (rng.random(count) < 1 / (1 + np.exp(-odds))).astype(int)


def test_features_say_what_was_found():
    original, paraphrase = (
        "Ann has 12 pens and 3 cards in 5 boxes.",
        "Ann has 40 pens and 7 cards in 9 boxes.",
    )
    features = dict(
        zip(
            COLUMNS,
            verdict_features(0.25, find_changes(original, paraphrase), original, paraphrase),
            strict=True,
        )
    )
    assert features["score"] == 0.25
    assert features["number"] == 2  # of three: more say no more
    assert features["shorter"] == 0
    assert features["unit"] == 0


def test_a_shorter_paraphrase_is_seen_and_a_longer_one_is_not():
    long, short = "a b c d e f g", "a b c"
    index = FEATURES.index("shorter")
    assert verdict_features(1, [], long, short)[index] == pytest.approx(np.log(8 / 4))
    assert verdict_features(1, [], short, long)[index] == 0


@pytest.mark.parametrize(
    ("finding", "feature"),
    [
        (Finding("entity", "lost", "Ann is missing."), "entity"),
        (Finding("target", "lost", "The question is missing."), "target"),
        (Finding("comparison", "changed", "more became fewer."), "sense"),
        (Finding("entity", "added", "Boris was added."), ""),
        (Finding("target", "changed", "The question asks for cups instead of pens."), "sense"),
        (Finding("wording", "lost", "A word is missing after “the”.", is_serious=False), ""),
        (Finding("entity", "changed", "Ann became Anna.", is_serious=False), ""),
    ],
)
def test_only_serious_findings_of_rules_that_pay_have_weight(finding, feature):
    counts = dict(zip(COLUMNS, verdict_features(0, [finding], "a", "a"), strict=True))
    assert {name for name in FEATURES if counts[name]} == ({feature} if feature else set())


def test_a_finding_weighs_by_the_words_that_both_texts_share():
    near = ("Ann buys 3 pens for her two friends.", "Ann buys 4 pens for her two friends.")
    far = (near[0], "Two friends get pens from Ann: 4 altogether.")
    rows, labels = drawn()
    verdict = fit_verdict(rows, labels.tolist())
    same = verdict_features(0.5, [], *near)
    changed_rows = [verdict_features(0.5, find_changes(*pair), *pair) for pair in (near, far)]
    assert changed_rows[0][COLUMNS.index("number")] == changed_rows[1][COLUMNS.index("number")] == 1
    probabilities = verdict.probabilities([same, *changed_rows])
    assert probabilities[0] > probabilities[2] > probabilities[1]

    body = verdict.as_dict()
    del body["by_shared_words"]  # as scorers were written before
    older = Verdict.from_dict(body).probabilities([same, *changed_rows])
    assert older[0] > older[1] == older[2]


def test_an_older_verdict_does_not_know_every_feature():
    body = Verdict(tuple(range(1, len(FEATURES) + 1)), 0.5).as_dict()
    del body["weights"]["sense"]
    assert Verdict.from_dict(body).weights == (*range(1, len(FEATURES)), 0)
    older = {
        "score": 1.5,
        "shorter": -8.0,
        "serious number": -4.0,
        "serious comparison": -6.0,
        "slight unit": -2.0,
    }
    weights = dict(zip(FEATURES, Verdict.from_dict(body | {"weights": older}).weights, strict=True))
    assert {name: weight for name, weight in weights.items() if weight} == {
        "score": 1.5,
        "number": -4.0,
        "sense": -6.0,
    }
    del body["weights"]["score"]
    with pytest.raises(ArtifactError):
        Verdict.from_dict(body)


def test_the_fit_minimises_the_penalised_loss_of_both_labels_with_equal_weight():
    rows, labels = drawn()
    verdict = fit_verdict(rows, labels.tolist())
    used = [FEATURES.index("score"), FEATURES.index("number")]
    mean, spread = rows[:, used].mean(axis=0), rows[:, used].std(axis=0)
    design = (rows[:, used] - mean) / spread
    errors = verdict.probabilities(rows) - labels
    weight = np.where(labels == 1, 0.5 / labels.mean(), 0.5 / (1 - labels.mean()))
    fitted = np.array(verdict.weights)[used] * spread
    np.testing.assert_allclose(design.T @ (weight * errors) + fitted, 0, atol=1e-5)
    assert (weight * errors).sum() == pytest.approx(0, abs=1e-5)


def test_the_bias_is_set_where_each_source_counts_the_same():
    rows = np.zeros((6, len(COLUMNS)))
    rows[:, 0] = [0.9, 0.7, 0.8, 0.6, 0.3, 0.1]
    verdict = Verdict((1.0, *[0.0] * (len(FEATURES) - 1)), 5.0)
    labels, sources = [1, 1, 1, 0, 0, 0], ["a", "a", "b", "b", "a", "b"]
    moved = calibrate_bias(verdict, rows, labels, sources)
    assert moved.weights == verdict.weights
    assert (moved.probabilities(rows) >= 0.5).tolist() == [True, True, True, False, False, False]
    with pytest.raises(DataError, match="both labels"):
        calibrate_bias(verdict, rows[:2], [1, 1], ["a", "a"])


def test_a_feature_that_never_changes_gets_no_weight():
    rows, labels = drawn()
    weights = dict(zip(FEATURES, fit_verdict(rows, labels.tolist()).weights, strict=True))
    assert weights["unit"] == 0
    assert weights["score"] > 0 > weights["number"]


def test_pairs_that_can_be_told_apart_fully_give_finite_weights():
    rows = np.zeros((20, len(COLUMNS)))
    rows[:10, 0] = 1
    verdict = fit_verdict(rows, [1] * 10 + [0] * 10)
    assert np.isfinite(verdict.weights).all()
    assert verdict.probabilities(rows)[0] > 0.8 > 0.2 > verdict.probabilities(rows)[-1]


def test_no_finding_speaks_for_a_paraphrase_and_no_score_against_it():
    rows, labels = drawn()
    rows[:, 0] *= -1
    rows[:, FEATURES.index("entity")] = labels  # seen in valid pairs only
    weights = dict(zip(FEATURES, fit_verdict(rows, labels.tolist()).weights, strict=True))
    assert weights["score"] == weights["entity"] == 0
    assert weights["number"] < 0


def test_a_score_is_stretched_so_that_the_boundary_is_one_half():
    cosines = np.array([1.0, 0.92, 0.5, -1.0])
    np.testing.assert_allclose(stretched(cosines, 0.92)[[0, 1, 3]], [1, 0.5, -1])
    np.testing.assert_allclose(stretched(cosines, UNSTRETCHED), cosines)


@pytest.mark.parametrize("boundary", [0.0, 0.3, UNSTRETCHED, 0.9, 0.99])
def test_stretching_keeps_the_order_of_all_cosines(boundary):
    scores = stretched(np.linspace(1, -1, 2_001), boundary)
    assert (np.diff(scores) < 0).all()
    assert np.abs(np.diff(scores)).max() <= 0.001 * 0.5 / (1 - boundary) + 1e-9  # no leap at the bend
    assert -1 <= scores.min() <= scores.max() == 1


def test_the_boundary_lies_where_both_labels_are_equally_probable():
    rng = np.random.default_rng(0)
    cosines = np.concatenate([rng.normal(0.95, 0.02, 500), rng.normal(0.85, 0.02, 100)])
    assert fit_boundary(cosines.tolist(), [1] * 500 + [0] * 100) == pytest.approx(0.9, abs=0.02)


def test_a_cosine_that_tells_nothing_is_not_stretched():
    assert fit_boundary([0.8, 0.9, 0.7, 0.95], [1, 0, 1, 0]) == UNSTRETCHED


def test_it_is_written_and_read():
    rows, labels = drawn()
    verdict = fit_verdict(rows, labels.tolist(), boundary=0.875)
    again = Verdict.from_dict(json.loads(json.dumps(verdict.as_dict())))
    np.testing.assert_allclose(again.probabilities(rows), verdict.probabilities(rows), atol=1e-5)
    assert (again.pairs, again.boundary) == (400, 0.875)


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"weights": {}, "bias": 0},
        {"weights": dict.fromkeys(FEATURES, "x"), "bias": 0},
        {"weights": dict.fromkeys(FEATURES, 0), "bias": 0, "boundary": 1},
    ],
)
def test_a_damaged_verdict_is_refused(broken):
    with pytest.raises(ArtifactError, match="verdict"):
        Verdict.from_dict(broken)


def test_a_weight_that_is_no_number_is_refused():
    with pytest.raises(ArtifactError, match="not a number"):
        Verdict.from_dict({"weights": dict.fromkeys(FEATURES, float("nan")), "bias": 0})


def test_one_label_alone_cannot_be_fitted():
    rows, _labels = drawn(10)
    with pytest.raises(DataError, match="both labels"):
        fit_verdict(rows, [1] * 10)
    rows[0, 0] = np.nan
    with pytest.raises(DataError, match="finite"):
        fit_verdict(rows, [0, 1] * 5)
