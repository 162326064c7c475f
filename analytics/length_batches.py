"""Batches of texts of similar length: padding costs as much to compute as words. Torch-free."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt


def batches_by_length(lengths: Sequence[int], *, texts: int = 0, tokens: int = 0) -> Iterator[npt.NDArray[np.int64]]:
    """Yield the row numbers of each batch, longest texts first, so that memory use peaks at the start.

    Args:
        lengths: length of each text, in tokens.
        texts: maximum number of texts in a batch; 0 for no limit.
        tokens: maximum number of tokens in a batch, padding included; 0 for no limit. A single text may
            exceed it.

    >>> [batch.tolist() for batch in batches_by_length([2, 9, 3, 4], texts=2)]
    [[1, 3], [2, 0]]
    >>> [batch.tolist() for batch in batches_by_length([2, 9, 3, 4], tokens=8)]
    [[1], [3, 2], [0]]
    """
    order = np.argsort(-np.asarray(lengths, dtype=np.int64), kind="stable")
    start = 0
    while start < len(order):
        size = texts or len(order)
        if tokens:
            size = min(size, tokens // max(1, lengths[order[start]]))
        yield order[start : start + max(1, size)]
        start += max(1, size)


def padded_arrays(rows: Sequence[Sequence[int]], pad_id: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Pad rows of token ids; return ids and attention mask, both (rows, longest row).

    >>> [part.tolist() for part in padded_arrays([[5, 6], [7]], 0)]
    [[[5, 6], [7, 0]], [[1, 1], [1, 0]]]
    """
    width = max((1, *map(len, rows)))
    ids = np.full((len(rows), width), pad_id, dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(rows):
        ids[row, : len(tokens)], mask[row, : len(tokens)] = tokens, 1
    return ids, mask
