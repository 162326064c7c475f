"""The order of similar questions: cosines, and what shared concepts and computations add."""

from __future__ import annotations

import numpy as np
import pytest

from questionbank.bank.question_selectors import tagged_paths
from questionbank.models import Question
from questionbank.registry.serving import serving
from questionbank.similar import similarity
from questionbank.similar.likeness import broad_concepts
from questionbank.similar.similarity import similar_questions
from tests.questionbank.small_bank import add_concept, add_question, add_set, store_vectors

pytestmark = pytest.mark.django_db


def unit(*values: float) -> np.ndarray:
    """A row of two numbers padded to a vector of length 1."""
    vector = np.zeros(512, dtype=np.float32)
    vector[: len(values)] = values
    return vector / np.linalg.norm(vector)


@pytest.fixture(autouse=True)
def without_reasons(monkeypatch):
    """What a question gains by its reason, and loses without one, is tested below."""
    monkeypatch.setattr(similarity, "REASON_SHARE", 0.0)
    monkeypatch.setattr(similarity, "LEAST_WITHOUT_REASON", 0.0)


@pytest.fixture
def bank():
    """A question, and three whose cosines of purpose and wording are (.8, 0), (.6, .8) and (0, .8)."""
    questions = [add_question(f"Calculate {name}") for name in ("asked", "purpose", "both", "wording")]
    purpose = np.stack([unit(1), unit(0.8, 0.6), unit(0.6, 0.8), unit(0, 1)])
    wording = np.stack([unit(1), unit(0, 1), unit(0.8, 0.6), unit(0.8, 0.6)])
    store_vectors(add_set("purpose"), questions, purpose)
    store_vectors(add_set("wording"), questions, wording)
    return questions


def hit_names(question: Question, lens: str = "purpose", **options: object) -> list[str]:
    result = similar_questions(question=question, lens=lens, serving=serving(), **options)
    return [hit.question.text.split()[1] for hit in result.hits]


def test_purpose_is_ordered_by_purpose_alone_however_alike_the_words_are(bank):
    hits = similar_questions(question=bank[0], lens="purpose", serving=serving()).hits
    assert [hit.question for hit in hits] == [bank[1], bank[2], bank[3]]
    assert hits[1].score == pytest.approx(0.6, abs=0.001)
    assert hits[1].cosines == {"purpose": pytest.approx(0.6, abs=0.001), "wording": pytest.approx(0.8, abs=0.001)}


def test_wording_is_ordered_by_wording_alone(bank):
    assert hit_names(bank[0], "wording")[-1] == "purpose"
    hits = similar_questions(question=bank[0], lens="wording", serving=serving()).hits
    assert hits[0].score == pytest.approx(0.8, abs=0.001)


def test_a_shared_concept_and_a_shared_computation_move_a_question_up(bank):
    speed, area = add_concept("Number", "Rates", "Speed"), add_concept("Geometry", "Area", "Circle")
    bank[0].tags.create(concept=speed)
    bank[3].tags.create(concept=area)
    assert hit_names(bank[0]) == ["purpose", "both", "wording"]
    bank[2].tags.create(concept=speed)
    scores = {hit.question.pk: hit.score for hit in hits_of(bank[0])}
    assert scores[bank[2].pk] == pytest.approx(0.6 + 0.4 * 0.6 * 0.4, abs=0.001)


def hits_of(question: Question) -> list:
    return similar_questions(question=question, lens="purpose", serving=serving()).hits


def test_questions_of_the_same_concept_are_candidates_wherever_their_vectors_lie(bank, monkeypatch):
    monkeypatch.setattr("questionbank.similar.likeness.CANDIDATES", 1)
    assert hit_names(bank[0]) == ["purpose", "both"]
    speed = add_concept("Number", "Rates", "Speed")
    for question in (bank[0], bank[3]):
        question.tags.create(concept=speed)
    assert set(hit_names(bank[0])) == {"both", "purpose", "wording"}
    Question.objects.filter(pk=bank[3].pk).update(status="draft")
    assert set(hit_names(bank[0])) == {"both", "purpose"}


def test_a_question_without_a_vector_of_one_lens_counts_by_the_other(bank):
    bank[2].embeddings.filter(embedding_set__lens="purpose").delete()
    scores = {hit.question.pk: hit.score for hit in hits_of(bank[0])}
    assert scores[bank[2].pk] == pytest.approx(0.8, abs=0.001)


def test_without_purpose_rare_words_and_the_form_decide(bank):
    texts = {
        "asked": "一列火车每小时行60千米，5小时行多少千米？",
        "train": "有列火车，若3小时行180千米，问每小时行几千米？",
        "cake": "一个蛋糕每小时卖60元，5小时卖多少元钱？",
    }
    asked, train, cake = (add_question(text, language="zh") for text in texts.values())
    sets = serving().sets
    sets["purpose"].unknown_shares = {"zh": 0.5}
    sets["purpose"].save()
    store_vectors(sets["wording"], [asked, train, cake], np.stack([unit(1), unit(0.5, 0.5), unit(0.5, 0.5)]))
    result = similar_questions(question=asked, lens="purpose", serving=serving())
    assert [hit.question for hit in result.hits] == [train, cake]
    assert result.notice
    assert not any("model" in hit.reason for hit in result.hits)


def test_a_question_for_which_nothing_speaks_is_shown_only_where_it_is_very_near(bank, monkeypatch):
    monkeypatch.undo()
    assert hit_names(bank[0]) == ["purpose"]  # at .8, the others are at .6 and 0
    bank[0].tags.create(concept=add_concept("Number", "Rates", "Speed"))
    bank[2].tags.create(concept=bank[0].tags.get().concept)
    hits = hits_of(bank[0])
    assert [hit.question for hit in hits] == [bank[1], bank[2]]
    assert [hit.reason for hit in hits] == ["", "Both are about Speed."]
    concept = 0.6 + 0.4 * 0.6 * 0.4
    assert hits[1].score == pytest.approx(concept + 0.4 * concept * (1 - concept), abs=0.001)


def test_a_subject_that_is_one_of_few_in_its_hierarchy_is_broad():
    subjects = [add_concept(name) for name in ("Algebra", "Geometry", "Counting")]
    question = add_question("2 + 2", concepts=[subjects[0]])
    tags = tagged_paths([question.pk])[question.pk]
    assert tags[0] in broad_concepts()


def test_concepts_over_a_large_part_of_a_hierarchy_are_broad():
    for topic in ("Time", "Area", "Number"):
        for leaf in range(4):
            concept = add_concept("Contest", "Topics", topic, f"{topic} {leaf}")
    add_question("2 + 2", concepts=[concept])
    names = {tag.path[-1] for tag in broad_concepts()}
    assert {"Contest", "Topics"} <= names
    assert "Number 3" not in names
