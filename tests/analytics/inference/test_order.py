from __future__ import annotations

import numpy as np
import pytest

from analytics.inference.demands import DEMANDS, LARGEST_DEMAND, OrderHead, harder_probability


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
