"""Beam search over equation trees, for all problems of a batch at once.

Every hypothesis is a tree in the making: a stack of operators that lack an operand, and of goals that wait for their
turn. An operator is offered only while the tree can still be finished within the length allowed, so that whatever
comes out is a whole tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from analytics.solver.decoder import GoalDrivenTreeDecoder, Memory
from analytics.solver.targets import OPERATORS

__all__ = ["Hypothesis", "beam_search"]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A whole tree: candidate numbers in pre-order, and the logarithm of its probability."""

    candidates: tuple[int, ...]
    log_probability: float


@dataclass(frozen=True, slots=True)
class _Operator:
    """An operator of a tree in the making: what it passes to its right operand, and its left sub-tree once whole."""

    number: int
    right_seed: Tensor
    left: Tensor | None = None


@dataclass(frozen=True, slots=True)
class _Partial:
    """A tree in the making; `seed` and `left` make the goal of the next node."""

    problem: int
    log_probability: float
    candidates: tuple[int, ...]
    waiting: tuple[_Operator, ...]
    seed: Tensor
    left: Tensor | None

    @property
    def missing(self) -> int:
        """Nodes that it needs at least: this one, and a right operand for each operator whose left is in the making."""
        return 1 + sum(operator.left is None for operator in self.waiting)


@torch.no_grad()
def beam_search(
    decoder: GoalDrivenTreeDecoder, memory: Memory, *, width: int = 3, most_tokens: int = 45
) -> list[list[Hypothesis]]:
    """Return the likeliest trees of each problem, best first.

    Args:
        decoder: in evaluation mode.
        memory: of the batch.
        width: trees kept for each problem.
        most_tokens: nodes of a tree, at most.

    Returns:
        Up to `width` trees for each problem; none for a problem with neither a constant nor a slot.
    """
    problems = len(memory.root)
    has_leaf = memory.leaf_mask.any(dim=1).tolist()
    alive = [
        _Partial(problem, 0.0, (), (), memory.root[problem], None)
        for problem in range(problems)
        if has_leaf[problem]
    ]
    finished: list[list[Hypothesis]] = [[] for _problem in range(problems)]
    while alive:
        by_problem: dict[int, list[_Partial | _Whole]] = {}
        for tree in _grow(decoder, memory, alive, width, most_tokens):
            by_problem.setdefault(tree.problem, []).append(tree)
        alive = []
        for problem, grown in by_problem.items():
            own = sorted(grown, key=lambda tree: -tree.log_probability)[:width]
            finished[problem] += [
                Hypothesis(tree.candidates, tree.log_probability) for tree in own if isinstance(tree, _Whole)
            ]
            finished[problem].sort(key=lambda tree: -tree.log_probability)
            del finished[problem][width:]
            worst = finished[problem][-1].log_probability if len(finished[problem]) == width else -torch.inf
            alive += [tree for tree in own if isinstance(tree, _Partial) and tree.log_probability > worst]
    return finished


@dataclass(frozen=True, slots=True)
class _Whole:
    problem: int
    log_probability: float
    candidates: tuple[int, ...]


def _grow(
    decoder: GoalDrivenTreeDecoder,
    memory: Memory,
    trees: Sequence[_Partial],
    width: int,
    most_tokens: int,
) -> list[_Partial | _Whole]:
    """Put the likeliest candidates at the next node of each tree."""
    device = memory.root.device
    rows = torch.tensor([tree.problem for tree in trees], device=device)
    seeds = torch.stack([tree.seed for tree in trees])
    lefts = torch.stack([tree.seed if tree.left is None else tree.left for tree in trees])
    is_right = torch.tensor([tree.left is not None for tree in trees], device=device)
    goals = decoder.goal(seeds, lefts, is_right)
    scores, contexts = decoder.score(goals, memory, rows)
    full = torch.tensor(
        [len(tree.candidates) + tree.missing + 2 > most_tokens for tree in trees], device=device
    )
    scores[:, : len(OPERATORS)] = scores[:, : len(OPERATORS)].masked_fill(full[:, None], -torch.inf)
    best = scores.topk(min(width, scores.shape[1]), dim=1)
    chosen = [
        (place, candidate, score)
        for place, (candidates, values) in enumerate(
            zip(best.indices.tolist(), best.values.tolist(), strict=True)
        )
        for candidate, score in zip(candidates, values, strict=True)
        if score > -torch.inf
    ]
    operators = [one for one in chosen if one[1] < len(OPERATORS)]
    grown: list[_Partial | _Whole] = []
    if operators:
        places = torch.tensor([place for place, _candidate, _score in operators], device=device)
        numbers = torch.tensor([candidate for _place, candidate, _score in operators], device=device)
        left_seeds, right_seeds = decoder.split(goals[places], contexts[places], numbers)
        for (place, candidate, score), left_seed, right_seed in zip(
            operators, left_seeds, right_seeds, strict=True
        ):
            tree = trees[place]
            grown.append(
                _Partial(
                    tree.problem,
                    tree.log_probability + score,
                    (*tree.candidates, candidate),
                    (*tree.waiting, _Operator(candidate, right_seed)),
                    left_seed,
                    None,
                )
            )
    leaves = [one for one in chosen if one[1] >= len(OPERATORS)]
    subtrees = [
        memory.leaves[trees[place].problem, candidate - len(OPERATORS)] for place, candidate, _score in leaves
    ]
    stacks = _merged(decoder, [trees[place].waiting for place, _candidate, _score in leaves], subtrees)
    for (place, candidate, score), (waiting, subtree) in zip(leaves, stacks, strict=True):
        tree = trees[place]
        candidates, total = (*tree.candidates, candidate), tree.log_probability + score
        if not waiting:
            grown.append(_Whole(tree.problem, total, candidates))
            continue
        above = waiting[-1]
        opened = (*waiting[:-1], _Operator(above.number, above.right_seed, subtree))
        grown.append(_Partial(tree.problem, total, candidates, opened, above.right_seed, subtree))
    return grown


def _merged(
    decoder: GoalDrivenTreeDecoder, stacks: Sequence[tuple[_Operator, ...]], subtrees: list[Tensor]
) -> list[tuple[tuple[_Operator, ...], Tensor]]:
    """Close every operator whose right operand is whole; the trees of a batch together, level by level."""
    left_over = list(stacks)
    while True:
        ready = [place for place, waiting in enumerate(left_over) if waiting and waiting[-1].left is not None]
        if not ready:
            return list(zip(left_over, subtrees, strict=True))
        tops = [left_over[place][-1] for place in ready]
        merged = decoder.merged(
            torch.tensor([operator.number for operator in tops], device=subtrees[0].device),
            torch.stack([operator.left for operator in tops if operator.left is not None]),
            torch.stack([subtrees[place] for place in ready]),
        )
        for place, subtree in zip(ready, merged, strict=True):
            left_over[place], subtrees[place] = left_over[place][:-1], subtree
