"""Pieces give back both texts, whatever they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.text.difference import text_difference

TEXTS = st.text(alphabet="ab 12.\\{}$+小明", max_size=40)


@given(TEXTS, TEXTS)
def test_the_pieces_of_either_text_give_it_back(before: str, after: str) -> None:
    pieces = text_difference(before, after)
    assert "".join(piece.text for piece in pieces if piece.kind != "added") == before
    assert "".join(piece.text for piece in pieces if piece.kind != "removed") == after
    assert all(piece.text for piece in pieces)


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ("the same", "the same", []),
        (r"$\sin x$", r"$\cos x$", [("removed", r"\sin"), ("added", r"\cos")]),
        ("小明有5本书", "小红有5本书", [("removed", "明"), ("added", "红")]),
        ("costs 3.50 now", "costs 13.50 now", [("removed", "3.50"), ("added", "13.50")]),
        ("one two three", "one three", [("removed", "two ")]),
        ("", "new", [("added", "new")]),
    ],
)
def test_words_numbers_and_commands_change_as_a_whole(before, after, changes) -> None:
    assert [
        (piece.kind, piece.text) for piece in text_difference(before, after) if piece.kind != "same"
    ] == changes
