"""Near-duplicates are named after an import's vectors are there."""

from __future__ import annotations

import pytest

from analytics.inference.ngrams import HashedNgramEncoder
from questionbank.jobs.run_services import run_create
from questionbank.models import EmbeddingSet, RunLog
from tests.factories import QuestionFactory
from worker.tasks import embed_questions

pytestmark = pytest.mark.django_db(transaction=True)


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
