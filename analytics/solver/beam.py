"""Beam search over equation trees and its decoder, for all problems of a batch at once. Torch-free.

Every hypothesis is a partial tree: a stack of operators that lack an operand, and the goal of the next node.
An operator is offered only if the tree can still be completed within the maximum length, so that every result
is a complete tree.

The search stores all trees in NumPy arrays. So does the decoder that gives vectors and scores: one node per hypothesis
is too little work for a GPU. It computes the same as `analytics.solver.decoder.GoalDrivenTreeDecoder` in evaluation
mode, from the same weights with the same names; a test checks that both agree to 1e-4 and produce the same trees.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

import numpy as np

from analytics.errors import ArtifactError
from analytics.solver.targets import OPERATORS, ProblemBatch

_BLOCK_VALUES = 1 << 18  # compared at once, so that they fit in a core's cache

Array = np.ndarray


class ArrayDecoder:
    """The decoder's weights, laid out for NumPy. Thread-safe.

    Args:
        weights: `GoalDrivenTreeDecoder.state_dict` as arrays.
        constants: number of constants.

    Raises:
        ArtifactError: a weight is missing.
    """

    def __init__(self, weights: Mapping[str, Array], constants: int) -> None:
        self._weights = {name: np.asarray(value, dtype=np.float32) for name, value in weights.items()}
        self.constants = constants
        self.width = len(self._weight("project.bias"))
        self.operators = self._weight("operator_embeddings.weight")
        self._constants = self._weight("constant_embeddings.weight")[:constants]
        self._readings = self._weight("reading_embeddings.weight")
        linear = ("project", "attention_goal", "attention_key", "operator_score", "leaf_goal", "leaf_key")
        self._linear = {name: self._layer(name) for name in linear}
        gated = ("first_goal", "right_goal", "left_seed", "right_seed", "merge.gated")
        self._gated = {name: self._gated_layer(name) for name in gated}
        self._linear["project"] = self._standardized(*self._linear["project"])
        self.attention_score = self._weight("attention_score.weight")[0]
        self.leaf_score = self._weight("leaf_score.weight")[0]
        del self._weights  # the layers hold what they need

    def _weight(self, name: str) -> Array:
        if name not in self._weights:
            raise ArtifactError(f"The decoder has no weights {name!r}.")
        return self._weights[name]

    def _layer(self, name: str) -> tuple[Array, Array]:
        """Return the weights (inputs, outputs) and biases of a linear layer."""
        weight = self._weight(f"{name}.weight")
        bias = self._weights.get(f"{name}.bias", np.zeros(len(weight), dtype=np.float32))
        return np.ascontiguousarray(weight.T), bias

    def _standardized(self, weight: Array, bias: Array) -> tuple[Array, Array]:
        """Fold the centring and scaling of the states into the first layer; older decoders have neither."""
        if "state_center" not in self._weights:
            return weight, bias
        weight = weight * self._weight("state_scale")
        return weight, bias - self._weight("state_center") @ weight

    def _gated_layer(self, name: str) -> tuple[Array, Array]:
        """Concatenate values and gates, so that they are a single product."""
        (value, value_bias), (gate, gate_bias) = self._layer(f"{name}.value"), self._layer(f"{name}.gate")
        return np.concatenate([value, gate], axis=1), np.concatenate([value_bias, gate_bias])

    def linear(self, name: str, inputs: Array) -> Array:
        """Apply a linear layer to rows."""
        weight, bias = self._linear[name]
        outputs: Array = inputs @ weight
        outputs += bias
        return outputs

    def gated(self, name: str, inputs: Array) -> Array:
        """Return tanh(W x) * sigmoid(V x)."""
        weight, bias = self._gated[name]
        both = inputs @ weight
        both += bias
        value, gate = both[:, : self.width], both[:, self.width :]
        # sigmoid(x) = (1 + tanh(x / 2)) / 2, which does not overflow
        activated: Array = np.tanh(value) * (0.5 + 0.5 * np.tanh(0.5 * gate))
        return activated

    def scorer(self, states: Array, batch: ProblemBatch[Array]) -> ArrayScorer:
        """Encode a batch for decoding.

        Args:
            states: (problems, tokens, width) from the encoder; the first token is [CLS].
            batch: the problems.
        """
        count, tokens, width = states.shape
        states = self.linear("project", states.reshape(-1, width)).reshape(count, tokens, width)
        slots = batch.slot_weights @ states + self._readings[batch.slot_readings]
        constants = np.broadcast_to(self._constants, (count, *self._constants.shape))
        leaves = np.concatenate([constants, slots], axis=1)
        has_constant = np.ones((count, self.constants), dtype=bool)
        return ArrayScorer(
            decoder=self,
            root=states[:, 0],
            states=states,
            keys=self.linear("attention_key", states.reshape(-1, width)).reshape(states.shape),
            mask=batch.mask.astype(bool),
            leaves=leaves,
            leaf_keys=self.linear("leaf_key", leaves.reshape(-1, width)).reshape(leaves.shape),
            leaf_mask=np.concatenate([has_constant, batch.slot_weights.sum(axis=2) > 0], axis=1),
        )


@dataclass(frozen=True, slots=True)
class ArrayScorer:
    """A decoder for the problems of a batch; `analytics.solver.decoder.Memory` describes its inputs."""

    decoder: ArrayDecoder
    root: Array
    states: Array
    keys: Array
    mask: Array
    leaves: Array
    leaf_keys: Array
    leaf_mask: Array

    def goal(self, seeds: Array, left_subtrees: Array, is_right: Array) -> Array:
        goals = np.empty_like(seeds)
        if not is_right.all():
            goals[~is_right] = self.decoder.gated("first_goal", seeds[~is_right])
        if is_right.any():
            read = np.concatenate([seeds[is_right], left_subtrees[is_right]], axis=1)
            goals[is_right] = self.decoder.gated("right_goal", read)
        return goals

    def score(self, goals: Array, problems: Array) -> tuple[Array, Array]:
        decoder = self.decoder
        weights = _additive_scores(
            decoder.linear("attention_goal", goals), self.keys, problems, decoder.attention_score
        )
        weights = np.exp(_log_softmax(np.where(self.mask[problems], weights, -np.inf)))
        contexts = np.empty_like(goals)
        for block in _blocks(len(goals), self.states[0].size):
            contexts[block] = (weights[block, None] @ self.states[problems[block]])[:, 0]
        read = np.concatenate([goals, contexts], axis=1)
        leaves = _additive_scores(decoder.linear("leaf_goal", read), self.leaf_keys, problems, decoder.leaf_score)
        leaves = np.where(self.leaf_mask[problems], leaves, -np.inf)
        return _log_softmax(np.concatenate([decoder.linear("operator_score", read), leaves], axis=1)), contexts

    def split(self, goals: Array, contexts: Array, operators: Array) -> tuple[Array, Array]:
        read = np.concatenate([goals, contexts, self.decoder.operators[operators]], axis=1)
        return self.decoder.gated("left_seed", read), self.decoder.gated("right_seed", read)

    def merged(self, operators: Array, left: Array, right: Array) -> Array:
        read = np.concatenate([self.decoder.operators[operators], left, right], axis=1)
        return self.decoder.gated("merge.gated", read)


def _additive_scores(queries: Array, keys: Array, rows: Array, weight: Array) -> Array:
    """Return weight . tanh(query + key) of each query with all keys of its row."""
    scores = np.empty((len(queries), keys.shape[1]), dtype=np.float32)
    for block in _blocks(len(queries), keys[0].size):
        compared = keys[rows[block]]
        compared += queries[block, None]
        np.tanh(compared, out=compared)
        scores[block] = compared @ weight
    return scores


def _blocks(rows: int, values: int) -> Iterator[slice]:
    """Yield slices of rows with about `_BLOCK_VALUES` values each."""
    size = max(1, _BLOCK_VALUES // max(1, values))
    for start in range(0, rows, size):
        yield slice(start, start + size)


def _log_softmax(scores: Array) -> Array:
    """Return the row-wise log-softmax; each row has at least one finite value."""
    shifted: Array = scores - scores.max(axis=1, keepdims=True)
    shifted -= np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return shifted


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
