"""Textual-CL's retrieval: for each problem, one with the same computation and one that reads alike (section 3.2)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist
from scipy.sparse import csr_matrix

from analytics.errors import DataError
from analytics.expression.distance import TokenLetters, equation_similarity
from analytics.expression.evaluate import is_slot, slot_index
from analytics.expression.tree import ExpressionTree, to_postfix, to_prefix
from analytics.solver.targets import SolverExample
from analytics.text.number_slots import NumberPlace, NumberSlot, slot_places

_ORDERS = (1, 2, 3, 4)
_SMOOTHED = 0.1

Floats = npt.NDArray[np.float32]
Rows = Sequence[int] | npt.NDArray[np.int64]


class BleuTexts:
    """Texts with their n-gram counts.

    Args:
        texts: tokens of each text, at least one.

    >>> texts = BleuTexts([["a", "b", "c", "d", "e"], ["a", "b", "c", "d", "f"]])
    >>> round(float(texts.bi_bleu([0], [1])[0, 0]), 4)  # (4/5 * 3/4 * 2/3 * 1/2) ** (1/4)
    0.6687
    """

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self.lengths = np.array([len(tokens) for tokens in texts], dtype=np.int64)
        self.matrices = [_features(texts, order) for order in _ORDERS]

    def bi_bleu(
        self, rows: Sequence[int] | npt.NDArray[np.int64], columns: Sequence[int] | npt.NDArray[np.int64]
    ) -> Floats:
        """Return the mean (rows, columns) of both directions' BLEU, in 0..1."""
        left, right = np.asarray(rows, dtype=np.int64), np.asarray(columns, dtype=np.int64)
        heights, widths = self.lengths[left][:, None], self.lengths[right][None, :]
        forward = np.zeros((len(left), len(right)), dtype=np.float32)
        backward = np.zeros_like(forward)
        for order, matrix in zip(_ORDERS, self.matrices, strict=True):
            matches = (matrix[left] @ matrix[right].T).toarray()
            smoothed = np.log(np.where(matches > 0, matches, _SMOOTHED))
            if order == 1:
                nothing = matches == 0
            forward += smoothed - np.log(np.maximum(1, heights - order + 1), dtype=np.float32)
            backward += smoothed - np.log(np.maximum(1, widths - order + 1), dtype=np.float32)
        forward = np.exp(forward / len(_ORDERS) + np.minimum(0, 1 - widths / heights, dtype=np.float32))
        backward = np.exp(backward / len(_ORDERS) + np.minimum(0, 1 - heights / widths, dtype=np.float32))
        both: Floats = np.where(nothing, np.float32(0), (forward + backward) / 2)
        return both


def _features(texts: Sequence[Sequence[str]], order: int) -> csr_matrix:
    """Return (texts, features), with a 1 for the k-th occurrence of each n-gram in a text."""
    numbers: dict[tuple[tuple[str, ...], int], int] = {}
    columns: list[int] = []
    ends = [0]
    for tokens in texts:
        seen: Counter[tuple[str, ...]] = Counter()
        for start in range(len(tokens) - order + 1):
            gram = tuple(tokens[start : start + order])
            seen[gram] += 1
            columns.append(numbers.setdefault((gram, seen[gram]), len(numbers)))
        ends.append(len(columns))
    shape = (len(texts), max(1, len(numbers)))
    return csr_matrix((np.ones(len(columns), dtype=np.float32), columns, ends), shape=shape)


_ROWS_AT_ONCE = 256


class NearestEquations:
    """Distinct equations, searchable by similarity.

    Args:
        trees: equations over number labels; all different.
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

    def nearest(self, wanted: Sequence[int], *, depth: int = 1) -> Iterator[tuple[int, list[npt.NDArray[np.int64]]]]:
        """Yield for each wanted equation the other equations most similar to it.

        Args:
            wanted: numbers of equations.
            depth: number of distinct similarity values to include.

        Yields:
            The equation, and for each of its largest similarity values, in descending order, the equations
            that have it.
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
        """Return equations by similarity, using upper bounds to compare only those that may be near enough."""
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


_CELLS_AT_ONCE = 2_000_000  # of a similarity matrix
_WORD = re.compile(r"[\u4e00-\u9fff]|[^\W\d_]+|[^\w\s]|\d+")

