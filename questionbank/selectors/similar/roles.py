"""The part that each number of a text plays in what is computed, and how a quotient is rounded.

The same graph is not yet the same idea. Three pencils cost 6 dollars, and what 5 cost, is a × b ÷ c; so is 3 workers
who need 6 days, and how long 5 need. There the divisor is the first number of the text, here the last.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from analytics.expression.notation import to_prefix
from analytics.expression.slots import is_slot, slot_index
from analytics.expression.tree import ExpressionTree
from analytics.solver.rounding import rounding_of
from analytics.solver.solution import solution_of
from questionbank.selectors.questions.computations import Computation

_WHOLE = 1e-9
_ADDED, _SUBTRACTED, _FACTOR, _DIVISOR = "+", "-", "*", "/"
_OPPOSITE = {_ADDED: _SUBTRACTED, _SUBTRACTED: _ADDED, _FACTOR: _DIVISOR, _DIVISOR: _FACTOR}

Roles = tuple[str, ...]


def number_roles(computation: Computation) -> tuple[Roles, ...]:
    """Return how each number that is used enters the result, in the order of the text; empty where it is not known.

    A role is the path of operations from the result to the number: ``("*",)`` for a factor, ``("+", "/")`` for the
    divisor in a term that is added.
    """
    if computation.tree is None:
        return ()
    return tuple(roles for _slot, roles in sorted(_paths(computation.tree, ())))


def rounded_otherwise(first: Computation, second: Computation) -> bool:
    """Return whether the texts ask to round the two quotients in different ways: up for cars, down for full boxes."""
    if not (_is_broken_quotient(first) and _is_broken_quotient(second)):
        return False
    ways = rounding_of(first.text), rounding_of(second.text)
    return bool(ways[0] and ways[1] and ways[0] != ways[1])


@lru_cache(maxsize=512)  # a question is compared with some 30 others
def _is_broken_quotient(computation: Computation) -> bool:
    if computation.tree is None or computation.tree.label != "/":
        return False
    numbers = [slot.value for slot in computation.slots]
    value = solution_of(to_prefix(computation.tree), numbers, 1.0).value
    return value is not None and abs(value - round(value)) > _WHOLE


def _paths(tree: ExpressionTree, path: Roles) -> Iterator[tuple[int, Roles]]:
    """Yield each slot with its role; terms of one sum, and factors of one product, are all at one level."""
    if tree.is_number:
        if is_slot(tree.label):
            yield slot_index(tree.label), path
        return
    for place, child in enumerate(tree.children):
        yield from _paths(child, _joined(path, tree.label, place))


def _joined(path: Roles, operator: str, place: int) -> Roles:
    if operator in "+-":
        step, level = (_SUBTRACTED if operator == "-" and place else _ADDED), (_ADDED, _SUBTRACTED)
    elif operator in "*/":
        step, level = (_DIVISOR if operator == "/" and place else _FACTOR), (_FACTOR, _DIVISOR)
    else:
        return (*path, f"{operator}{place}")
    if path and path[-1] in level:
        is_opposite = step in (_SUBTRACTED, _DIVISOR)
        return (*path[:-1], _OPPOSITE[path[-1]] if is_opposite else path[-1])
    return (*path, step)
