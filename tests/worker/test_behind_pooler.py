"""The site and its jobs behind a real PgBouncer in transaction mode; real workers are in `test_real_worker`."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.urls import reverse

from analytics.inference.encode import HashedNgramEncoder
from questionbank.core import outage as page_limits
from questionbank.models import EmbeddingSet, Question, QuestionEmbedding, ReviewDecision, Run
from questionbank.review.pair_services import PairInput, pairs_create
from worker.tasks import embed_questions, import_questions

QUESTIONS = 40


def session_state() -> set[tuple[str, ...]]:
    """What the pooler's connections would hand on to others: settings and advisory locks."""
    found = set()
    for _connection in range(12):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT name, setting FROM pg_settings WHERE source = 'session' AND name NOT IN"
                " ('TimeZone', 'client_encoding', 'application_name', 'DateStyle', 'standard_conforming_strings')"
                " UNION ALL SELECT 'lock', objid::text FROM pg_locks WHERE locktype = 'advisory'"
            )
            found.update(cursor.fetchall())
    return found


@pytest.mark.usefixtures("behind_pooler", "own_artifacts", "own_attachments")
def test_log_in_import_vectors_search_and_review_leave_no_state_in_a_pool(client, admin_person, settings):
    page_limits._limit(connection=_connected())
    ngrams = HashedNgramEncoder()
    EmbeddingSet.objects.create(lens="wording", encoder_name=ngrams.name, dimension=ngrams.dimension, is_current=True)
    entry = client.post(reverse("account_login"), {"login": "admin", "password": "correct horse battery"}, follow=True)
    assert entry.context["user"] == admin_person

    lines = "\n".join(json.dumps({"text": f"A train goes {n} km. How far is that?"}) for n in range(QUESTIONS))
    client.post(reverse("import_create"), {"file": SimpleUploadedFile("mine.jsonl", lines.encode())})
    checked = Run.objects.get(kind=Run.Kind.IMPORT)
    import_questions(checked.pk)
    client.post(reverse("import_confirm", args=[checked.pk]))
    for run in Run.objects.filter(state=Run.State.QUEUED, kind=Run.Kind.IMPORT):
        import_questions(run.pk)
    assert Question.objects.count() == QUESTIONS
    embed_questions(Run.objects.get(kind=Run.Kind.EMBED).pk)
    assert QuestionEmbedding.objects.count() == QUESTIONS
    assert set(Run.objects.values_list("state", flat=True)) == {Run.State.SUCCEEDED}

    assert "How far" in client.get(reverse("question_list"), {"q": "train 17"}).content.decode()
    assert client.get(reverse("question_detail", args=[Question.objects.first().pk])).status_code == 200
    (pair,) = pairs_create(
        pairs=[PairInput("How far is it?", "What is the distance?")], source="typed", user=None, request_scores=False
    )
    client.get(reverse("review"), follow=True)
    client.post(reverse("review_decide", args=[pair.pk]), {"decision": "accept"}, follow=True)
    assert ReviewDecision.objects.filter(pair=pair, reviewer=admin_person).exists()
    export = client.get(reverse("review_export", args=["jsonl"]))
    assert b"What is the distance?" in b"".join(export) if export.streaming else export.content
    assert client.get("/health/").status_code == 200
    assert session_state() == set()


def _connected():
    connection.ensure_connection()
    return connection
