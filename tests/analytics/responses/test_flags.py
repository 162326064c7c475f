"""Choices by ability, flags, and the fit of the model."""

from __future__ import annotations

import numpy as np
import pytest

from analytics.responses.flags import (
    BLANK,
    FlagCode,
    ability_thirds,
    can_tell_fit,
    fit_flags,
    item_fit,
    key_evidence,
    local_dependence,
    option_figures,
    option_flags,
    score_distribution,
    score_flags,
)
from analytics.responses.item_response import fit_item_response
from tests.response_matrix import responses_of


def test_thirds_keep_equal_abilities_together():
    assert ability_thirds(np.array([5.0, 1, 3, 2, 4, 6])).tolist() == [2, 0, 1, 0, 1, 2]
    assert ability_thirds(np.array([1.0, 1, 1, 2, 2, 3])).tolist() == [1, 1, 1, 2, 2, 2]


def test_a_table_of_choices():
    """Thirds: people 0 to 2, 3 to 5, 6 to 8."""
    choice = np.array([1, BLANK, 0, 1, 0, 0, 0, 0, 2])
    figures = option_figures(choice, np.arange(9.0), 4)
    assert figures.counts.tolist() == [[1, 1, 0, 0], [2, 1, 0, 0], [2, 0, 1, 0]]
    assert figures.left_out.tolist() == [1, 0, 0]
    assert figures.ability[:3] == pytest.approx([(2 + 4 + 5 + 6 + 7) / 5, 1.5, 8])
    assert np.isnan(figures.ability[3])


def drawn(*, people=300, key=0, seed=1, blank=0.0):
    """Choices among four options of which 0 is right; the fourth is never chosen."""
    rng = np.random.default_rng(seed)
    ability = rng.normal(size=people)
    right = rng.random(people) < 1 / (1 + np.exp(-1.2 * ability))
    choice = np.where(right, 0, rng.integers(1, 3, people))
    choice[rng.random(people) < blank] = BLANK
    weights = np.zeros(4)
    weights[key] = 1
    return choice, ability, weights


def test_a_right_key_is_not_suspected_and_a_wrong_one_names_the_right_option():
    assert key_evidence(*drawn())[0] < -3
    evidence, option = key_evidence(*drawn(key=2))
    assert evidence > 3
    assert option == 0
    first = option_flags(*drawn(key=2))[0]
    assert (first.code, first.option) == (FlagCode.CHECK_KEY, 0)


def test_an_option_that_nobody_chose_and_a_question_that_many_left_out():
    flags = option_flags(*drawn(blank=0.2))
    assert [(flag.code, flag.option) for flag in flags] == [(FlagCode.NEVER_CHOSEN, 3), (FlagCode.LEFT_OUT, -1)]
    assert flags[1].evidence == pytest.approx(0.2, abs=0.06)


def test_chosen_by_chance():
    rng = np.random.default_rng(2)
    flags = option_flags(rng.integers(0, 4, 200), rng.normal(size=200), np.array([1.0, 0, 0, 0]))
    assert FlagCode.LIKE_GUESSING in [flag.code for flag in flags]


@pytest.mark.parametrize(
    ("score", "code"),
    [
        (np.ones(40), FlagCode.TOO_EASY),
        (np.zeros(40), FlagCode.TOO_HARD),
        (np.arange(40) < 20, FlagCode.WEAKER_DID_BETTER),
    ],
)
def test_scores_without_options(score, code):
    flags = score_flags(np.asarray(score, dtype=float), np.arange(40.0), left_out=np.zeros(40, dtype=bool))
    assert [flag.code for flag in flags] == [code]


def test_three_people_say_nothing():
    assert not option_flags(np.array([0, 1, BLANK]), np.array([1.0, 2, 3]), np.array([1.0, 0, 0, 0]))
    assert not score_flags(np.array([1.0, 0, 0]), np.array([1.0, 2, 3]), left_out=np.array([False, False, True]))


def test_wrong_keys_among_many_questions_are_flagged_first():
    """50 tests of 40 questions with 60 people each; 40 tests have one question with a wrong key."""
    rng = np.random.default_rng(1)
    evidence = []
    for test in range(50):
        slope, location = np.exp(rng.normal(0, 0.3, 40)), rng.normal(0, 1, 40)
        right = rng.random((60, 40)) < 1 / (1 + np.exp(-slope * (rng.normal(0, 1, (60, 1)) - location)))
        wrong = np.stack([rng.choice([1, 2, 3], 60, p=rng.dirichlet([2, 2, 2])) for _ in range(40)], axis=1)
        choice, keys = np.where(right, 0, wrong), np.zeros(40, dtype=int)
        if test < 40:
            keys[0] = rng.integers(1, 4)
        scores = (choice == keys).astype(float)
        for question, key in enumerate(keys):
            rest = scores.sum(axis=1) - scores[:, question]
            flags = option_flags(choice[:, question], rest, np.eye(4)[key])
            evidence += [(flag.evidence, key != 0) for flag in flags if flag.code == FlagCode.CHECK_KEY]
    assert sum(is_wrong for _evidence, is_wrong in sorted(evidence, reverse=True)[:45]) >= 36


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
