"""Bringing sets up to date: planned and indexed by one process at a time, and languages measured as the bank grows."""

from __future__ import annotations

import hashlib
from importlib import import_module
from unittest.mock import Mock

import numpy as np
import pytest
from django.db import connection

from analytics.analogy.retriever import load_retriever
from analytics.analysed_text import EACH_PART
from analytics.errors import Cancelled
from analytics.inference.encode import HashedNgramEncoder, OnnxEncoder, load_encoder
from analytics.question_content import EMPTY, QuestionContent, QuestionPart
from questionbank.bank.question_services import question_create, question_update
from questionbank.bank.search_index import search_vector
from questionbank.bank.vector_selectors import (
    embedding_count_pending,
    embedding_pending,
    embedding_set_size,
    stored_vector,
)
from questionbank.bank.vector_services import embedding_request_outdated, embedding_set_ensure
from questionbank.jobs.resume_services import block_claim, block_give_back
from questionbank.jobs.run_services import run_create
from questionbank.models import (
    EmbeddingSet,
    ModelArtifact,
    Question,
    QuestionEmbedding,
    QuestionSolution,
    Run,
    RunLog,
    WorkBlock,
)
from questionbank.registry.artifact_selectors import artifact_folder
from questionbank.registry.artifact_services import artifact_register
from tests.factories import QuestionFactory
from tests.questionbank.core.test_outage import end_connection
from tests.worker.encoder_bank import tiny_encoder, tiny_retriever
from tests.worker.jobs import Reporter
from worker import embedding
from worker.tasks import embed_questions

pytestmark = pytest.mark.django_db


class _Learner(OnnxEncoder):
    """Knows every token but Chinese ones."""

    def __init__(self) -> None:
        self.name, self.dimension = "learner", 8

    def unknown_share(self, texts) -> float:
        return sum(not text.isascii() for text in texts) / len(texts)

    def encode(self, texts):
        return HashedNgramEncoder(self.dimension).encode(texts)


def question(text: str, language: str = "en") -> Question:
    digest = hashlib.sha256(text.encode()).digest()
    row = Question(text=text, language=language, content_hash=digest)
    row.search_vector = search_vector(row)
    row.save()
    return row


@pytest.fixture
def wording(db) -> EmbeddingSet:
    return EmbeddingSet.objects.create(lens="wording", encoder_name="char-ngrams-8", dimension=8, is_current=True)


@pytest.fixture(autouse=True)
def no_index(monkeypatch):
    """An index cannot be built concurrently inside a test's transaction."""
    monkeypatch.setattr(embedding.embeddings, "embedding_index_build", lambda *, embedding_set: None)
    monkeypatch.setattr(embedding, "WAIT_SECONDS", 0)


def test_a_job_waits_while_another_plans_or_indexes_and_can_be_cancelled_meanwhile(wording):
    question("What is 2 + 2?")
    WorkBlock.objects.create(job=f"set/{wording.pk}")
    held = block_claim(job=f"set/{wording.pk}")
    reporter = Reporter(cancelled_at=3)
    with pytest.raises(Cancelled):
        embedding.embed_pending(reporter)
    assert reporter.messages == ["Waiting for another job that computes vectors"] * 2
    assert not QuestionEmbedding.objects.exists()
    block_give_back(block=held)
    assert embedding.embed_pending(Reporter()) == {"wording": 1}


def test_the_turn_is_given_back_also_after_a_failure(wording, monkeypatch):
    question("What is 2 + 2?")
    with monkeypatch.context() as patched:
        patched.setattr(embedding, "blocks_plan", Mock(side_effect=RuntimeError))
        with pytest.raises(RuntimeError):
            embedding.embed_pending(Reporter())
    assert embedding.embed_pending(Reporter()) == {"wording": 1}


@pytest.mark.django_db(transaction=True)
def test_vectors_go_on_after_the_database_restarted_halfway(wording, monkeypatch):
    for number in range(3):
        question(f"What is 2 + {number}?")
    monkeypatch.setattr(embedding, "BLOCK_SIZE", 1)
    store = embedding.embeddings.embedding_store
    stored = []

    def store_and_restart(**given):
        stored.append(given["questions"][0].id)
        if len(stored) == 2:
            end_connection()
        return store(**given)

    run = run_create(kind="embed", capability="encoder", send=False)
    with monkeypatch.context() as patched:
        patched.setattr(embedding.embeddings, "embedding_store", store_and_restart)
        embed_questions(run.pk)
    run.refresh_from_db()
    assert (run.state, run.error, len(stored)) == ("queued", "", 2)
    assert QuestionEmbedding.objects.count() == 1
    WorkBlock.objects.update(until=None)  # as if the lease had run out
    embed_questions(run.pk)
    run.refresh_from_db()
    assert (run.state, run.result) == ("succeeded", {"stored": {"wording": 3}})


