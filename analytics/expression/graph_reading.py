"""Graph keys in readable form, what two keys prove, and which computations are one step apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from analytics.errors import DataError
from analytics.expression.keys import graph_key
from analytics.expression.tree import ExpressionTree

_TOKEN = re.compile(r"-?[^(),-]+|[(),]")
_SLOT = re.compile(r"s\d+")
_LETTERS = "abcdfghjkmnpqrstuvwxyz"  # without those that could be mistaken for numbers or constants
_MASK = "n"


@dataclass(frozen=True, slots=True)
class _Part:
    """A leaf or an operator of a key; `is_inverse` if it is subtracted, or a divisor."""

    label: str
    is_inverse: bool
    parts: tuple[_Part, ...] = ()


def graph_reading(key: str) -> str:
    """Return a graph key as arithmetic with a letter for each number in the text.

    >>> graph_reading("+(*(s0,s1),-s2)"), graph_reading("*(+(s0,-1),s1)"), graph_reading("*(-s0,s1)")
    ('a × b − c', '(a − 1) × b', 'a ÷ b')

    Raises:
        DataError: it is not a graph key.
    """
    return _written(_read(key), {}, iter(_LETTERS))


def graph_operations(key: str) -> int:
    """Return the number of binary operations in a graph.

    >>> graph_operations("+(*(s0,s1),-s2)"), graph_operations("s0")
    (2, 0)
    """
    return max(0, sum(not part.parts for part in _walk(_read(key))) - 1)


def graphs_differ_in_operations(first: str, second: str) -> bool:
    """Return whether each graph has an operation that the other lacks, or both have the same in different order.

    An additional step of the same kind (``a + b + c`` and ``a + b``), or a step that the other has too,
    proves nothing: a fraction may be written as a division, a sum as a product. Nor does a different
    constant.

    >>> graphs_differ_in_operations("+(s0,-s1)", "+(s0,s1)"), graphs_differ_in_operations("+(s0,s1,s2)", "+(s0,s1)")
    (True, False)
    >>> graphs_differ_in_operations("*(+(s0,-s1),s2)", "+(*(s0,s1),-s2)")
    True
    >>> graphs_differ_in_operations("+(2,s0)", "+(s0,s1)")
    False
    """
    first_graph, second_graph = _read(first), _read(second)
    if _masked(first_graph) == _masked(second_graph):
        return False
    operations, others = _signs(first_graph), _signs(second_graph)
    if operations - others and others - operations:
        return True
    return operations == others and graph_operations(first) == graph_operations(second)


def _read(key: str) -> _Part:
    tokens = _TOKEN.findall(key)
    if "".join(tokens) != key or not tokens:
        raise DataError(f"{key[:40]!r} is not a graph key.")
    place = 0

    def part() -> _Part:
        nonlocal place
        if place >= len(tokens) or tokens[place] in "(),":
            raise DataError(f"{key[:40]!r} is not a graph key.")
        token = tokens[place]
        place += 1
        label, is_inverse = token.removeprefix("-"), token.startswith("-")
        if place >= len(tokens) or tokens[place] != "(":
            return _Part(label, is_inverse)
        parts = []
        while place < len(tokens) and tokens[place] != ")":
            place += 1  # the opening bracket, or a comma
            parts.append(part())
        place += 1
        return _Part(label, is_inverse, tuple(parts))

    read = part()
    if place != len(tokens):
        raise DataError(f"{key[:40]!r} is not a graph key.")
    return read


def _walk(part: _Part) -> Iterator[_Part]:
    yield part
    for child in part.parts:
        yield from _walk(child)


def _written(part: _Part, names: dict[str, str], letters: Iterator[str]) -> str:
    """Write the part without its own sign; slots get letters in reading order."""
    if not part.parts:
        if _SLOT.fullmatch(part.label) is None:
            return part.label
        if part.label not in names:
            names[part.label] = next(letters, "…")
        return names[part.label]
    ordered = sorted(part.parts, key=lambda child: child.is_inverse)
    if part.label == "+":
        first, *others = ordered
        text = ("−" if first.is_inverse else "") + _written(first, names, letters)
        return text + "".join(
            f" {'−' if child.is_inverse else '+'} {_written(child, names, letters)}" for child in others
        )
    if part.label == "*":
        text = "1" if ordered[0].is_inverse else ""
        for child in ordered:
            sign = "÷" if child.is_inverse else "×"
            text += f"{f' {sign} ' if text else ''}{_bracketed(child, names, letters)}"
        return text
    return f" {part.label} ".join(_bracketed(child, names, letters) for child in part.parts)


def _bracketed(part: _Part, names: dict[str, str], letters: Iterator[str]) -> str:
    """Write an operand, in brackets unless it is a single number."""
    text = _written(part, names, letters)
    return f"({text})" if part.parts else text


def _masked(part: _Part) -> str:
    sign = "-" if part.is_inverse else ""
    if not part.parts:
        return sign + _MASK
    return f"{sign}{part.label}({','.join(sorted(_masked(child) for child in part.parts))})"


def _signs(part: _Part) -> set[str]:
    """Return the operations that a person would carry out: ``+ - * /``, and others by label."""
    signs: set[str] = set()
    for each in _walk(part):
        if each.label in ("+", "*") and each.parts:
            count = Counter(child.is_inverse for child in each.parts)
            if count[False] > 1:
                signs.add(each.label)
            if count[True]:
                signs.add("-" if each.label == "+" else "/")
        elif each.parts:
            signs.add(each.label)
    return signs


_OPERATIONS = ("+", "-", "*", "/")


def trees_with_one_step_less(tree: ExpressionTree) -> Iterator[ExpressionTree]:
    """Yield the tree without one of its operations and the number that it is applied to.

    >>> from analytics.expression.notation import from_prefix, to_infix
    >>> [to_infix(less) for less in trees_with_one_step_less(from_prefix("- * N0 N1 N2".split()))]
    ['N0*N1', 'N1-N2', 'N0-N2']
    """
    for place, child in enumerate(tree.children):
        if child.is_number and len(tree.children) == 2:
            yield tree.children[1 - place]
    for place, child in enumerate(tree.children):
        for less in trees_with_one_step_less(child):
            yield _with_child(tree, place, less)


def trees_with_another_step(tree: ExpressionTree) -> Iterator[ExpressionTree]:
    """Yield the tree with one of its operations replaced by each of the other three.

    >>> from analytics.expression.notation import from_prefix, to_infix
    >>> [to_infix(changed) for changed in trees_with_another_step(from_prefix("+ N0 N1".split()))]
    ['N0-N1', 'N0*N1', 'N0/N1']
    """
    if tree.label in _OPERATIONS and len(tree.children) == 2:
        for label in _OPERATIONS:
            if label != tree.label:
                yield ExpressionTree(label, tree.children)
    for place, child in enumerate(tree.children):
        for changed in trees_with_another_step(child):
            yield _with_child(tree, place, changed)


def keys_with_one_step_less(tree: ExpressionTree) -> frozenset[str]:
    """Return the graph keys of `trees_with_one_step_less`, without those that no longer compute anything."""
    return frozenset(graph_key(less) for less in trees_with_one_step_less(tree) if not less.is_number)


def keys_with_another_step(tree: ExpressionTree) -> frozenset[str]:
    """Return the graph keys of `trees_with_another_step`, without the tree's own."""
    return frozenset(map(graph_key, trees_with_another_step(tree))) - {graph_key(tree)}


def _with_child(tree: ExpressionTree, place: int, child: ExpressionTree) -> ExpressionTree:
    children = list(tree.children)
    children[place] = child
    return ExpressionTree(tree.label, tuple(children))
