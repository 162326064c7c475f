"""Batches of questions of similar length: padding costs as much to compute as words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from analytics.training.distributed import shard

_MOST_BATCHES_A_WINDOW = 16
_FEWEST_WINDOWS = 4  # otherwise a small bank's batches would contain the same questions in every epoch


def length_grouped_batches(
    lengths: Sequence[int], batch_size: int, rng: np.random.Generator
) -> Iterator[npt.NDArray[np.int64]]:
    """Yield the row numbers of each batch: shuffle rows, sort by length within windows, then shuffle batches.

    Leftover rows at the end of the shuffled order, fewer than a batch, are dropped. In distributed training,
    each process gets its share of every batch.
    """
    order = rng.permutation(len(lengths))
    order = order[: len(order) // batch_size * batch_size]
    sizes = np.asarray(lengths, dtype=np.int64)
    count = len(order) // batch_size
    window = batch_size * max(1, min(_MOST_BATCHES_A_WINDOW, count // _FEWEST_WINDOWS))
    batches = []
    for start in range(0, len(order), window):
        part = order[start : start + window]
        part = part[np.argsort(sizes[part], kind="stable")]
        batches += [part[at : at + batch_size] for at in range(0, len(part), batch_size)]
    for index in rng.permutation(len(batches)):
        yield shard(batches[index])
