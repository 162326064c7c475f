"""Concept prediction by one linear layer on a frozen vector (QuesCo's linear-evaluation protocol).

The score of a path is a sum over its nodes, and a single softmax over all paths turns scores into
probabilities. So a rare path learns from its siblings through the nodes above it, paths of different depth
are comparable, every probability is that of a whole path, and a node's probability is the sum over the paths
through it. Training minimises the cross-entropy with an L2 penalty on the node weights: a convex problem,
solved by L-BFGS. Decision 0014 compares it with one classifier per level and with conditional probabilities
down the tree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from analytics.concept_paths import PathTree
from analytics.errors import Cancelled
from analytics.probes.calibration import negative_log_likelihood
from analytics.training.device import pick_device, threads_for

PENALTIES = (300.0, 100.0, 30.0, 10.0, 3.0)
"""L2 strengths to try, from strong to weak: each fit starts from the previous one."""

_MOST_LOGITS = 8_000_000  # per chunk: bounds the memory of a step


@dataclass(frozen=True)
class ConceptProbe:
    """A fitted layer: `logits = vectors @ weights.T + bias`, one column per path of the tree.

    Attributes:
        weights: (paths, dimension).
        bias: (paths,).
        state: node weights and biases in the optimiser's scaling, from which the next fit starts.
    """

    weights: np.ndarray
    bias: np.ndarray
    state: tuple[torch.Tensor, torch.Tensor]

    def logits(self, vectors: np.ndarray) -> np.ndarray:
        """Return the logits (questions, paths)."""
        scores: np.ndarray = vectors @ self.weights.T + self.bias
        return scores


@dataclass(frozen=True, slots=True)
class Fit:
    """Settings for fitting a layer.

    Attributes:
        sharing: factor of the nodes above a path's last one; 0 makes the paths independent.
        iterations: maximum number of steps.
    """

    sharing: float = 0.5
    iterations: int = 40


DEFAULT_FIT = Fit()


def concept_probe(
    vectors: np.ndarray,
    targets: np.ndarray,
    tree: PathTree,
    *,
    penalty: float,
    fit: Fit = DEFAULT_FIT,
    start: ConceptProbe | None = None,
) -> ConceptProbe:
    """Fit the layer.

    Args:
        vectors: (questions, dimension).
        targets: (questions, paths), the weight of each path for each question; see `PathTree.targets`.
        tree: the paths and their nodes.
        penalty: L2 penalty: half of it times the sum of squared weights is added to the summed cross-entropy.
        fit: number of iterations, and how much paths share.
        start: a layer to start from.
    """
    device = pick_device()
    centre = vectors.mean(axis=0)
    spread = float(np.sqrt(((vectors - centre) ** 2).mean())) or 1.0
    inputs = torch.from_numpy(((vectors - centre) / spread).astype(np.float32)).to(device)
    target_rows = torch.from_numpy(targets).to(device)
    routes = torch.from_numpy(_routes(tree, fit.sharing)).to(device)  # (rows, paths)
    rows = routes.shape[0]
    weights = start.state[0].clone() if start else torch.zeros(rows, inputs.shape[1], device=device)
    bias = start.state[1].clone() if start else torch.zeros(rows, device=device)
    weights.requires_grad_()
    bias.requires_grad_()
    optimiser = torch.optim.LBFGS(
        [weights, bias], max_iter=fit.iterations, history_size=10, line_search_fn="strong_wolfe"
    )
    count = max(len(inputs), 1)
    chunk = max(1, _MOST_LOGITS // max(len(tree.paths), 1))

    def closure() -> torch.Tensor:
        optimiser.zero_grad()
        path_weights, path_bias = routes.T @ weights, routes.T @ bias
        total = penalty / 2 * weights.square().sum() / count
        for part, part_targets in zip(inputs.split(chunk), target_rows.split(chunk), strict=True):
            log_probability = torch.log_softmax(part @ path_weights.T + path_bias, dim=1)
            total = total - (log_probability * part_targets).sum() / count
        total.backward()
        return total

    with threads_for(inputs.numel() * len(tree.paths)):
        optimiser.step(closure)
    with torch.no_grad():
        path_weights = (routes.T @ weights).cpu().numpy() / spread
        path_bias = (routes.T @ bias).cpu().numpy() - path_weights @ centre.astype(np.float32)
    return ConceptProbe(path_weights, path_bias, (weights.detach(), bias.detach()))


def choose_penalty(
    vectors: np.ndarray,
    targets: np.ndarray,
    validation: np.ndarray,
    tree: PathTree,
    *,
    fit: Fit = DEFAULT_FIT,
    cancel: Callable[[], bool] | None = None,
) -> float:
    """Return the `PENALTIES` entry with the lowest cross-entropy on the validation rows (a mask), fitted on the rest.

    Raises:
        Cancelled: `cancel` returned True between two fits.
    """
    if not targets[validation].any():
        return PENALTIES[len(PENALTIES) // 2]
    best, lowest = PENALTIES[0], float("inf")
    probe: ConceptProbe | None = None
    fitted = ~validation
    for penalty in PENALTIES:
        if cancel is not None and cancel():
            raise Cancelled("The training was stopped.")
        probe = concept_probe(vectors[fitted], targets[fitted], tree, penalty=penalty, fit=fit, start=probe)
        loss = negative_log_likelihood(probe.logits(vectors[validation]), targets[validation])
        if loss >= lowest:  # the loss has a single minimum along the path from strong to weak
            break
        best, lowest = penalty, loss
    return best


def _routes(tree: PathTree, sharing: float) -> np.ndarray:
    """Return the factors (rows, paths) by which a row of weights contributes to a path.

    There is one row per node that several paths pass through or end at, shared by them, and one row per path
    of its own.
    """
    shared = tree.membership[tree.membership.sum(axis=1) > 1] * np.float32(sharing)
    return np.concatenate((shared, np.eye(len(tree.paths), dtype=np.float32)))
