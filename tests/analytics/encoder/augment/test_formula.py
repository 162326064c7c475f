"""What the strategies on formulas change, and what they leave alone."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.encoder.formula_augmentation import (
    SYNONYMS,
    join_symbols,
    read_symbols,
    rename_variable,
    replace_number,
    replace_operator,
    scale_variable,
)
from analytics.text.formulas import segment_text

STRATEGIES = (rename_variable, scale_variable, replace_operator, replace_number)
QUESTIONS = (
    r"Let $f(x)=\cos(\frac{\pi}{2}+2x)$. Find the range of $f$ when x is in $[0,\pi]$.",
    r"Solve $x^2-5x+6=0$ for x.",
    r"If $a_1=3$ and $a_{n}=a_{n-1}+2$, find $a_{10}$ in $\text{cm}$ for $n\ge 2$.",
    r"$\log_2 8+\frac 1x-\sqrt x\leq 3.5$ and \[\int_0^t \sin\theta\,d\theta\]",
)


def outcomes(strategy, text: str, draws: int = 60) -> set[str | None]:
    return {strategy(text, random.Random(seed)) for seed in range(draws)}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("text", QUESTIONS)
def test_the_result_differs_and_stays_balanced(strategy, text):
    for changed in outcomes(strategy, text) - {None}:
        assert changed != text
        assert len(segment_text(changed)) == len(segment_text(text))
        for segment in segment_text(changed):
            assert segment.source.count("{") == segment.source.count("}")
            assert segment.source.count("(") == segment.source.count(")")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_same_seed_gives_the_same_result(strategy):
    text = QUESTIONS[0]
    assert strategy(text, random.Random(5)) == strategy(text, random.Random(5))


def test_renaming_is_consistent_through_formulas_and_prose():
    changed = outcomes(rename_variable, "Solve $x^2-5x+6=0$ for x.")
    assert "Solve $u^2-5u+6=0$ for u." in changed
    assert all("x" not in text for text in changed)


def test_renaming_takes_no_name_that_the_question_uses():
    text = "Points $A$, $B$ and $C$; angle $ABC$ and a circle about D."
    for changed in outcomes(rename_variable, text):
        letters = [symbol.source for part in segment_text(changed) for symbol in read_symbols(part.body)]
        assert len(set(letters) & set("ABCDEFGHKLMNOPQRSTUVWXYZ")) >= 3
        assert "about D" in changed


def test_the_article_a_is_not_taken_for_a_variable():
    assert outcomes(rename_variable, "Find a number $a$.") == {None}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"$\cos(2x)$", r"$\cos(6x)$"),
        ("$x+1$", "$3x+1$"),
        ("$x^2$", "$(3x)^2$"),
        ("$5x^2$", "$5(3x)^2$"),
        (r"$\frac{1}x$", r"$\frac{1}{3x}$"),
        ("$1.5t$", "$4.5t$"),
    ],
)
def test_scaling_multiplies_the_variable(text, expected):
    assert expected in outcomes(scale_variable, text)


@pytest.mark.parametrize("text", ["$f(x)$", "$x_1$", r"$\text{x}$", "no formula with x", "$ABC$", "$dx$"])
def test_scaling_leaves_names_indices_and_prose_alone(text):
    assert outcomes(scale_variable, text) == {None}


def test_synonyms_are_symmetric():
    for operator, others in SYNONYMS.items():
        assert others, operator
        assert all(operator in SYNONYMS[synonym] for synonym in others)


@given(st.sampled_from(sorted(SYNONYMS)))
def test_every_operator_with_a_synonym_can_change(operator):
    """The published code changed its table while it walked it, so half of its operators never could."""
    changed = outcomes(replace_operator, f"$a {operator} b$", 60)
    assert {text.replace(" ", "") for text in changed} == {f"$a{synonym}b$" for synonym in SYNONYMS[operator]}


def test_a_sign_and_a_logarithm_with_a_base_are_no_operators_to_change():
    assert outcomes(replace_operator, r"$-5$ and $\log_2 8$") == {None}


def test_numbers_keep_their_digits_and_are_never_zero():
    for changed in outcomes(replace_number, "$0.5x+7=120$", 200):
        assert changed is not None
        values = [symbol.source for symbol in read_symbols(changed.strip("$")) if symbol.kind == "number"]
        assert [len(value) for value in values] == [3, 1, 3]
        assert all(float(value) > 0 for value in values)


def test_a_word_problem_without_formulas_changes_a_number_of_its_prose():
    changed = outcomes(replace_number, "A book costs 12 dollars, 3.50 less than a pen.", 100)
    assert all(text.startswith("A book costs ") for text in changed)
    assert any("costs 12 " in text for text in changed)
    assert any("3.50" in text for text in changed)


@given(st.text(alphabet=r"\abx1{}()^_ +-.5", max_size=40))
def test_symbols_join_back_to_the_formula(latex):
    symbols = read_symbols(latex)
    assert "".join(symbol.source for symbol in symbols) == latex
    assert join_symbols(symbols).replace(" ", "") == latex.replace(" ", "")


@given(st.text(alphabet="$\\abx1{}()^_ +-.5\n我", max_size=60), st.integers(0, 9))
def test_nothing_raises_on_broken_latex(text, seed):
    for strategy in STRATEGIES:
        assert strategy(text, random.Random(seed)) != text
