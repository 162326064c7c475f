"""Named scales of difficulty; a probe never mixes two of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analytics.errors import DataError


@dataclass(frozen=True, slots=True)
class DifficultyScale:
    """A named scale with its easiest and hardest value."""

    name: str
    low: float
    high: float


SCALES = {
    scale.name: scale
    for scale in (
        DifficultyScale("0-4", 0.0, 4.0),
        DifficultyScale("1-5", 1.0, 5.0),
        DifficultyScale("1-9.5", 1.0, 9.5),
        DifficultyScale("facility", 0.0, 1.0),
    )
}


def choose_scale(names: Sequence[str], values: np.ndarray) -> DifficultyScale:
    """Return the scale of a set of difficulties: the one its rows name, otherwise the narrowest that contains them all.

    Args:
        names: the scale that each row names; empty if none.
        values: the difficulties, not empty, without NaN.

    Raises:
        DataError: the rows name several scales, or values lie outside the named one.
    """
    low, high = float(values.min()), float(values.max())
    named = sorted({name for name in names if name})
    if len(named) > 1:
        raise DataError(f"The difficulties are on several scales ({', '.join(named)}); train on one at a time.")
    if named and named[0] in SCALES:
        scale = SCALES[named[0]]
        if low < scale.low or high > scale.high:
            raise DataError(f"Difficulties from {low:g} to {high:g} do not fit the scale {scale.name} that is named.")
        return scale
    if named:
        return DifficultyScale(named[0], low, high)
    fitting = [scale for scale in SCALES.values() if scale.low <= low and high <= scale.high]
    if fitting:
        return min(fitting, key=lambda scale: scale.high - scale.low)
    return DifficultyScale(f"{low:g}-{high:g}", low, high)
