"""Arithmetic is parsed and printed: infix, prefix, postfix."""

from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.errors import DataError
from analytics.expression.tree import (
    MAX_DEPTH,
    MAX_LENGTH,
    MAX_OPERATIONS,
    ExpressionTree,
    from_prefix,
    parse_expression,
    to_infix,
    to_prefix,
)
from tests.analytics.expression.trees import number_trees
from tests.cases import each_case


def flat(tree: ExpressionTree) -> str:
    """Prefix notation, to see the structure."""
    return tree.label if tree.is_number else f"({tree.label} {' '.join(map(flat, tree.children))})"


@each_case("expressions", "trees")
def test_precedence_brackets_and_published_spellings(text: str, tree: str) -> None:
    assert flat(parse_expression(text)) == tree


@each_case("expressions", "refused")
def test_a_refusal_says_what_is_wrong_and_where(text: str, message: str) -> None:
    with pytest.raises(DataError) as refusal:
        parse_expression(text)
    assert str(refusal.value) == message


def test_size_and_depth_are_bounded() -> None:
    with pytest.raises(DataError, match="longer"):
        parse_expression("1+" * MAX_LENGTH + "1")
    with pytest.raises(DataError, match="levels deep"):
        parse_expression("(" * (MAX_DEPTH + 5) + "1" + ")" * (MAX_DEPTH + 5))
    with pytest.raises(DataError, match="levels deep"):
        parse_expression("-" * (MAX_DEPTH + 5) + "1")


@pytest.mark.parametrize("operation", ["+1", "*1", "%", "(1)"])
def test_a_chain_too_deep_to_walk_is_refused(operation: str) -> None:
    parse_expression("1" + operation * MAX_OPERATIONS)
    with pytest.raises(DataError, match="more than 300 operations"):
        parse_expression("1" + operation * (MAX_OPERATIONS + 2))


@given(st.text(alphabet="0123456789.+-*/^()[]%:=x ", max_size=40))
def test_any_text_is_parsed_or_refused_in_words(text: str) -> None:
    try:
        said = parse_expression(text).label
    except DataError as error:
        said = str(error)
    assert said


@pytest.mark.shared_data
def test_published_equations_parse(shared_data) -> None:
    failed = total = 0
    for name in ("math23k/dev", "ape210k/valid", "mawps/cv", "unbiased_mwp/test", "intermwp/valid"):
        with gzip.open(shared_data / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                equation = json.loads(line).get("equation")
                if equation:
                    total += 1
                    try:
                        parse_expression(equation)
                    except DataError:
                        failed += 1
    assert total > 8000
    assert failed / total < 0.002


def test_the_bracket_behind_a_mixed_number_closes_what_stands_before_it() -> None:
    assert parse_expression("(3+5(1/2))*2").label == "*"


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
