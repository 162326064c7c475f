"""The bank's own solved questions, recalled beside those that a retriever keeps: their graphs answer new problems."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np
import numpy.typing as npt
from django.db.models import Q

from analytics.analogy.graphs import ComputationalGraph
from analytics.analogy.retrieve_and_apply import Neighbour
from analytics.errors import DataError
from analytics.languages import primary_language
from analytics.records import ProblemRecord
from analytics.solver.targets import target_tree
from analytics.text.number_slots import number_slots
from questionbank.models import EmbeddingSet, Question
from questionbank.selectors.search.vectors import nearest

__all__ = ["bank_recall", "recalled_questions"]

_NEAREST = 64  # of any question; some have no equation
_KEPT_GRAPHS = 5_000  # in memory, with their texts; reading one takes .3 ms

Vector = npt.NDArray[np.float32]


def bank_recall(embedding_set: EmbeddingSet) -> Callable[[ProblemRecord, Vector], list[Neighbour]]:
    """Return a function that recalls questions of `embedding_set`: `recalled_questions`."""
    return partial(recalled_questions, embedding_set)


def recalled_questions(
    embedding_set: EmbeddingSet, problem: ProblemRecord, vector: Vector
) -> list[Neighbour]:
    """Return the nearest ready questions whose equation their source or a person gave, the nearest first.

    A problem of the bank, whose id is its question's, is not answered by itself, nor by a rewording; nor is any text by
    the same text.

    Args:
        embedding_set: made by the retriever that made `vector`.
        vector: (dimension,) of the problem.
    """
    near = dict(nearest(embedding_set=embedding_set, vector=vector, k=_NEAREST, exclude=_family(problem)))
    rows = (
        Question.objects.filter(pk__in=near, equation__isnull=False)
        .exclude(equation__graph_key="")
        .exclude(text=problem.text)
        .values_list("pk", "language", "text", "equation__expression")
    )
    language = primary_language(problem.language)
    neighbours = [
        Neighbour(graph, near[pk], pk)
        for pk, own_language, text, expression in rows
        if primary_language(own_language) == language and (graph := _graph(text, expression)) is not None
    ]
    return sorted(neighbours, key=lambda neighbour: -neighbour.similarity)


def _family(problem: ProblemRecord) -> list[int]:
    """A question of the bank, what it rewords, and the rewordings of either."""
    if not problem.id.isdecimal():
        return []
    own = int(problem.id)
    original = Question.objects.filter(pk=own).values_list("paraphrase_of", flat=True).first() or own
    return list(
        Question.objects.filter(Q(pk=original) | Q(paraphrase_of=original)).values_list("pk", flat=True)
    )


@lru_cache(maxsize=_KEPT_GRAPHS)
def _graph(text: str, expression: str) -> ComputationalGraph | None:
    try:
        return ComputationalGraph.of(target_tree(expression, number_slots(text)))
    except DataError:
        return None
