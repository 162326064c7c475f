"""The goal-driven tree decoder: Xie and Sun (IJCAI 2019), over the states of any encoder.

A goal is a vector that describes the purpose of a node in the equation. The [CLS] state is the root's goal. A
node attends to the text and chooses an operator, a constant or a number in the text; an operator splits its
goal into one per operand, and the right one also sees the finished left subtree.

Teacher forcing computes a whole batch of trees level by level, as flat tensors. Since the target is known, nodes need
not be decoded one by one: every subtree's embedding follows from its leaves, lowest first, and then every goal from the
one above it, highest first. `analytics.solver.beam` searches with the same weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from analytics.solver.targets import OPERATORS
from analytics.text.number_slots import READINGS
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


_OPERATOR_WIDTH = 128
_STATE_SPREAD = 0.4  # standard deviation of a standardized state's entries: that of the default encoder


@dataclass(frozen=True, slots=True)
class Memory:
    """A decoder's inputs for a batch of problems.

    Attributes:
        root: (problems, width) goals of the roots.
        states: (problems, tokens, width).
        keys: (problems, tokens, width) states projected for attention.
        mask: (problems, tokens) True for tokens of the text.
        leaves: (problems, constants + slots, width) embeddings of the candidates for a leaf.
        leaf_keys: (problems, constants + slots, width) leaves projected for scoring.
        leaf_mask: (problems, constants + slots) True for those available in the problem.
    """

    root: Tensor
    states: Tensor
    keys: Tensor
    mask: Tensor
    leaves: Tensor
    leaf_keys: Tensor
    leaf_mask: Tensor


@dataclass(frozen=True, slots=True)
class DecodedTrees:
    """A batch of trees under teacher forcing.

    Attributes:
        log_probabilities: (nodes,) of the correct candidates at each node.
        goals: (nodes, width).
    """

    log_probabilities: Tensor
    goals: Tensor


class _Gated(nn.Module):
    """tanh(W x) * sigmoid(V x)."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.value, self.gate = nn.Linear(inputs, outputs), nn.Linear(inputs, outputs)

    def forward(self, inputs: Tensor) -> Tensor:
        return torch.tanh(self.value(inputs)) * torch.sigmoid(self.gate(inputs))


class SubtreeMerger(nn.Module):
    """Maps an operator and the embeddings of its operands to the embedding of the subtree.

    Args:
        width: width of subtrees.
        operator_width: width of operators.
        dropout: dropout on the inputs.
    """

    def __init__(self, width: int, operator_width: int, dropout: float) -> None:
        super().__init__()
        self.gated = _Gated(operator_width + 2 * width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, operators: Tensor, left: Tensor, right: Tensor) -> Tensor:
        """Map (nodes, operator_width) and two (nodes, width) to (nodes, width)."""
        merged: Tensor = self.gated(self.dropout(torch.cat([operators, left, right], dim=1)))
        return merged


