"""Labelled pairs from the demo patterns."""

from __future__ import annotations

from collections import Counter

from analytics.text.numbers import find_numbers
from questionbank.demo.paraphrases import generate_pairs
from questionbank.demo.strands import ALL_PATTERNS


def test_the_same_seed_gives_the_same_pairs_and_another_gives_others():
    assert generate_pairs(3, draws=2) == generate_pairs(3, draws=2)
    assert generate_pairs(3, draws=2) != generate_pairs(4, draws=2)


def test_nearly_every_pattern_gives_both_labels_and_no_pair_has_two():
    pairs = generate_pairs(3, draws=3)
    by_label = {
        label: {pair.id.rsplit("-", 1)[0] for pair in pairs if pair.label == label} for label in (0, 1)
    }
    assert min(map(len, by_label.values())) > 0.9 * len(ALL_PATTERNS)
    labels = Counter((pair.original, pair.paraphrase) for pair in pairs)
    assert max(labels.values()) == 1
    assert all(pair.original != pair.paraphrase for pair in pairs)


def test_a_draw_with_other_numbers_differs_in_its_numbers_more_often_than_a_phrasing():
    def differ(pair):
        original_numbers, paraphrase_numbers = (
            {number.value for number in find_numbers(text)} for text in (pair.original, pair.paraphrase)
        )
        return original_numbers != paraphrase_numbers

    pairs = generate_pairs(3, draws=3)
    share = {label: [differ(pair) for pair in pairs if pair.label == label] for label in (0, 1)}
    assert sum(share[0]) / len(share[0]) > 0.8
    assert sum(share[1]) / len(share[1]) < 0.3
