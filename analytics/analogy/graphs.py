"""The computational graph of a word problem, and how alike two graphs are. Torch-free."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein

from analytics.errors import DataError
from analytics.expression.distance import equation_similarity
from analytics.expression.evaluate import evaluate
from analytics.expression.keys import graph_key, prototype_equation
from analytics.expression.parser import parse_expression
from analytics.expression.programs import calculations_tree, program_tree
from analytics.expression.slots import binary_operators, is_slot, renumbered, slot_index, with_slots
from analytics.expression.tree import ExpressionTree
from analytics.records import ProblemRecord
from analytics.text.number_slots import SlotNumbers, SlotPlace
from analytics.text.numbers import find_numbers

_TOKEN = re.compile(r"-?(?:[^(),-]+\(|[^(),-]+)|\)")


@dataclass(frozen=True, slots=True)
class ComputationalGraph:
    """What is computed from the numbers of a problem.

    Attributes:
        tree: operators over slots ``N0``, ``N1``, ... and constants; a slot is the place of a number among the
            problem's numbers.
        graph: `graph_key`: problems with the same one are analogous.
        prototype: `prototype_equation`: slots in the text's order, which is what can be filled with other numbers.
        source: what it was read from: ``"equation"``, ``"program"`` or ``"calculations"``; ``"pair"`` where it is not
            known, but only that two problems share it.
        places: the places of the slots that it uses, in the order of `slots`; empty where each is a number of its own.
    """

    tree: ExpressionTree
    graph: str
    prototype: str
    source: str = "equation"
    places: tuple[SlotPlace, ...] = ()

    @classmethod
    def of(
        cls,
        tree: ExpressionTree,
        source: str = "equation",
        *,
        places: Sequence[SlotPlace] = (),
        key: str = "",
    ) -> ComputationalGraph:
        """Return the graph of a tree over slots.

        Args:
            places: of all slots of the problem, ``N0`` first; none where each is a number of its own.
            key: the tree's graph key, where it is known already.
        """
        used = tuple(places[slot] for slot in sorted(set(_slots(tree)))) if places else ()
        return cls(tree, key or graph_key(tree), prototype_equation(tree), source, used)

    @classmethod
    def of_pair(cls, pair: str) -> ComputationalGraph:
        """Return a placeholder graph that only the two problems of this pair share."""
        return cls(ExpressionTree("?"), f"pair {pair}", f"pair {pair}", "pair")

    @property
    def slots(self) -> tuple[int, ...]:
        """The places of the numbers that it uses, in the text's order."""
        return tuple(sorted(set(_slots(self.tree))))

    @property
    def slot_places(self) -> tuple[SlotPlace, ...]:
        """Their places in the text."""
        return self.places or tuple(map(SlotPlace, self.slots))


def problem_numbers(problem: ProblemRecord) -> SlotNumbers:
    """Return the numbers of a problem, slot by slot.

    Published numbers where the source lists them, else what `number_slots` reads in the text, where a number has a
    slot for each reading.
    """
    try:
        published = [evaluate(parse_expression(number.replace(",", ""))) for number in problem.numbers]
    except DataError:
        published = []
    return SlotNumbers.of_values(published) if published else SlotNumbers.of_text(problem.text)


def problem_graph(problem: ProblemRecord) -> ComputationalGraph | None:
    """Return the graph of a problem from its equation, its program or its calculations, the first that can be read.

    >>> problem_graph(ProblemRecord("1", "2 bags hold 11 sweets each. 1 is eaten.", equation="11*2-1")).prototype
    'N1*N0-N2'

    Returns:
        The graph; None where the problem has no solution of the three.

    Raises:
        DataError: none of those that it has can be read; the error is the first one's.
    """
    return _read_graph(problem, problem_numbers(problem))


def text_graph(problem: ProblemRecord) -> ComputationalGraph | None:
    """Return the graph over the numbers that are read in the text, whatever numbers its source lists: `problem_graph`.

    Only so can the graph be filled with the numbers of a text that nobody lists.

    >>> text_graph(ProblemRecord("1", "Two men eat 9 eggs.", equation="9*2", numbers=("9",))).prototype
    'N1*N0'
    """
    return _read_graph(problem, SlotNumbers.of_text(problem.text))


def readable_text_graph(problem: ProblemRecord) -> ComputationalGraph | None:
    """Return `text_graph`; None also where what the problem has cannot be read."""
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
    """Return the numbers that a program names n0, n1, ..."""
    return problem.numbers or [mention.text for mention in find_numbers(problem.text)]


def _slots(tree: ExpressionTree) -> list[int]:
    return [slot_index(label) for label in tree.leaves() if is_slot(label)]


def serialised_graph(graph: str) -> tuple[str, ...]:
    """Return a graph key as the tokens that are compared.

    >>> serialised_graph("*(+(s0,-1),s1)")
    ('*(', '+(', 's0', '-1', ')', 's1', ')')
    """
    return tuple(_TOKEN.findall(graph))


def graph_similarity(first: str, second: str) -> float:
    """Return 1 - Levenshtein distance / length of the longer, in [0, 1], of two serialised graph keys.

    >>> graph_similarity("+(s0,s1)", "+(s0,-s1)")
    0.75
    """
    return float(Levenshtein.normalized_similarity(serialised_graph(first), serialised_graph(second)))


def edit_similarity(first: ComputationalGraph, second: ComputationalGraph) -> float:
    """Return 1 - tree edit distance / nodes of both, in [0, 1], with slots named by their first use in each tree."""
    return equation_similarity(_by_first_use(first.tree), _by_first_use(second.tree))


def _by_first_use(tree: ExpressionTree) -> ExpressionTree:
    names: dict[int, int] = {}
    for slot in _slots(tree):
        names.setdefault(slot, len(names))
    return renumbered(tree, names)


def slot_text(text: str) -> str:
    """Return a text with its numbers replaced by ``n1``, ``n2``, ... in their order.

    What is computed does not depend on the numbers, so a retriever may read a text without them.

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
    """Return a number for each key, equal for equal keys, counted from 0 in the order of their first use.

    >>> integer_codes(["b", "a", "b"]).tolist()
    [0, 1, 0]
    """
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
