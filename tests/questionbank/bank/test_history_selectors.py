"""What a question was before each change."""

from __future__ import annotations

import pghistory

from questionbank.bank.history_selectors import question_history
from questionbank.models import Question
from tests.factories import QuestionFactory


def change(question: Question, **fields) -> None:
    for name, value in fields.items():
        setattr(question, name, value)
    question.save()


def test_every_change_shows_before_and_after_newest_first(db) -> None:
    question = QuestionFactory(text="First $1$", answer="1")
    change(question, text="Second $2$")
    change(question, text="Third $3$", answer="3")
    newest, oldest = question_history(question=question)
    assert [(edit.field, edit.before, edit.after) for edit in newest.changes] == [
        ("question", "Second $2$", "Third $3$"),
        ("answer", "1", "3"),
    ]
    assert [(edit.before, edit.after) for edit in oldest.changes] == [("First $1$", "Second $2$")]


def test_who_made_a_change_is_known_from_the_request(db, teacher) -> None:
    question = QuestionFactory()
    with pghistory.context(user=teacher.pk):
        change(question, answer="5")
    (entry,) = question_history(question=question)
    assert entry.who == "teacher"


def test_a_person_who_is_gone_leaves_the_change_without_a_name(db, teacher) -> None:
    question = QuestionFactory()
    with pghistory.context(user=teacher.pk):
        change(question, answer="5")
    teacher.delete()
    (entry,) = question_history(question=question)
    assert entry.who == ""


def test_values_are_shown_in_words_and_options_a_line_each(db) -> None:
    question = QuestionFactory(status="draft")
    options = [{"label": "A", "text": "$1$"}, {"label": "B", "text": "$2$"}]
    change(question, status="ready", kind="choice", options=options)
    (entry,) = question_history(question=question)
    changes = {edit.field: (edit.before, edit.after) for edit in entry.changes}
    assert changes["status"] == ("Draft", "Ready")
    assert changes["type"] == ("Open answer", "Multiple choice")
    assert changes["options"] == ("", "A. $1$\nB. $2$")


def test_a_save_that_changes_nothing_shown_is_no_entry(db) -> None:
    question = QuestionFactory()
    change(question, version=2)
    assert question_history(question=question) == []
