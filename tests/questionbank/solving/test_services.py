"""Equations of questions: kept with their key, accepted and corrected by people."""

from __future__ import annotations

import json

import pytest

from questionbank.bank.question_services import equation_graph_key, question_create, question_update
from questionbank.core.errors import Conflict, NotAllowed, ValidationFailed
from questionbank.imports.options import ImportOptions
from questionbank.imports.services import import_file
from questionbank.models import Question, QuestionEquation
from questionbank.solving.services import equation_accept

pytestmark = pytest.mark.django_db

FIELDS = {
    "text": "A box holds 6 eggs. How many eggs are in 4 boxes?",
    "language": "en",
    "kind": "open",
    "options": [],
    "answer": "24",
    "solution": "",
    "grade": "",
    "status": "ready",
    "concepts": [],
}


def test_problems_that_are_computed_alike_share_a_key():
    boxes = equation_graph_key(text="4 boxes of 6 eggs", expression="4*6")
    assert boxes
    assert boxes == equation_graph_key(text="7 pens at 3 dollars", expression="3*7")
    assert boxes != equation_graph_key(text="7 pens and 3 more", expression="7+3")


@pytest.mark.parametrize("expression", ["", "17", "(((", "+".join(["1"] * 150)])
def test_what_computes_nothing_or_is_too_long_has_no_key(expression):
    assert equation_graph_key(text="17 eggs", expression=expression) == ""


def test_the_key_follows_the_text_and_the_equation(teacher):
    question = question_create(user=teacher, **FIELDS, equation="6*4")
    first = question.equation.graph_key
    assert question.equation.set_by == QuestionEquation.SetBy.PERSON
    assert first == equation_graph_key(text=FIELDS["text"], expression="6*4")
    changed = question_update(user=teacher, question=question, version=question.version, **FIELDS, equation="6+4")
    assert QuestionEquation.objects.get(question=changed).graph_key not in ("", first)


def test_an_import_keeps_the_key_and_says_that_the_source_set_the_equation(tmp_path):
    file = tmp_path / "problems.jsonl"
    line = {"id": "1", "text": "Ann has 3 pens and buys 5 more. How many has she now?", "equation": "3+5"}
    file.write_text(json.dumps(line) + "\n", encoding="utf-8")
    import_file(path=file, options=ImportOptions(format="jsonl", hierarchy="", source="Problems"))
    equation = QuestionEquation.objects.get()
    assert equation.set_by == QuestionEquation.SetBy.SOURCE
    assert equation.graph_key == equation_graph_key(text="5 cups and 2 more", expression="5+2")


class TestAccepting:
    def test_a_teacher_accepts_for_a_question_of_somebody_else(self, teacher):
        question = question_create(user=None, **FIELDS)
        accepted = equation_accept(user=teacher, question=question, version=1, expression=" 6*4 ")
        equation = QuestionEquation.objects.get(question=question)
        assert (equation.expression, equation.set_by, equation.user) == ("6*4", "person", teacher)
        assert accepted.version == 2

    def test_not_for_a_question_that_was_changed_meanwhile(self, teacher):
        question = question_create(user=None, **FIELDS)
        Question.objects.update(version=5)
        with pytest.raises(Conflict):
            equation_accept(user=teacher, question=question, version=1, expression="6*4")
        assert not QuestionEquation.objects.exists()

    def test_a_reviewer_may_not(self, reviewer):
        question = question_create(user=None, **FIELDS)
        with pytest.raises(NotAllowed):
            equation_accept(user=reviewer, question=question, version=1, expression="6*4")

    @pytest.mark.parametrize("expression", ["24", "10%", "6*", "6/0", "six times four", "9" * 6000, "9^9^9^9"])
    def test_an_equation_without_a_value_is_refused_with_a_sentence(self, teacher, expression):
        question = question_create(user=None, **FIELDS)
        with pytest.raises(ValidationFailed) as refusal:
            equation_accept(user=teacher, question=question, version=1, expression=expression)
        assert str(refusal.value).endswith(".")
