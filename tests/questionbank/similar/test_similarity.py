"""Similar questions for a stored question and for a text."""

from __future__ import annotations

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from questionbank.core.errors import ServiceUnavailable
from questionbank.models import Question, QuestionEmbedding
from questionbank.registry import serving as serving_module
from questionbank.registry.serving import serving
from questionbank.similar.reasons import LOOKS_ALIKE, SAME_IDEA
from questionbank.similar.similarity import near_duplicates, similar_by_lens, similar_questions, similar_to_text
from tests.questionbank.small_bank import add_concept, add_question, add_set, store_vectors

pytestmark = pytest.mark.django_db

TRAIN = "A train travels 60 km in 2 hours. How far does it travel in 5 hours?"
TRAIN_AGAIN = "A train travels 90 km in 3 hours. How far does it travel in 4 hours?"
CAR = "A car drives 60 km in 2 hours. How far does it get in 5 hours?"
CAKE = "Factorise the polynomial $x^2-5x+6$."


@pytest.fixture
def bank(db):
    speed = add_concept("Number", "Rates", "Speed")
    questions = [
        add_question(TRAIN, equation="60/2*5", concepts=[speed]),
        add_question(TRAIN_AGAIN, equation="90/3*4", concepts=[speed]),
        add_question(CAR, equation="60/2*5", concepts=[speed]),
        add_question(CAKE, concepts=[add_concept("Algebra", "Polynomials", "Factors")]),
    ]
    store_vectors(add_set("wording"), questions)
    return questions


def test_a_stored_question_is_compared_by_its_own_vector_and_never_with_itself(bank, monkeypatch):
    now = serving()
    monkeypatch.setattr(serving_module.Serving, "encoder", None)  # is not asked for
    result = similar_questions(question=bank[0], lens="wording", serving=now, k=3)
    assert [hit.question.text for hit in result.hits] == [TRAIN_AGAIN, CAR, CAKE]
    assert result.lens == "wording"
    assert result.notice == ""


def test_a_question_in_other_words_is_not_similar_but_the_same(bank):
    first, again, car, cake = bank
    Question.objects.filter(pk__in=[again.pk, car.pk]).update(paraphrase_of=first)
    for question in Question.objects.exclude(pk=cake.pk):
        result = similar_questions(question=question, lens="wording", serving=serving(), k=3)
        assert [hit.question for hit in result.hits] == [cake]


def test_hits_carry_score_reason_concepts_and_flags(bank):
    hit = similar_questions(question=bank[0], lens="wording", serving=serving(), k=3).hits[0]
    assert 0.8 < hit.score < 1
    assert hit.reason == "The same text with other numbers; both are computed as a × b ÷ c."
    assert hit.concepts == [("Number", "Rates", "Speed")]
    assert hit.flags == (SAME_IDEA,)


def test_an_edited_question_is_encoded_anew(bank):
    question = bank[3]
    question.text, question.content_hash = TRAIN, b"another hash"
    question.save()
    result = similar_questions(question=question, lens="wording", serving=serving(), k=1)
    assert result.hits[0].question.text == TRAIN
    QuestionEmbedding.objects.all().delete()
    assert similar_questions(question=question, lens="wording", serving=serving()).hits == []


def test_a_text_finds_the_same(bank):
    result = similar_to_text(text=TRAIN.replace("60", "70"), lens="wording", serving=serving(), k=2)
    assert [hit.question.text for hit in result.hits] == [TRAIN, TRAIN_AGAIN]
    assert SAME_IDEA in result.hits[0].flags


def test_what_looks_alike_and_is_solved_differently_is_flagged():
    first = add_question("Tom had 9 pens and gave 3 to Ann. How many pens has Tom now?", equation="9-3")
    second = add_question("Tom had 9 pens and got 3 from Ann. How many pens has Tom now?", equation="9+3")
    store_vectors(add_set("wording"), [first, second])
    hit = similar_questions(question=first, lens="wording", serving=serving()).hits[0]
    assert hit.flags == (LOOKS_ALIKE,)


def test_only_questions_in_the_same_language_are_similar(bank):
    chinese = add_question("一列火车2小时行60千米，5小时行多少千米？", language="zh")
    wording = bank[0].embeddings.get().embedding_set
    store_vectors(wording, [chinese])
    now = serving()
    assert similar_questions(question=chinese, lens="wording", serving=now).hits == []
    result = similar_to_text(text="一列火车3小时行90千米", lens="wording", serving=now)
    assert [hit.question for hit in result.hits] == [chinese]
    assert len(similar_to_text(text="一列火车", lens="wording", serving=now, language="en").hits) == 4


