"""Concept paths as labels: common leading nodes, the tree they form, and how far apart two questions are in it.

QuesCo (Ning et al., AAAI 2023), section "Knowledge Hierarchy-Aware Rank", Eq. 1 and 3. In the paper every
question has one path of L levels; here a question may have several paths of different depths, and questions
may belong to different hierarchies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
import numpy.typing as npt

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


NO_CONCEPT = -1
UNDEFINED = -1
"""Distance of questions without a common hierarchy; such pairs are left out of the loss."""


def default_temperatures(levels: int) -> tuple[float, ...]:
    """Return the temperatures of the ranks 0 .. levels + 1; for three levels, the paper's values.

    For three levels, similarity falls by a quarter per rank from 1 at rank 1, and is 0 at rank levels + 1;
    the temperature is ``0.1 + (1 - similarity) * (0.6 - 0.1)``, and the augmented question (rank 0) shares
    the lowest one. For other depths the similarities of ranks 1 .. levels fall evenly to one half, as they do
    for three.

    >>> default_temperatures(3)
    (0.1, 0.1, 0.225, 0.35, 0.6)
    """
    if levels < 1:
        raise ValueError(f"levels must be at least 1, not {levels}")
    lowest, highest, steps = 0.1, 0.6, max(1, levels - 1)
    shared = [lowest + 0.5 * rank / steps * (highest - lowest) for rank in range(levels)]
    return tuple(round(value, 6) for value in (lowest, *shared, highest))


def kh_distance(paths: Sequence[ConceptPath], others: Sequence[ConceptPath], levels: int) -> int:
    """Return the KH-distance of Eq. 1: ``levels - u + 1``, u the deepest level at which concepts agree.

    With several paths, the smallest distance over all pairs counts.

    Args:
        paths: the concept paths of one question, all in one hierarchy.
        others: the paths of the other question, in the same hierarchy.
        levels: L, the depth of the hierarchy; deeper parts of a path are ignored.

    Returns:
        1 (same finest concept) .. levels (only the coarsest shared), levels + 1 (nothing shared).

    Raises:
        ValueError: levels below 1, or a question without a path.

    >>> kh_distance([("Algebra", "Function", "Power")], [("Algebra", "Function", "Sine")], levels=3)
    2
    """
    if levels < 1:
        raise ValueError(f"levels must be at least 1, not {levels}")
    if not paths or not others:
        raise ValueError("a question without concepts has no distance")
    shared = max(shared_depth(first[:levels], second[:levels]) for first in paths for second in others)
    return levels - shared + 1


def encode_paths(
    questions: Sequence[Sequence[ConceptPath]], levels: int, hierarchies: Sequence[str] | None = None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Number the concepts, so that computing ranks reduces to comparing integers.

    A concept's number stands for its whole path from the root: equal numbers at a level imply that all
    coarser levels agree too, and concepts of the same name under different parents differ.

    Args:
        questions: the paths of every question.
        levels: L; deeper parts are ignored.
        hierarchies: name of each question's hierarchy; by default all are in one.

    Returns:
        Numbers (questions, maximum paths per question, levels), `NO_CONCEPT` where a path is shorter or
        missing, and the number of each question's hierarchy (questions,), `UNDEFINED` if the question has no
        path.
    """
    names = list(hierarchies) if hierarchies is not None else [""] * len(questions)
    width = max([1, *(len(paths) for paths in questions)])
    numbers = np.full((len(questions), width, levels), NO_CONCEPT, dtype=np.int64)
    owner = np.full(len(questions), UNDEFINED, dtype=np.int64)
    node_numbers: dict[tuple[str, ConceptPath], int] = {}
    known_hierarchies: dict[str, int] = {}
    for row, (paths, name) in enumerate(zip(questions, names, strict=True)):
        if not paths:
            continue
        owner[row] = known_hierarchies.setdefault(name, len(known_hierarchies))
        for column, path in enumerate(paths):
            for depth in range(1, min(len(path), levels) + 1):
                numbers[row, column, depth - 1] = node_numbers.setdefault(
                    (name, tuple(path[:depth])), len(node_numbers)
                )
    return numbers, owner


def retrieval_hits(
    nearest: npt.NDArray[np.int64],
    paths: Sequence[Sequence[ConceptPath]],
    other_paths: Sequence[Sequence[ConceptPath]],
    level: int,
) -> npt.NDArray[np.float64]:
    """Return for each question the share of neighbours that share one of its paths down to `level`.

    Returns:
        (questions,), NaN if a question has no path that deep.
    """
    wanted = [{path[:level] for path in question_paths if len(path) >= level} for question_paths in paths]
    neighbour_paths = [
        {path[:level] for path in question_paths if len(path) >= level} for question_paths in other_paths
    ]
    hits = np.full(len(paths), np.nan)
    for row, prefixes in enumerate(wanted):
        if prefixes and nearest.shape[1]:
            hits[row] = np.mean([not prefixes.isdisjoint(neighbour_paths[neighbour]) for neighbour in nearest[row]])
    return hits
