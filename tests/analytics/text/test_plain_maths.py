"""Mathematics typed on a keyboard becomes LaTeX; prose stays prose."""

from __future__ import annotations

import pytest

from analytics.text.plain_maths import PlainMathsError, mark_plain_maths, plain_to_latex


@pytest.mark.parametrize(
    ("typed", "latex"),
    [
        ("sqrt(50)", r"\sqrt{50}"),
        ("√50", r"\sqrt{50}"),
        ("cbrt(27)", r"\sqrt[3]{27}"),
        ("1/2 + 1/3", r"\frac{1}{2} + \frac{1}{3}"),
        ("(x+1)/(x-1)", r"\frac{x + 1}{x - 1}"),
        ("2x/3", r"\frac{2x}{3}"),
        ("x^2-5x+6=0", "x^{2} - 5x + 6 = 0"),
        ("x²+1", "x^{2} + 1"),
        ("e^(2x)", "e^{2x}"),
        ("2**-1", "2^{-1}"),
        ("2(3+4)-5*6", r"2(3 + 4) - 5 \times 6"),
        ("12 ÷ 4 × 3", r"12 \div 4 \times 3"),
        ("|x-3|<5", r"\left|x - 3\right| < 5"),
        ("x+y=5, x-y=1", "x + y = 5, x - y = 1"),
        ("log_2(8)", r"\log_{2}(8)"),
        ("log2(8)", r"\log_{2}(8)"),
        ("sin^2(x)", r"\sin^{2}(x)"),
        ("lim x->0 sin(x)/x", r"\lim_{x \to 0} \frac{\sin(x)}{x}"),
        ("lim_{n->infinity} (1+1/n)^n", r"\lim_{n \to \infty} (1 + \frac{1}{n})^{n}"),
        ("int x e^x dx", r"\int xe^{x}dx"),
        ("dy/dx = 2y", r"\frac{dy}{dx} = 2y"),
        ("5! / 3!", r"\frac{5!}{3!}"),
        ("2^100 mod 7", r"2^{100} \bmod 7"),
        ("6 1/6 - 2 2/3 = ", r"6\frac{1}{6} - 2\frac{2}{3} ="),
        ("2 1/2x + 3 = 8", r"2\frac{1}{2}x + 3 = 8"),
        ("6 / 2 1/2", r"\frac{6}{2\frac{1}{2}}"),
        ("5 1/2 * 3", r"5\frac{1}{2} \times 3"),
    ],
)
def test_plain_maths_becomes_latex(typed, latex):
    assert plain_to_latex(typed) == latex


@pytest.mark.parametrize(
    "typed", ["((x", "x^2+", "x ^", "|a|b|c|", "(" * 500, "", "3 & 4", "f(x]", "2 3", "5 7/2"]
)
def test_what_the_grammar_does_not_know_is_refused(typed):
    with pytest.raises(PlainMathsError):
        plain_to_latex(typed)


@pytest.mark.parametrize(
    ("typed", "marked"),
    [
        ("Find 3/4 of 20.", r"Find $\frac{3}{4}$ of 20."),
        ("Write 3/4 in words.", r"Write $\frac{3}{4}$ in words."),
        ("Work out 3/4 + 1/2", r"Work out $\frac{3}{4} + \frac{1}{2}$"),
        ("6 1/6 - 2 2/3 = ?", r"$6\frac{1}{6} - 2\frac{2}{3} =$?"),
        ("1 1/2", r"$1\frac{1}{2}$"),
        ("Work out 24/6/2", r"Work out $\frac{\frac{24}{6}}{2}$"),
        ("Work out 60/30/10", r"Work out $\frac{\frac{60}{30}}{10}$"),
        ("2024-13-01", "$2024 - 13 - 01$"),
        ("Compare x - 1\n2 + 3.", "Compare $x - 1$\n$2 + 3$."),
        ("Simplify sqrt(50), please", r"Simplify $\sqrt{50}$, please"),
        ("y = mx + c", "$y = mx + c$"),
        ("A = pi r^2", r"$A = \pi r^{2}$"),
        ("求 x^2+1=0 的解", "求 $x^{2} + 1 = 0$ 的解"),
        ("x^2+", "$x^2+$"),  # still being typed: between dollars, as it is
        (r"\frac{1}{2}+1", r"$\frac{1}{2}+1$"),
    ],
)
def test_formulas_in_prose_are_marked(typed, marked):
    assert mark_plain_maths(typed) == marked


@pytest.mark.parametrize(
    "prose",
    [
        "a part-time job and/or rest",
        "A shirt costs $40 and is reduced by 15%.",
        "at 57 km/h for 9 m/s^2",
        "why is the sky blue",
        "3, 7, 11, ...",
        "a sin of omission",
        "already $x=1$ and y=2",
        "A rope is 5 1/2 m long. A piece of 2 3/4 m is cut off. How long is the rest?",
        "Mia uses 1 1/2 cups of flour and 3/4 cup of milk. How many cups is that?",
        "It is 3 1/3 miles to school.",
        "Ann is 1/2 a mile away, an area of 3/4 m^2",
        "sides of 1/2 m, 3/4 m and 2 cm",
        "Tom eats 1/3 of a pizza, Ben eats 1/4. What is left for Ann?",
        "he drinks 5 12-oz cans",
        "12 500 + 3 000 = ?",
        "1/2 3/4",
        "On 3/4/2024 a shop sold 12 pens.",
        "from 12/31/24 to 2025-01-05 (not 2026-12-31)",
        "at 7:45 pm",
        "open 7:45 - 9:10, 7:45 p.m. - 9 pm",
    ],
)
def test_prose_stays_as_it_is(prose):
    assert mark_plain_maths(prose) == prose


@pytest.mark.parametrize(
    "unit", ["1", "1,", "1 ", "1/2 ", "1 1/", "1/2, ", "1 1/2 m, ", "-", "a 1/2 ", "7:45-", "3/4/24 "]
)
def test_marking_a_long_text_ends(unit, no_hang):
    mark_plain_maths(unit * (100_000 // len(unit)))
