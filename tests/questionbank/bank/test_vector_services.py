"""Storing vectors: what is pending, replacing, the index of a set."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from django.db import DataError, connection, transaction

from questionbank.bank import vector_services as embeddings
from questionbank.bank.vector_selectors import (
    PendingQuestion,
    embedding_count_pending,
    embedding_index_exists,
    embedding_pending,
    embedding_pending_ids,
)
from questionbank.models import EmbeddingSet, Question, QuestionEmbedding, Run

pytestmark = pytest.mark.django_db

DIMENSION = 8


def question(text: str, **fields) -> Question:
    return Question.objects.create(text=text, content_hash=hashlib.sha256(text.encode()).digest(), **fields)


@pytest.fixture
def embedding_set(db) -> EmbeddingSet:
    return EmbeddingSet.objects.create(lens="purpose", encoder_name="test", dimension=DIMENSION, is_current=True)


def pending(embedding_set: EmbeddingSet) -> list[int]:
    return embedding_pending_ids(embedding_set=embedding_set)


def everything_pending(embedding_set: EmbeddingSet) -> list[PendingQuestion]:
    return embedding_pending(embedding_set=embedding_set, first=0, last=2**40)


def store_all(embedding_set: EmbeddingSet, vectors=None) -> int:
    batch = everything_pending(embedding_set)
    if vectors is None:
        vectors = np.random.default_rng(0).normal(size=(len(batch), DIMENSION))
    return embeddings.embedding_store(
        embedding_set=embedding_set, questions=batch, vectors=np.asarray(vectors, dtype=np.float32)
    )


def test_what_is_stored_comes_back_in_half_precision(embedding_set):
    question("What is 2 + 2?")
    vector = np.array([[0.5, -1.25, 3.0, 0, 0, 0, 0, 1e-3]], dtype=np.float32)
    assert store_all(embedding_set, vector) == 1
    kept = QuestionEmbedding.objects.get().vector
    np.testing.assert_array_equal(np.asarray(kept, dtype=np.float16), vector[0].astype(np.float16))


def test_pending_comes_by_ascending_id_within_a_range_and_ends_when_stored(embedding_set):
    ids = [question(f"Question {n}").pk for n in range(7)]
    assert pending(embedding_set) == ids
    part = embedding_pending(embedding_set=embedding_set, first=ids[2], last=ids[4])
    assert [row.id for row in part] == ids[2:5]
    assert embedding_count_pending(embedding_set=embedding_set) == 7
    store_all(embedding_set)
    assert pending(embedding_set) == []


def test_an_edited_question_is_pending_again_and_its_vector_is_replaced(embedding_set):
    edited = question("Before")
    store_all(embedding_set)
    edited.text, edited.content_hash = "After", hashlib.sha256(b"After").digest()
    edited.save()
    assert pending(embedding_set) == [edited.pk]
    store_all(embedding_set, np.ones((1, DIMENSION)))
    kept = QuestionEmbedding.objects.get()
    assert list(kept.vector) == [1.0] * DIMENSION
    assert pending(embedding_set) == []


def test_retired_questions_and_languages_the_encoder_does_not_know_are_left_out(embedding_set):
    english = question("English")
    question("Retired", status="retired")
    chinese = question("小明有三个苹果", language="zh")
    embeddings.embedding_set_save_unknown_shares(embedding_set=embedding_set, shares={"en": 0.01, "zh": 0.51})
    assert pending(embedding_set) == [english.pk]
    wording = EmbeddingSet.objects.create(lens="wording", encoder_name="n-grams", dimension=DIMENSION)
    assert pending(wording) == [english.pk, chinese.pk]


def test_a_question_deleted_while_it_was_encoded_is_skipped(embedding_set):
    kept, gone = question("Kept"), question("Gone")
    batch = everything_pending(embedding_set)
    gone.delete()
    stored = embeddings.embedding_store(
        embedding_set=embedding_set, questions=batch, vectors=np.ones((2, DIMENSION), dtype=np.float32)
    )
    assert stored == 1
    assert QuestionEmbedding.objects.get().question_id == kept.pk


def test_vectors_of_another_dimension_are_refused(embedding_set):
    question("What is 2 + 2?")
    with pytest.raises(ValueError, match=r"expected \(1, 8\)"):
        store_all(embedding_set, np.ones((1, 5)))


def test_asking_twice_for_vectors_makes_one_waiting_run(monkeypatch):
    monkeypatch.setattr("questionbank.core.task_queue._send", lambda run: None)
    first = embeddings.embedding_request()
    assert embeddings.embedding_request() is None
    assert Run.objects.get() == first


@pytest.mark.django_db(transaction=True)
def test_the_index_is_built_once_and_a_half_built_one_is_replaced():
    purpose_set = EmbeddingSet.objects.create(lens="purpose", encoder_name="test", dimension=DIMENSION)
    question("What is 2 + 2?")
    store_all(purpose_set)
    with connection.cursor() as cursor, pytest.raises(DataError):  # leaves an invalid index of that name
        cursor.execute(
            f"CREATE INDEX CONCURRENTLY {purpose_set.index_name} ON questionbank_questionembedding"
            " USING hnsw ((vector::halfvec(5)) halfvec_cosine_ops)"
        )
    assert not embedding_index_exists(embedding_set=purpose_set)
    embeddings.embedding_set_finish(embedding_set=purpose_set)
    assert embedding_index_exists(embedding_set=purpose_set)
    purpose_set.refresh_from_db()
    assert purpose_set.state == "ready"


@pytest.mark.django_db(transaction=True)
def test_a_failed_store_leaves_nothing_behind():
    purpose_set = EmbeddingSet.objects.create(lens="purpose", encoder_name="test", dimension=DIMENSION)
    question("What is 2 + 2?")

    def store_and_fail() -> None:
        with transaction.atomic():
            store_all(purpose_set)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        store_and_fail()
    assert store_all(purpose_set) == 1
