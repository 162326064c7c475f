"""Mathematics typed on a keyboard becomes LaTeX; prose stays prose."""

from __future__ import annotations

import pytest

from analytics.text.plain_grammar import PlainMathsError, plain_to_latex
from analytics.text.plain_maths import mark_plain_maths


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
        ("2/3 ÷ 4/5", r"\frac{2}{3} \div \frac{4}{5}"),
        ("x₁ + x₂ = 3", "x_{1} + x_{2} = 3"),
        ("log₂8 = 3", r"\log_{2} 8 = 3"),
        ("∫₀¹ x² dx", r"\int_{0}^{1} x^{2}dx"),
        ("f′(x) ≤ 2·x", r"f'(x) \le 2 \cdot x"),
        ("𝑥² − 5𝑥 + 6 = 0", "x^{2} - 5x + 6 = 0"),
        ("(−b ± √(b²−4ac))/(2a)", r"\frac{-b \pm \sqrt{b^{2} - 4ac}}{2a}"),
        ("P(A and B)=0.2", r"P(A \text{ and } B) = 0.2"),
        ("P(A|B) = P(A ∩ B)/P(B)", r"P(A \mid B) = \frac{P(A \cap B)}{P(B)}"),
        ("5!=120", "5! = 120"),
        ("v_max = 3", r"v_{\text{max}} = 3"),
        ("2 dy/dx + y = 0", r"2\frac{dy}{dx} + y = 0"),
        ("d/dx(x^2)", r"\frac{d}{dx}(x^{2})"),
        ("sinx + 2cosx", r"\sin x + 2\cos x"),
        ("∠ABC = 40°", r"\angle ABC = 40^{\circ}"),
        ("1 + 2 + ... + n", r"1 + 2 + \dots + n"),
        ("x ∈ [0, 1)", r"x \in [0, 1)"),
        ("3:4 = 6:x", "3 : 4 = 6 : x"),
        ("3x + 2 x 4", r"3x + 2 \times 4"),
        ("2x(x+1)", "2x(x + 1)"),
        ("x^2/4 + y^2/9 = 1", r"\frac{x^{2}}{4} + \frac{y^{2}}{9} = 1"),
        ("log 8 / log 2", r"\frac{\log 8}{\log 2}"),
        ("2^3^2^2", "2^{3^{2^{2}}}"),
    ],
)
def test_plain_maths_becomes_latex(typed, latex):
    assert plain_to_latex(typed) == latex


