"""Whether the model suits a test: S-X2 and local dependence, on simulated people."""

from __future__ import annotations

import numpy as np
import pytest

from analytics.responses.flags import FlagCode, can_tell_fit, fit_flags, item_fit, local_dependence, score_distribution
from analytics.responses.item_response import fit_item_response
from tests.response_matrix import responses_of


def answers_of(people: int = 500, questions: int = 20, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    slope, location = np.exp(rng.normal(0, 0.25, questions)), rng.normal(0, 0.9, questions)
    chance = 1 / (1 + np.exp(-slope * (rng.normal(0, 1, (people, 1)) - location)))
    return (rng.random(chance.shape) < chance).astype(float)


def flags_of(answers: np.ndarray):
    responses = responses_of(answers)
    return fit_flags(responses, fit_item_response(responses))


def test_the_distribution_of_totals_by_hand():
    """Two questions with 1/2 and 1/4: none right 3/8, one right 4/8, both 1/8."""
    assert score_distribution(np.array([[0.5], [0.25]]))[:, 0] == pytest.approx([3 / 8, 4 / 8, 1 / 8])


def test_data_of_the_model_are_not_flagged():
    flagged = [sum(map(len, flags_of(answers_of(seed=seed)))) for seed in range(4)]
    assert sum(count > 0 for count in flagged) <= 1


def test_a_question_that_only_the_middle_gets_right_does_not_suit_the_model():
    answers = answers_of()
    totals = answers[:, 1:].sum(axis=1)
    answers[:, 0] = (totals > 6) & (totals < 13)
    flags = flags_of(answers)
    assert [flag.code for flag in flags[0]] == [FlagCode.MISFIT]


def test_one_question_that_gives_away_another_is_named():
    answers = answers_of()
    rng = np.random.default_rng(2)
    answers[:, 4] = np.where(rng.random(len(answers)) < 0.8, answers[:, 3], answers[:, 4])
    flags = flags_of(answers)
    found = {(place, flag.option) for place, row in enumerate(flags) for flag in row if flag.code == FlagCode.DEPENDENT}
    assert found == {(3, 4), (4, 3)}


def test_missing_answers_leave_pairs_out_and_small_tests_tell_nothing():
    answers = answers_of(people=200, questions=6)
    answers[:150, 0] = np.nan
    responses = responses_of(answers)
    model = fit_item_response(responses)
    assert item_fit(responses, model) is None  # 50 people answered everything
    dependence, people = local_dependence(responses, model)
    assert people[0, 1] == 50
    assert np.isnan(np.diag(dependence)).all()
    assert not can_tell_fit(responses_of(answers[:50]))
