"""A retriever remembers the vectors of the last texts."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from analytics.analogy import retriever as retrievers
from analytics.analogy.retriever import ServedRetriever


class CountingEncoder(SimpleNamespace):
    """A vector for each text; keeps what it was asked for."""

    def encode(self, texts):
        self.asked.append(list(texts))
        return np.array([[len(text), 1] for text in texts], dtype=np.float32)


@pytest.fixture
def encoder():
    return CountingEncoder(name="counting", dimension=2, checksum="", asked=[])


def test_a_text_is_encoded_once_and_comes_back_in_its_place(encoder):
    retriever = ServedRetriever(encoder, slots=False)
    assert retriever.encode(["a", "bb", "a"]).tolist() == [[1, 1], [2, 1], [1, 1]]
    assert retriever.encode(["ccc", "bb"]).tolist() == [[3, 1], [2, 1]]
    assert encoder.asked == [["a", "bb"], ["ccc"]]
    assert retriever.encode([]).shape == (0, 2)
    retriever.forget()
    retriever.encode(["a"])
    assert encoder.asked[-1] == ["a"]


def test_texts_that_differ_in_numbers_alone_are_one_where_numbers_are_read_as_slots(encoder):
    ServedRetriever(encoder, slots=True).encode(["3 pens", "5 pens"])
    assert encoder.asked == [["n1 pens"]]


def test_a_change_of_the_answer_does_not_change_what_is_remembered(encoder):
    retriever = ServedRetriever(encoder, slots=False)
    retriever.encode(["a"])[:] = 0
    assert retriever.encode(["a"]).tolist() == [[1, 1]]


def test_the_oldest_texts_are_forgotten(encoder, monkeypatch):
    monkeypatch.setattr(retrievers, "_REMEMBERED", 2)
    retriever = ServedRetriever(encoder, slots=False)
    for text in ("a", "bb", "ccc", "bb", "a"):
        retriever.encode([text])
    assert encoder.asked == [["a"], ["bb"], ["ccc"], ["a"]]
