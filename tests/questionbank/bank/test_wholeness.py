"""What PostgreSQL says of a question's wording, beside what the library says."""

from __future__ import annotations

import pytest

from analytics.text.wholeness import draws_numbers, needs_figure
from questionbank.models import Question
from questionbank.models.question import DRAWS_NUMBERS, NEEDS_FIGURE
from tests.cases import load_cases
from tests.factories import QuestionFactory

pytestmark = pytest.mark.django_db


def test_the_bank_marks_the_questions_that_the_library_finds():
    texts = [case["text"] for table in ("figures", "placeholders") for case in load_cases("wholeness", table)]
    for text in texts:
        QuestionFactory(text=text)
    marks = {question.text: (question.needs_figure, question.draws_numbers) for question in Question.objects.all()}
    assert marks == {text: (needs_figure(text), draws_numbers(text)) for text in texts}


def test_a_placeholder_in_an_option_marks_the_question():
    options = [{"label": "A", "text": r"$\frac{1}{2}$"}, {"label": "B", "text": "{@ans@} cm"}]
    template = QuestionFactory(text="Which is it?", kind="choice", options=options, answer="A")
    whole = QuestionFactory(text="Which is it now?", kind="choice", options=options[:1], answer="A")
    template.refresh_from_db()
    whole.refresh_from_db()
    assert (template.draws_numbers, whole.draws_numbers) == (True, False)


def test_the_mark_follows_the_text():
    question = QuestionFactory(text="Find {a} + {b}.")
    question.refresh_from_db()
    assert question.draws_numbers
    question.text = "Find 2 + 3."
    question.save()
    question.refresh_from_db()
    assert not question.draws_numbers


def test_postgresql_keeps_all_patterns_compiled():
    """It keeps 32; the rest is room for what else a connection asks for."""
    marked = Question.objects.filter(NEEDS_FIGURE | DRAWS_NUMBERS)
    _sql, parameters = marked.query.sql_with_params()
    assert len({parameter for parameter in parameters if isinstance(parameter, str)}) <= 28
