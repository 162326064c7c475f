"""How good a ranking is where the relevant questions are known."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence


def useful(ids: Sequence[str], relevant: Collection[str], shown: int = 5) -> int:
    """Return how many of the first ones shown are relevant."""
    return sum(result_id in relevant for result_id in ids[:shown])


def ndcg(ids: Sequence[str], worth: Mapping[str, int], cut: int = 10) -> float:
    """Return the normalised discounted cumulative gain (Järvelin and Kekäläinen 2002).

    Args:
        worth: gain of each relevant result.

    >>> ndcg(["a", "b", "c"], {"a": 1, "c": 1}, cut=3) == (1 + 1 / 2) / (1 + 1 / math.log2(3))
    True
    """
    best = sorted(worth.values(), reverse=True)[:cut]
    gain = sum(worth.get(result_id, 0) / math.log2(place + 2) for place, result_id in enumerate(ids[:cut]))
    ideal = sum(value / math.log2(place + 2) for place, value in enumerate(best))
    return gain / ideal if ideal else 0.0
