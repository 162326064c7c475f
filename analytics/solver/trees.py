"""A batch of equation trees as flat tensors, so that a decoder can compute level by level.

Since the target is known, nodes need not be decoded one by one: every subtree's embedding follows from its
leaves, lowest first, and then every goal from the one above it, highest first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from analytics.solver.targets import OPERATORS
from analytics.training.device import sent


@dataclass(frozen=True, slots=True)
class Level:
    """The nodes of all trees at one depth.

    Attributes:
        nodes: (level,) indices of the nodes.
        problem: (level,) row of each node's problem.
        seed: (level,) index of the seed from its parent, among the left and then the right operands of the
            level above; unused for a root.
        is_right: (level,) whether it is a right operand.
        left_sibling: (level,) for a right operand the node to its left, otherwise arbitrary.
        operators: (operators,) indices of the operators in the level.
        labels: (operators,) operator numbers.
    """

    nodes: Tensor
    problem: Tensor
    seed: Tensor
    is_right: Tensor
    left_sibling: Tensor
    operators: Tensor
    labels: Tensor


@dataclass(frozen=True, slots=True)
class Height:
    """The operators of all trees at one height above the leaves: their indices, (nodes,) each, and operands."""

    nodes: Tensor
    label: Tensor
    left: Tensor
    right: Tensor


@dataclass(frozen=True, slots=True)
class TreeBatch:
    """The nodes of all trees in a batch, in pre-order, one tree after another.

    All inputs of a decoder are computed on the host and sent together, so that no step waits for the device.

    Attributes:
        problem: (nodes,) row of the problem in the batch.
        leaf: (nodes,) for a leaf its number among the leaf candidates, otherwise arbitrary.
        allowed: (nodes, candidates) True for every correct candidate.
        by_level: (nodes,) each node's index among the nodes of all levels, root level first.
        heights: from the lowest operators up.
        levels: from the roots down.
    """

    problem: Tensor
    leaf: Tensor
    allowed: Tensor
    by_level: Tensor
    heights: tuple[Height, ...]
    levels: tuple[Level, ...]

    @classmethod
    def of(cls, trees: Sequence[Sequence[Sequence[int]]], candidates: int, device: torch.device) -> TreeBatch:
        """Build the batch from each tree's nodes in pre-order; the first correct candidate of a node is its label.

        Args:
            trees: the correct candidates of each node of each problem; candidate numbers below
                `len(OPERATORS)` are operators with two operands.
            candidates: maximum number of candidates of a problem.
            device: device for the tensors.
        """
        count = sum(len(tree) for tree in trees)
        problem, label, parent, sibling, left, right, height, depth = np.full((8, count), -1, dtype=np.int64)
        allowed = np.zeros((count, candidates), dtype=bool)
        node = 0
        for row, tree in enumerate(trees):
            waiting: list[int] = []  # operators that lack an operand
            for right_ones in tree:
                problem[node], label[node], depth[node] = row, right_ones[0], len(waiting)
                allowed[node, list(right_ones)] = True
                if waiting:
                    above = waiting[-1]
                    parent[node], depth[node] = above, depth[above] + 1
                    if left[above] < 0:
                        left[above] = node
                    else:
                        right[above], sibling[node] = node, left[above]
                        waiting.pop()
                if right_ones[0] < len(OPERATORS):
                    waiting.append(node)
                node += 1
        for node in range(count - 1, -1, -1):  # children come after their parents
            height[node] = 0 if left[node] < 0 else 1 + max(height[left[node]], height[right[node]])

        packed = _Packed()
        order = np.argsort(depth, kind="stable")
        heights = [
            [packed.add(part) for part in (nodes, label[nodes], left[nodes], right[nodes])]
            for nodes in (np.flatnonzero(height == level) for level in range(1, int(height.max()) + 1))
        ]
        levels = []
        passed_on = np.zeros(count, dtype=np.int64)  # number of an operator within its level
        operators_above = 0
        for level in range(int(depth.max()) + 1):
            nodes = np.flatnonzero(depth == level)
            is_right = sibling[nodes] >= 0
            seed = passed_on[parent[nodes]] + operators_above * is_right
            operators = np.flatnonzero(left[nodes] >= 0)
            passed_on[nodes[operators]] = np.arange(len(operators))
            operators_above = len(operators)
            parts = (nodes, problem[nodes], seed, is_right, np.maximum(sibling[nodes], 0), operators)
            levels.append([packed.add(part) for part in (*parts, label[nodes[operators]])])
        flat = [packed.add(part) for part in (problem, np.maximum(label - len(OPERATORS), 0), np.argsort(order))]
        numbers = packed.sent(device)
        problem_there, leaf, by_level = (numbers[place] for place in flat)
        return cls(
            problem=problem_there,
            leaf=leaf,
            allowed=sent(allowed, device),
            by_level=by_level,
            heights=tuple(Height(*(numbers[place] for place in places)) for places in heights),
            levels=tuple(
                Level(*(numbers[place].bool() if at == 3 else numbers[place] for at, place in enumerate(places)))
                for places in levels
            ),
        )

    def __len__(self) -> int:
        return len(self.problem)


class _Packed:
    """Integer arrays that are sent to a device together."""

    def __init__(self) -> None:
        self.parts: list[np.ndarray] = []

    def add(self, part: np.ndarray) -> int:
        """Store an array and return its number."""
        self.parts.append(part.astype(np.int64))
        return len(self.parts) - 1

    def sent(self, device: torch.device) -> tuple[Tensor, ...]:
        """Return all arrays on the device, in order of their numbers."""
        return sent(np.concatenate(self.parts), device).split([len(part) for part in self.parts])
