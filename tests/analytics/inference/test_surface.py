from __future__ import annotations

import numpy as np

from analytics.inference.demands import SURFACE_COUNTS, surface_counts


def counts_of(text):
    return {
        name: round(float(value))
        for name, value in zip(SURFACE_COUNTS, np.expm1(surface_counts([text])[0]), strict=True)
    }


def test_counts_by_hand():
    counts = counts_of(r"Add $\frac{1}{2}$ and 1250.5 to x. Is it > 3?")
    assert counts == {
        "characters": 45, "words": 6, "sentences": 2, "numbers": 4, "digits of the longest number": 4,
        "commands": 1, "operators": 1, "fractions": 1, "braces": 4, "dollars": 2,
    }  # fmt: skip


def test_an_empty_text_counts_nothing():
    assert set(counts_of("").values()) == {0}


def test_chinese_sentences_are_counted():
    assert counts_of("小明有3个苹果。他还有几个？")["sentences"] == 2
