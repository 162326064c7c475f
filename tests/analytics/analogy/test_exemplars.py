"""Exemplars are near and never give the answer away."""

from __future__ import annotations

import numpy as np
import pytest

from analytics.analogy.exemplars import ExemplarCorpus
from analytics.errors import DataError
from analytics.text.fingerprints import story_key

TEXTS = ["Tom has 3 pens.", "Ann eats 2 of 9 pies.", "A car goes 4 miles.", "Tom has 8 pens ."]
VECTORS = np.array([[1, 0], [0.8, 0.6], [0, 1], [1, 0]], dtype=np.float32)
QUERY = np.array([[1, 0]], dtype=np.float32)


def rows(texts: list[str], k: int) -> list[int]:
    (hits,) = ExemplarCorpus(TEXTS, VECTORS).retrieve(texts, QUERY, k)
    return [hit.row for hit in hits]


def test_the_nearest_come_first() -> None:
    assert rows(["Is it 5?"], 3) == [0, 3, 1]


def test_neither_the_question_nor_a_copy_but_for_numbers_is_an_exemplar() -> None:
    assert rows(["TOM has three pens"], 3) == [1, 2]


def test_a_k_beyond_the_corpus_gives_all() -> None:
    assert rows(["Is it 5?"], 50) == [0, 3, 1, 2]


def test_an_empty_corpus_is_refused() -> None:
    with pytest.raises(DataError, match="no problem"):
        ExemplarCorpus([], np.zeros((0, 2), dtype=np.float32))
    with pytest.raises(DataError, match="as many vectors"):
        ExemplarCorpus(["a"], np.zeros((0, 2), dtype=np.float32))


def test_stories_differ_by_more_than_numbers() -> None:
    assert story_key("Tom has 3 pens") != story_key("Ann has 3 pens")
    assert story_key("Tom has twenty pens!") == story_key("tom has 7 pens")
