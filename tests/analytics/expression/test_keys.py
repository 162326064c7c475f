"""By which keys equations are the same, how a key is read, and which computations are one step apart."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.errors import DataError
from analytics.expression.distance import tree_edit_distance
from analytics.expression.evaluate import binary_operators
from analytics.expression.keys import (
    graph_key,
    graph_operations,
    graph_reading,
    graphs_differ_in_operations,
    keys_with_another_step,
    keys_with_one_step_less,
    prototype_equation,
    structure_key,
    trees_with_another_step,
    trees_with_one_step_less,
)
from analytics.expression.tree import ExpressionTree, from_prefix, parse_expression
from tests.analytics.expression.trees import slot_trees
from tests.cases import each_case


def tree(prefix: str) -> ExpressionTree:
    return from_prefix(prefix.split())


def rewritten(node: ExpressionTree, rng: random.Random, names: dict[str, str]) -> ExpressionTree:
    """The same computation: operands of sums and products change places, slots have other names."""
    if node.is_number:
        return ExpressionTree(names.get(node.label, node.label))
    children = [rewritten(child, rng, names) for child in node.children]
    if node.label in ("+", "*") and rng.random() < 0.5:
        children.reverse()
    return ExpressionTree(node.label, tuple(children))


@given(slot_trees, st.integers(0, 9999))
def test_order_and_names_of_slots_do_not_change_the_graph(node: ExpressionTree, seed: int) -> None:
    rng = random.Random(seed)
    slots = ["N0", "N1", "N2", "N3"]
    names = dict(zip(slots, rng.sample([*slots, "N7"], 4), strict=True))
    assert graph_key(rewritten(node, rng, names)) == graph_key(node)


@each_case("expressions", "graphs")
def test_one_computation_written_in_two_ways_is_one_graph(first: str, second: str, same_graph: bool) -> None:
    assert (graph_key(tree(first)) == graph_key(tree(second))) is same_graph


def test_slots_keep_the_text_s_order_in_the_prototype_and_vanish_in_the_structure() -> None:
    first, second = tree("* - N1 1 N0"), tree("* - N0 1 N1")
    assert prototype_equation(first) == "(N1-1)*N0" != prototype_equation(second)
    assert structure_key(first) == structure_key(second) == "* - n n n"
    assert structure_key(tree("* N0 - N1 1")) != structure_key(first)


@pytest.mark.usefixtures("no_hang")
@pytest.mark.parametrize("operator", ["+", "*"])
def test_a_long_sum_of_equal_parts_does_not_hang(operator: str) -> None:
    parts = [f"* N{place % 7} N{(place + 1) % 7}" for place in range(40)]
    assert graph_key(tree(" ".join([operator] * 39 + parts)))


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


def prefix_tree(prefix: str) -> ExpressionTree:
    return from_prefix(prefix.split())


@given(slot_trees)
def test_a_step_less_is_an_edit_of_two_nodes_and_another_step_of_one(node: ExpressionTree) -> None:
    binary = binary_operators(node)
    assert {tree_edit_distance(binary, less) for less in trees_with_one_step_less(binary)} <= {2}
    assert {tree_edit_distance(binary, changed) for changed in trees_with_another_step(binary)} <= {1}


@settings(deadline=None, max_examples=40)  # a number that is used many times has keys that take their time
@given(slot_trees)
def test_another_step_is_mutual(node: ExpressionTree) -> None:
    binary = binary_operators(node)
    for changed in trees_with_another_step(binary):
        if graph_key(changed) != graph_key(binary):
            assert graph_key(binary) in keys_with_another_step(changed)


@each_case("expressions", "one_step_more")
def test_a_longer_computation_has_a_step_more_whatever_its_order(longer: str, shorter: str) -> None:
    assert graph_key(prefix_tree(shorter)) in keys_with_one_step_less(prefix_tree(longer))
    assert graph_key(prefix_tree(longer)) not in keys_with_one_step_less(prefix_tree(shorter))


def test_two_steps_are_not_one_and_a_number_is_no_computation() -> None:
    assert graph_key(prefix_tree("* N0 N1")) not in keys_with_one_step_less(prefix_tree("- + * N0 N1 N2 N3"))
    assert keys_with_one_step_less(prefix_tree("+ N0 N1")) == frozenset()
