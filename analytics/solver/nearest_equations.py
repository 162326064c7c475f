"""Which of many equations are nearest to one another by tree edit distance: Textual-CL (2022), section 3.2.1.

The distance of two trees is at least the edit distance of their pre-orders and of their post-orders. These are computed
for all pairs in compiled code, so that the exact distance is needed only where the bound leaves it open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from analytics.expression.distance import equation_similarity
from analytics.expression.notation import to_postfix, to_prefix
from analytics.expression.tree import ExpressionTree
from analytics.text.letters import TokenLetters

_ROWS_AT_ONCE = 256


class NearestEquations:
    """Distinct equations.

    Args:
        trees: over labels for numbers; all different.
    """

    def __init__(self, trees: Sequence[ExpressionTree]) -> None:
        self.trees = trees
        letters = TokenLetters()
        self.prefixes = [letters(to_prefix(tree)) for tree in trees]
        self.postfixes = [letters(to_postfix(tree)) for tree in trees]
        self.sizes = np.array([len(prefix) for prefix in self.prefixes], dtype=np.int64)

    def similarity(self, first: int, second: int) -> float:
        """Return ``Sim_eq`` of two of the equations."""
        return equation_similarity(self.trees[first], self.trees[second])

    def nearest(
        self, wanted: Sequence[int], *, depth: int = 1
    ) -> Iterator[tuple[int, list[npt.NDArray[np.int64]]]]:
        """Yield for each wanted equation the other equations that are most like it.

        Args:
            wanted: numbers of equations.
            depth: how many different similarities to go down.

        Yields:
            The equation, and for each of its largest similarities, the largest first, the equations that have it.
        """
        for start in range(0, len(wanted), _ROWS_AT_ONCE):
            rows = wanted[start : start + _ROWS_AT_ONCE]
            bounds = np.maximum(self._bound(self.prefixes, rows), self._bound(self.postfixes, rows))
            for row, bound in zip(rows, bounds, strict=True):
                yield row, self._nearest(row, 1 - bound / (self.sizes[row] + self.sizes), depth)

    def _bound(self, spellings: Sequence[str], rows: Sequence[int]) -> npt.NDArray[np.uint8]:
        bound: npt.NDArray[np.uint8] = cdist(
            [spellings[row] for row in rows], spellings, scorer=Levenshtein.distance, dtype=np.uint8
        )
        return bound

    def _nearest(self, row: int, most: npt.NDArray[np.float64], depth: int) -> list[npt.NDArray[np.int64]]:
        """Return equations by similarity, from upper bounds of it: compare only those that may be near enough."""
        most[row] = -1
        levels: dict[float, list[int]] = {}
        worst = -1.0
        for candidate in np.argsort(-most, kind="stable"):
            if candidate == row or (len(levels) >= depth and most[candidate] < worst - 1e-12):
                break
            similarity = round(self.similarity(row, int(candidate)), 12)
            levels.setdefault(similarity, []).append(int(candidate))
            if len(levels) >= depth:
                worst = sorted(levels, reverse=True)[depth - 1]
        best = sorted(levels, reverse=True)[:depth]
        return [np.array(sorted(levels[similarity]), dtype=np.int64) for similarity in best]
