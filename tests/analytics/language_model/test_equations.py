from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.expression.tree import parse_expression, to_prefix
from analytics.language_model.equations import (
    EquationState,
    equation_prompt,
    equation_value,
    numbers_of,
    spelled_equation,
)
from analytics.solver.targets import target_tree
from analytics.text.number_slots import number_slots

TEXT = "A third of the 24 pupils, 25% of 80 and 3.50 dollars."


@given(choices=st.lists(st.integers(0, 1000), min_size=40, max_size=40))
def test_whatever_the_grammar_lets_pass_can_be_read(choices: list[int]) -> None:
    state = EquationState(numbers_of(TEXT))
    for choice in choices:
        following = sorted(state.following())
        if "\n" in following:
            parse_expression(state.text)
        state = state.after(following[choice % len(following)].replace("\n", "+"))


def test_only_numbers_of_the_text_and_constants_can_be_written() -> None:
    assert {"24", "80", "25%", "3.5", "1", "3", "60"} <= numbers_of(TEXT)
    assert "81" not in numbers_of(TEXT)


@pytest.mark.parametrize(
    ("equation", "spelled", "value"),
    [("24*(1/3)", "24*(1/3)", 8), ("80*(1-25%)", "80*(1-25%)", 60), ("80/3.5", "80/3.5", 80 / 3.5)],
)
def test_an_equation_is_spelled_with_the_texts_numbers(equation: str, spelled: str, value: float) -> None:
    slots = number_slots(TEXT)

    written = spelled_equation(to_prefix(target_tree(equation, slots)), slots)

    assert written == spelled
    assert equation_value(written) == pytest.approx(value)


@pytest.mark.parametrize("equation", ["", "7+", "7/0", "none"])
def test_what_is_no_equation_has_no_value(equation: str) -> None:
    assert equation_value(equation) is None


def test_a_prompt_has_one_blank_between_words_and_none_before_marks() -> None:
    assert equation_prompt("How  many ?") == "Problem: How many?\nEquation: "
