"""Clauses and sentences: nothing is lost, and nothing is cut that belongs together."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.text.clauses import split_clauses, split_sentences
from tests.cases import each_case


@given(st.text(alphabet="ab 5.,;:?!。，？；\n$\\()Mr", max_size=120))
@settings(max_examples=400, deadline=None)
def test_the_pieces_join_to_the_text(text: str) -> None:
    for pieces in (split_clauses(text), split_sentences(text)):
        assert "".join(piece.text for piece in pieces) == text
        assert all(text[piece.start : piece.end] == piece.text for piece in pieces)
        assert all(piece.text.strip() for piece in pieces) or not text.strip()


@each_case("texts", "clauses")
def test_clauses_end_at_punctuation_outside_numbers_and_formulas(text: str, clauses: list[str]) -> None:
    assert [clause.text for clause in split_clauses(text)] == clauses


@each_case("texts", "sentences")
def test_sentences_end_neither_at_abbreviations_nor_at_ellipses(text: str, sentences: list[str]) -> None:
    assert [sentence.text for sentence in split_sentences(text)] == sentences


@each_case("texts", "asking")
def test_a_clause_knows_whether_it_asks(clause: str, asks: bool) -> None:
    assert split_clauses(clause)[0].is_question is asks


@pytest.mark.parametrize("unit", [",", ".", "$x$.", "a.", "(", '."', "。", "\n", " ", "how "])
def test_splitting_a_long_text_ends(unit: str, no_hang: None) -> None:
    split_clauses(unit * 25_000)


def test_a_unit_may_end_a_sentence_and_an_initial_may_not() -> None:
    split = [sentence.text for sentence in split_sentences("It is 180 m. Find it. J. Smith has 5 ft. of rope.")]
    assert split == ["It is 180 m. ", "Find it. ", "J. Smith has 5 ft. of rope."]
