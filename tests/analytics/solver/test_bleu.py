"""Bi-directional BLEU of many texts against the definition."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from analytics.solver.bleu import BleuTexts


def sentence_bleu(candidate: list[str], reference: list[str]) -> float:
    """BLEU-4 as Papineni et al. define it, with 0.1 matches where there are none."""
    logarithms = 0.0
    for order in range(1, 5):
        own, other = (
            Counter(tuple(tokens[start : start + order]) for start in range(len(tokens) - order + 1))
            for tokens in (candidate, reference)
        )
        matches = sum(min(count, other[gram]) for gram, count in own.items())
        if order == 1 and not matches:
            return 0.0
        logarithms += math.log((matches or 0.1) / max(1, sum(own.values())))
    return math.exp(logarithms / 4 + min(0.0, 1 - len(reference) / len(candidate)))


def test_all_pairs_are_the_mean_of_both_directions():
    rng = np.random.default_rng(0)
    texts = [list(rng.choice(list("abcde"), size=rng.integers(1, 30))) for _ in range(25)] + [["z"]]
    found = BleuTexts(texts).bi_bleu(range(26), range(3, 26))
    expected = [
        [(sentence_bleu(one, two) + sentence_bleu(two, one)) / 2 for two in texts[3:]] for one in texts
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_a_short_text_beside_a_longer_one_by_hand():
    """abcd beside abcdab: 1, 1, 1, 1 with brevity exp(1 - 6/4); back 4/6, 3/5, 2/4, 1/3."""
    found = BleuTexts([list("abcd"), list("abcdab")]).bi_bleu([0, 1], [0, 1])
    forward, backward = math.exp(1 - 6 / 4), (4 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** 0.25
    assert found[0, 1] == pytest.approx((forward + backward) / 2, rel=1e-5)
    assert found[1, 0] == pytest.approx(found[0, 1])
    assert found[0, 0] == pytest.approx(1)


def test_repeated_words_match_as_often_as_both_have_them():
    """aaa beside a: clipped to one match of three; without any pair of words 0.1 of two, 0.1 of one."""
    found = BleuTexts([["a"] * 3, ["a"]]).bi_bleu([0], [1])[0, 0]
    forward = (1 / 3 * 0.1 / 2 * 0.1 / 1 * 0.1 / 1) ** 0.25
    backward = math.exp(1 - 3) * (1 * 0.1 * 0.1 * 0.1) ** 0.25
    assert found == pytest.approx((forward + backward) / 2, rel=1e-5)
