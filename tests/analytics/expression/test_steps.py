"""Computations that are one step apart."""

from __future__ import annotations

from hypothesis import given, settings

from analytics.expression.distance import tree_edit_distance
from analytics.expression.evaluate import binary_operators
from analytics.expression.keys import (
    graph_key,
    keys_with_another_step,
    keys_with_one_step_less,
    trees_with_another_step,
    trees_with_one_step_less,
)
from analytics.expression.tree import ExpressionTree, from_prefix
from tests.analytics.expression.trees import slot_trees
from tests.cases import each_case


def tree(prefix: str) -> ExpressionTree:
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
    assert graph_key(tree(shorter)) in keys_with_one_step_less(tree(longer))
    assert graph_key(tree(longer)) not in keys_with_one_step_less(tree(shorter))


def test_two_steps_are_not_one_and_a_number_is_no_computation() -> None:
    assert graph_key(tree("* N0 N1")) not in keys_with_one_step_less(tree("- + * N0 N1 N2 N3"))
    assert keys_with_one_step_less(tree("+ N0 N1")) == frozenset()
