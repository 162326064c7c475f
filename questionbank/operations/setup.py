"""Initial content of a new installation: models; in the demo also a bank with results, and people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pgtrigger
from django.contrib.auth.models import Group
from django.db import transaction

from analytics.catalog import FALLBACK_LENS
from analytics.inference.encode import HashedNgramEncoder
from questionbank.bank.vector_selectors import PendingQuestion, embedding_pending_among, map_set
from questionbank.bank.vector_services import (
    embedding_request_outdated,
    embedding_set_finish,
    embedding_set_save_unknown_shares,
    embedding_store,
    embedding_store_none,
    projection_store,
)
from questionbank.core.database import get_or_not_found
from questionbank.demo.bank import (
    DEMO_BANK,
    HIERARCHY_NAME,
    DemoResults,
    demo_sources,
    labelled_review_pairs,
    read_results,
)
from questionbank.imports.options import ImportOptions
from questionbank.imports.services import import_file
from questionbank.models import (
    EmbeddingSet,
    ModelArtifact,
    ParaphrasePair,
    Projection,
    Question,
    QuestionEmbedding,
    QuestionSolution,
    User,
)
from questionbank.people.roles import DEMO_PEOPLE
from questionbank.people.services import api_keys_close
from questionbank.registry.artifact_selectors import language_champion, lens_champion
from questionbank.registry.artifact_services import artifact_install_default
from questionbank.review.pair_services import PairInput, pairs_create
from questionbank.solving.services import solve_request_missing


def demo_results_install() -> bool:
    """Store the shipped results of the models in use, and return whether no vectors remain to be computed.

    Call it right after importing the demo's questions, outside a transaction, because it builds indexes.
    """
    results = read_results()
    if results is None:
        return False
    questions = {
        question.source_id: question
        for question in Question.objects.filter(source=HIERARCHY_NAME).only("source_id", "content_hash")
    }
    if any(source_id not in questions for source_id in results.ids):
        return False  # somebody has already changed the demo's questions
    in_order = [questions[source_id] for source_id in results.ids]
    sets = EmbeddingSet.objects.filter(is_current=True, scope="").select_related("artifact")
    stored = [_store_vectors(embedding_set, in_order, results) for embedding_set in sets]
    _store_solutions(questions, results)
    return all(stored)


def _store_vectors(embedding_set: EmbeddingSet, questions: list[Question], results: DemoResults) -> bool:
    """Store the vectors of a set, and return whether the results include those of its encoder."""
    pending = [PendingQuestion(each.pk, "", bytes(each.content_hash)) for each in questions]
    if embedding_set.lens == FALLBACK_LENS.word:
        pending = embedding_pending_among(embedding_set=embedding_set, question_ids=[each.pk for each in questions])
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
    """Return whether the results come from the starter model from which this model was installed."""
    return artifact is not None and results.is_by(artifact.capability, artifact.manifest["files"])


def _store_solutions(questions: Mapping[str, Question], results: DemoResults) -> None:
    """Store the solutions, if they were found by the solver in use with its retriever."""
    solver = language_champion(capability="solver", language="en")
    retriever = lens_champion(capability="analogy", language=solver.scope) if solver is not None else None
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
    QuestionSolution.objects.bulk_create(rows, ignore_conflicts=True)  # a worker may have started


def demo_results_gather() -> DemoResults:
    """Return the results that jobs have computed for the demo's questions in this bank.

    Raises:
        NotFound: the bank has no map.
        KeyError: a vector or solution is missing.
    """
    questions = list(Question.objects.filter(source=HIERARCHY_NAME).order_by("pk"))
    names = {str(question.pk): question.source_id for question in questions}
    vectors, shares = {}, {}
    for embedding_set in EmbeddingSet.objects.filter(is_current=True, scope="").exclude(artifact=None):
        rows = dict(QuestionEmbedding.objects.filter(embedding_set=embedding_set).values_list("question_id", "vector"))
        absent = np.full(embedding_set.dimension, np.nan)
        vectors[embedding_set.lens] = np.array(
            [absent if rows[each.pk] is None else rows[each.pk] for each in questions], dtype=np.float16
        )
        shares[embedding_set.lens] = embedding_set.unknown_shares
    solutions = QuestionSolution.objects.in_bulk([question.pk for question in questions])
    drawn = get_or_not_found(Projection.objects.filter(embedding_set=map_set()), "The bank has no map.")
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


def bank_setup(*, demo: bool, report: Callable[[str], Any]) -> bool:
    """Install the default models and, for a demo, its people and bank.

    Returns:
        Whether questions were imported whose vectors remain to be computed.
    """
    artifact_install_default(report=report)
    embedding_request_outdated()
    solve_request_missing()  # an upgrade may have removed solutions
    if not demo:
        for username in demo_people_shut_out():
            report(f"The demo log-in {username!r} is shut: its password is published.")
        return False
    demo_people_create()
    if not demo_bank_install(report=report):
        return False
    demo_review_install(report=report)
    return not demo_results_install()


@transaction.atomic
def demo_people_create() -> None:
    """Create missing demo accounts, and reactivate those that were deactivated."""
    for username, password, role in DEMO_PEOPLE:
        existing = User.objects.filter(username=username).first()
        if existing is not None:
            if not existing.is_active and existing.check_password(password):
                existing.is_active = True
                existing.save(update_fields=["is_active"])
        else:
            person = User.objects.create_user(
                username, password=password, first_name=f"Demo {role}", is_staff=role == "admin"
            )
            person.groups.add(Group.objects.get(name=role))


@transaction.atomic
def demo_people_shut_out() -> list[str]:
    """Deactivate accounts that still have a published demo password, and return their names.

    An installation that was tried with `DEMO=1` must not keep its admin's password in production,
    even if that is its last admin: `createsuperuser` creates the first real one. Accounts with a password
    of their own are left alone.
    """
    shut = []
    for username, password, _role in DEMO_PEOPLE:
        person = User.objects.filter(username=username, is_active=True).first()
        if person is not None and person.check_password(password):
            person.is_active = False
            with pgtrigger.ignore("questionbank.User:last_admin"):
                person.save(update_fields=["is_active"])
            api_keys_close(owner=person)
            shut.append(username)
    return shut


def demo_bank_install(*, report: Callable[[str], Any]) -> bool:
    """Import the demo's questions into an empty bank, and return whether they were imported."""
    if Question.objects.exists():
        return False
    report("Making the demo bank ...")
    options = ImportOptions(format="jsonl", hierarchy=HIERARCHY_NAME, source=HIERARCHY_NAME)
    outcome = import_file(path=DEMO_BANK, options=options)
    report(f"The demo bank has {outcome.created:,} questions.")
    return True


def demo_review_install(*, report: Callable[[str], Any]) -> bool:
    """Add the demo's paraphrases to an empty review queue and request scores; return whether they were added."""
    if ParaphrasePair.objects.exists():
        return False
    made = pairs_create(
        pairs=[PairInput(pair.original, pair.paraphrase) for pair in labelled_review_pairs()],
        source=ParaphrasePair.Source.TYPED,
        user=None,
        batch="Demo",
    )
    report(f"The demo's review queue has {len(made)} paraphrases.")
    return True
