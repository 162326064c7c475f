"""A verdict some of whose weights are given."""

from __future__ import annotations

import numpy as np
import pytest

from analytics.errors import DataError
from analytics.paraphrase.findings.finding import Finding
from analytics.paraphrase.scoring.fitting import fit_beside
from analytics.paraphrase.scoring.verdict import FEATURES, Verdict, verdict_features

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
OPTIONS = {"boundary": 0.9, "sources": ["a", "b", "a", "b"]}


def test_given_weights_stay_and_the_others_are_fitted():
    verdict = fit_beside(ROWS, [1, 1, 0, 0], {"score": 0.7, "target": -3.0}, **OPTIONS)
    weights = dict(zip(FEATURES, verdict.weights, strict=True))
    assert (weights["score"], weights["target"]) == (0.7, -3.0)
    assert weights["reading"] > 0
    assert [p > 0.5 for p in verdict.probabilities(ROWS)] == [True, True, False, False]
    again = Verdict.from_dict(verdict.as_dict())
    assert again.probabilities(ROWS) == pytest.approx(verdict.probabilities(ROWS), abs=1e-5)


def test_where_texts_share_few_words_the_reading_alone_counts():
    verdict = fit_beside(ROWS, [1, 1, 0, 0], {"score": 0.7, "number": -2.0}, **OPTIONS)
    change = Finding("number", "changed", "3 became 4.")
    far = "Ann has 3 pens.", "Four of these things belong to a girl."
    near_odds, far_odds = (
        np.log(p / (1 - p))
        for p in (
            verdict.probabilities(
                [verdict_features(0.5, found, *texts, reading=1.0) for found in ([], [change])]
            )
            for texts in (VALID, far)
        )
    )
    assert near_odds[0] - near_odds[1] == pytest.approx(2.0 * 0.5**2)  # half of the words are shared
    assert far_odds[0] == pytest.approx(far_odds[1])


def test_a_verdict_that_was_fitted_with_a_cap_still_computes_as_it_did():
    body = {
        "weights": {"score": 0.7, "reading": 0.3, "number": -2.0},
        "bias": 1.4,
        "by_shared_words": True,
        "score_cap": -0.3,
    }
    change = Finding("number", "changed", "3 became 4.")
    [p] = Verdict.from_dict(body).probabilities([verdict_features(0.5, [change], *VALID, reading=1.0)])
    assert np.log(p / (1 - p)) == pytest.approx(0.7 * -0.3 + 0.3 - 2.0 * 0.5 + 1.4)


def test_pairs_of_one_label_are_refused():
    with pytest.raises(DataError, match="both labels"):
        fit_beside(ROWS, [1, 1, 1, 1], {}, **OPTIONS)
