"""Whether formulas and answers mean the same: tables of each kind, and laws over generated formulas."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.text.meaning import same_answer, same_meaning
from tests.cases import each_case

HOSTILE = r"( { x^{ \frac{ \sqrt{ |x| - \left( x= (x+1) 9^{9^ 1,".split()


@each_case("formulas", "meanings")
def test_two_formulas_are_the_same_different_or_unknown(first: str, second: str, verdict: str) -> None:
    assert same_meaning(first, second) == same_meaning(second, first) == verdict


def test_a_formula_of_hundreds_of_terms_is_not_compared() -> None:
    assert same_meaning("x+" * 300 + "1", "1+x") == same_meaning("1+x", "x+" * 300 + "1") == "unknown"


@each_case("formulas", "answers")
def test_answers_are_compared_by_words_and_formulas(first: str, second: str, verdict: str) -> None:
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
