"""Whether two equations or inequalities say the same: multiples of one another do, and a witness shows the contrary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Any, Literal

from analytics.text.formula_trees import formula_tree
from analytics.text.formula_values import Evaluator, Point, is_apart, is_same, symbols_of

_GRID = [-10.317 + 0.4631 * step for step in range(48)]
_MOST_ROOTS = 4
_BISECTIONS = 60
_NEAR = 1e-9
_HOLDS: dict[str, Callable[[int], bool]] = {
    "=": lambda sign: sign == 0,
    r"\neq": lambda sign: sign != 0,
    "<": lambda sign: sign < 0,
    r"\leq": lambda sign: sign <= 0,
}

Term = Callable[[Point], Any]


def compare_relations(
    first: Sequence[str], relation: str, second: Sequence[str], other_relation: str
) -> Literal["same", "different", "unknown"]:
    """Compare two statements, each of a left side, a relation and a right side.

    Raises:
        LatexError: a side cannot be read.
    """
    trees = [[formula_tree(side) for side in sides] for sides in (first, second)]
    symbols = [symbols_of(left) | symbols_of(right) for left, right in trees]
    if symbols[0] != symbols[1] or not symbols[0] or "i" in symbols[0]:
        return "unknown"
    evaluator = Evaluator(symbols[0])
    left, right = (_difference(evaluator, *pair) for pair in trees)
    values = [(left(point), right(point)) for point in evaluator.points]
    values = [pair for pair in values if None not in pair]
    if len(values) < 3 or not any(is_apart(values[0][0], value) for value, _ in values[1:]):
        return "unknown"
    factor = values[0][1] / values[0][0] if values[0][0] else 0
    is_multiple = bool(factor) and all(is_same(value * factor, other) for value, other in values)
    if is_multiple and relation == other_relation and (factor > 0 or relation in ("=", r"\neq")):
        return "same"
    letters = sorted(symbols[0])[:2]
    signs = [(_sign(value), _sign(other)) for value, other in values]
    signs += [
        (0, 0 if is_multiple else _sign(right(root))) for root in _roots(left, evaluator.points[0], letters)
    ]
    signs += [(_sign(left(root)), 0) for root in _roots(right, evaluator.points[0], letters)]
    is_different = any(
        _HOLDS[relation](sign) != _HOLDS[other_relation](other)
        for sign, other in signs
        if sign is not None and other is not None
    )
    return "different" if is_different else "unknown"


def _difference(evaluator: Evaluator, left: Any, right: Any) -> Term:
    def difference(point: Point) -> Any:
        values = evaluator.value(left, point), evaluator.value(right, point)
        return None if None in values else values[0] - values[1]

    return difference


def _sign(value: Any) -> int | None:
    """Return the sign of a value that is surely not zero."""
    return None if value is None or abs(value) < _NEAR else (1 if value > 0 else -1)


def _roots(term: Term, point: Point, letters: Sequence[str]) -> Iterator[Point]:
    """Yield points at which a term changes its sign through zero, along one letter."""
    for letter in letters:
        yield from islice(_roots_along(term, point, letter), _MOST_ROOTS)


def _roots_along(term: Term, point: Point, letter: str) -> Iterator[Point]:
    values = [(place, term(point | {letter: place})) for place in _GRID]
    for (low, below), (high, above) in pairwise(values):
        if below is None or above is None or (below > 0) == (above > 0):
            continue
        for _ in range(_BISECTIONS):
            middle = (low + high) / 2
            value = term(point | {letter: middle})
            if value is None:
                break
            low, high = (middle, high) if (value > 0) == (below > 0) else (low, middle)
        else:
            if value is not None and abs(value) < _NEAR:  # else it is a pole
                yield point | {letter: middle}
