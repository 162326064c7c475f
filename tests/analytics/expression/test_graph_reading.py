"""A graph key is read as the arithmetic that it stands for, and proves only what its operations prove."""

from __future__ import annotations

import pytest
from hypothesis import given

from analytics.errors import DataError
from analytics.expression.graph_reading import graph_operations, graph_reading, graphs_differ_in_operations
from analytics.expression.keys import graph_key
from analytics.expression.notation import from_prefix
from analytics.expression.parser import parse_expression
from analytics.expression.slots import binary_operators
from analytics.expression.tree import ExpressionTree
from tests.analytics.expression.trees import slot_trees
from tests.cases import each_case

_FIRST = 100_003


def key(prefix: str) -> str:
    return graph_key(from_prefix(prefix.split()))


@each_case("expressions", "readings")
def test_letters_stand_for_numbers_and_constants_for_themselves(prefix, reading):
    assert graph_reading(key(prefix)) == reading


@given(slot_trees)
def test_a_reading_computes_what_the_graph_does(tree: ExpressionTree) -> None:
    graph = graph_key(binary_operators(tree))
    text = graph_reading(graph).replace("×", "*").replace("÷", "/").replace("−", "-")
    for place, letter in enumerate("abcdfghj"):
        text = text.replace(letter, str(_FIRST + place))
    assert graph_key(_letters_as_slots(parse_expression(text))) == graph


def _letters_as_slots(tree: ExpressionTree) -> ExpressionTree:
    """A reading's letters were parsed as numbers that no tree has."""
    if tree.is_number:
        is_letter = len(tree.label) == len(str(_FIRST))
        return ExpressionTree(f"N{int(tree.label) - _FIRST}") if is_letter else tree
    return binary_operators(ExpressionTree(tree.label, tuple(map(_letters_as_slots, tree.children))))


@given(slot_trees)
def test_operations_are_one_less_than_numbers(tree: ExpressionTree) -> None:
    def numbers(node: ExpressionTree) -> int:
        return 1 if node.is_number else sum(map(numbers, node.children))

    binary = binary_operators(tree)
    assert graph_operations(graph_key(binary)) == numbers(binary) - 1


@given(slot_trees, slot_trees)
def test_a_difference_is_mutual_and_never_of_a_graph_from_itself(
    first_tree: ExpressionTree, second_tree: ExpressionTree
) -> None:
    first, second = (graph_key(binary_operators(tree)) for tree in (first_tree, second_tree))
    assert graphs_differ_in_operations(first, second) == graphs_differ_in_operations(second, first)
    assert not graphs_differ_in_operations(first, first)


@each_case("expressions", "different_operations")
def test_only_operations_prove_a_difference(first_prefix: str, second_prefix: str, differ: bool) -> None:
    assert graphs_differ_in_operations(key(first_prefix), key(second_prefix)) is differ


@pytest.mark.parametrize("text", ["", "+(", "+(s0", "+(s0))", ")(", "+(,s0)", "s0 s1)"])
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(DataError):
        graph_reading(text)
