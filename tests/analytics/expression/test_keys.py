"""By which keys equations are the same."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.expression.keys import graph_key, prototype_equation, structure_key
from analytics.expression.notation import from_prefix
from analytics.expression.tree import ExpressionTree
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
