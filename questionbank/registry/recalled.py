"""Solved questions of the bank that are recalled for a problem, besides those that a retriever stores."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from itertools import islice

import numpy as np
import numpy.typing as npt

from analytics.analogy.graphs import ComputationalGraph
from analytics.analogy.retrieve_and_apply import Neighbour
from analytics.errors import DataError
from analytics.languages import primary_language
from analytics.recalling_solver import NEIGHBOURS
from analytics.records import ProblemRecord
from analytics.solver.targets import target_tree
from analytics.text.number_slots import number_slots, slot_places
from analytics.text.numbers import mask_numbers
from questionbank.bank.question_selectors import in_language, wording_ids
from questionbank.bank.vector_selectors import nearest
from questionbank.models import EmbeddingSet, Question

_NEAREST = 64  # of any question; some have no equation
_KEPT_GRAPHS = 5_000  # cached in memory with their texts; parsing one takes 0.3 ms

Vector = npt.NDArray[np.float32]


def bank_recall(embedding_set: EmbeddingSet) -> Callable[[ProblemRecord, Vector], list[Neighbour]]:
    """Return a function that recalls questions of `embedding_set` with `recalled_questions`."""
    return partial(recalled_questions, embedding_set)


def recalled_questions(embedding_set: EmbeddingSet, problem: ProblemRecord, vector: Vector) -> list[Neighbour]:
    """Return the nearest ready questions with an equation from their source or a person, nearest first.

    A problem of the bank, with its question's id, recalls neither itself nor its rewordings; no text recalls the same
    text.

    Args:
        embedding_set: computed by the same retriever as `vector`.
        vector: (dimension,) of the problem.
    """
    itself = wording_ids(int(problem.id)) if problem.id.isdecimal() else []
    near = dict(nearest(embedding_set=embedding_set, vector=vector, k=_NEAREST, exclude=itself))
    language = primary_language(problem.language)
    solved = (
        Question.objects.filter(pk__in=near, equation__isnull=False)
        .filter(in_language(language))
        .exclude(equation__graph_key="")
        .exclude(text=problem.text)
        .values_list("pk", "text", "equation__expression")
    )
    masked_text = _masked(problem.text)
    nearest_first = sorted(solved, key=lambda row: -near[row[0]])
    neighbours = (
        Neighbour(graph, near[pk], pk, is_twin=_masked(text) == masked_text)
        for pk, text, expression in nearest_first
        if (graph := _graph(text, expression)) is not None
    )
    return list(islice(neighbours, NEIGHBOURS))


def _masked(text: str) -> str:
    return " ".join(mask_numbers(text).casefold().split())


@lru_cache(maxsize=_KEPT_GRAPHS)
def _graph(text: str, expression: str) -> ComputationalGraph | None:
    slots = number_slots(text)
    try:
        return ComputationalGraph.of(target_tree(expression, slots), places=slot_places(slots))
    except DataError:
        return None
