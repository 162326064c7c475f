"""The item-response model."""

from __future__ import annotations

import math
from random import Random
from statistics import fmean, pstdev

import pytest
from scipy.stats import spearmanr

from questionbank.demo.responses import (
    COHORT_SIZE,
    GUESSING,
    ItemParameters,
    draw_cohort,
    draw_parameters,
    feature_effect,
    probability_correct,
    simulate_responses,
    teacher_band,
)


@pytest.mark.parametrize(
    ("ability", "item", "probability"),
    [
        (0.0, ItemParameters(0.0), 0.5),
        (1.0, ItemParameters(0.0), 0.7310586),  # 1 / (1 + e^-1)
        (0.0, ItemParameters(0.0, guessing=0.2), 0.6),  # 0.2 + 0.8 / 2
        (2.0, ItemParameters(1.0, 2.0, 0.2), 0.9046377),  # 0.2 + 0.8 / (1 + e^-2) = 0.2 + 0.8 * 0.8807971
        (
            -1.0,
            ItemParameters(1.0, 0.5, 0.25),
            0.4517060,
        ),  # 0.25 + 0.75 / (1 + e^1) = 0.25 + 0.75 * 0.2689414
    ],
)
def test_hand_worked_probabilities(ability, item, probability):
    assert probability_correct(ability, item) == pytest.approx(probability, abs=1e-6)


def test_guessing_is_the_floor_and_certainty_the_ceiling():
    item = ItemParameters(0.0, 1.5, 0.2)
    assert probability_correct(-30, item) == pytest.approx(0.2)
    assert probability_correct(30, item) == pytest.approx(1.0)


def test_features_add_up():
    """123456 has four digits beyond two, at most three count: 0.6; a negative fraction 0.5; five steps 0.2."""
    assert feature_effect("What is 12?", "3", ("a", "b")) == 0
    assert feature_effect("What is 123456?", r"$-\frac{3}{4}$", ("a",) * 5) == pytest.approx(
        0.6 + 0.25 + 0.25 + 0.2
    )
    assert feature_effect("What is 5?", "$x = -2$", ("a",)) == pytest.approx(0.25)
    assert feature_effect("Expand.", "$3x - 2$", ("a",)) == 0  # a difference is no negative number


def test_parameters_follow_their_distributions():
    rng = Random(1)
    items = [draw_parameters(0.7, is_choice=False, rng=rng) for _ in range(4000)]
    assert fmean(item.difficulty for item in items) == pytest.approx(0.7, abs=0.02)
    assert pstdev([item.difficulty for item in items]) == pytest.approx(0.2, abs=0.01)
    assert pstdev([math.log(item.discrimination) for item in items]) == pytest.approx(0.25, abs=0.01)
    assert {item.guessing for item in items} == {0.0}
    assert draw_parameters(0.0, is_choice=True, rng=rng).guessing == GUESSING


def test_a_cohort_is_standard_normal():
    cohort = draw_cohort(Random(2))
    assert len(cohort) == COHORT_SIZE
    assert fmean(cohort) == pytest.approx(0, abs=0.1)
    assert pstdev(cohort) == pytest.approx(1, abs=0.07)


def test_the_share_of_correct_answers_approaches_the_expected_one():
    rng = Random(4)
    cohort = draw_cohort(rng)
    item = ItemParameters(0.5, 1.2, 0.2)
    expected = fmean(probability_correct(ability, item) for ability in cohort)
    answered = correct = 0
    for _ in range(60):
        n, right = simulate_responses(item, cohort, rng)
        answered, correct = answered + n, correct + right
    assert correct / answered == pytest.approx(expected, abs=0.015)


def test_a_bank_has_items_with_60_to_600_responses_and_items_with_none(questions):
    counts = [question.record.responses for question in questions]
    answered = [count for count in counts if count]
    assert 0.09 < counts.count(0) / len(counts) < 0.15
    assert min(answered) >= 60
    assert max(answered) <= 600
    assert all(
        (question.record.facility is None) == (question.record.responses == 0) for question in questions
    )
    assert all(0 <= question.record.facility <= 1 for question in questions if question.record.responses)


def test_simulated_responses_recover_the_order_of_difficulty(questions):
    """Facility, corrected for guessing, against the true difficulty on items with at least 200 responses."""
    used = [question for question in questions if question.record.responses >= 200]
    assert len(used) > 2000
    easiness = [
        (question.record.facility - question.parameters.guessing) / (1 - question.parameters.guessing)
        for question in used
    ]
    correlation = spearmanr(easiness, [-question.parameters.difficulty for question in used]).statistic
    assert correlation > 0.95
    raw = spearmanr(
        [question.record.facility for question in used],
        [-question.parameters.difficulty for question in used],
    ).statistic
    assert raw > 0.9


def test_the_teacher_sees_the_difficulty_with_some_error(questions):
    bands = [question.record.difficulty for question in questions]
    assert set(bands) == {1.0, 2.0, 3.0, 4.0, 5.0}
    assert min(bands.count(band) for band in set(bands)) > 0.05 * len(bands)
    correlation = spearmanr(bands, [question.parameters.difficulty for question in questions]).statistic
    assert 0.85 < correlation < 0.99


def test_bands_are_cut_where_the_docstring_says():
    class Exact(Random):
        def normalvariate(self, mu=0.0, sigma=1.0):
            return mu

    rng = Exact()
    assert [teacher_band(b, rng) for b in (-2, -1.2, -1, -0.4, 0, 0.4, 1, 1.2, 3)] == [
        1,
        1,
        2,
        2,
        3,
        3,
        4,
        4,
        5,
    ]


def test_harder_patterns_are_answered_correctly_less_often(questions):
    easy = [q.record.facility for q in questions if q.record.responses and q.pattern.logit < -1]
    hard = [q.record.facility for q in questions if q.record.responses and q.pattern.logit > 1]
    assert fmean(easy) > fmean(hard) + 0.25
