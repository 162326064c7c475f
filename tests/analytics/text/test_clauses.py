"""Clauses and sentences: nothing is lost, and nothing is cut that belongs together."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.text.clauses import split_clauses, split_sentences


@given(st.text(alphabet="ab 5.,;:?!。，？；\n$\\()Mr", max_size=120))
@settings(max_examples=400, deadline=None)
def test_the_pieces_join_to_the_text(text: str) -> None:
    for pieces in (split_clauses(text), split_sentences(text)):
        assert "".join(piece.text for piece in pieces) == text
        assert all(text[piece.start : piece.end] == piece.text for piece in pieces)
        assert all(piece.text.strip() for piece in pieces) or not text.strip()


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("Tom has 1,000 pens, Ann 2.5 times as many.", ["Tom has 1,000 pens, ", "Ann 2.5 times as many."]),
        ("It is 10:30 now: go.", ["It is 10:30 now: ", "go."]),
        ("小明有3.5米，小红有2米；一共多少米？", ["小明有3.5米，", "小红有2米；", "一共多少米？"]),
        ("If $x=1, y=2.$ Find $f(x, y)$.", ["If $x=1, y=2.$ ", "Find $f(x, y)$."]),
        (r"Let \(a, b\) be given; solve.", [r"Let \(a, b\) be given; ", "solve."]),
        ("she ran 5 km . how far ?", ["she ran 5 km . ", "how far ?"]),
        ("One line\nanother", ["One line\n", "another"]),
        ("(Yes.) No.", ["(Yes.) ", "No."]),
        ("", []),
    ],
)
def test_clauses_end_at_punctuation_outside_numbers_and_formulas(text: str, clauses: list[str]) -> None:
    assert [clause.text for clause in split_clauses(text)] == clauses


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            "Mr. Li and Dr. Wu met at 5 p.m. on Monday. They ate.",
            ["Mr. Li and Dr. Wu met at 5 p.m. on Monday. ", "They ate."],
        ),
        ("Use e.g. a pen, i.e. ink. Write!", ["Use e.g. a pen, i.e. ink. ", "Write!"]),
        ("No. 5 is red... and No. 6 is not.", ["No. 5 is red... and No. 6 is not."]),
        ("The U.S. has 50 states.", ["The U.S. has 50 states."]),
        ("“真的吗？”他说。好。", ["“真的吗？”", "他说。", "好。"]),
        ("Really?! Yes.", ["Really?! ", "Yes."]),
        ("She paid 40%.If he pays 5.A box is 3.5 m.", ["She paid 40%.", "If he pays 5.A box is 3.5 m."]),
        ("See www.x.org and Mr.Li of the U.S.Army.", ["See www.x.org and Mr.Li of the U.S.Army."]),
    ],
)
def test_sentences_end_neither_at_abbreviations_nor_at_ellipses(text: str, sentences: list[str]) -> None:
    assert [sentence.text for sentence in split_sentences(text)] == sentences


@pytest.mark.parametrize(
    ("clause", "asks"),
    [
        ("how many pens has she?", True),
        ("Find the area.", True),
        ("find $x$", True),
        ("and what is the total cost", True),
        ("一共有多少本", True),
        ("求证", True),
        ("Tom has 3 pens,", False),
        ("If they require 5 more,", False),
        ("小明要求买书，", False),
        ("The finding was clear.", False),
    ],
)
def test_a_clause_knows_whether_it_asks(clause: str, asks: bool) -> None:
    assert split_clauses(clause)[0].is_question is asks


@pytest.mark.parametrize("unit", [",", ".", "$x$.", "a.", "(", '."', "。", "\n", " ", "how "])
def test_splitting_a_long_text_ends(unit: str, no_hang: None) -> None:
    split_clauses(unit * 25_000)


def test_a_unit_may_end_a_sentence_and_an_initial_may_not() -> None:
    split = [sentence.text for sentence in split_sentences("It is 180 m. Find it. J. Smith has 5 ft. of rope.")]
    assert split == ["It is 180 m. ", "Find it. ", "J. Smith has 5 ft. of rope."]
