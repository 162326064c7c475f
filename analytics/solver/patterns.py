"""Triples of problems for Pattern-CL: a problem, one with the same structure, and one easily confused with it.

Li et al. (Findings of ACL 2022), section 4.1. Two equations have the same structure if their shape and
operators are equal; all leaves count as equal, and operands are not reordered. The positive's equation, or a part of
it, has the structure of the anchor's whole equation; the negative's has the same number of nodes but different
operators. In the multilingual setting the positive is in another language, the negative in the anchor's. Torch-free.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from analytics.expression.keys import structure_key
from analytics.expression.tree import ExpressionTree
from analytics.languages import primary_language
from analytics.solver.targets import OPERATORS, SolverExample

_FEW = 32  # indices drawn before a full permutation is computed


@dataclass(frozen=True, slots=True)
class PatternTriple:
    """Rows of three problems.

    Attributes:
        anchor, positive, negative: their rows.
        node: index, in the positive's pre-order, of the node whose subtree is built like the anchor.
    """

    anchor: int
    positive: int
    negative: int
    node: int = 0


def subtree_structures(tree: ExpressionTree) -> list[tuple[int, str]]:
    """Return the index and the structure of every operator of a tree, in pre-order.

    >>> from analytics.expression.tree import parse_expression
    >>> subtree_structures(parse_expression("(11-1)*2"))
    [(0, '* - n n n'), (1, '- n n')]
    """
    structures: list[tuple[int, str]] = []

    def visit(node: ExpressionTree, place: int) -> int:
        if node.is_number:
            return place + 1
        structures.append((place, structure_key(node)))
        place += 1
        for child in node.children:
            place = visit(child, place)
        return place

    visit(tree, 0)
    return structures


def mine_triples(
    examples: Sequence[SolverExample],
    *,
    pairs_per_problem: int = 4,
    positives: str = "structure",
    negatives: str = "operators",
    seed: int = 0,
) -> list[PatternTriple]:
    """Draw triples, at most `pairs_per_problem` for each anchor; anchors without a positive or a negative have none.

    Args:
        examples: problems with equations.
        pairs_per_problem: positives drawn for each anchor, without repeats.
        positives: ``structure`` allows parts of equations, ``same`` only whole equations; ``foreign`` allows parts of
            equations from problems in another language, and takes negatives in the anchor's language.
        negatives: ``operators`` takes problems with the same number of nodes but different operators, ``random`` any
            problem with another structure.
        seed: random seed.
    """
    is_foreign = positives == "foreign"
    languages = [primary_language(example.problem.language) if is_foreign else "" for example in examples]
    whole: list[str] = []
    homes = _Homes()
    for row, example in enumerate(examples):
        structures = [] if example.tree is None else subtree_structures(example.tree)
        whole.append(structures[0][1] if structures else "")
        for place, structure in structures[:1] if positives == "same" else structures:
            homes.add(structure, languages[row], (row, place))
    rng = np.random.default_rng(seed)
    confusable = {
        language: _Negatives(
            [structure if spoken == language else "" for structure, spoken in zip(whole, languages, strict=True)],
            negatives,
            rng,
        )
        for language in sorted(set(languages))
    }
    triples: list[PatternTriple] = []
    for anchor, (structure, language) in enumerate(zip(whole, languages, strict=True)):
        if not structure:
            continue
        places = homes.foreign(structure, language) if is_foreign else homes.of(structure, language)
        chosen = _draw_rows(places, anchor, pairs_per_problem, rng)
        drawn = confusable[language].draw(structure, len(chosen))
        triples += [
            PatternTriple(anchor, row, int(negative), place)
            for (row, place), negative in zip(chosen.items(), drawn, strict=False)  # none drawn: no triple
        ]
    return triples


class _Homes:
    """The occurrences of each structure: rows, and indices in their pre-orders."""

    def __init__(self) -> None:
        self._by_language: defaultdict[str, defaultdict[str, list[tuple[int, int]]]] = defaultdict(
            lambda: defaultdict(list)
        )
        self._foreign: dict[tuple[str, str], list[tuple[int, int]]] = {}

    def add(self, structure: str, language: str, home: tuple[int, int]) -> None:
        self._by_language[structure][language].append(home)

    def of(self, structure: str, language: str) -> Sequence[tuple[int, int]]:
        """Return the occurrences in a language."""
        return self._by_language[structure][language]

    def foreign(self, structure: str, language: str) -> Sequence[tuple[int, int]]:
        """Return the occurrences in other languages."""
        key = structure, language
        if key not in self._foreign:
            groups = self._by_language[structure].items()
            self._foreign[key] = [home for spoken, homes in groups if spoken != language for home in homes]
        return self._foreign[key]


def _draw_rows(places: Sequence[tuple[int, int]], anchor: int, count: int, rng: np.random.Generator) -> dict[int, int]:
    """Draw up to `count` different rows other than the anchor's, each with one of its indices."""
    chosen: dict[int, int] = {}
    for number in _random_order(len(places), rng):
        row, place = places[number]
        if row != anchor and row not in chosen:
            chosen[row] = place
        if len(chosen) == count:
            break
    return chosen


def _random_order(count: int, rng: np.random.Generator) -> Iterator[int]:
    """Yield the numbers below `count` in random order; if there are many, a few are drawn first and the rest lazily."""
    if count > _FEW:
        yield from rng.integers(count, size=_FEW).tolist()
    yield from rng.permutation(count).tolist()


class _Negatives:
    """Draws rows with a structure other than the anchor's, caching pools of confusable rows by structure."""

    def __init__(self, whole: Sequence[str], kind: str, rng: np.random.Generator) -> None:
        self.kind, self.rng = kind, rng
        rows: defaultdict[str, list[int]] = defaultdict(list)
        alike: defaultdict[int, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for row, structure in enumerate(whole):
            if structure:
                rows[structure].append(row)
                alike[_nodes(structure)][_operators(structure)].append(row)
        self.rows = {structure: np.array(structure_rows) for structure, structure_rows in rows.items()}
        self.alike = alike  # number of nodes -> operators -> rows
        self.everything = np.array([row for row, structure in enumerate(whole) if structure], dtype=np.int64)
        self.structures = np.array(whole)
        self.pools: dict[tuple[int, str], np.ndarray] = {}

    def draw(self, structure: str, count: int) -> np.ndarray:
        """Return rows, with repeats; empty if there is no negative."""
        if self.kind == "random":
            if len(self.rows) < 2:
                return np.zeros(0, dtype=np.int64)
            drawn = self.rng.choice(self.everything, size=count)
            while (alike := self.structures[drawn] == structure).any():
                drawn[alike] = self.rng.choice(self.everything, size=int(alike.sum()))
            return drawn
        nodes, operators = _nodes(structure), _operators(structure)
        if (nodes, operators) not in self.pools:
            others = (rows for key, rows in self.alike[nodes].items() if key != operators)
            self.pools[nodes, operators] = np.fromiter(chain.from_iterable(others), dtype=np.int64)
        pool = self.pools[nodes, operators]
        return self.rng.choice(pool, size=count) if len(pool) else pool


def _nodes(structure: str) -> int:
    """Return the number of nodes of a structure."""
    return structure.count(" ") + 1


def _operators(structure: str) -> str:
    """Return the operators of a structure, regardless of order."""
    return " ".join(sorted(node for node in structure.split() if node in OPERATORS))
