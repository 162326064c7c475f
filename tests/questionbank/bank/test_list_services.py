"""Lists of questions on the real database."""

from __future__ import annotations

import pytest

from questionbank.bank import list_services as question_lists
from questionbank.bank.list_selectors import question_list_get, questions_of_list
from questionbank.bank.list_services import (
    question_list_add,
    question_list_create,
    question_list_move,
    question_list_remove,
)
from questionbank.core.errors import NotAllowed, NotFound, ValidationFailed
from questionbank.people.owned import row_show
from tests.factories import QuestionFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def five(teacher):
    """A list of five questions, and the questions."""
    questions = QuestionFactory.create_batch(5)
    question_list = question_list_create(user=teacher, name="Homework")
    question_list_add(user=teacher, question_list=question_list, questions=questions)
    return question_list, questions


def order(question_list, questions) -> list[int]:
    """Where each question of the list stands in `questions`."""
    places = {question.pk: place for place, question in enumerate(questions)}
    return [places[question.pk] for question in questions_of_list(question_list=question_list)]


@pytest.mark.parametrize(
    ("moved", "position", "expected"),
    [(4, 1, [4, 0, 1, 2, 3]), (0, 2, [1, 0, 2, 3, 4]), (0, 99, [1, 2, 3, 4, 0]), (2, 3, [0, 1, 2, 3, 4])],
)
def test_a_question_moves_to_its_new_place(five, teacher, moved, position, expected) -> None:
    question_list, questions = five
    question_list_move(user=teacher, question_list=question_list, question_id=questions[moved].pk, position=position)
    assert order(question_list, questions) == expected


def test_adding_again_changes_nothing_and_removing_closes_the_gap(five, teacher) -> None:
    question_list, questions = five
    assert question_list_add(user=teacher, question_list=question_list, questions=questions[:2]) == 0
    question_list_remove(user=teacher, question_list=question_list, question_id=questions[1].pk)
    assert order(question_list, questions) == [0, 2, 3, 4]
    assert question_list_add(user=teacher, question_list=question_list, questions=[questions[1]]) == 1
    assert list(question_list.items.values_list("position", flat=True)) == [1, 2, 3, 4, 5]


def test_a_deleted_question_leaves_the_list_in_order(five, teacher) -> None:
    question_list, questions = five
    questions[2].delete()
    question_list_move(user=teacher, question_list=question_list, question_id=questions[4].pk, position=1)
    assert order(question_list, questions) == [4, 0, 1, 3]


def test_a_list_holds_only_so_many(five, teacher, monkeypatch) -> None:
    question_list, _questions = five
    monkeypatch.setattr(question_lists, "LONGEST_LIST", 6)
    with pytest.raises(ValidationFailed, match="up to 6"):
        question_list_add(user=teacher, question_list=question_list, questions=QuestionFactory.create_batch(2))


def test_others_read_a_shared_list_and_change_none(five, teacher, reviewer) -> None:
    question_list, questions = five
    with pytest.raises(NotFound):
        question_list_get(list_id=question_list.pk, user=reviewer)
    row_show(user=teacher, row=question_list, visible_to="all")
    assert question_list_get(list_id=question_list.pk, user=reviewer) == question_list
    with pytest.raises(NotAllowed):
        question_list_remove(user=reviewer, question_list=question_list, question_id=questions[0].pk)


def test_a_person_s_lists_have_distinct_names(five, teacher, reviewer) -> None:
    with pytest.raises(ValidationFailed, match="already"):
        question_list_create(user=teacher, name=" Homework ")
    assert question_list_create(user=reviewer, name="Homework").pk
