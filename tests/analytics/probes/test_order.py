"""The order of questions on a topic, from the ladders that we wrote."""

from __future__ import annotations

import numpy as np
import pytest

from analytics.inference.heads import ProbeHeads
from analytics.inference.order import harder_probability
from analytics.probes.order import fit_order, ladder_pairs, ladder_texts, read_ladders


@pytest.fixture(scope="module")
def fitted():
    """An order of texts alone: the vectors say nothing, and no difficulty is estimated."""
    vectors = np.zeros((len(ladder_texts()), 2), dtype=np.float32)
    return fit_order(ProbeHeads(encoder="none", dimension=2), vectors)


def test_every_ladder_has_rungs_and_no_question_is_on_two():
    assert all(ladder.topic and len(ladder.questions) >= 2 for ladder in read_ladders())
    assert not [text for text in ladder_texts() if text.startswith("#")]
    assert len(set(ladder_texts())) == len(ladder_texts())


def test_a_question_counts_the_same_on_a_short_and_a_long_ladder():
    pairs = ladder_pairs()
    totals = (
        np.bincount(pairs.easier, pairs.weights)
        + np.bincount(pairs.harder, pairs.weights, len(ladder_texts()))[: pairs.easier.max() + 1]
    )
    assert totals[np.unique(pairs.easier)] == pytest.approx(2)


def test_topics_left_out_are_ordered_better_than_by_chance_and_sure_statements_are_mostly_right(fitted):
    figures = fitted[1]
    assert figures["apart_accuracy"] > 0.8
    assert figures["neighbours_accuracy"] > 0.6
    assert figures["sure_accuracy"] > 0.85


@pytest.mark.parametrize(
    ("easier", "harder"),
    [
        ("Solve 4x = 20.", "Solve 4(x - 1) - 3(2 - x) = 5x + 9."),
        (r"Work out $\frac{1}{5} + \frac{2}{5}$.", r"Work out $2\frac{3}{4} - 1\frac{5}{6}$."),
        (
            "Mr Hill has 12 sheep, and on Friday he buys 5 more of them at the market. How many sheep has he now?",
            "Find the digits A and B with 3A + B7 = 124.",
        ),
        ("Show that 2 + 4 is even.", "Prove that the sum of n odd numbers is odd whenever n is odd."),
    ],
)
def test_more_steps_and_less_friendly_numbers_are_harder(fitted, easier, harder):
    first, second = fitted[0].scores(np.zeros((2, 2)), [easier, harder], np.full(2, 0.5))
    assert harder_probability(second, first) > 0.7
