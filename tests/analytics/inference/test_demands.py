from __future__ import annotations

import numpy as np
import pytest

from analytics.inference.demands import (
    DEMANDS,
    LARGEST_DEMAND,
    SURFACE_COUNTS,
    OrderHead,
    demand_counts,
    harder_probability,
    surface_counts,
)
from tests.cases import each_case


def counts_of(text):
    counts = np.expm1(demand_counts([text])[0])
    return {name: round(float(value)) for name, value in zip(DEMANDS, counts, strict=True) if value > 0.5}


@each_case("subject_and_demands", "demands")
def test_demands_by_hand(text, expected):
    counts = counts_of(text)
    assert {name: counts.get(name, 0) for name in expected} == expected


@each_case("subject_and_demands", "typed")
def test_plain_maths_and_latex_demand_nearly_the_same(typed, latex):
    apart = np.abs(demand_counts([typed]) - demand_counts([latex])).sum()
    another = np.abs(demand_counts([typed]) - demand_counts(["Prove that 7 is a prime number."])).sum()
    assert apart < another / 4


@pytest.fixture
def head():
    brackets = np.zeros(len(DEMANDS), dtype=np.float32)
    brackets[DEMANDS.index("brackets")] = 1
    return OrderHead(
        vector_weights=np.array([1, 0], dtype=np.float32),
        demand_weights=brackets,
        demand_centre=brackets * np.log(2),
        demand_spread=np.ones(len(DEMANDS), dtype=np.float32),
        words=("prove",),
        word_weights=np.array([3], dtype=np.float32),
        difficulty_weight=4.0,
    )


def test_a_score_by_hand(head):
    """Vector 2, one bracket (the centre) 0, the word 3, difficulty 4 / 2."""
    (score,) = head.scores(np.array([[2.0, 5.0]]), ["Prove (it)!"], np.array([0.5]))
    assert score == pytest.approx(7)


def test_very_many_brackets_are_not_ever_so_much_harder(head):
    many, more = head.scores(np.zeros((2, 2)), ["(" * 200, "(" * 20_000], np.zeros(2))
    assert many == more == LARGEST_DEMAND


def test_two_probabilities_of_one_pair_add_up_to_one():
    assert harder_probability(1.5, 0.2) + harder_probability(0.2, 1.5) == pytest.approx(1)
    assert harder_probability(1e6, -1e6) == pytest.approx(1)


def surface_counts_of(text):
    return {
        name: round(float(value))
        for name, value in zip(SURFACE_COUNTS, np.expm1(surface_counts([text])[0]), strict=True)
    }


def test_counts_by_hand():
    counts = surface_counts_of(r"Add $\frac{1}{2}$ and 1250.5 to x. Is it > 3?")
    assert counts == {
        "characters": 45, "words": 6, "sentences": 2, "numbers": 4, "digits of the longest number": 4,
        "commands": 1, "operators": 1, "fractions": 1, "braces": 4, "dollars": 2,
    }  # fmt: skip


def test_an_empty_text_counts_nothing():
    assert set(surface_counts_of("").values()) == {0}


def test_chinese_sentences_are_counted():
    assert surface_counts_of("小明有3个苹果。他还有几个？")["sentences"] == 2
