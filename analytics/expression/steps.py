"""Which computations are one step apart: a step more, a step less, or one step that is another operation.

A step is an operation of an equation's tree. Leaving out a step removes the operator and the number that it works with:
a tree edit distance of 2 (`analytics.expression.distance`). Another operation renames the operator: a distance of 1.
Whatever comes out is compared by its `graph_key`, so the order of sums and products does not count.
"""

from __future__ import annotations

from collections.abc import Iterator

from analytics.expression.keys import graph_key
from analytics.expression.tree import ExpressionTree

_OPERATIONS = ("+", "-", "*", "/")


def trees_with_one_step_less(tree: ExpressionTree) -> Iterator[ExpressionTree]:
    """Yield the tree without one of its operations, and without the number that the operation works with.

    >>> from analytics.expression.notation import from_prefix, to_infix
    >>> [to_infix(less) for less in trees_with_one_step_less(from_prefix("- * N0 N1 N2".split()))]
    ['N0*N1', 'N1-N2', 'N0-N2']
    """
    for place, child in enumerate(tree.children):
        if child.is_number and len(tree.children) == 2:
            yield tree.children[1 - place]
    for place, child in enumerate(tree.children):
        for less in trees_with_one_step_less(child):
            yield _with_child(tree, place, less)


def trees_with_another_step(tree: ExpressionTree) -> Iterator[ExpressionTree]:
    """Yield the tree with one of its operations replaced by each other one of the four.

    >>> from analytics.expression.notation import from_prefix, to_infix
    >>> [to_infix(changed) for changed in trees_with_another_step(from_prefix("+ N0 N1".split()))]
    ['N0-N1', 'N0*N1', 'N0/N1']
    """
    if tree.label in _OPERATIONS and len(tree.children) == 2:
        for label in _OPERATIONS:
            if label != tree.label:
                yield ExpressionTree(label, tree.children)
    for place, child in enumerate(tree.children):
        for changed in trees_with_another_step(child):
            yield _with_child(tree, place, changed)


def keys_with_one_step_less(tree: ExpressionTree) -> frozenset[str]:
    """Return the graph keys of `trees_with_one_step_less`, without those that compute nothing any more."""
    return frozenset(graph_key(less) for less in trees_with_one_step_less(tree) if not less.is_number)


def keys_with_another_step(tree: ExpressionTree) -> frozenset[str]:
    """Return the graph keys of `trees_with_another_step`, without the tree's own."""
    return frozenset(map(graph_key, trees_with_another_step(tree))) - {graph_key(tree)}


def _with_child(tree: ExpressionTree, place: int, child: ExpressionTree) -> ExpressionTree:
    children = list(tree.children)
    children[place] = child
    return ExpressionTree(tree.label, tuple(children))
