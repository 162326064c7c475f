"""Shipped results are stored for the models that they are by, and for no others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analytics.artifacts import artifact_read
from questionbank.bank.vector_selectors import embedding_count_pending
from questionbank.demo.bank import (
    HIERARCHY_NAME,
    DemoResults,
    demo_sources,
    read_results,
    starter_folder,
    write_results,
)
from questionbank.models import EmbeddingSet, ModelArtifact, Question, QuestionSolution
from questionbank.operations import setup as demo_results
from questionbank.operations.setup import demo_results_gather, demo_results_install
from questionbank.solving.services import unsolved_questions
from tests.questionbank.small_bank import add_question, add_set

pytestmark = pytest.mark.django_db(transaction=True)  # indexes are built outside of a transaction

TEXTS = ("A box holds 6 eggs. How many are in 4 boxes?", "Sam has 4 pens. How many pens have 3 Sams?", "Why?")


@pytest.fixture
def bank() -> list[EmbeddingSet]:
    """Three questions, and the sets of installed starters, whose files have other names than the starters'."""
    for number, text in enumerate(TEXTS):
        add_question(text, source=HIERARCHY_NAME, source_id=f"demo-{number}")
    sets = [add_set("wording", 512, encoder_name="char-ngrams-512", is_current=True)]
    for word, lens, scope in (("encoder", "purpose", ""), ("analogy", "structure", ""), ("solver", "", "en")):
        digests = artifact_read(starter_folder(word), verify=False).files
        model = ModelArtifact.objects.create(
            capability=word,
            scope=scope,
            name=word,
            state="champion",
            checksum=word,
            manifest={"files": {f"adapter/{name}": digest for name, digest in digests.items()}},
        )
        if lens:
            sets.append(add_set(lens, 4, encoder_name=word, artifact=model, is_current=True))
    return sets


@pytest.fixture
def shipped(monkeypatch, tmp_path) -> DemoResults:
    """Results of these questions, written and read again."""
    structure = np.eye(3, 4, dtype=np.float16)
    structure[2] = np.nan
    solution = {"alternatives": [], "reason": "No.", "probability": None, "graph_key": ""}
    found = {"equation": "4*3", "probability": 0.9, "twin": "demo-0"}
    results = DemoResults(
        made_by=demo_sources(),
        ids=[f"demo-{number}" for number in range(3)],
        vectors={"purpose": np.eye(3, 4, k=1, dtype=np.float16), "structure": structure},
        unknown_shares={"purpose": {"en": 0.0}, "structure": {"en": 0.01}},
        solutions=[
            solution,
            {"alternatives": [found], "reason": "", "probability": 0.9, "graph_key": "*(s0,s1)"},
            solution,
        ],
        coordinates=np.array([[-1, 0], [0, 1], [1, 0.5]], dtype=np.float32),
        map={"method": "pca", "settings": {"seed": 7}},
    )
    write_results(results, tmp_path / "results")
    read = read_results(tmp_path / "results")
    monkeypatch.setattr(demo_results, "read_results", lambda: read)
    return results


def test_nothing_is_left_to_compute_and_what_is_gathered_is_what_was_shipped(bank, shipped):
    assert demo_results_install()
    assert [embedding_count_pending(embedding_set=each) for each in bank] == [0, 0, 0]
    assert not unsolved_questions(ModelArtifact.objects.get(capability="solver")).exists()
    twin = Question.objects.get(source_id="demo-0")
    (row,) = QuestionSolution.objects.exclude(graph_key="")
    assert (row.question.source_id, row.alternatives[0]["twin"]) == ("demo-1", str(twin.pk))

    gathered = demo_results_gather()
    for lens, vectors in shipped.vectors.items():
        assert np.array_equal(gathered.vectors[lens], vectors, equal_nan=True)
    assert np.allclose(gathered.coordinates, shipped.coordinates, atol=1e-4)
    plain = {"vectors": {}, "coordinates": None}
    assert replace(gathered, **plain) == replace(shipped, **plain)


def test_another_encoders_vectors_and_another_solvers_solutions_are_left_to_jobs(bank, shipped):
    ModelArtifact.objects.exclude(capability="analogy").update(manifest={"files": {"model.onnx": "0" * 64}})
    assert not demo_results_install()
    pending = {each.lens: embedding_count_pending(embedding_set=each) for each in bank}
    assert pending == {"wording": 0, "purpose": 3, "structure": 0}
    assert not QuestionSolution.objects.exists()


def test_results_of_another_bank_are_not_read(shipped, tmp_path):
    write_results(replace(shipped, made_by={**shipped.made_by, "bank": "0"}), tmp_path / "older")
    assert read_results(tmp_path / "older") is None
