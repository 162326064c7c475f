"""Solutions, their steps in words, and the sentences for problems that cannot be solved."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.expression.evaluate import evaluate
from analytics.expression.tree import parse_expression
from analytics.records import ProblemRecord
from analytics.solver.beam import Hypothesis
from analytics.solver.solution import (
    LONGEST_TEXT,
    MOST_NUMBERS,
    alternatives,
    numbers_reason,
    solution_of,
    solution_steps,
    story_reason,
    text_reason,
)
from analytics.solver.targets import Vocabulary, solver_example
from analytics.solver.unanswerable import unanswerable_reason
from analytics.text.number_slots import number_slots
from tests.cases import each_case


def steps_of(tokens: str, *values: Fraction) -> list[str]:
    steps = solution_steps(solution_of(tokens.split(), list(values), 1.0))
    return [f"{step.left} {step.operator} {step.right} = {step.result}" for step in steps]


def test_operands_come_before_the_operation_that_uses_them():
    assert steps_of("- * N0 N1 / N2 2", Fraction(3), Fraction(8), Fraction(5)) == [
        "3 * 8 = 24",
        "5 / 2 = 2.5",
        "24 - 2.5 = 21.5",
    ]
    assert steps_of("N0", Fraction(3)) == []


def test_a_step_names_its_place_among_the_tokens():
    solution = solution_of("- * N0 N1 / N2 2".split(), [Fraction(3), Fraction(8), Fraction(5)], 1.0)
    assert [solution.tokens[step.node] for step in solution_steps(solution)] == ["*", "/", "-"]
    assert [step.node for step in solution_steps(solution)] == [1, 4, 0]


def test_fractions_of_the_text_are_single_numbers_and_results_stay_exact():
    solution = solution_of(["*", "N0", "N1"], [Fraction(2, 3), Fraction(5)], 0.5)
    assert (solution.equation, solution.exact, solution.answer) == ("2/3*5", "10/3", "10/3 ≈ 3.33333")
    assert steps_of("* N0 N1", Fraction(2, 3), Fraction(5)) == ["2/3 * 5 = 10/3"]


def test_roots_are_approximated_and_said_to_be():
    solution = solution_of(["*", "^", "N0", "0.5", "N1"], [Fraction(2), Fraction(3)], 0.5)
    assert solution.value == pytest.approx(3 * 2**0.5)
    assert solution.answer.startswith("≈")
    assert steps_of("* ^ N0 0.5 N1", Fraction(2), Fraction(3)) == ["2 ^ 0.5 = ≈ 1.41421", "≈ 1.41421 * 3 = ≈ 4.24264"]


@pytest.mark.parametrize("tokens", ["+ 1 / N0 - N0 N0", "+ / N0 - N0 N0 1", "^ N0 ^ N0 ^ N0 N0"])
def test_steps_end_where_there_is_no_result(tokens):
    solution = solution_of(tokens.split(), [Fraction(99)], 0.5)
    assert (solution.value, solution.exact) == (None, "")
    steps = solution_steps(solution)
    assert [step.result == "" for step in steps] == [False] * (len(steps) - 1) + [True]


@given(
    st.recursive(
        st.integers(0, 30).map(str),
        lambda part: st.tuples(st.sampled_from("+-*"), part, part).map(" ".join),
        max_leaves=12,
    )
)
def test_the_last_step_gives_the_equations_value(tokens):
    solution = solution_of(tokens.split(), [], 1.0)
    assert Fraction(solution.exact) == evaluate(parse_expression(solution.equation)) == solution.value
    steps = solution_steps(solution)
    assert len(steps) == sum(token in "+-*" for token in solution.tokens)
    assert not steps or steps[-1].result == solution.exact


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "no text"),
        (" \n", "no text"),
        ("a" * (LONGEST_TEXT + 1), "10,001 characters"),
        ("How many pens are left?", "no number"),
        ("7 " * (MOST_NUMBERS + 10), "more than 50 numbers"),
        (f"{'9' * 80} pens", "too many digits"),
    ],
)
def test_a_sentence_says_why_a_problem_cannot_be_solved(text, part):
    reason = text_reason(text) or numbers_reason(number_slots(text))
    assert part in reason
    assert reason.endswith(".")


def test_problems_with_numbers_in_words_or_latex_can_be_tried():
    for text in ("Twenty pens cost 4 dollars.", r"Take $\frac{1}{2}$ of $30$ pens."):
        assert not text_reason(text)
        assert not numbers_reason(number_slots(text))


@pytest.mark.parametrize(
    ("text", "equations", "expected"),
    [
        ("8 sweets for 0 children", (["/", "N0", "N1"], ["*", "N0", "N1"]), [None, 0]),
        ("8 sweets for 4 children", (["/", "N0", "-", "N1", "N1"], ["*", "N0", "N1"]), [32, None]),
        ("8 sweets for 0 children", (["*", "N0", "N1"], ["/", "N0", "N1"]), [0, None]),
    ],
)
def test_a_likeliest_division_by_a_zero_of_the_text_means_that_there_is_no_answer(text, equations, expected):
    vocabulary = Vocabulary(())
    symbols = len(vocabulary.symbols)
    trees = [
        Hypothesis(
            tuple(symbols + int(token[1:]) if token[0] == "N" else vocabulary.symbols.index(token) for token in tokens),
            -float(rank),
        )
        for rank, tokens in enumerate(equations)
    ]
    found = alternatives(solver_example(ProblemRecord("1", text)), trees, vocabulary)
    assert [solution.value for solution in found] == expected


@each_case("unanswerable")
def test_a_question_that_no_number_answers_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    assert unanswerable_reason(text) == sentence
    if sentence == "The question does not ask for a number.":
        assert story_reason(text) == sentence
