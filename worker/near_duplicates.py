"""Which of the questions that just got vectors read almost like another one of the bank."""

from __future__ import annotations

from collections.abc import Sequence

from questionbank.models import EmbeddingSet, Question, QuestionEmbedding
from questionbank.selectors.similar.similarity import NEAR_DUPLICATE
from questionbank.selectors.vectors import nearest

LOOKED_AT = 2_000  # of a large import so many are compared, at some milliseconds each


def near_duplicates_among(
    *, embedding_set: EmbeddingSet, question_ids: Sequence[int]
) -> list[tuple[int, int, float]]:
    """Return pairs of questions (the earlier, the later, cosine of their n-grams), each pair once, nearest first.

    Args:
        embedding_set: the set of the lens wording.
        question_ids: the new questions; at most `LOOKED_AT` of them are compared.
    """
    ready = Question.objects.filter(pk__in=question_ids[:LOOKED_AT], status=Question.Status.READY)
    rows = QuestionEmbedding.objects.filter(embedding_set=embedding_set, question__in=ready)
    pairs: dict[tuple[int, int], float] = {}
    for question_id, vector in rows.values_list("question_id", "vector"):
        if vector is None:
            continue
        for neighbour, score in nearest(
            embedding_set=embedding_set, vector=vector, k=1, exclude=[question_id]
        ):
            if score >= NEAR_DUPLICATE:
                pairs[min(question_id, neighbour), max(question_id, neighbour)] = score
    triples = [(earlier, later, score) for (earlier, later), score in pairs.items()]
    return sorted(triples, key=lambda pair: (-pair[2], pair[0]))
