"""Tree edit distance against another implementation, and as a metric."""

from __future__ import annotations

import pytest
from apted import APTED
from apted.helpers import Tree
from hypothesis import given

from analytics.expression.distance import equation_similarity, tree_edit_distance
from analytics.expression.tree import ExpressionTree, parse_expression
from tests.analytics.expression.trees import slot_trees


def oracle(node: ExpressionTree) -> Tree:
    return Tree(node.label, *map(oracle, node.children))


@given(slot_trees, slot_trees)
def test_the_distance_is_apted_s(first: ExpressionTree, second: ExpressionTree) -> None:
    assert tree_edit_distance(first, second) == APTED(oracle(first), oracle(second)).compute_edit_distance()


@given(slot_trees, slot_trees, slot_trees)
def test_it_is_a_metric(first: ExpressionTree, second: ExpressionTree, third: ExpressionTree) -> None:
    direct = tree_edit_distance(first, second)
    assert direct == tree_edit_distance(second, first)
    assert (direct == 0) == (first == second)
    assert direct <= tree_edit_distance(first, third) + tree_edit_distance(third, second)


def test_similarity_is_one_less_the_share_of_changed_nodes() -> None:
    assert equation_similarity(parse_expression("(1+2)*3"), parse_expression("(1+2)*3")) == 1
    assert equation_similarity(parse_expression("(1+2)*3"), parse_expression("1*3")) == pytest.approx(1 - 2 / 8)
