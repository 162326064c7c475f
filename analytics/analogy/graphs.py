"""The computational graph of a word problem, graph similarity, and metrics of retrieval by it. Torch-free.

Figure 4 in section 3.3 of Yang et al., "Learning by Analogy", correlates the similarity of graphs with that of their
embeddings. The share of nearest neighbours with the same graph and nDCG are our additions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from analytics.errors import DataError
from analytics.expression.distance import TokenLetters, equation_similarity
from analytics.expression.evaluate import binary_operators, evaluate, is_slot, renumbered, slot_index, with_slots
from analytics.expression.keys import graph_key, prototype_equation
from analytics.expression.programs import calculations_tree, program_tree
from analytics.expression.tree import ExpressionTree, parse_expression
from analytics.inference.encode import nearest_rows
from analytics.records import ProblemRecord
from analytics.text.number_slots import SlotNumbers, SlotPlace
from analytics.text.numbers import find_numbers

_TOKEN = re.compile(r"-?(?:[^(),-]+\(|[^(),-]+)|\)")


@dataclass(frozen=True, slots=True)
class ComputationalGraph:
    """The computation on the numbers of a problem.

    Attributes:
        tree: operators over slots ``N0``, ``N1``, ... and constants; a slot is the index of a number among
            the problem's numbers.
        graph: `graph_key`: problems with the same one are analogous.
        prototype: `prototype_equation`: slots in text order, which can be filled with other numbers.
        source: what it was parsed from: ``"equation"``, ``"program"`` or ``"calculations"``; ``"pair"`` if
            the graph is unknown and only known to be shared by two problems.
        places: the places of the slots that it uses, in the order of `slots`; empty if each slot is a
            separate number.
    """

    tree: ExpressionTree
    graph: str
    prototype: str
    source: str = "equation"
    places: tuple[SlotPlace, ...] = ()

    @classmethod
    def of(
        cls, tree: ExpressionTree, source: str = "equation", *, places: Sequence[SlotPlace] = (), key: str = ""
    ) -> ComputationalGraph:
        """Return the graph of a tree over slots.

        Args:
            places: places of all slots of the problem, ``N0`` first; empty if each slot is a separate number.
            key: the tree's graph key, if already known.
        """
        used = tuple(places[slot] for slot in sorted(set(_slots(tree)))) if places else ()
        return cls(tree, key or graph_key(tree), prototype_equation(tree), source, used)

    @classmethod
    def of_pair(cls, pair: str) -> ComputationalGraph:
        """Return a placeholder graph that only the two problems of this pair share."""
        return cls(ExpressionTree("?"), f"pair {pair}", f"pair {pair}", "pair")

    @property
    def slots(self) -> tuple[int, ...]:
        """Slots of the numbers that it uses, in text order."""
        return tuple(sorted(set(_slots(self.tree))))

    @property
    def slot_places(self) -> tuple[SlotPlace, ...]:
        """Places of these slots in the text."""
        return self.places or tuple(map(SlotPlace, self.slots))


def problem_numbers(problem: ProblemRecord) -> SlotNumbers:
    """Return the numbers of a problem, slot by slot.

    They are the published numbers if the source lists them, otherwise those that `number_slots` finds in the
    text, with a slot for each reading of a number.
    """
    try:
        published = [evaluate(parse_expression(number.replace(",", ""))) for number in problem.numbers]
    except DataError:
        published = []
    return SlotNumbers.of_values(published) if published else SlotNumbers.of_text(problem.text)


def problem_graph(problem: ProblemRecord) -> ComputationalGraph | None:
    """Return a problem's graph from its equation, program or calculations, whichever first can be parsed.

    >>> problem_graph(ProblemRecord("1", "2 bags hold 11 sweets each. 1 is eaten.", equation="11*2-1")).prototype
    'N1*N0-N2'

    Returns:
        The graph; None if the problem has none of the three.

    Raises:
        DataError: none of the available ones can be parsed; the error is that of the first.
    """
    return _read_graph(problem, problem_numbers(problem))


def text_graph(problem: ProblemRecord) -> ComputationalGraph | None:
    """Return `problem_graph` over the numbers found in the text, whatever numbers the source lists.

    Only such a graph can be filled with the numbers of a text that has no published list.

    >>> text_graph(ProblemRecord("1", "Two men eat 9 eggs.", equation="9*2", numbers=("9",))).prototype
    'N1*N0'
    """
    return _read_graph(problem, SlotNumbers.of_text(problem.text))


def readable_text_graph(problem: ProblemRecord) -> ComputationalGraph | None:
    """Return `text_graph`; None also if the problem's solution cannot be parsed."""
    try:
        return text_graph(problem)
    except DataError:
        return None


def _read_graph(problem: ProblemRecord, numbers: SlotNumbers) -> ComputationalGraph | None:
    values = numbers.values
    readers: list[tuple[str, Callable[[], ExpressionTree]]] = []
    if problem.equation:
        readers.append(("equation", lambda: parse_expression(problem.equation)))
    if problem.program:
        readers.append(("program", lambda: program_tree(problem.program, _written_numbers(problem))))
    if problem.calculations:
        readers.append(("calculations", lambda: calculations_tree(problem.calculations, values)))
    refusal: DataError | None = None
    for source, read in readers:
        try:
            tree = with_slots(binary_operators(read()), values)
        except DataError as error:
            refusal = refusal or error
            continue
        return ComputationalGraph.of(tree, source, places=numbers.places)
    if refusal is not None:
        raise refusal
    return None


