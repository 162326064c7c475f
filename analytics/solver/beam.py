"""Beam search over equation trees, for all problems of a batch at once. Torch-free.

Every hypothesis is a partial tree: a stack of operators that lack an operand, and the goal of the next node.
An operator is offered only if the tree can still be completed within the maximum length, so that every result
is a complete tree.

The search stores all trees in NumPy arrays and calls the NumPy decoder (`analytics.solver.array_decoder`) for
vectors and scores.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from analytics.solver.array_decoder import ArrayScorer
from analytics.solver.targets import OPERATORS

_FIRST_VECTORS = 1024


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A complete tree: candidate numbers in pre-order, and the logarithm of its probability."""

    candidates: tuple[int, ...]
    log_probability: float


def beam_search(scorer: ArrayScorer, *, width: int = 3, most_tokens: int = 45) -> list[list[Hypothesis]]:
    """Return the most probable trees of each problem, best first.

    Args:
        scorer: the decoder for the batch.
        width: beam width per problem.
        most_tokens: maximum number of nodes in a tree.

    Returns:
        Up to `width` trees for each problem; none for a problem without constants and slots.
    """
    search = _Search(scorer, width, most_tokens)
    while len(search.trees):
        search.grow()
    return search.finished


@dataclass(slots=True)
class _Trees:
    """Partial trees, one per row. Vectors are referenced by their rows in `_Vectors`.

    Attributes:
        problem: row of the problem.
        total: logarithm of the probability so far.
        length: nodes so far.
        missing: minimum number of nodes still needed.
        seed, left: inputs of the next node's goal; -1 if there is no subtree to its left.
        candidates: (trees, most tokens) in pre-order.
        depth: number of operators that lack an operand; the next three arrays list them from the root down.
        operators, right_seeds: (trees, maximum depth) their numbers, and the seeds for their right operands.
        left_subtrees: (trees, maximum depth) their left operands, -1 until those are complete.
    """

    problem: np.ndarray
    total: np.ndarray
    length: np.ndarray
    missing: np.ndarray
    seed: np.ndarray
    left: np.ndarray
    candidates: np.ndarray
    depth: np.ndarray
    operators: np.ndarray
    right_seeds: np.ndarray
    left_subtrees: np.ndarray

    @classmethod
    def beginning(cls, problems: np.ndarray, seeds: np.ndarray, most_tokens: int) -> _Trees:
        """Return an empty tree for each problem."""
        count, most_depth = len(problems), most_tokens // 2 + 1
        stack = np.full((3, count, most_depth), -1, dtype=np.int64)
        return cls(
            problem=problems,
            total=np.zeros(count),
            length=np.zeros(count, dtype=np.int64),
            missing=np.ones(count, dtype=np.int64),
            seed=seeds,
            left=np.full(count, -1, dtype=np.int64),
            candidates=np.zeros((count, most_tokens), dtype=np.int64),
            depth=np.zeros(count, dtype=np.int64),
            operators=stack[0],
            right_seeds=stack[1],
            left_subtrees=stack[2],
        )

    def __len__(self) -> int:
        return len(self.problem)

    def take(self, rows: np.ndarray) -> _Trees:
        """Return copies of some of the trees."""
        return _Trees(*(getattr(self, each.name)[rows] for each in fields(self)))


class _Vectors:
    """All vectors of a search in one growing array."""

    def __init__(self, width: int) -> None:
        self.rows, self.count = np.empty((_FIRST_VECTORS, width), dtype=np.float32), 0

    def add(self, vectors: np.ndarray) -> np.ndarray:
        """Store vectors and return their rows."""
        first, self.count = self.count, self.count + len(vectors)
        if self.count > len(self.rows):
            rows = np.empty((2 * self.count, self.rows.shape[1]), dtype=np.float32)
            rows[:first] = self.rows[:first]
            self.rows = rows
        self.rows[first : self.count] = vectors
        return np.arange(first, self.count)

    def __getitem__(self, rows: np.ndarray) -> np.ndarray:
        vectors: np.ndarray = self.rows[rows]
        return vectors


