"""Textual-CL's retrieval: for each problem one that is computed alike, and one that is only worded alike.

"Textual Enhanced Contrastive Learning" (2022), section 3.2, as its figures are best: by exact match of equations and
Bi-BLEU of texts. The positive is the problem of the anchor's equation whose text is least like the anchor's (the anchor
itself where no other problem has it), the negative that of the equations most like the anchor's whose text is most like
it. Torch-free.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analytics.errors import DataError
from analytics.expression.notation import to_prefix
from analytics.expression.slots import is_slot, slot_index
from analytics.expression.tree import ExpressionTree
from analytics.solver.bleu import BleuTexts
from analytics.solver.nearest_equations import NearestEquations
from analytics.solver.targets import SolverExample
from analytics.text.number_slots import NumberPlace, NumberSlot, slot_places

_CELLS_AT_ONCE = 2_000_000  # of a matrix of similarities
_WORD = re.compile(r"[\u4e00-\u9fff]|[^\W\d_]+|[^\w\s]|\d+")


@dataclass(frozen=True, slots=True)
class TextualTriple:
    """Rows of three problems of the pool; the positive may be the anchor."""

    anchor: int
    positive: int
    negative: int


def mine_textual_triples(pool: Sequence[SolverExample], *, anchors: int = 0) -> list[TextualTriple]:
    """Return a triple for each anchor; none for one without a negative.

    Args:
        pool: problems with equations; the anchors come first.
        anchors: how many are anchors; 0: all.
    """
    trees = [numbered_tree(example) for example in pool]
    rows_of: defaultdict[str, list[int]] = defaultdict(list)
    for row, tree in enumerate(trees):
        rows_of[" ".join(to_prefix(tree))].append(row)
    bags = [np.array(rows, dtype=np.int64) for rows in rows_of.values()]
    equations = NearestEquations([trees[bag[0]] for bag in bags])
    texts = BleuTexts([text_tokens(example) for example in pool])
    last = anchors or len(pool)
    wanted = [number for number, bag in enumerate(bags) if bag[0] < last]
    triples: list[TextualTriple] = []
    for number, nearest in equations.nearest(wanted):
        if len(nearest):
            bag_anchors = bags[number][bags[number] < last]
            positives = _chosen(texts, bag_anchors, bags[number], -1)
            negatives = _chosen(texts, bag_anchors, np.concatenate([bags[other] for other in nearest]), 1)
            triples += map(TextualTriple, bag_anchors.tolist(), positives, negatives)
    return sorted(triples, key=lambda triple: triple.anchor)


def _chosen(
    texts: BleuTexts, anchors: npt.NDArray[np.int64], candidates: npt.NDArray[np.int64], sign: int
) -> list[int]:
    """Return for each anchor the candidate most like it (1) or least (-1); itself only where there is no other."""
    if len(candidates) == 1:
        return [int(candidates[0])] * len(anchors)
    chosen: list[int] = []
    step = max(1, _CELLS_AT_ONCE // len(candidates))
    for start in range(0, len(anchors), step):
        rows = anchors[start : start + step]
        scores = sign * texts.bi_bleu(rows, candidates)
        scores[rows[:, None] == candidates[None, :]] = -np.inf
        chosen += candidates[scores.argmax(axis=1)].tolist()
    return chosen


def text_tokens(example: SolverExample) -> list[str]:
    """Return a text as BLEU compares it: Chinese characters, English words, marks, and numbers as N0, N1, ...

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
    """Return the equation over numbers instead of slots, so that per cents in front do not count twice."""
    if example.tree is None:
        raise DataError(f"The problem {example.problem.id} has no equation.")
    labels = number_labels(example.slots)
    return example.tree.with_leaves(
        lambda label: ExpressionTree(labels[slot_index(label)] if is_slot(label) else label)
    )


def number_labels(slots: Sequence[NumberSlot]) -> list[str]:
    """Return a label for each slot: its number's place in the text, and after it which reading of the number.

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