Similarity = Callable[[npt.NDArray[np.int64], npt.NDArray[np.int64]], npt.NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class TextualTriple:
    """Rows of three problems of the pool; the positive may be the anchor."""

    anchor: int
    positive: int
    negative: int


def mine_textual_triples(
    pool: Sequence[SolverExample],
    *,
    anchors: int = 0,
    by_equation: str = "exact",
    by_text: str = "bleu",
    vectors: npt.NDArray[np.float32] | None = None,
    seed: int = 0,
) -> list[TextualTriple]:
    """Return a triple for each anchor that has a negative.

    Args:
        pool: problems with equations; the anchors come first.
        anchors: number of anchors; 0 for all.
        by_equation: ``exact`` match or ``nearest`` neighbour.
        by_text: ``bleu`` (both directions), ``encoder`` (cosine of `vectors`), or ``random``.
        vectors: (pool, width) from a frozen encoder, for ``encoder``.
        seed: random seed.

    Raises:
        DataError: ``encoder`` without vectors.
    """
    rng = np.random.default_rng(seed)
    trees = [numbered_tree(example) for example in pool]
    rows_of: defaultdict[str, list[int]] = defaultdict(list)
    for row, tree in enumerate(trees):
        rows_of[" ".join(to_prefix(tree))].append(row)
    bags = [np.array(rows, dtype=np.int64) for rows in rows_of.values()]
    equations = NearestEquations([trees[bag[0]] for bag in bags])
    chooser = _Chooser(_similarity(pool, by_text, vectors), rng)
    last = anchors or len(pool)
    wanted = [number for number, bag in enumerate(bags) if bag[0] < last]
    triples: list[TextualTriple] = []
    for number, levels in equations.nearest(wanted, depth=1 if by_equation == "exact" else 2):
        if not levels:
            continue
        bag_anchors = bags[number][bags[number] < last]
        if by_equation == "exact" or len(bags[number]) > 1:
            positives = chooser.least_alike(bag_anchors, bags[number])
            negatives = chooser.most_alike(bag_anchors, np.concatenate([bags[nearest] for nearest in levels[0]]))
            triples += map(TextualTriple, bag_anchors.tolist(), positives, negatives)
            continue
        triples += _nearest_neighbours(int(bag_anchors[0]), levels, bags, chooser)
    return sorted(triples, key=lambda triple: triple.anchor)


def _nearest_neighbours(
    anchor: int, levels: Sequence[npt.NDArray[np.int64]], bags: Sequence[npt.NDArray[np.int64]], chooser: _Chooser
) -> list[TextualTriple]:
    """Return the triple of an anchor whose equation is unique."""
    candidates = np.concatenate([bags[equation] for equation in levels[0]])
    positive = chooser.least_alike(np.array([anchor]), candidates)[0]
    rest = [equation for equation in levels[0] if positive not in bags[equation]] or list(levels[-1])
    if len(levels) == 1 and len(levels[0]) == 1:
        return []
    negative = chooser.most_alike(np.array([anchor]), np.concatenate([bags[equation] for equation in rest]))[0]
    return [TextualTriple(anchor, positive, negative)]


class _Chooser:
    """Chooses among candidates by text similarity, or at random if no similarity is given."""

    def __init__(self, similarity: Similarity | None, rng: np.random.Generator) -> None:
        self.similarity, self.rng = similarity, rng

    def least_alike(self, anchors: npt.NDArray[np.int64], candidates: npt.NDArray[np.int64]) -> list[int]:
        """Return the least similar candidate for each anchor; the anchor itself only if there is no other."""
        if len(candidates) == 1:
            return [int(candidates[0])] * len(anchors)
        return self._chosen(anchors, candidates, -1)

    def most_alike(self, anchors: npt.NDArray[np.int64], candidates: npt.NDArray[np.int64]) -> list[int]:
        """Return the most similar candidate for each anchor."""
        return self._chosen(anchors, candidates, 1)

    def _chosen(self, anchors: npt.NDArray[np.int64], candidates: npt.NDArray[np.int64], sign: int) -> list[int]:
        chosen: list[int] = []
        step = max(1, _CELLS_AT_ONCE // len(candidates))
        for start in range(0, len(anchors), step):
            rows = anchors[start : start + step]
            scores = (
                self.rng.random((len(rows), len(candidates)), dtype=np.float32)
                if self.similarity is None
                else sign * self.similarity(rows, candidates)
            )
            scores[rows[:, None] == candidates[None, :]] = -np.inf
            chosen += candidates[scores.argmax(axis=1)].tolist()
        return chosen


def _similarity(
    pool: Sequence[SolverExample], by_text: str, vectors: npt.NDArray[np.float32] | None
) -> Similarity | None:
    if by_text == "random":
        return None
    if by_text == "bleu":
        return BleuTexts([text_tokens(example) for example in pool]).bi_bleu
    if vectors is None or len(vectors) != len(pool):
        raise DataError("Comparing texts by an encoder needs a vector for each problem.")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = (vectors / np.maximum(lengths, 1e-12)).astype(np.float32)

    def cosine(rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        products: npt.NDArray[np.float32] = unit[rows] @ unit[columns].T
        return products

    return cosine


def text_tokens(example: SolverExample) -> list[str]:
    """Tokenise a text for BLEU: Chinese characters, English words, marks, and numbers as N0, N1, ...

    >>> from analytics.records import ProblemRecord
    >>> from analytics.solver.targets import solver_example
    >>> text_tokens(solver_example(ProblemRecord("1", "Ann has 20 % of 7 pens.")))
    ['ann', 'has', 'N0', 'of', 'N1', 'pens', '.']
    """
    text, tokens, end = example.problem.text, [], 0
    for number, slot in enumerate(slot for slot in example.slots if slot.reading == "value"):
        tokens += _WORD.findall(text[end : slot.start].lower())
        tokens.append(f"N{number}")
        end = slot.end
    tokens += _WORD.findall(text[end:].lower())
    return tokens or [text]


def numbered_tree(example: SolverExample) -> ExpressionTree:
    """Return the equation over numbers instead of slots, so that extra slots of earlier per cents shift no labels."""
    if example.tree is None:
        raise DataError(f"The problem {example.problem.id} has no equation.")
    labels = number_labels(example.slots)
    return example.tree.with_leaves(
        lambda label: ExpressionTree(labels[slot_index(label)] if is_slot(label) else label)
    )


def number_labels(slots: Sequence[NumberSlot]) -> list[str]:
    """Return a label for each slot: its number's index in the text, followed by the index of the reading.

    >>> from analytics.text.number_slots import number_slots
    >>> number_labels(number_slots("20% of 2/3"))
    ['N0', 'N0.1', 'N1', 'N1.1', 'N1.2']
    """
    numbers: dict[NumberPlace, int] = {}
    labels: list[str] = []
    for place in slot_places(slots):
        number = numbers.setdefault(place.mention, len(numbers))
        labels.append(f"N{number}.{place.reading}" if place.reading else f"N{number}")
    return labels