class _Search:
    def __init__(self, scorer: ArrayScorer, width: int, most_tokens: int) -> None:
        self.scorer, self.width, self.most_tokens = scorer, width, most_tokens
        self.vectors = _Vectors(scorer.decoder.width)
        seeds = self.vectors.add(scorer.root)
        problems, self.leaves = scorer.leaf_mask.shape
        self.first_leaf = self.vectors.count
        self.vectors.add(scorer.leaves.reshape(-1, scorer.decoder.width))
        self.finished: list[list[Hypothesis]] = [[] for _problem in range(problems)]
        self.worst = np.full(problems, -np.inf)  # total that a tree must exceed to stay in the beam
        able = np.flatnonzero(scorer.leaf_mask.any(axis=1))
        self.trees = _Trees.beginning(able, seeds[able], most_tokens)

    def grow(self) -> None:
        """Extend each tree by the most probable candidates for its next node."""
        trees = self.trees
        goals = self.scorer.goal(self.vectors[trees.seed], self.vectors[np.maximum(trees.left, 0)], trees.left >= 0)
        scores, contexts = self.scorer.score(goals, trees.problem)
        scores[trees.length + trees.missing + 2 > self.most_tokens, : len(OPERATORS)] = -np.inf
        parents, candidates, totals = self.best(trees.total[:, None] + scores)
        is_whole = (candidates >= len(OPERATORS)) & (trees.missing[parents] == 1)
        self.finish(parents[is_whole], candidates[is_whole], totals[is_whole])
        kept = ~is_whole & (totals > self.worst[trees.problem[parents]])
        parents, candidates = parents[kept], candidates[kept]
        self.trees = grown = trees.take(parents)
        grown.total = totals[kept]
        grown.candidates[np.arange(len(grown)), grown.length] = candidates
        grown.length += 1
        is_operator = candidates < len(OPERATORS)
        operators, leaves = np.flatnonzero(is_operator), np.flatnonzero(~is_operator)
        if len(operators):
            above = parents[operators]
            left, right = self.scorer.split(goals[above], contexts[above], candidates[operators])
            self.open_operators(operators, candidates[operators], left, right)
        if len(leaves):
            self.close_operators(leaves, candidates[leaves] - len(OPERATORS))

    def best(self, totals: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return tree, candidate and total of the best continuations of each problem, at most `width` each."""
        width = min(self.width, totals.shape[1])
        columns = np.argpartition(-totals, width - 1, axis=1)[:, :width]
        rows = np.repeat(np.arange(len(totals)), width)
        candidates, values = columns.ravel(), np.take_along_axis(totals, columns, axis=1).ravel()
        problems = self.trees.problem[rows]
        order = np.lexsort((-values, problems))
        problems = problems[order]
        rank = np.arange(len(order)) - np.searchsorted(problems, problems)
        order = order[(rank < self.width) & (values[order] > -np.inf)]
        return rows[order], candidates[order], values[order]

    def finish(self, parents: np.ndarray, candidates: np.ndarray, totals: np.ndarray) -> None:
        """Store the best complete trees of each problem."""
        for parent, candidate, total in zip(parents.tolist(), candidates.tolist(), totals.tolist(), strict=True):
            problem = int(self.trees.problem[parent])
            begun = self.trees.candidates[parent, : self.trees.length[parent]].tolist()
            finished = self.finished[problem]
            finished.append(Hypothesis((*begun, candidate), total))
            finished.sort(key=lambda tree: -tree.log_probability)
            del finished[self.width :]
            if len(finished) == self.width:
                self.worst[problem] = finished[-1].log_probability

    def open_operators(self, rows: np.ndarray, operators: np.ndarray, left: np.ndarray, right: np.ndarray) -> None:
        """Push operators on the stacks of trees; their left operands come next."""
        trees = self.trees
        depth = trees.depth[rows]
        trees.operators[rows, depth] = operators
        trees.right_seeds[rows, depth] = self.vectors.add(right)
        trees.left_subtrees[rows, depth] = -1
        trees.depth[rows] += 1
        trees.missing[rows] += 1
        trees.seed[rows], trees.left[rows] = self.vectors.add(left), -1

    def close_operators(self, rows: np.ndarray, leaves: np.ndarray) -> None:
        """Pop operators whose right operand is complete; the right operand of the one above comes next."""
        trees = self.trees
        subtrees = self.first_leaf + trees.problem[rows] * self.leaves + leaves
        while True:
            tops = trees.depth[rows] - 1
            ready = np.flatnonzero(trees.left_subtrees[rows, tops] >= 0)
            if not len(ready):
                break
            ready_rows, top = rows[ready], tops[ready]
            merged = self.scorer.merged(
                trees.operators[ready_rows, top],
                self.vectors[trees.left_subtrees[ready_rows, top]],
                self.vectors[subtrees[ready]],
            )
            subtrees[ready] = self.vectors.add(merged)
            trees.depth[ready_rows] -= 1
        trees.left_subtrees[rows, tops] = subtrees
        trees.missing[rows] -= 1
        trees.seed[rows], trees.left[rows] = trees.right_seeds[rows, tops], subtrees
