"""Writing questions: what is derived, what is refused, who may, and two people at once."""

from __future__ import annotations

import pytest

from analytics.question_content import Option
from questionbank.bank.question_selectors import content_hash
from questionbank.bank.question_services import (
    question_accept_prediction,
    question_create,
    question_restore,
    question_retire,
    question_set_tags,
    question_update,
)
from questionbank.core.errors import Conflict, NotAllowed, NotFound, ValidationFailed
from questionbank.models import KnowledgeConcept, Question, Run
from tests.at_once import at_once
from tests.factories import ConceptFactory, QuestionFactory, UserFactory

pytestmark = pytest.mark.django_db

FIELDS = {
    "text": "How many apples are $3+2$ apples?",
    "language": "en",
    "kind": "choice",
    "options": [{"label": "A", "text": "5"}, {"label": "B", "text": "6", "misconception": "counts one twice"}],
    "answer": "A",
    "solution": "$3+2=5$",
    "grade": "1",
    "status": "ready",
    "concepts": [],
    "equation": "3+2",
}


def test_a_new_question_has_everything_that_is_derived(teacher):
    concept = ConceptFactory()
    question = question_create(user=teacher, **{**FIELDS, "concepts": [concept]})
    kept = Question.objects.get(pk=question.pk)
    assert (kept.text, kept.kind, kept.answer, kept.grade) == (FIELDS["text"], "choice", "A", "1")
    assert kept.options == FIELDS["options"]
    assert bytes(kept.content_hash) == content_hash(text=kept.text, options=kept.options)
    assert "'apple'" in kept.search_vector
    assert kept.equation.expression == "3+2"
    assert (kept.version, kept.created_by) == (1, teacher)
    assert list(kept.tags.values_list("concept", "set_by", "user")) == [(concept.pk, "person", teacher.pk)]
    assert Run.objects.get().kind == "embed"


def test_blanks_and_the_browsers_line_ends_are_tidied(teacher):
    fields = {**FIELDS, "text": "  one\r\ntwo \r\n", "options": [Option(" A ", " 5 "), Option("B", "6")]}
    question = question_create(user=teacher, **fields)
    assert question.text == "one\ntwo"
    assert question.options[0] == {"label": "A", "text": "5"}


def test_the_equation_may_be_left_out(teacher):
    fields = {name: value for name, value in FIELDS.items() if name != "equation"}
    assert not hasattr(question_create(user=teacher, **fields), "equation")


def test_an_edit_bumps_the_version_and_derives_anew(teacher):
    question = question_create(user=teacher, **FIELDS)
    Question.objects.update(difficulty=4, difficulty_scale="1-5")
    Run.objects.update(state="succeeded")
    edited = question_update(
        user=teacher, question=question, version=1, **{**FIELDS, "text": "How many pears?", "equation": ""}
    )
    assert (edited.version, edited.text, edited.difficulty_percent) == (2, "How many pears?", 75)
    assert "'pear'" in edited.search_vector
    assert "'apple'" not in edited.search_vector
    assert bytes(edited.content_hash) != bytes(question.content_hash)
    assert not hasattr(Question.objects.get(), "equation")
    assert Run.objects.filter(kind="embed", state="queued").count() == 1


def test_an_edit_keeps_the_numbers_of_its_equation(teacher):
    question = question_create(user=teacher, **FIELDS)
    question.equation.numbers = ["3", "2"]
    question.equation.save()
    question_update(user=teacher, question=question, version=1, **{**FIELDS, "equation": "2+3"})
    equation = Question.objects.get().equation
    assert (equation.expression, equation.numbers) == ("2+3", ["3", "2"])


def test_an_edit_of_an_old_version_is_a_conflict(teacher):
    question = question_create(user=teacher, **FIELDS)
    question_update(user=teacher, question=question, version=1, **{**FIELDS, "grade": "2"})
    with pytest.raises(Conflict, match="Somebody else has just changed this question"):
        question_update(user=teacher, question=question, version=1, **{**FIELDS, "grade": "3"})
    assert Question.objects.get().grade == "2"


def test_an_edit_keeps_the_concepts_that_somebody_else_changed_meanwhile(teacher):
    circles, area, angles = (ConceptFactory() for _concept in range(3))
    question = question_create(user=teacher, **{**FIELDS, "concepts": [circles, area]})
    question_set_tags(user=teacher, question=question, concepts=[area, angles])  # in another window

    def edited(version: int, seen: list[KnowledgeConcept], chosen: list[KnowledgeConcept]) -> set[int]:
        ids = [concept.pk for concept in seen]
        fields = {**FIELDS, "concepts": chosen}
        question_update(user=teacher, question=question, version=version, seen=ids, **fields)
        return set(question.tags.values_list("concept_id", flat=True))

    assert edited(1, [circles, area], [circles, area]) == {area.pk, angles.pk}
    assert edited(2, [area], [circles]) == {circles.pk, angles.pk}


