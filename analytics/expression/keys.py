"""Three keys by which equations are the same: as written over slots, by structure, and by what is computed.

======================  =============================================================  ====================
key                     two problems share it where                                    from
======================  =============================================================  ====================
`prototype_equation`    the same slots, in the text's order, are at the same places  Textual-CL, section 3
`structure_key`         shape and operators are equal; nothing is commuted             Pattern-CL, section 3
`graph_key`             the same is computed: slots are named by their first use, and  Learning by Analogy,
                        the order of sums and products does not count                  section 3
======================  =============================================================  ====================

The second half reads graph keys: as arithmetic with letters, what two keys prove, and which computations are one step
apart.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations, product
from math import factorial

from analytics.errors import DataError
from analytics.expression.evaluate import is_slot
from analytics.expression.tree import ExpressionTree, to_infix

_LEAF = "n"
_REFINEMENTS = 3  # rounds after which slots that still look alike are nearly always interchangeable
_MOST_ORDERS = 5040  # maximum orders of interchangeable parts to try for the smallest key


def prototype_equation(tree: ExpressionTree) -> str:
    """Return infix arithmetic over slots and constants, as produced by `with_slots`."""
    return to_infix(tree)


def structure_key(tree: ExpressionTree) -> str:
    """Return operators in pre-order with ``n`` for every leaf.

    >>> from analytics.expression.tree import parse_expression
    >>> structure_key(parse_expression("(11-1)*2"))
    '* - n n n'
    """
    if tree.is_number:
        return _LEAF
    return " ".join([tree.label, *(structure_key(child) for child in tree.children)])


def graph_key(tree: ExpressionTree) -> str:
    """Return the computational graph of a tree over slots as a string.

    Sums and products are flattened, a difference is a sum with subtracted terms and a quotient a product with
    divisors, so that ``a-(b-c)`` and ``a+c-b`` are the same graph. A slot that is used twice is one node.
    Constants keep their value.

    >>> from analytics.expression.tree import from_prefix
    >>> graph_key(from_prefix("* N0 - N1 1".split())) == graph_key(from_prefix("* - N2 1 N0".split()))
    True
    >>> graph_key(from_prefix("+ N0 N0".split())) == graph_key(from_prefix("+ N0 N1".split()))
    False
    """
    names: dict[str, ExpressionTree] = {}

    def by_first_use(label: str) -> ExpressionTree:
        if not is_slot(label):
            return ExpressionTree(label)
        return names.setdefault(label, ExpressionTree(f"N{len(names)}"))

    return _graph_key(tree.with_leaves(by_first_use))


@lru_cache(maxsize=8_192)  # problems of a set have few equations that differ in more than numbers
def _graph_key(tree: ExpressionTree) -> str:
    graph = _normalised(tree, 1)
    colours = _refined_colours(graph)
    best = ""
    for ordered in _orders(graph, colours):
        names: dict[str, str] = {}
        text = _serialised(ordered, names)
        best = min(best or text, text)
    return best


@dataclass(frozen=True, slots=True)
class _Node:
    """A leaf, a sum or product of signed parts, or an operator with ordered operands.

    Attributes:
        sign: 1, or -1 for a subtracted term or a divisor.
    """

    label: str
    sign: int
    parts: tuple[_Node, ...] = ()


def _normalised(tree: ExpressionTree, sign: int) -> _Node:
    if tree.is_number:
        return _Node(tree.label, sign)
    if tree.label in ("+", "-", "neg"):
        parts: list[_Node] = []
        _collect(tree, 1, ("+", "-", "neg"), parts)
        return _Node("+", sign, tuple(parts))
    if tree.label in ("*", "/"):
        parts = []
        _collect(tree, 1, ("*", "/"), parts)
        return _Node("*", sign, tuple(parts))
    return _Node(tree.label, sign, tuple(_normalised(child, 1) for child in tree.children))


def _collect(tree: ExpressionTree, sign: int, labels: tuple[str, ...], parts: list[_Node]) -> None:
    """Collect the terms of nested sums, or the factors of nested products, with their signs."""
    if tree.label not in labels or tree.is_number:
        parts.append(_normalised(tree, sign))
        return
    for place, child in enumerate(tree.children):
        turned = tree.label == "neg" or (tree.label in ("-", "/") and place == 1)
        _collect(child, -sign if turned else sign, labels, parts)


def _is_commutative(node: _Node) -> bool:
    return node.label in ("+", "*") and bool(node.parts)


def _coloured(node: _Node, colours: dict[str, int]) -> str:
    """Serialize a node independently of slot names, using only their colours."""
    sign = "-" if node.sign < 0 else ""
    if not node.parts:
        leaf = f"{_LEAF}{colours.get(node.label, 0)}" if is_slot(node.label) else node.label
        return sign + leaf
    parts = [_coloured(part, colours) for part in node.parts]
    if _is_commutative(node):
        parts.sort()
    return f"{sign}{node.label}({','.join(parts)})"


def _refined_colours(graph: _Node) -> dict[str, int]:
    """Return numbers for slots, equal if two slots are used alike (Weisfeiler-Leman refinement)."""
    colours: dict[str, int] = {}
    for _round in range(_REFINEMENTS):
        uses: defaultdict[str, Counter[str]] = defaultdict(Counter)
        _note_uses(graph, "", colours, uses)
        signatures = {slot: str(sorted(counts.items())) for slot, counts in uses.items()}
        ranks = {signature: rank for rank, signature in enumerate(sorted(set(signatures.values())), start=1)}
        colours = {slot: ranks[signature] for slot, signature in signatures.items()}
    return colours


def _note_uses(node: _Node, above: str, colours: dict[str, int], uses: defaultdict[str, Counter[str]]) -> None:
    """Collect for each slot the paths from the root to its uses, with what is next to them."""
    if not node.parts:
        if is_slot(node.label):
            uses[node.label][f"{above}/{node.sign}/{colours.get(node.label, 0)}"] += 1
        return
    whole = _coloured(node, colours)
    for place, part in enumerate(node.parts):
        where = "" if _is_commutative(node) else str(place)
        _note_uses(part, f"{above}/{node.sign}{whole}{where}", colours, uses)


def _orders(graph: _Node, colours: dict[str, int]) -> list[_Node]:
    """Return the arrangements of the graph with its commutative parts ordered by colour.

    Parts of the same colour are tried in every order if one of their slots is used twice: only then can their
    order change which slot is named first.
    """
    arranger = _Arranger(colours, Counter(_slots_of(graph)))
    return arranger.arranged(graph)


class _Arranger:
    def __init__(self, colours: dict[str, int], uses: Counter[str]) -> None:
        self._colours = colours
        self._uses = uses
        self._budget = _MOST_ORDERS

    def arranged(self, node: _Node) -> list[_Node]:
        """Return every arrangement of a node that has to be tried."""
        if not node.parts:
            return [node]
        choices = [self.arranged(part) for part in node.parts]
        arrangements = self._arrangements(node) if _is_commutative(node) else [list(range(len(node.parts)))]
        return [
            _Node(node.label, node.sign, parts)
            for arrangement in arrangements
            for parts in product(*(choices[place] for place in arrangement))
        ]

    def _arrangements(self, node: _Node) -> list[list[int]]:
        """Return the orders of a commutative node's parts to try: by colour, and within a colour if it matters."""
        groups: defaultdict[str, list[int]] = defaultdict(list)
        for place, part in enumerate(node.parts):
            groups[_coloured(part, self._colours)].append(place)
        arrangements: list[list[int]] = [[]]
        for key in sorted(groups):
            orders = self._orders_within([node.parts[place] for place in groups[key]])
            arrangements = [
                before + [groups[key][index] for index in order] for before in arrangements for order in orders
            ]
        return arrangements

    def _orders_within(self, parts: list[_Node]) -> list[tuple[int, ...]]:
        plain = tuple(range(len(parts)))
        orders = factorial(len(parts))
        is_shared = any(self._uses[slot] > 1 for part in parts for slot in _slots_of(part))
        if len(parts) < 2 or not is_shared or orders > self._budget:
            return [plain]
        self._budget //= orders
        same = [parts.index(part) for part in parts]  # equal parts share one order
        return list({tuple(same[place] for place in order): order for order in permutations(plain)}.values())


def _slots_of(node: _Node) -> list[str]:
    if not node.parts:
        return [node.label] if is_slot(node.label) else []
    return [slot for part in node.parts for slot in _slots_of(part)]


def _serialised(node: _Node, names: dict[str, str]) -> str:
    """Serialize the ordered node, with slots named s0, s1, ... by first use."""
    sign = "-" if node.sign < 0 else ""
    if not node.parts:
        if is_slot(node.label):
            return sign + names.setdefault(node.label, f"s{len(names)}")
        return sign + node.label
    return f"{sign}{node.label}({','.join(_serialised(part, names) for part in node.parts)})"


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

    >>> from analytics.expression.tree import from_prefix, to_infix
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

    >>> from analytics.expression.tree import from_prefix, to_infix
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
