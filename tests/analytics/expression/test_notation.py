"""Printing and reading: infix, prefix, postfix."""

from __future__ import annotations

import pytest
from hypothesis import given

from analytics.errors import DataError
from analytics.expression.notation import from_prefix, to_infix, to_prefix
from analytics.expression.parser import parse_expression
from analytics.expression.tree import ExpressionTree
from tests.analytics.expression.trees import number_trees


@given(number_trees)
def test_what_is_printed_reads_as_the_same_tree(tree: ExpressionTree) -> None:
    assert parse_expression(to_infix(tree)) == tree
    assert from_prefix(to_prefix(tree)) == tree


@pytest.mark.parametrize("text", ["(11-1)*2", "8-(2-1)", "12/(2*3)", "(2^3)^2", "2^3^2", "2*(-3)", "-(2+1)"])
def test_brackets_stand_only_where_they_are_needed(text: str) -> None:
    assert to_infix(parse_expression(text)) == text


def test_a_constant_that_is_a_fraction_has_brackets_where_it_is_divided_by() -> None:
    assert to_infix(from_prefix("/ N0 16/3".split())) == "N0/(16/3)"
    assert to_infix(from_prefix("+ N0 16/3".split())) == "N0+16/3"


@pytest.mark.parametrize(
    ("tokens", "problem"),
    [
        ([], "empty"),
        (["+", "1"], "lacks an operand"),
        (["1", "2"], "not a single expression"),
        (["+"] * 400 + ["1"] * 401, "more than 300 operations"),
    ],
)
def test_tokens_that_are_no_tree_say_why(tokens: list[str], problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        from_prefix(tokens)
