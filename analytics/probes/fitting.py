"""Fit the probes on frozen vectors: concepts by one linear layer, difficulty by ridge regression; and calibrate both.

The concept probe is QuesCo's linear-evaluation protocol. The score of a path is a sum over its nodes, and a single
softmax over all paths turns scores into probabilities. So a rare path learns from its siblings through the nodes
above it, paths of different depth are comparable, every probability is that of a whole path, and a node's probability
is the sum over the paths through it. Training minimises the cross-entropy with an L2 penalty on the node weights: a
convex problem, solved by L-BFGS. Decision 0014 compares it with one classifier per level and with conditional
probabilities down the tree.

Calibration is temperature scaling for probabilities (Guo et al., "On Calibration of Modern Neural Networks", 2017)
and split conformal prediction for intervals (Vovk et al., 2005; Lei et al., "Distribution-Free Predictive Inference
for Regression", 2018).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from analytics.concept_paths import PathTree
from analytics.errors import Cancelled
from analytics.splits import grouped_folds
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

    Each node that several paths pass through or end at has one row, which they share; each path also has a row
    of its own.
    """
    shared = tree.membership[tree.membership.sum(axis=1) > 1] * np.float32(sharing)
    return np.concatenate((shared, np.eye(len(tree.paths), dtype=np.float32)))


RIDGE_PENALTIES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1_000.0, 3_000.0, 10_000.0)
_FOLDS = 5
_LEAST_UNEXPLAINED = 0.1  # minimum share of the squared residuals, however large the errors


@dataclass(frozen=True)
class DifficultyProbe:
    """`value = features @ weights + intercept`."""

    weights: np.ndarray
    intercept: float

    def values(self, features: np.ndarray) -> np.ndarray:
        """Return the values (questions,)."""
        estimates: np.ndarray = features @ self.weights + self.intercept
        return estimates


def difficulty_probe(
    features: np.ndarray, truth: np.ndarray, *, penalty: float, weights: np.ndarray | None = None
) -> DifficultyProbe:
    """Fit on (questions, features): least squares plus penalty times the squared weights, intercept unpenalised.

    Args:
        weights: how much each question counts, (questions,); by default all count 1.
    """
    return _Ridge(features, truth, weights).probe(penalty)


def information(errors: np.ndarray, residuals: np.ndarray) -> np.ndarray:
    """Return each question's information on what texts say, as a share of that of a question of known difficulty.

    Args:
        errors: standard error of each difficulty.
        residuals: what the texts leave unexplained, as fitted without weights.

    >>> information(np.array([0.0, 1.0]), np.array([1.0, -np.sqrt(2)])).round(2).tolist()
    [1.0, 0.5]
    """
    unexplained = max(float(np.mean(residuals**2 - errors**2)), _LEAST_UNEXPLAINED * float(np.mean(residuals**2)))
    shares: np.ndarray = unexplained / (unexplained + errors**2)
    return shares


def choose_ridge_penalty(
    features: np.ndarray, truth: np.ndarray, groups: np.ndarray, rng: np.random.Generator
) -> float:
    """Return the member of `RIDGE_PENALTIES` with the lowest squared error under grouped cross-validation."""
    fold = grouped_folds(groups, _FOLDS, rng)
    errors = np.zeros(len(RIDGE_PENALTIES))
    for number in np.unique(fold):
        held = fold == number
        if held.all():
            continue
        ridge = _Ridge(features[~held], truth[~held])
        for index, penalty in enumerate(RIDGE_PENALTIES):
            errors[index] += ((ridge.probe(penalty).values(features[held]) - truth[held]) ** 2).sum()
    return RIDGE_PENALTIES[int(np.argmin(errors))]


class _Ridge:
    """Ridge regression for many penalties from one eigendecomposition, of the smaller Gram matrix."""

    def __init__(self, features: np.ndarray, truth: np.ndarray, weights: np.ndarray | None = None) -> None:
        wide = features.astype(np.float64)
        self.centre, self.mean = np.average(wide, axis=0, weights=weights), float(np.average(truth, weights=weights))
        wide, target = wide - self.centre, truth - self.mean
        if weights is not None:
            wide, target = wide * np.sqrt(weights)[:, None], target * np.sqrt(weights)
        few = len(wide) < wide.shape[1]
        self.eigenvalues, vectors = np.linalg.eigh(wide @ wide.T if few else wide.T @ wide)
        # With few questions w = X^T (X X^T + penalty)^-1 y, else w = (X^T X + penalty)^-1 X^T y.
        self.back = wide.T @ vectors if few else vectors
        self.projected = vectors.T @ target if few else vectors.T @ (wide.T @ target)

    def probe(self, penalty: float) -> DifficultyProbe:
        weights = self.back @ (self.projected / (np.maximum(self.eigenvalues, 0) + penalty))
        return DifficultyProbe(weights, self.mean - float(self.centre @ weights))


def negative_log_likelihood(logits: np.ndarray, targets: np.ndarray, temperature: float = 1.0) -> float:
    """Return the mean cross-entropy of softmax(logits / temperature) against target weights, over rows with targets.

    Args:
        logits: (questions, paths).
        targets: (questions, paths), rows summing to 1, or to 0 if no path is known.
        temperature: divides the logits.
    """
    scaled = logits.astype(np.float64) / temperature
    top = scaled.max(axis=1, keepdims=True)
    normaliser = top[:, 0] + np.log(np.exp(scaled - top).sum(axis=1))
    weight = targets.sum(axis=1)
    loss = normaliser * weight - (scaled * targets).sum(axis=1)
    return float(loss.sum() / max(weight.sum(), 1e-12))


def choose_temperature(logits: np.ndarray, targets: np.ndarray) -> float:
    """Return the temperature from 0.3 to 3 with the lowest log-loss, by golden-section search on its logarithm.

    The likelihood has a single optimum in 1 / temperature, so the search cannot end in a local one.
    """
    ratio = (math.sqrt(5) - 1) / 2
    left, right = math.log(0.3), math.log(3.0)
    while right - left > 0.01:
        first, second = right - ratio * (right - left), left + ratio * (right - left)
        if negative_log_likelihood(logits, targets, math.exp(first)) < negative_log_likelihood(
            logits, targets, math.exp(second)
        ):
            right = second
        else:
            left = first
    return math.exp((left + right) / 2)


def conformal_radius(residuals: np.ndarray, coverage: float, widest: float) -> float:
    """Return the radius around an estimate that contains the true value with at least probability `coverage`.

    It is the ceil((n + 1) coverage)-th smallest absolute residual of n calibration questions, or `widest` if
    there are too few to guarantee the coverage.

    >>> conformal_radius(np.array([0.1, -0.4, 0.2, 0.3]), 0.6, widest=5.0)
    0.3
    """
    rank = math.ceil((len(residuals) + 1) * coverage)
    if rank > len(residuals):
        return widest
    return float(np.sort(np.abs(residuals))[rank - 1])