@pytest.mark.django_db(transaction=True)
def test_of_two_edits_at_once_one_is_a_conflict():
    question = question_create(user=None, **FIELDS)

    def edited(grade: str) -> str:
        return question_update(user=None, question=question, version=1, **{**FIELDS, "grade": grade}).grade

    outcomes = at_once(edited, ("8", "9"))
    assert [type(outcome) for outcome in outcomes].count(Conflict) == 1
    assert Question.objects.get().grade in outcomes
    assert Question.objects.get().version == 2


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"text": " "}, "text"),
        ({"text": "x" * 50_001}, "text"),
        ({"text": "a\0b"}, "text"),
        ({"text": "\ud800"}, "text"),
        ({"language": "english!"}, "language"),
        ({"language": ""}, "language"),
        ({"kind": "essay"}, "kind"),
        ({"status": "gone"}, "status"),
        ({"grade": "x" * 41}, "grade"),
        ({"answer": "C"}, "answer"),
        ({"equation": "1" * 5001}, "equation"),
        ({"options": []}, "options"),
        ({"options": FIELDS["options"][:1]}, "options"),
        ({"options": [{"label": "A", "text": "5"}] * 2}, "options"),
        ({"options": [{"label": "A", "text": "5"}, {"label": "", "text": "6"}]}, "options"),
        ({"options": [{"label": "A", "text": "5"}, {"label": "B", "text": " "}]}, "options"),
        ({"options": [{"label": "A", "text": "5"}, {"label": "B", "text": "a\0"}]}, "options"),
        ({"options": [{"label": str(n), "text": "x"} for n in range(27)], "answer": ""}, "options"),
        ({"kind": "open"}, "options"),
    ],
)
def test_a_wrong_field_is_named_and_nothing_is_written(teacher, change, field):
    with pytest.raises(ValidationFailed) as caught:
        question_create(user=teacher, **{**FIELDS, **change})
    assert set(caught.value.fields) == {field}
    assert str(caught.value)
    assert not Question.objects.exists()


def test_all_wrong_fields_are_told_at_once(teacher):
    with pytest.raises(ValidationFailed) as caught:
        question_create(user=teacher, **{**FIELDS, "text": "", "language": "?", "answer": "C"})
    assert set(caught.value.fields) == {"text", "language", "answer"}


def test_a_concept_that_is_gone_is_refused_and_the_edit_with_it(teacher):
    question = question_create(user=teacher, **FIELDS)
    concept = ConceptFactory()
    gone = type(concept)(pk=concept.pk)
    concept.delete()
    with pytest.raises(ValidationFailed) as caught:
        question_update(user=teacher, question=question, version=1, **{**FIELDS, "grade": "9", "concepts": [gone]})
    assert set(caught.value.fields) == {"concepts"}
    assert Question.objects.get().grade == "1"


def test_retired_questions_come_back(teacher):
    question = question_create(user=teacher, **FIELDS)
    retired = question_retire(user=teacher, question=question)
    assert (retired.status, retired.version) == ("retired", 2)
    assert question_retire(user=teacher, question=question).version == 2
    restored = question_restore(user=teacher, question=question)
    assert (restored.status, restored.version) == ("ready", 3)


def test_who_may_write_what(teacher, reviewer, admin_person):
    stranger = UserFactory()
    own = question_create(user=teacher, **FIELDS)
    others = QuestionFactory()
    for person in (reviewer, stranger):
        with pytest.raises(NotAllowed):
            question_create(user=person, **FIELDS)
        with pytest.raises(NotAllowed):
            question_set_tags(user=person, question=own, concepts=[])
    for person in (reviewer, stranger):
        with pytest.raises(NotAllowed):
            question_update(user=person, question=own, version=1, **FIELDS)
    with pytest.raises(NotAllowed):
        question_update(user=teacher, question=others, version=1, **FIELDS)
    with pytest.raises(NotAllowed):
        question_retire(user=teacher, question=others)
    question_set_tags(user=teacher, question=others, concepts=[])
    assert question_update(user=admin_person, question=others, version=1, **FIELDS).version == 2
    assert question_update(user=teacher, question=own, version=1, **FIELDS).version == 2


def test_tags_that_stay_keep_who_set_them(teacher):
    stays, goes, comes = ConceptFactory(), ConceptFactory(), ConceptFactory()
    question = QuestionFactory(concepts=[stays, goes])
    question.tags.update(set_by="import")
    question_set_tags(user=teacher, question=question, concepts=[stays, comes, comes])
    assert set(question.tags.values_list("concept", "set_by", "user")) == {
        (stays.pk, "import", None),
        (comes.pk, "person", teacher.pk),
    }


def test_an_accepted_prediction_is_the_persons_tag_with_the_models_probability(teacher):
    question, concept = QuestionFactory(), ConceptFactory()
    question_accept_prediction(user=teacher, question=question, concept=concept, probability=0.83)
    question_accept_prediction(user=teacher, question=question, concept=concept, probability=0.9)
    assert list(question.tags.values_list("set_by", "user", "probability")) == [("person", teacher.pk, 0.9)]
    with pytest.raises(ValidationFailed):
        question_accept_prediction(user=teacher, question=question, concept=concept, probability=1.2)


def test_a_question_that_is_gone_is_told(teacher):
    question = question_create(user=teacher, **FIELDS)
    gone = Question(pk=question.pk)
    question.delete()
    with pytest.raises(NotFound, match="no longer exists"):
        question_update(user=teacher, question=gone, version=1, **FIELDS)
