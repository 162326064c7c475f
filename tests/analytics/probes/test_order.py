"""The order of questions on a topic, from the ladders that we wrote."""

from __future__ import annotations

import numpy as np
import pytest

from analytics.inference.demands import harder_probability
from analytics.inference.heads import ProbeHeads
from analytics.probes.order import fit_order, ladder_pairs, ladder_texts, read_ladders
from tests.cases import each_case


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


@each_case("subject_and_demands", "harder")
def test_more_steps_and_less_friendly_numbers_are_harder(fitted, easier, harder):
    first, second = fitted[0].scores(np.zeros((2, 2)), [easier, harder], np.full(2, 0.5))
    assert harder_probability(second, first) > 0.7
