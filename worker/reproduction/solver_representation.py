"""How a solver's encoder represents problems, and how problems with the same prototype equation cluster.

Li et al. (Findings of ACL 2022), sections 3.2 to 3.4 and 5.5.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from sklearn.metrics import calinski_harabasz_score

from analytics.inference.encode import batches_by_length
from analytics.solver.model import SolverModel
from analytics.solver.targets import SolverExample

_BATCH = 32

Matrix = npt.NDArray[np.float32]
Pairs = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LayerStates:
    """States of problems by layer; layer 0 is the embedding layer.

    Attributes:
        first: (layers, problems, width) states of [CLS].
        words: (layers, problems, width) the mean over a problem's word pieces, without the special tokens.
    """

    first: Matrix
    words: Matrix


@torch.inference_mode()
def layer_states(model: SolverModel, examples: Sequence[SolverExample]) -> LayerStates:
    """Return the layer states of some problems, in the given order, without dropout."""
    encoder = model.backbone.model
    read = model.reader.read(examples)
    layers = encoder.config.num_hidden_layers + 1
    first = np.zeros((layers, len(read), model.backbone.dimension), dtype=np.float32)
    words = np.zeros_like(first)
    with model.evaluating():
        for rows in batches_by_length([len(problem.ids) for problem in read], texts=_BATCH):
            batch = model.batch([read[row] for row in rows])
            output = encoder(input_ids=batch.ids, attention_mask=batch.mask, output_hidden_states=True)
            ends = batch.mask.sum(1) - 1
            places = torch.arange(batch.mask.shape[1], device=batch.mask.device)
            inner = ((places > 0) & (places < ends[:, None])).float()
            weights = (inner / inner.sum(1, keepdim=True).clamp(min=1)).unsqueeze(-1)
            for layer, states in enumerate(output.hidden_states):
                first[layer, rows] = states[:, 0].float().cpu().numpy()
                words[layer, rows] = (states.float() * weights).sum(1).cpu().numpy()
    return LayerStates(first, words)


def clustering_index(vectors: Matrix, prototypes: Sequence[str]) -> float:
    """Return the Calinski-Harabasz index of problems by prototype equation (Pattern-CL, Figure 7).

    It is higher the closer problems with the same prototype are to one another than to other problems; it
    grows with the number of problems, so only indices of the same problems are comparable. Prototypes with a
    single problem are skipped.

    Args:
        vectors: (problems, dimension).
        prototypes: prototype equation of each problem.

    Returns:
        The index; NaN if fewer than two prototypes have two problems.
    """
    rows = _shared_rows(prototypes)
    labels = [prototypes[row] for row in rows]
    if len(set(labels)) < 2:
        return float("nan")
    return float(calinski_harabasz_score(vectors[rows], labels))


def centre_cosines(vectors: Matrix, prototypes: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return the cosine of each problem to the mean vector of its prototype equation (Pattern-CL, section 3.4).

    Args:
        vectors: (problems, dimension).
        prototypes: prototype equation of each problem.

    Returns:
        (problems,) cosines; NaN for a problem with a unique prototype, since it is its own centre.
    """
    cosines = np.full(len(prototypes), np.nan)
    shared = _shared_rows(prototypes)
    rows_of: dict[str, list[int]] = {}
    for row in shared:
        rows_of.setdefault(prototypes[row], []).append(row)
    for rows in rows_of.values():
        prototype_vectors = vectors[rows].astype(np.float64)
        centre = prototype_vectors.mean(axis=0)
        lengths = np.linalg.norm(prototype_vectors, axis=1) * np.linalg.norm(centre)
        cosines[rows] = prototype_vectors @ centre / np.maximum(lengths, 1e-12)
    return cosines


def contrasting_pairs(wording: Matrix, prototypes: Sequence[str], *, most: int = 20) -> tuple[Pairs, Pairs]:
    """Choose pairs of problems that are alike in only one way (Pattern-CL, section 3.3, where it was done by hand).

    Args:
        wording: (problems, terms) vectors of length 1; their cosine measures how similarly two texts are
            worded.
        prototypes: prototype equation of each problem.
        most: maximum pairs of either kind; no problem is in two pairs of a kind.

    Returns:
        Rows (pairs, 2) of problems with the most similar wording and different prototype equations, and of problems
        with the same prototype equation and the least similar wording.
    """
    similarity = wording @ wording.T
    codes = np.unique(np.asarray(prototypes), return_inverse=True)[1]
    first, second = np.triu_indices(len(codes), 1)
    values, is_same = similarity[first, second], codes[first] == codes[second]

    def choose(rows: npt.NDArray[np.intp]) -> Pairs:
        used: set[int] = set()
        pairs: list[tuple[int, int]] = []
        for row in rows:
            pair = (int(first[row]), int(second[row]))
            if len(pairs) < most and not used.intersection(pair):
                pairs.append(pair)
                used.update(pair)
        return np.array(pairs, dtype=np.int64).reshape(-1, 2)

    order = np.argsort(values, kind="stable")
    return choose(order[::-1][~is_same[order[::-1]]]), choose(order[is_same[order]])


def _shared_rows(prototypes: Sequence[str]) -> list[int]:
    """Return the rows with a prototype that another problem has too."""
    counts = Counter(prototypes)
    return [row for row, prototype in enumerate(prototypes) if counts[prototype] > 1]
