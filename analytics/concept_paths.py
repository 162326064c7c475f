"""Concept paths as labels: common leading nodes, levels, and the tree they form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np

from analytics.records import ConceptPath


def shared_depth(first: ConceptPath, second: ConceptPath) -> int:
    """Return the number of leading nodes that two paths share.

    >>> shared_depth(("Algebra", "Lines"), ("Algebra", "Graphs"))
    1
    """
    pairs = zip(first, second, strict=False)
    return sum(1 for _pair in takewhile(lambda pair: pair[0] == pair[1], pairs))


def common_leading_nodes(paths: Iterable[ConceptPath], share: float = 0.9) -> ConceptPath:
    """Return the nodes with which at least `share` of the paths begin, without ever taking a path's last node.

    Pass one path per tag (repeats included), so that the share counts questions.

    >>> common_leading_nodes([("Maths", "Algebra"), ("Maths", "Geometry", "Circles")])
    ('Maths',)
    >>> common_leading_nodes([("Algebra",), ("Algebra",)])
    ()
    """
    counts = Counter(tuple(path) for path in paths)
    total = sum(counts.values())
    leading: ConceptPath = ()
    while total:
        depth = len(leading)
        following: Counter[str] = Counter()
        for path, count in counts.items():
            if path[:depth] == leading and len(path) > depth + 1:
                following[path[depth]] += count
        name, count = following.most_common(1)[0] if following else ("", 0)
        if not count or count < share * total:
            break
        leading = (*leading, name)
    return leading


def without_leading(path: ConceptPath, leading: ConceptPath) -> ConceptPath:
    """Return the path without the leading nodes if it starts with them; its last node is never removed."""
    if leading and path[: len(leading)] == leading:
        return path[len(leading) :] or path[-1:]
    return path


def drop_common_leading_nodes(paths: Sequence[ConceptPath]) -> list[ConceptPath]:
    """Return the paths without the leading nodes that nearly all of them share; levels count from there.

    >>> drop_common_leading_nodes([("Maths", "Algebra"), ("Maths", "Geometry", "Circles")])
    [('Algebra',), ('Geometry', 'Circles')]
    """
    leading = common_leading_nodes(paths)
    return [without_leading(tuple(path), leading) for path in paths]


@dataclass(frozen=True)
class PathTree:
    """The distinct paths of a set of labels, and every node on them.

    Attributes:
        paths: the distinct paths, sorted; one may be a prefix of another.
        nodes: every prefix of a path, each identified by its full path from the root.
        membership: (nodes, paths) array of 0 and 1: whether the node lies on the path.
    """

    paths: tuple[ConceptPath, ...]
    nodes: tuple[ConceptPath, ...]
    membership: np.ndarray

    @classmethod
    def of(cls, paths: Iterable[ConceptPath]) -> PathTree:
        """Return the tree of the given paths; repeats are allowed."""
        distinct = tuple(sorted(set(paths)))
        nodes = tuple(sorted({path[:depth] for path in distinct for depth in range(1, len(path) + 1)}))
        row = {node: index for index, node in enumerate(nodes)}
        membership = np.zeros((len(nodes), len(distinct)), dtype=np.float32)
        for column, path in enumerate(distinct):
            for depth in range(1, len(path) + 1):
                membership[row[path[:depth]], column] = 1
        return cls(distinct, nodes, membership)

    def depth(self) -> int:
        """Return the length of the longest path."""
        return max(map(len, self.paths), default=0)

    def level(self, depth: int) -> np.ndarray:
        """Return the rows of the nodes at a level, counted from 1."""
        return np.array([index for index, node in enumerate(self.nodes) if len(node) == depth], dtype=np.int64)

    def likeliest(self, probabilities: np.ndarray, depth: int) -> list[ConceptPath]:
        """Return the most probable node at a level for each row of probabilities (questions, paths)."""
        rows = self.level(depth)
        return [self.nodes[row] for row in rows[(probabilities @ self.membership[rows].T).argmax(axis=1)]]

    def hits(self, probabilities: np.ndarray, truth: Sequence[Iterable[ConceptPath]], depth: int) -> np.ndarray:
        """Return 1 if the most probable node at a level is on a path of the question, NaN if no path is that deep.

        Args:
            probabilities: (questions, paths).
            truth: the paths of each question.
            depth: the level; at a level beyond the tree's depth, nothing is correct.
        """
        found: Sequence[ConceptPath] = (
            self.likeliest(probabilities, depth) if depth <= self.depth() else [()] * len(truth)
        )
        right = np.full(len(truth), np.nan)
        for row, paths in enumerate(truth):
            if nodes := {path[:depth] for path in paths if len(path) >= depth}:
                right[row] = found[row] in nodes
        return right

    def targets(self, labels: Sequence[Sequence[ConceptPath]]) -> np.ndarray:
        """Return weights (questions, paths): 1, split equally among a question's paths; unknown paths get none."""
        column = {path: index for index, path in enumerate(self.paths)}
        weights = np.zeros((len(labels), len(self.paths)), dtype=np.float32)
        for row, question_paths in enumerate(labels):
            columns = sorted({column[path] for path in question_paths if path in column})
            if columns:
                weights[row, columns] = 1 / len(columns)
        return weights
