"""Texts and responses together, on pupils simulated as for the demo bank (docs/demo-bank.md)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from analytics.responses.combined import KnownBefore, difficulty_of_groups, fit_combined
from analytics.responses.item_response import ModelSettings, Priors, fit_item_response
from analytics.responses.table import Responses

QUESTIONS = 300
PRIORS = Priors(log_slope_sd=0.3, location_sd=4.0)


@dataclass
class Simulated:
    """Responses to questions of known location, with estimates from their texts."""

    location: np.ndarray
    responses: Responses
    settings: ModelSettings
    known: KnownBefore


def simulated(per_question: int, seed: int, *, people: int = 1200) -> Simulated:
    rng = np.random.default_rng(seed)
    slope, location = np.exp(rng.normal(0, 0.25, QUESTIONS)), rng.normal(0, 0.9, QUESTIONS)
    guess = np.where(rng.random(QUESTIONS) < 0.5, 0.2, 0.0)  # four options of which wrong ones attract, or none
    ability = rng.normal(0, 1, people)
    person = np.concatenate([rng.choice(people, per_question, replace=False) for _ in range(QUESTIONS)])
    question = np.repeat(np.arange(QUESTIONS), per_question)
    logistic = 1 / (1 + np.exp(-slope[question] * (ability[person] - location[question])))
    right = rng.random(len(question)) < guess[question] + (1 - guess[question]) * logistic
    groups = np.zeros(people, dtype=np.int64)
    responses = Responses(person, question, right.astype(float), np.ones(QUESTIONS), groups)
    percent = 100 / (1 + np.exp(-0.85 * location - rng.normal(0, 0.6, QUESTIONS)))
    known = replace(KnownBefore.nothing(QUESTIONS), percent=percent, low=percent - 30, high=percent + 30)
    return Simulated(location, responses, ModelSettings(guess, PRIORS, nodes=21, tolerance=1e-3), known)


def error(estimate: np.ndarray, truth: np.ndarray) -> float:
    return float(np.sqrt(np.mean((estimate - truth) ** 2)))


def test_300_responses_a_question_find_the_true_difficulties_and_intervals_cover_them():
    correlations, covered = [], []
    for seed in range(4):
        data = simulated(300, seed)
        model = fit_item_response(data.responses, data.settings)
        correlations.append(np.corrcoef(model.location, data.location)[0, 1])
        covered.append(np.mean(np.abs(model.location - data.location) < 1.96 * model.location_error))
    assert np.mean(correlations) >= 0.97
    assert 0.93 <= np.mean(covered) <= 0.97


@pytest.mark.parametrize("per_question", [5, 20, 100, 500])
def test_the_combined_estimate_is_better_than_either_alone(per_question):
    people = 1200 if per_question >= 100 else 200
    errors, covered = [], []
    for seed in range(4):
        data = simulated(per_question, seed, people=people)
        alone = fit_item_response(data.responses, data.settings)
        found = fit_combined(data.responses, data.settings, data.known)
        estimates = (alone.location, found.before.location, found.after.location)
        errors.append([error(estimate, data.location) for estimate in estimates])
        covered.append(np.mean(np.abs(found.after.location - data.location) < 1.96 * found.after.error))
    by_responses, by_text, combined = np.mean(errors, axis=0)
    assert combined < min(by_responses, by_text)
    assert 0.92 <= np.mean(covered) <= 0.98


def test_without_responses_the_text_decides():
    data = simulated(100, 1)
    rows = data.responses.question > 0
    part = data.responses
    responses = Responses(part.person[rows], part.question[rows], part.score[rows], part.max_marks, part.group)
    found = fit_combined(responses, data.settings, data.known)
    assert found.after.location[0] == pytest.approx(found.before.location[0], abs=0.01)
    assert found.after.error[0] == pytest.approx(found.before.error[0], rel=0.05)
    assert np.isnan(found.surprise[0])


def test_a_facility_published_elsewhere_counts_as_that_many_responses():
    data = simulated(20, 2, people=200)
    facility, responses = np.full(QUESTIONS, np.nan), np.zeros(QUESTIONS)
    easy, unknown = np.argsort(data.location)[:2]
    facility[[easy, unknown]], responses[easy] = 0.9, 400
    others = np.arange(QUESTIONS) != easy
    told = fit_combined(data.responses, data.settings, replace(data.known, facility=facility, responses=responses))
    untold = fit_combined(data.responses, data.settings, data.known)
    assert told.after.percent[0, easy] == pytest.approx(10, abs=4)
    assert told.after.error[easy] < untold.after.error[easy] / 2
    assert told.after.location[others] == pytest.approx(untold.after.location[others], abs=0.02)


def test_a_text_that_says_the_opposite_is_a_surprise():
    data = simulated(300, 3)
    hardest = np.argmax(data.location)
    data.known.percent[hardest] = 1
    surprise = fit_combined(data.responses, data.settings, data.known).surprise
    assert surprise[hardest] > 2
    assert np.argmax(surprise) == hardest
    assert np.mean(np.abs(np.delete(surprise, hardest)) > 2.5) < 0.05


def test_a_year_in_which_a_question_was_leaked_stands_out():
    data = simulated(300, 4)
    responses = data.responses
    group = (np.arange(responses.people) >= 600).astype(np.int64)  # two years
    score = responses.score.copy()
    score[(responses.question == 0) & (group[responses.person] == 1)] = 1
    found = fit_combined(
        Responses(responses.person, responses.question, score, responses.max_marks, group), data.settings
    )
    shares = []
    for year in range(2):
        rows = group[responses.person] == year
        numbers = np.bincount(responses.question[rows], minlength=QUESTIONS).astype(float)
        totals = np.bincount(responses.question[rows], score[rows], QUESTIONS)
        shares.append(difficulty_of_groups(found, [(year, np.arange(QUESTIONS), numbers, totals)]))
    (_wrong, low, _high), (leaked, _low, _high2) = (share[0].percent[:, 0] for share in shares)
    assert leaked < 5 < low
