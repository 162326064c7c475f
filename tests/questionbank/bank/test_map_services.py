"""Asking for the map of the bank, and keeping it."""

from __future__ import annotations

import numpy as np
import pytest

from questionbank.bank import vector_services as projections
from questionbank.bank.vector_services import projection_request, projection_request_missing, projection_store
from questionbank.core.errors import Conflict
from questionbank.jobs.run_services import run_cancel
from questionbank.models import EmbeddingSet, Projection, Run
from tests.factories import QuestionFactory
from tests.questionbank.small_bank import add_set, store_vectors

pytestmark = pytest.mark.django_db


@pytest.fixture
def embedding_set() -> EmbeddingSet:
    made = add_set("purpose")
    store_vectors(made, [QuestionFactory() for _one in range(3)])
    return made


def store(embedding_set: EmbeddingSet, ids: list[int], coordinates: list[list[float]]) -> Projection:
    return projection_store(
        embedding_set=embedding_set,
        question_ids=np.array(ids, dtype=np.int64),
        coordinates=np.array(coordinates, dtype=np.float32),
        method="pca",
        settings={"seed": 0},
    )


def test_a_map_is_asked_for_once_at_a_time(embedding_set, admin_person) -> None:
    run = projection_request(user=admin_person)
    assert (run.kind, run.capability, run.queue, run.requested_by) == ("project", "probes", "default", admin_person)
    with pytest.raises(Conflict, match="already"):
        projection_request(user=admin_person)
    run_cancel(run_id=run.pk)
    assert projection_request().pk != run.pk


def test_without_vectors_there_is_nothing_to_draw() -> None:
    with pytest.raises(Conflict, match="no vectors"):
        projection_request()
    add_set("purpose")
    with pytest.raises(Conflict, match="no vectors"):
        projection_request()
    assert not Run.objects.exists()


def test_ids_are_kept_in_order_with_their_own_coordinates(embedding_set) -> None:
    made = store(embedding_set, [30, 10, 20], [[1, 1], [-1, -1], [0, 0.5]])
    assert np.frombuffer(made.question_ids, dtype="<u4").tolist() == [10, 20, 30]
    places = np.frombuffer(made.coordinates, dtype="<u2").reshape(-1, 2)
    assert places.tolist() == [[0, 0], [32768, 49151], [65535, 65535]]
    assert made.questions == 3


def test_a_new_map_replaces_the_set_s_former_one(embedding_set) -> None:
    first = store(embedding_set, [1], [[0, 0]])
    second = store(embedding_set, [1, 2], [[0, 0], [1, 1]])
    assert second.pk == first.pk
    assert second.created_at > first.created_at
    assert Projection.objects.get().questions == 2


def test_another_set_s_map_stays_until_its_set_goes(embedding_set) -> None:
    second_set = EmbeddingSet.objects.create(lens="purpose", encoder_name="other", dimension=4)
    store(embedding_set, [1], [[0, 0]])
    store(second_set, [1], [[0, 0]])
    assert Projection.objects.count() == 2
    second_set.delete()
    assert Projection.objects.get().embedding_set == embedding_set


def test_shapes_and_numbers_that_do_not_fit_are_refused(embedding_set) -> None:
    with pytest.raises(ValueError, match="expected"):
        store(embedding_set, [1, 2], [[0, 0]])
    with pytest.raises(ValueError, match="32 bits"):
        store(embedding_set, [2**32], [[0, 0]])


def test_a_map_is_asked_for_by_itself_where_there_is_none_or_the_bank_has_outgrown_it(
    embedding_set, monkeypatch
) -> None:
    assert projection_request_missing() is None  # three points are no map
    monkeypatch.setattr(projections, "FEWEST_POINTS", 3)
    run = projection_request_missing()
    assert run is not None
    assert projection_request_missing() is None  # asked for already
    run_cancel(run_id=run.pk)
    store(embedding_set, [1, 2], [[0.0, 0.0], [1.0, 1.0]])
    assert projection_request_missing() is None  # three points, drawn with two
    store_vectors(embedding_set, [QuestionFactory()])
    assert projection_request_missing() is not None
