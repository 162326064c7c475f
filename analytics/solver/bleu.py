"""Bi-directional BLEU between many texts at once: Textual-CL (2022), section 3.2.2.

Sentence BLEU-4 with equal weights, a brevity penalty, and 0.1 matches where there are none (Chen and Cherry's first
smoothing, as the published code has it); 0.1 of one n-gram where the text is shorter than that. Clipped matches of
n-grams are counted exactly, for all pairs of two lists in one sparse product: the k-th occurrence of an n-gram in a
text is a feature of its own, and two texts have as many clipped matches as features in common.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

_ORDERS = (1, 2, 3, 4)
_SMOOTHED = 0.1

Floats = npt.NDArray[np.float32]
Rows = Sequence[int] | npt.NDArray[np.int64]


class BleuTexts:
    """Texts whose n-grams have been counted.

    Args:
        texts: tokens of each text, at least one.

    >>> texts = BleuTexts([["a", "b", "c", "d", "e"], ["a", "b", "c", "d", "f"]])
    >>> round(float(texts.bi_bleu([0], [1])[0, 0]), 4)  # (4/5 * 3/4 * 2/3 * 1/2) ** (1/4)
    0.6687
    """

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self.lengths = np.array([len(tokens) for tokens in texts], dtype=np.int64)
        self.matrices = [_features(texts, order) for order in _ORDERS]

    def bi_bleu(
        self, rows: Sequence[int] | npt.NDArray[np.int64], columns: Sequence[int] | npt.NDArray[np.int64]
    ) -> Floats:
        """Return the mean (rows, columns) of both directions' BLEU, in 0..1."""
        left, right = np.asarray(rows, dtype=np.int64), np.asarray(columns, dtype=np.int64)
        heights, widths = self.lengths[left][:, None], self.lengths[right][None, :]
        forward = np.zeros((len(left), len(right)), dtype=np.float32)
        backward = np.zeros_like(forward)
        for order, matrix in zip(_ORDERS, self.matrices, strict=True):
            matches = (matrix[left] @ matrix[right].T).toarray()
            smoothed = np.log(np.where(matches > 0, matches, _SMOOTHED))
            if order == 1:
                nothing = matches == 0
            forward += smoothed - np.log(np.maximum(1, heights - order + 1), dtype=np.float32)
            backward += smoothed - np.log(np.maximum(1, widths - order + 1), dtype=np.float32)
        forward = np.exp(forward / len(_ORDERS) + np.minimum(0, 1 - widths / heights, dtype=np.float32))
        backward = np.exp(backward / len(_ORDERS) + np.minimum(0, 1 - heights / widths, dtype=np.float32))
        both: Floats = np.where(nothing, np.float32(0), (forward + backward) / 2)
        return both


def _features(texts: Sequence[Sequence[str]], order: int) -> csr_matrix:
    """Return (texts, features), with a 1 for the k-th occurrence of each n-gram of a text."""
    numbers: dict[tuple[tuple[str, ...], int], int] = {}
    columns: list[int] = []
    ends = [0]
    for tokens in texts:
        seen: Counter[tuple[str, ...]] = Counter()
        for start in range(len(tokens) - order + 1):
            gram = tuple(tokens[start : start + order])
            seen[gram] += 1
            columns.append(numbers.setdefault((gram, seen[gram]), len(numbers)))
        ends.append(len(columns))
    shape = (len(texts), max(1, len(numbers)))
    return csr_matrix((np.ones(len(columns), dtype=np.float32), columns, ends), shape=shape)
