"""Store the demo bank's shipped results, and gather them from a bank in which jobs have computed them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from analytics.catalog import FALLBACK_LENS
from analytics.inference.ngrams import HashedNgramEncoder
from questionbank.demo.bank import HIERARCHY_NAME
from questionbank.demo.results import DemoResults, demo_sources, read_results
from questionbank.models import (
    EmbeddingSet,
    ModelArtifact,
    Projection,
    Question,
    QuestionEmbedding,
    QuestionSolution,
)
from questionbank.rows import existing
from questionbank.selectors.registry.artifacts import language_champion, retriever_champion
from questionbank.selectors.registry.embeddings import PendingQuestion, embedding_pending_among, map_set
from questionbank.services.embeddings import (
    embedding_set_finish,
    embedding_set_save_unknown_shares,
    embedding_store,
    embedding_store_none,
)
from questionbank.services.projections import projection_store


def demo_results_install() -> bool:
    """Store the shipped results of the models in use; returns whether no vector is left to compute.

    Called when the demo's questions have just come in, outside of a transaction: it builds indexes.
    """
    results = read_results()
    if results is None:
        return False
    questions = {
        question.source_id: question
        for question in Question.objects.filter(source=HIERARCHY_NAME).only("source_id", "content_hash")
    }
    if any(source_id not in questions for source_id in results.ids):
        return False  # somebody has changed the demo's questions already
    in_order = [questions[source_id] for source_id in results.ids]
    sets = EmbeddingSet.objects.filter(is_current=True, scope="").select_related("artifact")
    stored = [_store_vectors(embedding_set, in_order, results) for embedding_set in sets]
    _store_solutions(questions, results)
    return all(stored)


def _store_vectors(embedding_set: EmbeddingSet, questions: list[Question], results: DemoResults) -> bool:
    """Store the vectors of a set; returns whether the results have those of its encoder."""
    pending = [PendingQuestion(each.pk, "", bytes(each.content_hash)) for each in questions]
    if embedding_set.lens == FALLBACK_LENS.word:
        pending = embedding_pending_among(
            embedding_set=embedding_set, question_ids=[each.pk for each in questions]
        )
        vectors = HashedNgramEncoder(embedding_set.dimension).encode([each.text for each in pending])
    elif embedding_set.lens in results.vectors and _is_by(results, embedding_set.artifact):
        vectors = results.vectors[embedding_set.lens].astype(np.float32)
        embedding_set_save_unknown_shares(
            embedding_set=embedding_set, shares=dict(results.unknown_shares[embedding_set.lens])
        )
    else:
        return False
    is_compared = ~np.isnan(vectors[:, 0])
    compared = [each for each, is_there in zip(pending, is_compared, strict=True) if is_there]
    others = [each for each, is_there in zip(pending, is_compared, strict=True) if not is_there]
    embedding_store(embedding_set=embedding_set, questions=compared, vectors=vectors[is_compared])
    if others:
        embedding_store_none(embedding_set=embedding_set, questions=others)
    embedding_set_finish(embedding_set=embedding_set)
    if embedding_set == map_set():
        projection_store(
            embedding_set=embedding_set,
            question_ids=np.array([each.id for each in pending], dtype=np.int64),
            coordinates=results.coordinates,
            method=results.map["method"],
            settings=results.map["settings"],
        )
    return True


def _is_by(results: DemoResults, artifact: ModelArtifact | None) -> bool:
    """Return whether the results are by the starter that a model was installed from."""
    return artifact is not None and results.is_by(artifact.capability, artifact.manifest["files"])


def _store_solutions(questions: Mapping[str, Question], results: DemoResults) -> None:
    """Store the solutions, if the solver in use and the retriever that it asks found them."""
    solver = language_champion(capability="solver", language="en")
    retriever = retriever_champion(solver.scope) if solver is not None else None
    if not (_is_by(results, solver) and _is_by(results, retriever)):
        return
    rows = []
    for source_id, solution in zip(results.ids, results.solutions, strict=True):
        alternatives = [
            {**each, "twin": str(questions[each["twin"]].pk) if each["twin"] else ""}
            for each in solution["alternatives"]
        ]
        rows.append(
            QuestionSolution(
                question=questions[source_id],
                artifact=solver,
                retriever=retriever,
                content_hash=questions[source_id].content_hash,
                **{**solution, "alternatives": alternatives},
            )
        )
    QuestionSolution.objects.bulk_create(rows, ignore_conflicts=True)  # a worker may have begun


def demo_results_gather() -> DemoResults:
    """Return what jobs have computed for the demo's questions in this bank.

    Raises:
        NotFound: there is no map.
        KeyError: a vector or solution is missing.
    """
    questions = list(Question.objects.filter(source=HIERARCHY_NAME).order_by("pk"))
    names = {str(question.pk): question.source_id for question in questions}
    vectors, shares = {}, {}
    for embedding_set in EmbeddingSet.objects.filter(is_current=True, scope="").exclude(artifact=None):
        rows = dict(
            QuestionEmbedding.objects.filter(embedding_set=embedding_set).values_list("question_id", "vector")
        )
        absent = np.full(embedding_set.dimension, np.nan)
        vectors[embedding_set.lens] = np.array(
            [absent if rows[each.pk] is None else rows[each.pk] for each in questions], dtype=np.float16
        )
        shares[embedding_set.lens] = embedding_set.unknown_shares
    solutions = QuestionSolution.objects.in_bulk([question.pk for question in questions])
    drawn = existing(Projection.objects.filter(embedding_set=map_set()), "The bank has no map.")
    places = np.frombuffer(drawn.coordinates, dtype="<u2").reshape(-1, 2)
    return DemoResults(
        made_by=demo_sources(),
        ids=[question.source_id for question in questions],
        vectors=vectors,
        unknown_shares=shares,
        solutions=[_as_shipped(solutions[question.pk], names) for question in questions],
        coordinates=(places / 65_535 * 2 - 1).astype(np.float32),
        map={"method": drawn.method, "settings": drawn.settings},
    )


def _as_shipped(solution: QuestionSolution, names: Mapping[str, str]) -> dict[str, Any]:
    return {
        "alternatives": [{**each, "twin": names.get(each["twin"], "")} for each in solution.alternatives],
        "reason": solution.reason,
        "probability": solution.probability,
        "graph_key": solution.graph_key,
    }
