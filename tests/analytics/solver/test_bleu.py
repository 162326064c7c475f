"""Bi-directional BLEU of many texts against sacrebleu's, and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sacrebleu.metrics import BLEU

from analytics.solver.textual_pairs import BleuTexts


def test_all_pairs_are_the_mean_of_both_directions_of_sacrebleu() -> None:
    """Each text has at least four words, and one shares no word with the others.

    Without the effective order, sacrebleu gives 0 to a text that is too short for an n-gram. Such texts are worked out
    by hand below.
    """
    rng = np.random.default_rng(0)
    texts = [list(rng.choice(list("abcde"), size=rng.integers(4, 30))) for _ in range(25)] + [list("vwxyz")]
    oracle = BLEU(tokenize="none", smooth_method="floor", smooth_value=0.1, effective_order=False)
    directed = np.array(
        [
            [oracle.sentence_score(" ".join(text), [" ".join(reference)]).score / 100 for reference in texts]
            for text in texts
        ]
    )
    bleu = BleuTexts(texts).bi_bleu(range(26), range(3, 26))
    np.testing.assert_allclose(bleu, ((directed + directed.T) / 2)[:, 3:], rtol=1e-5)
    assert (bleu[:25, -1] == 0).all()


def test_a_short_text_beside_a_longer_one_by_hand():
    """abcd beside abcdab: 1, 1, 1, 1 with brevity exp(1 - 6/4); back 4/6, 3/5, 2/4, 1/3."""
    found = BleuTexts([list("abcd"), list("abcdab")]).bi_bleu([0, 1], [0, 1])
    forward, backward = math.exp(1 - 6 / 4), (4 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** 0.25
    assert found[0, 1] == pytest.approx((forward + backward) / 2, rel=1e-5)
    assert found[1, 0] == pytest.approx(found[0, 1])
    assert found[0, 0] == pytest.approx(1)


def test_repeated_words_match_as_often_as_both_have_them():
    """aaa beside a: clipped to one match of three; without any pair of words 0.1 of two, 0.1 of one.

    An order that is longer than the text counts as 0.1 of one, where sacrebleu gives the text 0.
    """
    found = BleuTexts([["a"] * 3, ["a"]]).bi_bleu([0], [1])[0, 0]
    forward = (1 / 3 * 0.1 / 2 * 0.1 / 1 * 0.1 / 1) ** 0.25
    backward = math.exp(1 - 3) * (1 * 0.1 * 0.1 * 0.1) ** 0.25
    assert found == pytest.approx((forward + backward) / 2, rel=1e-5)
