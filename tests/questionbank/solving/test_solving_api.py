"""Solving word problems over the API."""

from __future__ import annotations

import pytest

from questionbank.solving import api
from tests.factories import QuestionFactory
from tests.questionbank.api_client import Program
from tests.questionbank.scripted_solver import served

APPLES = "Tom has 3 apples and buys 4 more. How many apples does he have?"


@pytest.fixture
def program(teacher) -> Program:
    return Program(teacher, "read")


@pytest.fixture
def solver(monkeypatch, db) -> None:
    scripted = served({APPLES: [("3+4", 0.9), ("4-3", 0.1)]})
    monkeypatch.setattr(api, "served_solver", lambda _language: scripted)


def test_texts_are_solved_in_their_order(program, solver) -> None:
    texts = [{"text": "How are you?"}, {"text": APPLES}]
    unsolved, solved = program("POST", "/solve", {"texts": texts}).json()
    assert unsolved["answer"] is None
    assert unsolved["reason"]
    assert (solved["equation"], solved["answer"], solved["probability"], solved["reason"]) == ("3+4", 7, 0.9, "")
    assert [other["equation"] for other in solved["alternatives"]] == ["4-3"]


def test_without_a_solver_it_says_so(program) -> None:
    response = program("POST", "/solve", {"texts": [{"text": APPLES}]})
    assert response.status_code == 503
    assert response.json()["error"]["code"] == "unavailable"


def test_a_question_shows_its_own_equation_beside_the_solver_s(program, solver, teacher) -> None:
    question = QuestionFactory(text=APPLES)
    path = f"/questions/{question.pk}/solution"
    assert program("GET", path).json()["known"] is None
    Program(teacher, name="Writer")("PATCH", f"/questions/{question.pk}", {"equation": "3+4"})
    found = program("GET", path).json()
    assert found["found"][0]["equation"] == "3+4"


def test_what_is_no_word_problem_has_no_solution(program, solver) -> None:
    assert program("GET", f"/questions/{QuestionFactory(text='Why?').pk}/solution").json() is None
