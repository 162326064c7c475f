"""The verdict: a regression on findings and the reading of texts that share their wording."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.errors import ArtifactError, DataError
from analytics.paraphrase.findings.pair import Finding
from analytics.paraphrase.findings.rules import find_changes
from analytics.paraphrase.metrics import balanced_shares, fit_boundary, fit_verdict
from analytics.paraphrase.verdict import (
    FEATURES,
    UNSTRETCHED,
    WEIGHTS,
    Verdict,
    closeness,
    said,
    stretched,
    verdict_features,
)

QUESTION = "Ann buys 3 red pens for her two friends. How many pens are left of 12?"
RETOLD = "Twelve coloured biros lay in a drawer. Somebody took three away as gifts. What number remains?"
SERIOUS = Finding("number", "changed", "3 became 4.")


def features(paraphrase, findings=(), **more):
    return dict(zip(FEATURES, verdict_features(0.9, findings, QUESTION, paraphrase, **more), strict=True))


def stated(paraphrase, findings=(), **more):
    return float(Verdict().probabilities([verdict_features(0.9, findings, QUESTION, paraphrase, **more)])[0])


def drawn(count: int = 400, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    rows = np.zeros((count, len(FEATURES)))
    rows[:, 0] = 1
    rows[:, FEATURES.index("findings")] = rng.integers(0, 3, count)
    rows[:, FEATURES.index("score")] = rng.uniform(-1, 1, count)
    odds = 3 * rows[:, FEATURES.index("score")] - 2 * rows[:, FEATURES.index("findings")] + 1
    return rows, (rng.random(count) < 1 / (1 + np.exp(-odds))).astype(int)


def test_of_a_question_told_in_other_words_nothing_is_known():
    for more in ({}, {"findings": [SERIOUS]}, {"reading": -8.0}, {"reading": 8.0}):
        assert stated(RETOLD, **more) == 0.5
    assert said(0.5) == "unsure"


def test_answers_speak_in_other_words_too():
    assert said(stated(RETOLD, answers=1)) == "valid"
    assert said(stated(RETOLD, answers=-1)) == "invalid"
    assert stated(QUESTION, answers=-1) < stated(QUESTION) < stated(QUESTION, answers=1)


def test_a_verdict_from_before_answers_were_compared_gets_our_weight_for_them():
    before = {"weights": dict.fromkeys(FEATURES[:-1], 1.0), "boundary": 0.8}
    assert Verdict.from_dict(before).weights == (1.0,) * (len(FEATURES) - 1) + (WEIGHTS[-1],)


def test_in_the_same_words_findings_and_reading_decide():
    copy = QUESTION.replace("red", "blue")
    alone = stated(copy)
    assert stated(copy, [SERIOUS, SERIOUS]) < stated(copy, [SERIOUS]) < alone < stated(copy, reading=3.0)
    assert stated(copy, [SERIOUS] * 5) == stated(copy, [SERIOUS, SERIOUS])
    assert said(stated(copy, [SERIOUS], reading=-4.0)) == "invalid"
    assert said(stated(copy, reading=4.0)) == "valid"


def test_a_finding_that_is_only_worth_a_look_has_no_weight():
    slight = Finding("wording", "lost", "A word is missing after “the”.", is_serious=False)
    assert stated(QUESTION, [slight]) == stated(QUESTION)


def test_a_clause_that_is_left_out_speaks_against_the_paraphrase_and_an_added_one_does_not():
    shorter = "Ann buys 3 red pens for her two friends."
    assert features(shorter)["dropped"] > 0.3
    assert stated(shorter) < stated(QUESTION)
    assert dict(zip(FEATURES, verdict_features(0, [], shorter, QUESTION), strict=True))["dropped"] == 0


@given(st.floats(0, 1), st.floats(0, 1))
def test_closeness_rises_with_the_words_that_both_texts_share(one, other):
    assert 0 <= closeness(min(one, other)) <= closeness(max(one, other)) <= 1


@given(st.floats(0, 1))
def test_what_is_said_never_contradicts_the_probability(probability):
    assert said(probability) in {"unsure", "valid" if probability > 0.5 else "invalid"}


def test_no_evidence_speaks_for_the_wrong_side():
    rows, labels = drawn()
    rows[:, FEATURES.index("score")] *= -1
    rows[:, FEATURES.index("dropped")] = labels  # seen in valid pairs only
    weights = dict(zip(FEATURES, fit_verdict(rows, labels.tolist()).weights, strict=True))
    assert weights["score"] == weights["dropped"] == 0
    assert weights["findings"] < 0


def test_an_author_who_makes_invalid_pairs_of_near_copies_does_not_make_near_copies_invalid():
    rows = np.zeros((100, len(FEATURES)))
    rows[:60, 0] = 1
    labels = [1] * 10 + [0] * 50 + [1] * 40
    sources = ["a"] * 100
    assert fit_verdict(rows, labels, sources=sources).weights[0] == pytest.approx(0, abs=1e-3)
    assert fit_verdict(rows, labels).weights[0] < -1


def test_every_author_weighs_the_same():
    rows, labels = drawn(100)
    shares = balanced_shares(rows, labels, ["a"] * 90 + ["b"] * 10)
    assert shares.sum() == pytest.approx(1)
    assert shares[labels == 1].sum() == pytest.approx(0.5)
    assert shares[90:].mean() > 5 * shares[:90].mean()


@pytest.mark.parametrize(("count", "moved"), [(20, 0.6), (2_000, 1.2)])
def test_decisions_draw_the_shipped_weights_the_further_the_more_there_are(count, moved):
    rows = np.zeros((count, len(FEATURES)))
    rows[:, 0] = 1
    labels = [1] * (count // 10) + [0] * (count - count // 10)  # most near copies are rejected here
    away = WEIGHTS[0] - fit_verdict(rows, labels, prior=Verdict()).weights[0]
    assert away > moved
    assert fit_verdict(rows, labels, prior=Verdict()).weights[1:] == pytest.approx(WEIGHTS[1:])


def test_a_changed_number_in_a_near_copy_is_said_to_be_invalid():
    changed = QUESTION.replace("12", "15")
    assert said(stated(changed, find_changes(QUESTION, changed), reading=-2.0)) == "invalid"


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


def test_of_an_older_scorer_the_boundary_alone_is_kept():
    older = {"weights": {"score": 1.5, "number": -4.0}, "bias": 1.0, "pairs": 80, "boundary": 0.9}
    assert Verdict.from_dict(older) == Verdict(WEIGHTS, 0, 0.9)


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"weights": []},
        {"weights": dict.fromkeys(FEATURES, "x")},
        {"weights": dict.fromkeys(FEATURES, float("nan"))},
        {"weights": dict.fromkeys(FEATURES, 0), "boundary": 1},
    ],
)
def test_a_damaged_verdict_is_refused(broken):
    with pytest.raises(ArtifactError, match="verdict"):
        Verdict.from_dict(broken)


def test_one_label_alone_cannot_be_fitted():
    rows, _labels = drawn(10)
    with pytest.raises(DataError, match="both labels"):
        fit_verdict(rows, [1] * 10)
    rows[0, 0] = np.nan
    with pytest.raises(DataError, match="finite"):
        fit_verdict(rows, [0, 1] * 5)
