"""A verdict some of whose weights are given."""

from __future__ import annotations

import pytest

from analytics.errors import DataError
from analytics.paraphrase.scoring.fitting import fit_beside
from analytics.paraphrase.scoring.verdict import FEATURES, READING_CAP, Verdict, verdict_features

VALID, INVALID = ("Ann has 3 pens.", "Ann owns 3 pens."), ("Ann has 3 pens.", "Ann has 4 pens.")
ROWS = [
    verdict_features(score, [], *texts, reading=reading)
    for score, reading, texts in (
        (0.2, 3.0, VALID),
        (0.6, 2.0, VALID),
        (0.9, -3.0, INVALID),
        (0.8, -1.0, INVALID),
    )
]
OPTIONS = {"boundary": 0.9, "score_cap": READING_CAP, "sources": ["a", "b", "a", "b"]}


def test_given_weights_stay_and_the_others_are_fitted():
    verdict = fit_beside(ROWS, [1, 1, 0, 0], {"score": 0.7, "target": -3.0}, **OPTIONS)
    weights = dict(zip(FEATURES, verdict.weights, strict=True))
    assert (weights["score"], weights["target"]) == (0.7, -3.0)
    assert weights["reading"] > 0
    assert [p > 0.5 for p in verdict.probabilities(ROWS)] == [True, True, False, False]
    again = Verdict.from_dict(verdict.as_dict())
    assert again.probabilities(ROWS) == pytest.approx(verdict.probabilities(ROWS), abs=1e-5)


def test_a_score_above_the_cap_says_no_more():
    verdict = fit_beside(ROWS, [1, 1, 0, 0], {"score": 0.7}, **OPTIONS)
    near, nearer = (verdict_features(score, [], *VALID, reading=1.0) for score in (0.1, 0.9))
    first, second = verdict.probabilities([near, nearer])
    assert first == second


def test_pairs_of_one_label_are_refused():
    with pytest.raises(DataError, match="both labels"):
        fit_beside(ROWS, [1, 1, 1, 1], {}, **OPTIONS)