def test_a_language_is_not_judged_by_its_first_formula_for_ever(db, monkeypatch):
    purpose = EmbeddingSet.objects.create(lens="purpose", encoder_name="learner", dimension=8, is_current=True)
    monkeypatch.setattr(embedding, "query_encoder", lambda embedding_set: _Learner())
    question("$1 + 1 = ?$", "zh")
    embedding.embed_pending(Reporter())
    purpose.refresh_from_db()
    assert purpose.unknown_shares == {"zh": 0.0}

    for text in ("小明有三个苹果", "一共有多少人", "每小时走几千米"):
        question(text, "zh")
    reporter = Reporter()
    embedding.embed_pending(reporter)
    purpose.refresh_from_db()
    assert purpose.unknown_shares == {"zh": 0.75}
    assert [line for _level, line in reporter.lines if "does not know 75%" in line]
    assert QuestionEmbedding.objects.count() == 1  # none for those that it cannot read
    reporter = Reporter()
    embedding.embed_pending(reporter)
    assert not reporter.lines


def test_bulk_encoding_takes_the_weights_that_a_trained_encoder_brings(own_artifacts, tmp_path, monkeypatch):
    monkeypatch.setattr(embedding, "SMALL_JOB", 0)
    artifact = artifact_register(folder=tiny_encoder(tmp_path / "encoder"))
    purpose = embedding_set_ensure(artifact=artifact)
    texts = ["What is 2 + 2?", "Find the area of a circle"]
    for text in texts:
        question(text)
    assert embedding.embed_pending(Reporter(), sets=[purpose]) == {"purpose": 2}  # no backbone of its name
    expected = load_encoder(artifact_folder(artifact)).encode(texts)
    stored = QuestionEmbedding.objects.order_by("question_id").values_list("vector", flat=True)
    for vector, own in zip(stored, expected, strict=True):
        assert np.dot(vector, own) > 0.99


STORIES = ["Tom has 3 bags of 5 apples each. How many apples has he?", "Ann read 12 of 40 pages. How many are left?"]


@pytest.fixture
def structure(own_artifacts, tmp_path) -> EmbeddingSet:
    """The empty set of a retriever in use."""
    artifact = artifact_register(folder=tiny_retriever(tmp_path / "retriever"))
    row = embedding_set_ensure(artifact=artifact)
    EmbeddingSet.objects.filter(pk=row.pk).update(is_current=True)
    return row


@pytest.mark.parametrize("small_job", [0, 256])
def test_only_word_problems_in_languages_that_the_retriever_knows_get_a_vector_of_their_structure(
    structure, monkeypatch, small_job
):
    monkeypatch.setattr(embedding, "SMALL_JOB", small_job)  # with PyTorch, and without
    problems = [question(text) for text in STORIES]
    formula = question("Solve $2x + 3 = 11$ for the number $x$ with 3 steps.")
    chinese = question("一列火车2小时行60千米，5小时行多少千米？", "zh")
    assert embedding.embed_pending(Reporter()) == {"structure": 2}
    rows = QuestionEmbedding.objects.filter(embedding_set=structure)
    stored = {row.question_id: row.vector for row in rows}
    assert chinese.pk not in stored
    assert stored[formula.pk] is None
    expected = load_retriever(artifact_folder(structure.artifact)).encode(STORIES)
    for problem, own in zip(problems, expected, strict=True):
        assert np.dot(stored[problem.pk], own) > 0.99
    structure.refresh_from_db()
    assert embedding_count_pending(embedding_set=structure) == 0
    assert embedding_set_size(embedding_set=structure) == 2
    assert embedding.embed_pending(Reporter()) == {"structure": 0}


