"""Integers in place of keys, so that arrays can compare them. Torch-free."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
import numpy.typing as npt


def integer_codes(keys: Iterable[Hashable]) -> npt.NDArray[np.int64]:
    """Return a number for each key, equal for equal keys, counted from 0 in the order of their first use.

    >>> integer_codes(["b", "a", "b"]).tolist()
    [0, 1, 0]
    """
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
