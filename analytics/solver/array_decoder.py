"""The goal-driven tree decoder in NumPy, for all searches: one node per hypothesis is too little work for a GPU.

It computes the same as `analytics.solver.decoder.GoalDrivenTreeDecoder` in evaluation mode, from the same
weights with the same names; a test checks that both agree to 1e-4 and produce the same trees.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from analytics.errors import ArtifactError
from analytics.solver.reading import ProblemBatch

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
