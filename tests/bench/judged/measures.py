"""How good a ranking is where the relevant questions are known."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence


def useful(ids: Sequence[str], relevant: Collection[str], shown: int = 5) -> int:
    """Return how many of the first ones shown are relevant."""
    return sum(result_id in relevant for result_id in ids[:shown])


def ndcg(ids: Sequence[str], relevant: Collection[str], cut: int = 10) -> float:
    """Return the normalised discounted cumulative gain (Järvelin and Kekäläinen 2002) of binary relevance.

    >>> ndcg(["a", "b", "c"], {"a", "c"}, cut=3) == (1 + 1 / 2) / (1 + 1 / math.log2(3))
    True
    """
    gain = sum(1 / math.log2(place + 2) for place, result_id in enumerate(ids[:cut]) if result_id in relevant)
    ideal = sum(1 / math.log2(place + 2) for place in range(min(cut, len(relevant))))
    return gain / ideal if ideal else 0.0
