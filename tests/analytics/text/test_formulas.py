"""Segmentation of mixed text: nothing is lost, prices stay prose, it is linear."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.text.formulas import Segment, plain_text, segment_text


def formulas(text: str) -> list[str]:
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
    assert len(formulas(text)) == expected


@pytest.mark.parametrize(
    ("text", "bodies"),
    [
        ("Find $x$ and $$y$$.", ["x", "y"]),
        (r"Find \(x\) and \[y\].", ["x", "y"]),
        ("$x$$y$", ["x", "y"]),
        ("$$9$$$$71$$", ["9", "71"]),
        (r"a \begin{align*}x&=1\\y&=2\end{align*} b", [r"\begin{align*}x&=1\\y&=2\end{align*}"]),
        (
            r"\begin{array}{l}\begin{array}{l}a\end{array}\end{array}",
            [r"\begin{array}{l}\begin{array}{l}a\end{array}\end{array}"],
        ),
        (r"\[\text{if $x>0$}\]", [r"\text{if $x>0$}"]),
        (r"line\\[2pt] next \[x\]", ["x"]),
        ("$ 90$ and $x $", [" 90", "x "]),
        ("$1, 3, 5, \\cdots $ are odd", ["1, 3, 5, \\cdots "]),
        ("the $3$ digits, $5$ of them", ["3", "5"]),
        (r"$\$5$ and $x$", [r"\$5", "x"]),
        (r"costs $\textbackslash$20$ now", [r"\textbackslash$20"]),
        ("$100km$", ["100km"]),
        (r"$\text{Let $n$ be even}$ and $x$", [r"\text{Let $n$ be even}", "x"]),
        (r"$f=\cases{1 & if $x>0$\cr 0 & if $x<0$\cr}$ or $y$", [r"f=\cases{1 & if $x>0$\cr 0 & if $x<0$\cr}", "y"]),
        (r"$\{x \mid \mbox{$x$ even}\}$", [r"\{x \mid \mbox{$x$ even}\}"]),
        ("[latex]x^2[/latex], [mathjaxinline]y[/mathjaxinline], [tex]z[/tex]", ["x^2", "y", "z"]),
        ("[$]k+2[/$], $`x^2-7`$ and ```math\nx = 3\n```", ["k+2", "x^2-7", "\nx = 3\n"]),
        (r"\\(x^2+1\\) and $\\frac{1}{2}$", ["x^2+1", r"\frac{1}{2}"]),
        (
            r"\\[\\sqrt{2}\\] and \\begin{cases} x \\\\ y \\end{cases}",
            [r"\sqrt{2}", r"\begin{cases} x \\ y \end{cases}"],
        ),
        (r"$a \\ b$, $\pi\\frac12$", [r"a \\ b", r"\pi\\frac12"]),
        (r"a line\\(one) and $x$", ["x"]),
        ("He has 5$, she has 7$ more than $x$", ["x"]),
        ("$5$, then $7$", ["5", "7"]),
    ],
)
def test_every_kind_of_delimiter_is_found(text: str, bodies: list[str]) -> None:
    assert formulas(text) == bodies


@pytest.mark.parametrize(
    "text",
    [
        "costs $100 and $200",
        "He has $5. She has $6.",
        "$5, $6 and $7",
        "$10-$20",
        "between $0.24 & $0.30",
        r"\$5 and \$6",
        "$ 3.20 , and the price of wheat is $ 5",
        "pays 20$ for two face masks and 60$ more",
        "rates of the US$ and the C$",
        "it costs $x and $y more",
        "$9,800 in equipment. Each costs $",
        "only one $ sign",
        "He has 5$, she has 7$ more",
        "5 $ for one; or 9 $ for two",
        "他有5$,她有7$",
        "$$ and nothing",
        "$$$$",
        "$ $",
        r"\( never closed",
        r"closed only \)",
        r"\begin{cases} never closed",
        r"\begin{a} \end{b}",
        "$a\n\nb$",
        r"[asy]label(\"$A$\"); draw(\"$B$\");[/asy]",
        "",
    ],
)
def test_prices_and_lone_delimiters_are_prose(text: str) -> None:
    assert formulas(text) == []


def test_prices_and_formulas_stand_side_by_side() -> None:
    assert formulas("He has $5. Then $x$ apples at $3 each give $3x$ dollars.") == ["x", "3x"]
    assert formulas("earned $$4000$ at first and $$960$ later") == ["4000", "960"]


def test_an_opener_inside_an_unclosed_one_wins() -> None:
    assert formulas(r"\( a \( b \)") == [" b "]


@pytest.mark.parametrize(
    ("text", "display"),
    [
        ("$$x$$", True),
        ("a\n  $$x$$  \nb", True),
        ("a $$x$$", False),
        ("$$x$$ b", False),
        ("$$x$$ $$y$$", False),
        ("$x$", False),
        (r"a \[x\] b", True),
        (r"a \(x\) b", False),
        (r"\begin{cases}x\end{cases}", True),
    ],
)
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
