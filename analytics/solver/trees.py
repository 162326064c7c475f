"""A batch of equation trees as flat tensors, so that a decoder can compute level by level.

With the target known, nothing need be decoded node by node: every sub-tree's embedding follows from its leaves,
lowest first, and then every goal from the one above it, highest first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from analytics.solver.targets import OPERATORS


@dataclass(frozen=True, slots=True)
class TreeBatch:
    """The nodes of all trees of a batch, in pre-order one tree after the other.

    Attributes:
        problem: (nodes,) row of the problem in the batch.
        label: (nodes,) number of the candidate that stands there.
        allowed: (nodes, candidates) True for every candidate that is right there.
        parent: (nodes,) node above, -1 for a root.
        left_sibling: (nodes,) for a right child the node to its left, else -1.
        left, right: (nodes,) children of an operator, -1 for a leaf.
        heights: for each height above the leaves, its nodes.
        depths: for each depth, the root's first, its nodes.
    """

    problem: Tensor
    label: Tensor
    allowed: Tensor
    parent: Tensor
    left_sibling: Tensor
    left: Tensor
    right: Tensor
    heights: tuple[Tensor, ...]
    depths: tuple[Tensor, ...]

    @classmethod
    def of(cls, trees: Sequence[Sequence[Sequence[int]]], candidates: int, device: torch.device) -> TreeBatch:
        """Build the batch from each tree's nodes in pre-order; the first correct candidate of a node is its label.

        Args:
            trees: for each problem, for each node the candidates that are right; candidate numbers below
                `len(OPERATORS)` are operators with two operands.
            candidates: how many a problem has at most.
            device: where the tensors go.
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
        for node in range(count - 1, -1, -1):  # children stand behind their parents
            height[node] = 0 if left[node] < 0 else 1 + max(height[left[node]], height[right[node]])

        def tensor(values: np.ndarray) -> Tensor:
            return torch.from_numpy(np.ascontiguousarray(values)).to(device)

        return cls(
            problem=tensor(problem),
            label=tensor(label),
            allowed=tensor(allowed),
            parent=tensor(parent),
            left_sibling=tensor(sibling),
            left=tensor(left),
            right=tensor(right),
            heights=tuple(
                tensor(np.flatnonzero(height == level)) for level in range(1, int(height.max()) + 1)
            ),
            depths=tuple(tensor(np.flatnonzero(depth == level)) for level in range(int(depth.max()) + 1)),
        )

    def __len__(self) -> int:
        return len(self.problem)
