"""What probes gain from responses, on kept-back questions; a small world whose texts tell difficulties in part."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analytics.errors import DataError
from analytics.probes.data import ProbeData
from questionbank.core.errors import NotFound
from questionbank.models import Question
from tests.analytics.probes.small_world import small_world
from tests.factories import QuestionFactory
from tests.questionbank.small_bank import add_concept, add_questions, add_set, store_vectors
from worker.evaluation import evaluate
from worker.probes.comparison import answered_shares
from worker.probes.evaluation import GainData, response_gain


def gain_data(band_noise: float, *, responses: int = 400) -> GainData:
    world = small_world(500)
    rng = np.random.default_rng(0)
    truth = np.array(world.difficulties)
    bands = np.clip(np.round(truth + rng.normal(scale=band_noise, size=len(truth))), 1, 5)
    observed = np.clip(truth + rng.normal(scale=0.1, size=len(truth)), 1, 5)
    published = ProbeData.of(world.vectors, world.paths, bands.tolist(), texts=world.texts)
    learned = ProbeData.of(
        world.vectors, world.paths, observed.tolist(), texts=world.texts, scales=["1-5"] * len(truth)
    )
    percent = 25 * (observed - 1)
    errors = np.full(len(truth), 0.1)
    return GainData(published, replace(learned, errors=errors), percent, percent, np.full(len(truth), responses))


def test_responses_help_where_published_difficulties_are_poor():
    figures = response_gain(gain_data(2.0))
    gain = figures["spearman"]
    assert gain["low"] > 0
    assert gain["difference"] == pytest.approx(gain["responses"] - gain["published"], abs=2e-4)
    assert [run["seed"] for run in figures["runs"]] == [0, 1, 2]
    assert figures["learned_from_responses"] == 500


def test_responses_that_say_the_same_as_published_difficulties_gain_nothing():
    gain = response_gain(gain_data(0.0))["spearman"]
    assert gain["low"] <= 0.02
    assert abs(gain["difference"]) < 0.05


def test_the_gain_is_not_measured_on_questions_with_few_responses():
    with pytest.raises(DataError, match="Only 0 of the questions kept back have 200 responses"):
        response_gain(gain_data(0.5, responses=199))


@pytest.mark.django_db
def test_shares_of_wrong_answers_are_without_lucky_guesses():
    options = [{"label": label, "text": f"option {label}"} for label in "ABCD"]
    choice = QuestionFactory(kind="choice", options=options, answer="B", facility=0.4, responses=300)
    counted = QuestionFactory(combined={"percent": 60.0, "low": 50.0, "high": 70.0, "responses": 90})
    by_choice, by_counted, nothing = answered_shares([choice, counted, QuestionFactory()])
    assert by_choice["percent"] == pytest.approx(75)  # a guess is right 1 in 4, less .05
    assert by_choice["low"] < 75 < by_choice["high"]
    assert by_counted == {"percent": 60.0, "low": 50.0, "high": 70.0, "responses": 90}
    assert nothing is None


@pytest.mark.django_db
def test_the_command_measures_the_banks_hierarchy_and_says_what_is_missing():
    options = {"data": None, "seed": 0}
    with pytest.raises(NotFound, match="no tagged questions with vectors"):
        evaluate("probes", options)
    concept = add_concept("Number", "Sums")
    bank = add_questions(
        {
            "text": f"Find {word} {number}.",
            "concepts": [concept],
            "difficulty": 1 + number % 5,
            "difficulty_scale": "1-5",
        }
        for number, word in enumerate(["sums", "terms", "totals"] * 30)
    )
    store_vectors(add_set("purpose"), bank)
    with pytest.raises(DataError, match="import responses first"):
        evaluate("probes", options)
    Question.objects.update(facility=0.5, responses=50)
    with pytest.raises(DataError, match="import responses first"):  # equal shares tell no two questions apart
        evaluate("probes", options)
    Question.objects.filter(difficulty__lt=3).update(facility=0.8)
    with pytest.raises(DataError, match="have 200 responses or more"):
        evaluate("probes", options)
