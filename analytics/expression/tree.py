"""Immutable expression trees: numbers at the leaves, operators above them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExpressionTree:
    """A number, or an operator with its operands.

    Attributes:
        label: the number as it was written (``"25%"``, ``"5(1/2)"``), or the operator: ``"+"``, ``"-"``,
            ``"*"``, ``"/"``, ``"^"``, ``"neg"`` (one child) or ``"%"`` (one child).
        children: empty for a number.
    """

    label: str
    children: tuple[ExpressionTree, ...] = ()

    @property
    def is_number(self) -> bool:
        return not self.children

    @property
    def size(self) -> int:
        """Number of nodes."""
        return 1 + sum(child.size for child in self.children)

    def leaves(self) -> list[str]:
        """Return the labels of the numbers, from left to right."""
        if self.is_number:
            return [self.label]
        return [label for child in self.children for label in child.leaves()]

    def with_leaves(self, leaf: Callable[[str], ExpressionTree]) -> ExpressionTree:
        """Return the tree with each number replaced by another tree, given its label."""
        if self.is_number:
            return leaf(self.label)
        return ExpressionTree(self.label, tuple(child.with_leaves(leaf) for child in self.children))

    def __add__(self, other: ExpressionTree) -> ExpressionTree:
        return ExpressionTree("+", (self, other))

    def __sub__(self, other: ExpressionTree) -> ExpressionTree:
        return ExpressionTree("-", (self, other))

    def __mul__(self, other: ExpressionTree) -> ExpressionTree:
        return ExpressionTree("*", (self, other))

    def __truediv__(self, other: ExpressionTree) -> ExpressionTree:
        return ExpressionTree("/", (self, other))