@pytest.mark.parametrize(
    "typed",
    [
        *("((x", "x^2+", "x ^", "|a|b|c|", "(" * 500, "", "3 & 4", "f(x]", "2 3", "5 7/2", "-" * 1_900, "1+" * 5_000),
        # what can be read in two ways
        *("x/2y", "1/xy", "sin x/2", "5 x n", "a x b", "5 x -3", "3,5 + 2", "2^3n", "e^2x", "8^2/3", "x^1/2", "√2x"),
        *(
            "√16/25",
            "n!=6",
            "x+1 / x-1",
            "2x3 + 5x2 - 1",
            "2x(3+4)",
            "6 ÷ 2 / 3",
            "1/2 3/4",
            "2e3",
            "1 250 + 3",
            "5' + 3",
        ),
    ],
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
        ("6 1/6 - 2 2/3 = ?", r"$6\frac{1}{6} - 2\frac{2}{3} =$ ?"),
        ("1 1/2", r"$1\frac{1}{2}$"),
        ("Work out 24/6/2", r"Work out $\frac{\frac{24}{6}}{2}$"),
        ("Work out 60/30/10", r"Work out $\frac{\frac{60}{30}}{10}$"),
        ("Compare x - 1\n2 + 3.", "Compare $x - 1$\n$2 + 3$."),
        ("Simplify sqrt(50), please", r"Simplify $\sqrt{50}$, please"),
        ("y = mx + c", "$y = mx + c$"),
        ("A = pi r^2", r"$A = \pi r^{2}$"),
        ("求 x^2+1=0 的解", "求 $x^{2} + 1 = 0$ 的解"),
        ("e.g. 3 1/2", r"e.g. $3\frac{1}{2}$"),
        ("The star is 3.6 x 10^5 km away.", r"The star is $3.6 \times 10^{5}$ km away."),
        ("A) 1/2 B) 3/4 C) 2/3", r"A) $\frac{1}{2}$ B) $\frac{3}{4}$ C) $\frac{2}{3}$"),
        ("1. 3 + 4\n2) 5 x 6", "1. $3 + 4$\n2) $5 \\times 6$"),
        ("v = 5 m/s, s = 20 m", "$v = 5$ m/s, $s = 20$ m"),
        ("If x = 3, 12 apples cost 4", "If $x = 3$, 12 apples cost 4"),
        ("If x = 1, 2, 3 find y = 2x", "If $x = 1, 2, 3$ find $y = 2x$"),
        ("Let x, y > 0", "Let x, $y > 0$"),
        ("a 3 x 4 grid", r"a $3 \times 4$ grid"),
        ("The x-axis and the y-intercept of y = 2x + 1", "The x-axis and the y-intercept of $y = 2x + 1$"),
        ("Résoudre x + 3 = 7 dans ℝ", "Résoudre $x + 3 = 7$ dans ℝ"),
        ("若（x+1）(x-2)=0，则x=?", "若$(x + 1)(x - 2) = 0$，则$x =$?"),
        ("计算：½＋⅓", r"计算：$\frac{1}{2} + \frac{1}{3}$"),
        ("Work out 12-5", "Work out $12 - 5$"),
        ("Solve 3m + 2 = 11 for m", "Solve $3m + 2 = 11$ for m"),
        ("(see x + 1 and y + 2)", "(see $x + 1$ and $y + 2$)"),
        ("find the coef\u00adﬁcient of 𝑥²", "find the coefficient of $x^{2}$"),
        ("2\u00a0×\u00a03\u2009=\u20096", r"$2 \times 3 = 6$"),
        ("- 3 + 5 = ?", "- $3 + 5 =$ ?"),
        ("Solve 3 m + 2 = 11 for m", "Solve $3m + 2 = 11$ for m"),
        ("Which fraction is equal to 3/4?\nA) 6/9", "Which fraction is equal to $\\frac{3}{4}$?\nA) $\\frac{6}{9}$"),
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
        "2024-13-01",
        "A rectangle is 2½ m long and 1¼ m wide. Find its area in m².",
        "Convert 5 m to cm, and 3 h to s.",
        "x^2+",  # still being typed
        "P(red) = 0.2 and P(blue or green) = 0.3",
        "A = length x width",
        "Area = 3 m × 4 m",
        "5 m + 3 m is 8 m",
        "A room is 5 m x 4 m.",
        "2 m² + 3 m², 25 cm² of paper",
        "ages 5-10, pages 12-15",
        "20% of 50 = 10",
        "half of x + 3 = 7",
        "3 more than 2 x 4",
        "The cost is $5 x 3 = $15",
        "3,5 + 2,5 = ?",
        "1 250 + 3",
        "3 + __ = 7",
        "f(2 apples) + 3",
        "square root 16 + 2",
        "A rope 5m long is cut into pieces of 3m and 2m by two men.",
        "3-1/2 cups of milk",
        "1/2 × base × height",
        "1/3rd of a cake, 5+ years, C++, grade A+",
        "12 eggs / 3 people = 4 eggs",
        "in b / w, and/or, n/a",
        "[asy] draw((0,0)--(1,2)); real x = 1/2; [/asy]",
        "at 7:45 pm",
        "open 7:45 - 9:10, 7:45 p.m. - 9 pm",
    ],
)
def test_prose_stays_as_it_is(prose):
    assert mark_plain_maths(prose) == prose


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "1",
            "1,",
            "1 ",
            "1/2 ",
            "1 1/",
            "1/2, ",
            "1 1/2 m, ",
            "-",
            "a 1/2 ",
            "7:45-",
            "3/4/24 ",
            "(",
            "½",
            "x^",
            "=x ",
            "x,",
        )
    ],
)
def test_marking_a_long_text_ends(unit, no_hang):
    mark_plain_maths(unit * (25_000 // len(unit)))
