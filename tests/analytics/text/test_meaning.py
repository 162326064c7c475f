"""Whether formulas and answers mean the same: tables of each kind, and laws over generated formulas."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.text.meaning import same_answer, same_meaning

SAME = [
    (r"\frac{2}{4}", "0.5"),
    (r"50\%", r"\dfrac12"),
    (r"2\frac12", "2.5"),
    ("(-5/2)", "-2.5"),
    ("(x-3)(x+3)-x^2+9", "0"),
    ("10^{-30}", r"\frac{1}{10^{30}}"),
    ("1,000", r"1\,000"),
    ("(x-3)(x+3)", "x^2-9"),
    ("x(x+1)", "x+x^2"),
    (r"\frac{x^2-9}{x-3}", "x+3"),
    (r"\frac{1}{\sqrt{2}}", r"\frac{\sqrt{2}}{2}"),
    (r"\sqrt[3]{-8}", "-2"),
    (r"\log_2 8", "3"),
    ("5!", "120"),
    (r"\sin^2 x+\cos^2 x", "1"),
    (r"\ln x^2", r"2\ln x"),
    ("e^{2x}", "(e^x)^2"),
    (r"5\text{ cm}", r"\frac{10}{2}\text{cm}"),
    ("x=3", "3=x"),
    ("2x=6", "x=3"),
    ("3x+2y=6", "y=3-1.5x"),
    ("f(x)=2x+1", "f(x)=1+2x"),
    ("x<3", "3>x"),
    ("-x>-3", "x<3"),
    ("1<x<3", "3>x>1"),
    ("x=1, x=2", r"x=2\text{ or }x=1"),
    (r"x=\pm 3", "x=3, x=-3"),
    (r"(\frac12,2)", "(0.5, 2)"),
    (r"(-\infty, 3)", r"(-\infty,\frac{6}{2})"),
    ("P=(1,2)", r"P=(1,\frac{4}{2})"),
]
DIFFERENT = [
    ("0.25", "0.26"),
    ("-5", "5"),
    ("10^{70}+1-10^{70}", "2"),
    ("(x-3)(x+3)", "(x-3)(x-3)"),
    (r"\sqrt{8}", r"2\sqrt3"),
    (r"\sqrt{x^2}", "x"),
    (r"90^\circ", r"80^\circ"),
    ("x=3", "x=4"),
    ("x^2-5x+6=0", "x^2-5x-6=0"),
    ("y=(x-3)(x+3)", "y=(x-3)(x-3)"),
    ("f(x)=2x+1", "f(x)=2x-1"),
    ("3x+2y=6", "3x-2y=6"),
    ("x<3", "x>3"),
    ("x<3", r"x\le 3"),
    ("1, 2", "1, 3"),
    ("(1,2)", "(2,1)"),
    ("[1,2)", "(1,2)"),
]
UNKNOWN = [
    ("0.67", r"\frac{2}{3}"),  # rounded
    ("3.14", r"\pi"),
    ("x=0.67", r"x=\frac23"),
    ("x=-1.41", r"x=-\sqrt{2}"),
    ("10^{-50}", "10^{-60}"),  # too small to tell
    ("0,5", "0.5"),  # a decimal comma, or two numbers
    (r"21\%", "21"),
    ("1 2", "12"),
    (r"1\quad2", "12"),
    ("1/2x", r"\frac{x}{2}"),
    ("y(0)=1", "y(0)=2"),
    (r"\sin^{-1}x", r"\arcsin x"),
    (r"\log 100", "2"),
    ("x+1", "y+1"),  # other letters and units
    ("5", r"5\text{cm}"),
    (r"90^\circ", r"\frac{\pi}{2}"),
    ("(1+i)^2", "2i"),
    ("1, 2", "2, 1"),
    ("x=3", "3"),
    (r"\frac{1}{0}", "1"),
    ("9^{9^9}", "9^{9^8}"),
    (r"\int_0^1 x dx", r"\frac{1}{2}"),
    ("", "1"),
    ("x+" * 300 + "1", "1+x"),
]


CASES = {"same": SAME, "different": DIFFERENT, "unknown": UNKNOWN}
HOSTILE = r"( { x^{ \frac{ \sqrt{ |x| - \left( x= (x+1) 9^{9^ 1,".split()


@pytest.mark.parametrize(
    ("verdict", "first", "second"), [(verdict, *pair) for verdict, pairs in CASES.items() for pair in pairs]
)
def test_two_formulas_are_the_same_different_or_unknown(verdict: str, first: str, second: str) -> None:
    assert same_meaning(first, second) == verdict
    assert same_meaning(second, first) == verdict


@pytest.mark.parametrize(
    ("verdict", "first", "second"),
    [
        ("same", "$1/2$ cm", "0.5 cm"),
        ("same", r"$\frac{1}{2}$", "0.5"),
        ("same", "1/2", "x = 0.5"),
        ("same", "sqrt(8)", "2sqrt(2)"),
        ("same", "x^2-9", "$(x-3)(x+3)$"),
        ("same", "24 eggs.", "24  Eggs"),
        ("same", "1/2米", "0.5米"),
        ("same", r"$x=\frac12$ or $x=3$", "$x=0.5$ or $x=3$"),
        ("different", "24 eggs", "25 eggs"),
        ("unknown", "$x=2$ or $x=3$", "$x=3$ or $x=2$"),
        ("unknown", "0.5 cm", "0.5 m"),
        ("unknown", "24", "24 eggs"),
        ("unknown", "A", "B"),
        ("unknown", "B, C", "C, B"),
        ("unknown", "5:30", "5:40"),
        ("unknown", "3/4/2021", "3/4/2022"),
        ("unknown", "$5", "5"),
        ("unknown", "1st", "2nd"),
    ],
)
def test_answers_are_compared_by_words_and_formulas(verdict: str, first: str, second: str) -> None:
    assert same_answer(first, second) == same_answer(second, first) == verdict


@pytest.mark.parametrize("unit", HOSTILE)
def test_formulas_without_end_are_read_or_refused_at_once(unit: str, no_hang: None) -> None:
    for count in (8, 30, 20_000):
        assert same_meaning(unit * count, "x") in ("unknown", "different")


# A polynomial as LaTeX in one of several spellings, with its values at some points as an oracle.
PLACES = [Fraction(-3, 2), Fraction(1, 3), Fraction(2), Fraction(7)]
Spelled = tuple[str, tuple[Fraction, ...]]
numbers = st.integers(min_value=1, max_value=9)


def _combine(parts: st.SearchStrategy[Spelled]) -> st.SearchStrategy[Spelled]:
    def put(left: Spelled, right: Spelled, how: int) -> Spelled:
        (a, x), (b, y) = left, right
        sums, products = (tuple(map(sum, zip(x, y, strict=True))), tuple(p * q for p, q in zip(x, y, strict=True)))
        return [
            (f"({a}+{b})", sums),
            (f"({b}-(-{a}))", sums),
            (f"({a})({b})", products),
            (rf"{{{b}}}\times {{{a}}}", products),
            (rf"\frac{{{a}}}{{2}}", tuple(p / 2 for p in x)),
            (f"({a})^2", tuple(p * p for p in x)),
        ][how]

    return st.builds(put, parts, parts, st.integers(min_value=0, max_value=5))


polynomials = st.recursive(
    st.one_of(
        numbers.map(lambda number: (str(number), (Fraction(number),) * len(PLACES))),
        numbers.map(lambda number: (f"{number / 4}", (Fraction(number, 4),) * len(PLACES))),
        st.just(("x", tuple(PLACES))),
        numbers.map(lambda number: (f"{number}x", tuple(number * place for place in PLACES))),
    ),
    _combine,
    max_leaves=5,
)


@given(polynomials, polynomials)
@settings(max_examples=60, deadline=None)
def test_a_certain_verdict_agrees_with_the_values(first: Spelled, second: Spelled) -> None:
    verdict = same_meaning(first[0], second[0])
    if verdict == "same":
        assert first[1] == second[1]
    if first[1] != second[1]:
        assert verdict != "same"
    for one, other in ((first, second), (second, first)):
        swapped = f"{one[0]}+{other[0]}", f"{other[0]}+{one[0]}"
        assert same_meaning(*swapped) != "different"
        assert same_meaning(f"y={swapped[0]}", f"{swapped[1]}=y") != "different"


@given(polynomials, numbers)
@settings(max_examples=40, deadline=None)
def test_another_constant_is_never_the_same(formula: Spelled, number: int) -> None:
    assert same_meaning(formula[0], f"{formula[0]}+{number}") != "same"
    assert same_meaning(f"{formula[0]}+{number}", f"{number}+{formula[0]}") != "different"


@given(st.fractions(max_denominator=400, min_value=-50, max_value=50))
@settings(max_examples=100, deadline=None)
def test_a_fraction_is_its_multiples_and_its_decimal(value: Fraction) -> None:
    sign, above = "-" if value < 0 else "", abs(value.numerator)
    written = rf"{sign}\frac{{{3 * above}}}{{{3 * value.denominator}}}"
    assert same_meaning(written, f"{value.numerator}/{value.denominator}") == "same"
    decimal = f"{float(value):.9f}"
    is_exact = Fraction(decimal) == value
    assert same_meaning(written, decimal) == ("same" if is_exact else "unknown")
