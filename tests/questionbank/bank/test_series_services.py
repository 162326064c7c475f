"""Which edits begin a new series of responses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from questionbank.bank.question_services import question_revert, question_update
from questionbank.bank.series_services import Asked, SeriesChoice, differs
from questionbank.models import Question, Response, ResponseSeries, ResponseSet
from tests.factories import QuestionFactory

ASKED = Asked("choice", "A triangel has sides of 3 cm and $4$ cm. Find the third side.", "B", (("A", "5", None),), ())


@pytest.mark.parametrize(
    ("changes", "is_new"),
    [
        ({}, False),
        ({"text": ASKED.text.replace("triangel", "triangle")}, False),
        ({"text": ASKED.text.replace("Find", "find").replace(".", "!")}, False),
        ({"text": ASKED.text.replace("3 cm", "6 cm")}, True),
        ({"text": ASKED.text.replace("$4$", "$x$")}, True),
        ({"text": ASKED.text.replace("third", "longest")}, True),
        ({"text": ASKED.text + " Do not measure."}, True),
        ({"answer": "A"}, True),
        ({"options": (("A", "7", None),)}, True),
        ({"options": (("A", "5", 1.0),)}, True),
        ({"kind": "open"}, True),
    ],
)
def test_what_counts_as_another_question(changes, is_new):
    assert differs(ASKED, replace(ASKED, **changes)) is is_new


@pytest.fixture
def answered(db) -> Question:
    """A question that a pupil has answered."""
    question = QuestionFactory(text="How much is $2 + 3$, for exampel?", answer="5")
    response_set = ResponseSet.objects.create(title="Test", layout="")
    Response.objects.create(response_set=response_set, question=question, person=b"p" * 16, version=1, score=1)
    return question


def edit(question: Question, series: SeriesChoice = SeriesChoice.AUTOMATIC, **changes: object) -> Question:
    question = Question.objects.get(pk=question.pk)
    names = ("text", "language", "kind", "options", "answer", "solution", "grade", "status")
    fields = {name: getattr(question, name) for name in names} | {"concepts": []} | changes
    return question_update(user=None, question=question, version=question.version, series=series, **fields)


def series_of(question: Question) -> list[int]:
    return list(ResponseSeries.objects.filter(question=question).order_by("version").values_list("version", flat=True))


def test_an_edit_of_the_numbers_begins_a_new_series_and_one_of_a_typing_mistake_does_not(answered):
    edit(answered, text="How much is $2 + 3$, for example?")
    assert series_of(answered) == []
    edit(answered, grade="7")
    assert series_of(answered) == []
    edit(answered, text="How much is $2 + 4$, for example?", answer="6")
    assert series_of(answered) == [4]


def test_the_person_may_decide_otherwise(answered):
    edit(answered, SeriesChoice.KEEP, text="How much is $2 + 4$?")
    assert series_of(answered) == []
    edit(answered, SeriesChoice.NEW, grade="7")
    assert series_of(answered) == [3]


def test_a_former_version_that_is_brought_back_begins_a_new_series(answered):
    edited = edit(answered, SeriesChoice.KEEP, answer="6")
    event = edited.events.get(version=1).pk
    question_revert(user=None, question=edited, event=event, version=edited.version)
    assert series_of(answered) == [3]


def test_a_question_without_responses_has_no_series(db):
    question = QuestionFactory(answer="5")
    edit(question, answer="6")
    assert series_of(question) == []
