"""Figures about difficulty and their intervals."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from questionbank.bank.difficulty_selectors import (
    counted_difficulty,
    counted_percent,
    observed_difficulty,
    published_difficulty,
    wilson_interval,
)
from questionbank.models import Question
from questionbank.similar.insight import difficulty_figures


def test_wilson_s_interval_by_hand() -> None:
    """8 of 10, z = 1.96: centre (0.8 + 0.19207) / 1.38415 = 0.71674, spread 0.22667."""
    low, high = wilson_interval(0.8, 10)
    assert (low, high) == pytest.approx((0.4902, 0.9433), abs=5e-4)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_the_interval_of_a_unanimous_answer_stays_within_bounds_and_is_no_point(share) -> None:
    low, high = wilson_interval(share, 20)
    assert 0 <= low < high <= 1


def test_observed_difficulty_is_the_share_of_wrong_answers() -> None:
    figure = observed_difficulty(Question(facility=0.7, responses=412))
    assert figure is not None
    assert figure.percent == pytest.approx(30)
    assert figure.low < 30 < figure.high
    assert figure.basis == "from 412 responses: 70% answered correctly"


@pytest.mark.parametrize("question", [Question(), Question(facility=0.7, responses=0)])
def test_without_responses_nothing_was_observed(question) -> None:
    assert observed_difficulty(question) is None


COMBINED = {"percent": 40.0, "low": 30.0, "high": 52.0, "responses": 60}
BAND = {"difficulty": 3, "difficulty_scale": "1-5"}


@pytest.mark.parametrize(
    ("known", "label", "percent"),
    [
        (BAND | {"facility": 0.7, "responses": 412, "combined": COMBINED}, "Combined", 40),
        (BAND | {"facility": 0.7, "responses": 412}, "Observed", 30),
        (BAND | {"facility": 1.0, "responses": 2}, "Published", 50),  # two responses say next to nothing
        (BAND, "Published", 50),
    ],
)
def test_one_difficulty_counts(known, label, percent) -> None:
    question = Question(**known)
    figure = counted_difficulty(question)
    assert (figure.label, round(figure.percent)) == (label, percent)
    assert counted_percent(question, question.combined) == figure.percent


def test_without_any_figure_no_difficulty_counts() -> None:
    assert counted_difficulty(Question()) is None
    assert counted_percent(Question()) is None


def test_a_published_difficulty_names_its_scale() -> None:
    figure = published_difficulty(Question(difficulty=3, difficulty_scale="1-5", difficulty_percent=50))
    assert figure is not None
    assert (figure.percent, figure.basis) == (50, "from its source: 3 on the scale 1-5")


def test_a_published_difficulty_without_a_known_scale_is_not_mapped() -> None:
    assert published_difficulty(Question(difficulty=3, difficulty_scale="as published")) is None


@pytest.mark.parametrize(("kind", "labels"), [("description", []), ("opaque", []), ("open", ["Estimated"])])
def test_no_difficulty_is_estimated_of_a_text_that_does_not_say_what_to_do(kind, labels) -> None:
    estimate = SimpleNamespace(percent=50, low_percent=40, high_percent=60, middle_percent=(46, 54))
    prediction = SimpleNamespace(difficulty=estimate, basis="from the text")
    assert [figure.label for figure in difficulty_figures(Question(kind=kind), prediction)] == labels