class GoalDrivenTreeDecoder(nn.Module):
    """Scores the nodes of equation trees over operators, constants and copied number slots.

    Args:
        width: width of the encoder's states, and of goals and subtrees.
        constants: number of constants.
        dropout: dropout on all inputs.
        drop_states: whether dropout applies to the encoder's states too.
    """

    state_center: Tensor
    state_scale: Tensor

    def __init__(self, width: int, constants: int, dropout: float = 0.5, *, drop_states: bool = True) -> None:
        super().__init__()
        self.constants = constants
        self.dropout = nn.Dropout(dropout)
        self.state_dropout = nn.Dropout(dropout if drop_states else 0)
        self.register_buffer("state_center", torch.zeros(width))
        self.register_buffer("state_scale", torch.ones(1))
        self.project = nn.Linear(width, width)
        self.operator_embeddings = nn.Embedding(len(OPERATORS), _OPERATOR_WIDTH)
        self.constant_embeddings = nn.Embedding(max(1, constants), width)
        self.reading_embeddings = nn.Embedding(len(READINGS), width)
        nn.init.zeros_(self.reading_embeddings.weight)
        self.first_goal, self.right_goal = _Gated(width, width), _Gated(2 * width, width)
        self.left_seed = _Gated(2 * width + _OPERATOR_WIDTH, width)
        self.right_seed = _Gated(2 * width + _OPERATOR_WIDTH, width)
        self.attention_goal = nn.Linear(width, width)
        self.attention_key = nn.Linear(width, width, bias=False)
        self.attention_score = nn.Linear(width, 1, bias=False)
        self.operator_score = nn.Linear(2 * width, len(OPERATORS))
        self.leaf_goal = nn.Linear(2 * width, width)
        self.leaf_key = nn.Linear(width, width, bias=False)
        self.leaf_score = nn.Linear(width, 1, bias=False)
        self.merge = SubtreeMerger(width, _OPERATOR_WIDTH, dropout)
        self.register_load_state_dict_pre_hook(_with_neutral_scaling)

    @torch.no_grad()
    def standardize(self, states: Tensor) -> None:
        """Set the centring and scaling of the encoder's states from these states.

        The states of some encoders differ little from their mean, and dropout of the mean would swamp the
        differences.

        Args:
            states: (tokens, width) from the encoder, for problems like the training problems.
        """
        self.state_center.copy_(states.mean(dim=0))
        self.state_scale.fill_(_STATE_SPREAD / float(states.std(dim=0).mean().clamp(min=1e-4)))

    def read(self, states: Tensor, mask: Tensor, slot_weights: Tensor, slot_readings: Tensor) -> Memory:
        """Prepare the decoder's inputs for a batch.

        Args:
            states: (problems, tokens, width) from the encoder; the first token is [CLS].
            mask: (problems, tokens), 0 at padding.
            slot_weights: (problems, slots, tokens) the share of each token in a slot's state; all 0 if the
                problem has no such slot, or the text was truncated before it.
            slot_readings: (problems, slots) indices into `READINGS`.
        """
        states = self.project(self.state_dropout((states - self.state_center) * self.state_scale))
        slots = slot_weights @ states + self.reading_embeddings(slot_readings)
        constants = self.constant_embeddings.weight[: self.constants].expand(len(states), -1, -1)
        leaves = torch.cat([constants, slots], dim=1)
        has_constant = torch.ones(len(states), self.constants, dtype=torch.bool, device=states.device)
        return Memory(
            root=states[:, 0],
            states=states,
            keys=self.attention_key(states),
            mask=mask.bool(),
            leaves=leaves,
            leaf_keys=self.leaf_key(self.dropout(leaves)),
            leaf_mask=torch.cat([has_constant, slot_weights.sum(dim=2) > 0], dim=1),
        )

    def goal(self, seeds: Tensor, left_subtrees: Tensor, is_right: Tensor) -> Tensor:
        """Return the goals of nodes.

        Args:
            seeds: (nodes, width) the root's state, or the seed from the parent node.
            left_subtrees: (nodes, width) embeddings of the left sibling; ignored if there is none.
            is_right: (nodes,) whether there is a left sibling.
        """
        read = self.dropout(seeds)
        first = self.first_goal(read)
        right = self.right_goal(torch.cat([read, self.dropout(left_subtrees)], dim=1))
        return torch.where(is_right[:, None], right, first)

    def score(self, goals: Tensor, memory: Memory, problems: Tensor) -> tuple[Tensor, Tensor]:
        """Return the log-probabilities of all candidates at nodes, and the nodes' attention contexts.

        Args:
            goals: (nodes, width).
            memory: the batch's inputs.
            problems: (nodes,) row of each node's problem.

        Returns:
            (nodes, operators + constants + slots), minus infinity for candidates that the problem lacks; and
            contexts (nodes, width).
        """
        goals = self.dropout(goals)
        compared = torch.tanh(self.attention_goal(goals)[:, None] + memory.keys[problems])
        weights = self.attention_score(compared).squeeze(2)  # (nodes, tokens)
        weights = weights.masked_fill(~memory.mask[problems], -torch.inf).softmax(dim=1)
        contexts = torch.bmm(weights[:, None], memory.states[problems]).squeeze(1)
        read = torch.cat([goals, self.dropout(contexts)], dim=1)
        leaf = torch.tanh(self.leaf_goal(read)[:, None] + memory.leaf_keys[problems])
        leaf_scores = self.leaf_score(leaf).squeeze(2)
        leaf_scores = leaf_scores.masked_fill(~memory.leaf_mask[problems], -torch.inf)
        scores = torch.cat([self.operator_score(read), leaf_scores], dim=1)
        return scores.log_softmax(dim=1), contexts

    def split(self, goals: Tensor, contexts: Tensor, operators: Tensor) -> tuple[Tensor, Tensor]:
        """Return the seeds that operators pass to their left and right operands, (nodes, width) each."""
        read = torch.cat(
            [self.dropout(goals), self.dropout(contexts), self.dropout(self.operator_embeddings(operators))], dim=1
        )
        return self.left_seed(read), self.right_seed(read)

    def merged(self, operators: Tensor, left: Tensor, right: Tensor) -> Tensor:
        """Return the embeddings of subtrees (nodes, width) from those of their operands."""
        subtree: Tensor = self.merge(self.operator_embeddings(operators), left, right)
        return subtree

    def forward(self, memory: Memory, trees: TreeBatch) -> DecodedTrees:
        """Decode known trees: the log-probability of the correct candidates at each node, and the nodes' goals."""
        subtrees = self._subtrees(memory, trees)
        passed_on = memory.root
        goals, log_probabilities = [], []
        for depth, level in enumerate(trees.levels):
            seeds = passed_on[level.seed if depth else level.problem]
            goal = self.goal(seeds, subtrees[level.left_sibling], level.is_right)
            scores, contexts = self.score(goal, memory, level.problem)
            goals.append(goal)
            log_probabilities.append(scores.masked_fill(~trees.allowed[level.nodes], -torch.inf).logsumexp(dim=1))
            if len(level.operators):
                operators = level.operators
                passed_on = torch.cat(self.split(goal[operators], contexts[operators], level.labels))
        return DecodedTrees(torch.cat(log_probabilities)[trees.by_level], torch.cat(goals)[trees.by_level])

    def _subtrees(self, memory: Memory, trees: TreeBatch) -> Tensor:
        """Return (nodes, width) embeddings of all subtrees, from the leaves up."""
        subtrees = memory.leaves[trees.problem, trees.leaf]
        for height in trees.heights:
            merged = self.merged(height.label, subtrees[height.left], subtrees[height.right])
            subtrees = subtrees.index_copy(0, height.nodes, merged)
        return subtrees


def _with_neutral_scaling(decoder: nn.Module, weights: dict[str, Tensor], prefix: str, *_rest: object) -> None:
    """Add neutral values for weights missing in decoders saved before states were centred and scaled."""
    for name, tensor in decoder.named_buffers(recurse=False):
        neutral = torch.zeros_like(tensor) if name == "state_center" else torch.ones_like(tensor)
        weights.setdefault(prefix + name, neutral)