def test_a_question_that_becomes_a_word_problem_gets_its_vector_and_loses_it_again(structure):
    changed = question("What is 2 + 2?")
    for text, has_vector in (("What is 2 + 2?", False), (STORIES[0], True), ("What is 2 + 3?", False)):
        Question.objects.filter(pk=changed.pk).update(text=text, content_hash=hashlib.sha256(text.encode()).digest())
        assert embedding.embed_pending(Reporter()) == {"structure": int(has_vector)}
        assert (QuestionEmbedding.objects.get(question=changed).vector is not None) == has_vector


def test_encoders_of_one_name_have_sets_of_different_names():
    made = [
        ModelArtifact.objects.create(
            capability="encoder", name="quesco", checksum=checksum, manifest={"extra": {"dimension": 8}}
        )
        for checksum in ("a" * 64, "b" * 64, "b" * 64)
    ]
    sets = [embedding_set_ensure(artifact=artifact) for artifact in made]
    assert [embedding_set.encoder_name for embedding_set in sets] == [
        "quesco", "quesco (bbbbbbbb)", f"quesco (model {made[2].pk})",
    ]  # fmt: skip
    assert embedding_set_ensure(artifact=made[1]) == sets[1]


IN_PARTS = {
    "text": EACH_PART, "language": "en", "kind": "parts", "options": [], "answer": "", "solution": "", "grade": "",
    "status": "ready", "concepts": [],
    "content": QuestionContent(parts=(QuestionPart("Factorise $x^2+7x+12$"), QuestionPart("Add"))),
}  # fmt: skip


def test_another_part_asks_for_another_vector(wording, teacher):
    question = question_create(user=teacher, **IN_PARTS)
    embedding.embed_pending(Reporter())
    content = QuestionContent(parts=(QuestionPart("Factorise $x^2+7x+12$"), QuestionPart("Subtract")))
    question_update(user=teacher, question=question, version=1, **IN_PARTS | {"content": content})
    assert [each.text for each in embedding_pending(embedding_set=wording, first=0, last=2**40)] == [
        "Factorise $x^2+7x+12$\nSubtract"
    ]


def test_what_an_update_reads_more_of_is_searched_and_embedded_anew(wording, teacher):
    plain = question_create(user=teacher, **IN_PARTS | {"text": "What is 2 + 2?", "kind": "open", "content": EMPTY})
    in_parts = question_create(user=teacher, **IN_PARTS)
    embedding.embed_pending(Reporter())
    QuestionSolution.objects.bulk_create(
        QuestionSolution(question=each, content_hash=each.content_hash) for each in (plain, in_parts)
    )
    Question.objects.update(search_vector="stem:1")
    with connection.cursor() as cursor:
        cursor.execute(import_module("questionbank.migrations.0054_analysed_text").FORGET)
    assert [each.id for each in embedding_pending(embedding_set=wording, first=0, last=2**40)] == [in_parts.pk]
    assert [solution.question_id for solution in QuestionSolution.objects.all()] == [plain.pk]
    Run.objects.all().delete()
    assert embedding_request_outdated() is not None
    assert embedding.embed_pending(Reporter()) == {"wording": 1}
    assert Question.objects.filter(search_vector="factorise").get() == in_parts
    assert Question.objects.filter(search_vector="stem").get() == plain
    Run.objects.all().delete()
    assert embedding_request_outdated() is None
    stored = stored_vector(embedding_set=wording, question=in_parts)
    expected = HashedNgramEncoder(8).encode(["Factorise $x^2+7x+12$\nAdd"])[0]
    np.testing.assert_allclose(stored, expected, atol=1e-3)


@pytest.mark.django_db(transaction=True)
def test_questions_that_read_almost_alike_are_named_once_a_pair():
    encoder = HashedNgramEncoder()
    EmbeddingSet.objects.create(lens="wording", encoder_name=encoder.name, dimension=encoder.dimension, is_current=True)
    first = QuestionFactory(text="A train travels 120 km in 2 hours. What is its average speed?")
    two = QuestionFactory(text="A train travels 120 km in 3 hours. What is its average speed?")
    QuestionFactory(text="Find the derivative of $x^2$.")
    run = run_create(kind="embed", send=False)
    embed_questions(run.pk)
    warnings = RunLog.objects.filter(run=run, level="warning").values_list("text", flat=True)
    assert len(warnings) == 1
    assert warnings[0].startswith(f"Near-duplicates among 3 new questions: {first.pk} and {two.pk} (0.9")
