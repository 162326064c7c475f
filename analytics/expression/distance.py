"""Tree edit distance of expressions, and Textual-CL's similarity of equations, which is based on it.

Zhang and Shasha 1989, with unit costs for inserting, deleting and renaming a node; operands are ordered.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from analytics.expression.tree import ExpressionTree

_FIRST = 0xE000  # after the surrogates, which a string may not contain


@dataclass(frozen=True, slots=True)
class _Indexed:
    """A tree's labels in post-order, each node's leftmost leaf, and the roots of its key sub-trees."""

    labels: tuple[str, ...]
    leftmost: tuple[int, ...]
    key_roots: tuple[int, ...]


def _indexed(tree: ExpressionTree) -> _Indexed:
    labels: list[str] = []
    leftmost: list[int] = []

    def visit(node: ExpressionTree) -> int:
        first = -1
        for child in node.children:
            leaf = visit(child)
            first = leaf if first < 0 else first
        labels.append(node.label)
        leftmost.append(len(labels) - 1 if first < 0 else first)
        return leftmost[-1]

    visit(tree)
    last_of = {leaf: node for node, leaf in enumerate(leftmost)}  # the highest node over each leftmost leaf
    return _Indexed(tuple(labels), tuple(leftmost), tuple(sorted(last_of.values())))


def tree_edit_distance(first: ExpressionTree, second: ExpressionTree) -> int:
    """Return the minimum number of nodes to insert, delete or rename to turn one tree into the other.

    >>> from analytics.expression.tree import parse_expression
    >>> tree_edit_distance(parse_expression("(1+2)*3"), parse_expression("1*3"))
    2
    """
    left, right = _indexed(first), _indexed(second)
    distance = np.zeros((len(left.labels), len(right.labels)), dtype=np.int64)
    for row_root in left.key_roots:
        for column_root in right.key_roots:
            _fill(left, right, row_root, column_root, distance)
    return int(distance[-1, -1])


def _fill(left: _Indexed, right: _Indexed, row_root: int, column_root: int, distance: np.ndarray) -> None:
    """Fill in the distances between all prefixes of two key subtrees; those of whole subtrees are stored."""
    row_start, column_start = left.leftmost[row_root], right.leftmost[column_root]
    rows, columns = row_root - row_start + 2, column_root - column_start + 2
    forest = [[0] * columns for _ in range(rows)]
    for row in range(1, rows):
        forest[row][0] = row
    forest[0] = list(range(columns))
    for row in range(1, rows):
        node = row_start + row - 1
        row_is_tree = left.leftmost[node] == row_start
        for column in range(1, columns):
            peer = column_start + column - 1
            least = min(forest[row - 1][column], forest[row][column - 1]) + 1
            if row_is_tree and right.leftmost[peer] == column_start:
                renamed = forest[row - 1][column - 1] + (left.labels[node] != right.labels[peer])
                forest[row][column] = min(least, renamed)
                distance[node, peer] = forest[row][column]
            else:
                before = forest[left.leftmost[node] - row_start][right.leftmost[peer] - column_start]
                forest[row][column] = min(least, before + int(distance[node, peer]))


def equation_similarity(first: ExpressionTree, second: ExpressionTree) -> float:
    """Return 1 - distance / (total nodes), in [0, 1]; 1 for equal trees (Textual-CL, Eq. 2).

    >>> from analytics.expression.tree import parse_expression
    >>> equation_similarity(parse_expression("1+2"), parse_expression("1+3"))
    0.8333333333333334
    """
    return 1 - tree_edit_distance(first, second) / (first.size + second.size)


class TokenLetters:
    """Mapping from each distinct token to a letter; compiled code compares strings many times faster than lists.

    >>> letters = TokenLetters()
    >>> letters(["+", "N0", "N1"]) == letters(["+", "N0", "N1"]) != letters(["+", "N1", "N0"])
    True
    """

    def __init__(self) -> None:
        self._letters: dict[str, str] = {}

    def __call__(self, tokens: Iterable[str]) -> str:
        """Return the letters of a sequence, one per token."""
        return "".join(self._letters.setdefault(token, chr(_FIRST + len(self._letters))) for token in tokens)
