"""Segmentation of mixed text: nothing is lost, prices stay prose, it is linear."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.text.formulas import Segment, formula_likeness, formula_shape, plain_text, segment_text, shape_tokens
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


@each_case("likeness", "shapes")
def test_numbers_letters_and_layout_are_no_part_of_a_shape(formula, variant, same_shape):
    assert (formula_shape(formula) == formula_shape(variant)) is same_shape
    assert (shape_tokens([formula]) == shape_tokens([variant])) is same_shape


def test_the_same_numbers_are_liker_than_others_and_another_function_is_less_like():
    asked = r"\frac{1}{2} + \frac{1}{3}"
    ranked = [asked, r"\frac{1}{3} + \frac{2}{7}", r"\frac{5}{6} + \frac{4}{9}", r"\frac{5}{6}", r"\sqrt{5}"]
    likeness = [formula_likeness(asked, formula) for formula in ranked]
    assert likeness == sorted(likeness, reverse=True)
    assert likeness[0] == pytest.approx(1)
    assert formula_likeness(r"\sin x", r"\sin 2x") > formula_likeness(r"\sin x", r"\cos x")


def test_trivial_and_long_formulas_have_no_token():
    assert shape_tokens(["x", "5", "x" + " + y" * 50]) == []
    assert len(shape_tokens([f"x^{n} + 1 = 0" for n in range(2, 40)])) == 12  # a text adds only so many


@pytest.mark.parametrize("broken", ["", "\\", "{{{", "}}}", "\\frac", "$", "\\frac12345", "^^__", "(" * 999])
def test_broken_latex_does_no_harm(broken):
    assert 0 <= formula_likeness(broken, "x^2") <= 1
    shape_tokens([broken])