def _written_numbers(problem: ProblemRecord) -> Sequence[str]:
    """Return the numbers that a program calls n0, n1, ..."""
    return problem.numbers or [mention.text for mention in find_numbers(problem.text)]


def _slots(tree: ExpressionTree) -> list[int]:
    return [slot_index(label) for label in tree.leaves() if is_slot(label)]


def serialised_graph(graph: str) -> tuple[str, ...]:
    """Split a graph key into tokens for comparison.

    >>> serialised_graph("*(+(s0,-1),s1)")
    ('*(', '+(', 's0', '-1', ')', 's1', ')')
    """
    return tuple(_TOKEN.findall(graph))


def graph_similarity(first: str, second: str) -> float:
    """Return 1 - Levenshtein distance / longer length, in [0, 1], of two serialised graph keys.

    >>> graph_similarity("+(s0,s1)", "+(s0,-s1)")
    0.75
    """
    return float(Levenshtein.normalized_similarity(serialised_graph(first), serialised_graph(second)))


def edit_similarity(first: ComputationalGraph, second: ComputationalGraph) -> float:
    """Return 1 - tree edit distance / total nodes, in [0, 1], with slots renamed by first use in each tree."""
    return equation_similarity(_by_first_use(first.tree), _by_first_use(second.tree))


def _by_first_use(tree: ExpressionTree) -> ExpressionTree:
    names: dict[int, int] = {}
    for slot in _slots(tree):
        names.setdefault(slot, len(names))
    return renumbered(tree, names)


def slot_text(text: str) -> str:
    """Return a text with its numbers replaced by ``n1``, ``n2``, ... in order.

    The computation does not depend on the numbers, so a retriever may read a text without them.

    >>> slot_text("He ate 2/3 of twelve eggs, then 1.5 more.")
    'He ate n1 of n2 eggs, then n3 more.'
    """
    pieces: list[str] = []
    end = 0
    for number, mention in enumerate(find_numbers(text), start=1):
        pieces += [text[end : mention.start], f"n{number}"]
        end = mention.end
    return "".join([*pieces, text[end:]])


def integer_codes(keys: Iterable[Hashable]) -> npt.NDArray[np.int64]:
    """Number the keys from 0 in order of first use; equal keys get equal numbers.

    >>> integer_codes(["b", "a", "b"]).tolist()
    [0, 1, 0]
    """
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)


Floats = npt.NDArray[np.float64]


def shared_keys_at_k(
    vectors: npt.NDArray[np.float32],
    others: npt.NDArray[np.float32],
    keys: Sequence[str],
    other_keys: Sequence[str],
    k: int,
) -> float:
    """Return the share of the k nearest neighbours that have the question's key, averaged over the questions.

    Args:
        vectors: (questions, dimension) of length 1.
        others: (others, dimension) of length 1.
        keys, other_keys: keys of the questions and of the others.
        k: number of nearest neighbours; all others if there are fewer.
    """
    near = nearest_rows(vectors, others, k)
    codes = integer_codes([*keys, *other_keys])
    wanted, corpus_codes = codes[: len(keys)], codes[len(keys) :]
    return float((corpus_codes[near] == wanted[:, None]).mean())


class GraphSimilarities:
    """Graded similarity of question graphs to the graphs of a corpus, computed once per pair of graphs.

    Args:
        graphs: keys of the corpus.
    """

    def __init__(self, graphs: Sequence[str]) -> None:
        self._codes = integer_codes(graphs)
        self._letters = TokenLetters()
        self._distinct = [self._letters(serialised_graph(graph)) for graph in dict.fromkeys(graphs)]
        self._rows: dict[str, Floats] = {}

    def of(self, graph: str) -> Floats:
        """Return (corpus,) similarities in [0, 1], as from `graph_similarity`; 1 for the same graph."""
        row = self._rows.get(graph)
        if row is None:
            asked = [self._letters(serialised_graph(graph))]
            row = cdist(asked, self._distinct, scorer=Levenshtein.normalized_similarity, dtype=np.float64)[0]
            self._rows[graph] = row
        similarities: Floats = row[self._codes]
        return similarities


def ndcg(gains: Floats, possible: Floats) -> float:
    """Return the discounted gain of a ranking as a share of the best possible one; 1 if no item has a gain.

    Args:
        gains: (k,) gains of the retrieved items, in rank order.
        possible: (corpus,) gains of all items that could be retrieved.

    >>> ndcg(np.array([0.0, 1.0]), np.array([1.0, 0.0, 0.0]))
    0.6309297535714575
    """
    k = len(gains)
    best = np.sort(np.partition(possible, -k)[-k:] if len(possible) > k > 0 else possible)[::-1]
    discounts = 1 / np.log2(np.arange(2, k + 2))
    ideal = float(best @ discounts[: len(best)])
    return float(gains @ discounts) / ideal if ideal > 0 else 1.0
