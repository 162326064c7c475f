"""Predictions, similar questions and exemplars over the API."""

from __future__ import annotations

import pytest

from questionbank.registry.serving import serving
from questionbank.similar.similarity import fold_copies, similar_questions
from tests.questionbank.api_client import Program
from tests.questionbank.page_bank import LINEAR

ASKED = LINEAR.format(a=3, b=7, c=19)


@pytest.fixture
def program(bank, teacher) -> Program:
    return Program(teacher, "read")


def test_texts_are_predicted_in_their_order(program) -> None:
    texts = [{"text": ASKED}, {"text": "A haiku about the sea"}, {"text": ASKED, "language": "en"}]
    response = program("POST", "/predict", {"texts": texts}).json()
    first, second, third = response["items"]
    assert first["concepts"][0]["path"] == ["Algebra", "Equations", "Linear equations"]
    assert third == first
    assert second["concepts"] == []
    assert second["notice"]
    assert response["notices"]


def test_a_hierarchy_that_does_not_exist_is_refused(program) -> None:
    assert program("POST", "/predict", {"texts": [{"text": ASKED}], "hierarchy": "Nowhere"}).status_code in (404, 422)


@pytest.mark.parametrize("count", [0, 257])
@pytest.mark.parametrize("path", ["/predict", "/similar", "/exemplars", "/solve"])
def test_a_batch_has_1_to_256_texts(program, path, count) -> None:
    assert program("POST", path, {"texts": [{"text": "Why?"}] * count}).status_code == 422


@pytest.mark.parametrize("text", ["", " \n", "x" * 1_000_000, 7, None])
def test_a_text_that_is_no_question_is_refused(program, text) -> None:
    response = program("POST", "/predict", {"texts": [{"text": text}]})
    assert response.status_code == 422
    assert list(response.json()["error"]["fields"]) == ["texts.0.text"]


def test_texts_find_their_similar_questions(program, bank) -> None:
    (found,) = program("POST", "/similar", {"texts": [{"text": ASKED}], "lens": "wording", "k": 5}).json()
    assert found["lens"] == "wording"
    linear = {question.pk for question in bank.questions[:3]}
    assert found["items"][0]["id"] in linear
    assert {found["items"][0]["id"], *found["items"][0]["copies"]} <= linear


def test_a_question_finds_what_its_page_finds(program, bank) -> None:
    question = bank.questions[3]
    found = program("GET", f"/questions/{question.pk}/similar?lens=wording&k=4").json()["items"]
    hits = fold_copies(similar_questions(question=question, lens="wording", serving=serving(), k=4).hits)
    assert [item["id"] for item in found] == [hit.question.pk for hit in hits]


@pytest.mark.parametrize(("wanted", "expected"), [("easier", [0, 1]), ("harder", [])])
def test_easier_questions_come_with_the_reason(program, bank, wanted, expected) -> None:
    path = f"/questions/{bank.questions[2].pk}/similar?lens=wording&difficulty={wanted}"
    found = program("GET", path).json()
    linear = [bank.questions[number].pk for number in expected]
    assert sorted(pk for item in found["items"] for pk in (item["id"], *item["copies"]) if pk in linear) == linear
    assert all("instead of 50%" in item["reason"] for item in found["items"])
    assert bool(found["notice"]) == (not found["items"])


@pytest.mark.parametrize("query", ["lens=smell", "k=0", "k=101", "difficulty=odd"])
def test_a_lens_that_does_not_exist_is_refused(program, bank, query) -> None:
    assert program("GET", f"/questions/{bank.questions[0].pk}/similar?{query}").status_code == 422


def test_exemplars_come_with_their_equations(program, bank) -> None:
    from questionbank.models import QuestionEquation

    question = bank.questions[5]
    QuestionEquation.objects.create(question=question, expression="3/(3+5)", numbers=["3", "5"])
    (found,) = program("POST", "/exemplars", {"texts": [{"text": "A bag holds 2 red and 6 blue marbles."}]}).json()
    assert set(found) == {"lens", "notice", "shape", "items"}
    assert {item["id"] for item in found["items"]} <= {one.pk for one in bank.questions}
