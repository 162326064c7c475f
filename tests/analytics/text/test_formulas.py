"""Segmentation of mixed text: nothing is lost, prices stay prose, it is linear."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.text.formulas import Segment, plain_text, segment_text
from tests.cases import each_case


def formulas_in(text: str) -> list[str]:
    return [segment.body for segment in segment_text(text) if segment.kind == "formula"]


@given(st.text(alphabet="$\\()[]{}abeginds 5,.\n", max_size=200))
@settings(max_examples=500, deadline=None)
def test_the_sources_join_to_the_text_and_lie_end_to_end(text: str) -> None:
    segments = segment_text(text)
    assert "".join(segment.source for segment in segments) == text
    assert [segment.start for segment in segments] == [0, *(segment.end for segment in segments)][: len(segments)]
    assert all(text[segment.start : segment.end] == segment.source for segment in segments)
    assert all(segment.body in segment.source for segment in segments if "\\\\" not in segment.source)


@given(st.lists(st.sampled_from(["$x$", "$$y$$", r"\(z\)", r"\[w\]", "text ", "\n", r"\begin{cases}a\end{cases}"])))
@settings(max_examples=200, deadline=None)
def test_well_formed_formulas_are_all_found(pieces: list[str]) -> None:
    text = " ".join(pieces)
    expected = sum(piece[0] in "$\\" for piece in pieces)
    assert len(formulas_in(text)) == expected


@each_case("formulas", "delimited")
def test_delimited_formulas_are_found_and_prices_are_prose(text: str, formulas: list[str]) -> None:
    assert formulas_in(text) == formulas


def test_prices_and_formulas_stand_side_by_side() -> None:
    assert formulas_in("He has $5. Then $x$ apples at $3 each give $3x$ dollars.") == ["x", "3x"]
    assert formulas_in("earned $$4000$ at first and $$960$ later") == ["4000", "960"]


def test_an_opener_inside_an_unclosed_one_wins() -> None:
    assert formulas_in(r"\( a \( b \)") == [" b "]


@each_case("formulas", "display")
def test_display_needs_a_line_of_its_own_or_brackets(text: str, display: bool) -> None:
    segments = [segment for segment in segment_text(text) if segment.kind == "formula"]
    assert segments[0].display is display


def test_a_segment_says_where_it_stands() -> None:
    assert segment_text("a $x$")[1] == Segment("formula", "$x$", "x", 2, 5, False)


@pytest.mark.parametrize(
    "unit",
    ["$", "$$x", "$x$", r"\(", r"\[x\]", r"\begin{a}", r"\end{a}", "[asy]", "$5 and ", "\\", "$$x$$ ", "$a$$", "x\n$"],
)
def test_segmentation_of_a_long_text_ends(unit: str, no_hang: None) -> None:
    """A quadratic reading of so many marks would take hours."""
    text = unit * (40_000 // len(unit))
    assert "".join(segment.source for segment in segment_text(text)) == text


def test_plain_text_drops_delimiters_and_macros() -> None:
    assert plain_text(r"Anna\textquotesingle s share is $ \frac{1}{2} $.") == r"Anna's share is \frac{1}{2}."
    assert plain_text("no marks") == "no marks"