def test_a_language_without_purpose_vectors_is_compared_by_wording_and_told(bank):
    add_set("purpose", 16, unknown_shares={"en": 0.0, "zh": 0.5})
    chinese = [add_question(f"一列火车{n}小时行60千米", language="zh") for n in (2, 3)]
    store_vectors(bank[0].embeddings.get().embedding_set, chinese)
    result = similar_questions(question=chinese[0], lens="purpose", serving=serving())
    assert [hit.question for hit in result.hits] == [chinese[1]]
    assert result.lens == "purpose"
    assert "wording" in result.notice


def test_what_is_not_mathematics_is_compared_by_wording_alone_unless_it_has_a_concept(bank):
    letter = "Please bring your swimming things on Thursday, the bus leaves at 8:45."
    untagged, tagged = add_question(letter), add_question(letter, concepts=[add_concept("Number", "Time")])
    again = letter.replace("Thursday", "Friday")
    store_vectors(add_set("purpose", 64), [*bank, untagged, tagged])
    store_vectors(serving().embedding_set("wording"), [untagged, tagged])
    results = similar_by_lens(asked=again, serving=serving(), k=3)
    assert results["purpose"].hits == []
    assert "does not look like a mathematics question" in results["purpose"].notice
    assert {hit.question for hit in results["wording"].hits[:2]} == {untagged, tagged}
    assert similar_questions(question=untagged, lens="purpose", serving=serving()).hits == []
    assert similar_questions(question=tagged, lens="purpose", serving=serving()).notice == ""


def test_drafts_and_retired_questions_are_not_offered(bank):
    Question.objects.filter(pk=bank[1].pk).update(status="draft")
    Question.objects.filter(pk=bank[2].pk).update(status="retired")
    result = similar_questions(question=bank[0], lens="wording", serving=serving())
    assert [hit.question.text for hit in result.hits] == [CAKE]


def test_without_vectors_there_is_a_sentence():
    with pytest.raises(ServiceUnavailable, match="cannot be compared yet"):
        similar_to_text(text=TRAIN, lens="purpose", serving=serving())


def test_near_duplicates_are_those_that_read_almost_the_same(bank):
    now = serving()
    duplicates = near_duplicates(text=TRAIN + " ", serving=now)
    assert duplicates[0].question == bank[0]
    assert duplicates[0].score == pytest.approx(1.0, abs=0.01)
    assert CAKE not in [hit.question.text for hit in duplicates]
    assert near_duplicates(text="Solve something else entirely.", serving=now) == []
    assert bank[0] not in [hit.question for hit in near_duplicates(text=TRAIN, serving=now, exclude=bank[0])]


def test_drafts_are_duplicates_too_and_retired_questions_are_not(bank):
    now = serving()
    Question.objects.filter(pk=bank[0].pk).update(status="draft")
    assert near_duplicates(text=TRAIN, serving=now)[0].question == bank[0]
    Question.objects.filter(pk=bank[0].pk).update(status="retired")
    assert bank[0] not in [hit.question for hit in near_duplicates(text=TRAIN, serving=now)]


def test_a_bank_without_vectors_has_no_near_duplicates():
    assert near_duplicates(text=TRAIN, serving=serving()) == []


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_a_text_without_content_is_like_nothing(bank, text):
    assert similar_to_text(text=text, lens="wording", serving=serving()).hits == []
    assert near_duplicates(text=text, serving=serving()) == []


def test_the_number_of_queries_does_not_grow_with_the_hits(bank, django_assert_max_num_queries):
    more = [add_question(TRAIN.replace("60", str(60 + n))) for n in range(12)]
    store_vectors(bank[0].embeddings.get().embedding_set, more)
    now = serving()
    with django_assert_max_num_queries(20):
        assert len(similar_questions(question=bank[0], lens="wording", serving=now, k=15).hits) == 15


def test_what_several_lenses_find_is_counted_and_read_once(bank, monkeypatch):
    monkeypatch.setattr("questionbank.similar.similarity.CONSIDERED", 1)
    purpose_set = add_set("purpose")
    store_vectors(purpose_set, bank, np.eye(4, purpose_set.dimension, dtype=np.float32)[[0, 1, 0, 2]])
    with CaptureQueriesContext(connection) as asked:
        results = similar_by_lens(asked=bank[0], serving=serving(), k=1)
    assert [hit.question.text for hit in results["purpose"].hits] == [CAR]
    assert [hit.question.text for hit in results["wording"].hits] == [TRAIN_AGAIN]
    statements = [query["sql"] for query in asked]
    assert sum(sql.startswith("EXPLAIN") for sql in statements) == 1
    assert sum(sql.startswith("SELECT COUNT(*) FROM (SELECT") for sql in statements) == 1
    assert sum('"questionbank_questionsolution"."alternatives"' in sql for sql in statements) == 1
