"""The form of a question: what is masked, and what keeps two questions apart."""

from __future__ import annotations

import pytest

from analytics.text.masking import masked_formula, masked_text, without_credits


@pytest.mark.parametrize(
    ("question", "sibling"),
    [
        ("Solve $x^2 - 6x - 16 = 0$ by factorising.", "Solve $x^{2}+7x+12=0$ by factorising."),
        ("Solve $x^2 - 6x - 16 = 0$.", r"Solve \( 3t^2 + t - 5 = 0 \)."),
        ("Solve $25 = 22 - z$.", "Solve $-4 = 2 + y$."),
        (r"What is $\frac{1}{2} + \frac{3}{4}$?", r"What is $1\frac{2}{3} - \frac15$?"),
        ("What is $2 + 3$?", "What is $2.5 - 0.5$?"),
        ("Bake with 1/2 cup of oats.", "Bake with ¾ cup of oats."),
        ("Differentiate $x^3 + 2x$.", "Differentiate $x^5 - x$."),
        ("Solve $2x < 6$.", "Solve $x > -1$."),
        ("Pack 30 eggs into five boxes.", "Pack twenty-four eggs into 4 boxes."),
        ("一个数的(5/8)比20少4", "一个数的(1/3)比6少2"),
    ],
)
def test_questions_that_differ_in_numbers_signs_and_letters_have_one_form(question, sibling):
    assert masked_text(question) == masked_text(sibling)


@pytest.mark.parametrize(
    ("question", "stranger"),
    [
        ("Solve $x^2 - 6x - 16 = 0$.", "Solve $x^2 - 16 = 0$."),
        ("Solve $x^2 - 16 = 0$.", "Solve $x^3 - 16 = 0$."),
        ("Solve $x^2 - 16 = 0$.", "Factorise $x^2 - 16$."),
        ("Find $f(g(x))$.", "Find $f(x)g(x)$."),
        ("Evaluate $3 + 4$.", r"Evaluate $3 \times 4$."),
        ("Solve $x < 3$.", r"Solve $x \leq 3$."),
        ("Simplify $a + b$.", "Simplify $a + a$."),
        ("Work out $976 + 375$.", r"Work out $\frac{5}{6} + \frac{4}{9}$."),
        ("Find 1/4 of 60.", "Find 3 of 60."),
        ("一个数比20少4", "一个数比20多4"),
    ],
)
def test_questions_that_differ_in_more_have_two_forms(question, stranger):
    assert masked_text(question) != masked_text(stranger)


def test_a_hyphen_is_no_sign():
    assert masked_text("A two-digit number") == masked_text("a three digit number")


def test_a_formula_shares_its_letters_with_the_rest_of_the_question():
    assert masked_text("Let $p = 3$. Find $p + q$.") == masked_text("Let $u = 5$. Find $u + v$.")
    assert masked_text("Let $p = 3$. Find $p + q$.") != masked_text("Let $u = 5$. Find $v + w$.")


def test_odd_input_has_a_form_too():
    for text in ("", "$", "$$", "$-$", r"$\frac$", "{" * 500, "x" * 10_000, "$" + "x" * 10_000 + "$"):
        assert isinstance(masked_text(text), str)
    assert masked_formula("") == ""


@pytest.mark.parametrize(
    "credit",
    [
        "(2009 Math Kangaroo Problems, Level 3-4, Question #8)",
        r"($$2012$$ AMC $$8$$ Problem, Question \#$$4$$)",
        "(Adapted from 2010 AMC 8, Question 1)",
        "（2017年迎春杯二年级竞赛初赛第8题）",
        "【2020年五年级卷第33题】",
    ],
)
def test_source_credits_are_no_part_of_a_question(credit):
    assert without_credits(f"How many hats? {credit}") == "How many hats? "
    assert without_credits(f"{credit}How many hats?") == "How many hats?"


def test_other_brackets_stay():
    text = "A kangaroo (a large one) jumps $(2, 3)$ times (see question 4)."
    assert without_credits(text) == text
