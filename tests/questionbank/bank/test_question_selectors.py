"""Reading questions: hashes, records, paths, wordings, and what an export filters by."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from analytics.question_content import Option
from questionbank.bank import question_selectors as selectors
from questionbank.bank.question_selectors import (
    concept_paths,
    content_hash,
    exact_duplicates,
    numbered_question_records,
    question_get,
    questions_matching,
    story_ids,
    wording_ids,
)
from questionbank.core.errors import NotFound, ValidationFailed
from questionbank.models import ProblemVariant, Question, QuestionEquation
from tests.factories import ConceptFactory, HierarchyFactory, QuestionFactory
from tests.questionbank.small_bank import add_question

pytestmark = pytest.mark.django_db


def test_the_hash_ignores_compatibility_forms_and_blanks():
    assert content_hash(text="Find （x） \n now") == content_hash(text=" Find (x)  now")
    assert len(content_hash(text="")) == 32


@pytest.mark.parametrize(
    "fields",
    [
        {"text": "find X"},
        {"text": "find x", "options": [Option("A", "1")]},
        {"text": "findx"},
        {"text": "find x", "options": [Option("A", "")]},
    ],
)
def test_the_hash_tells_other_questions_apart(fields):
    assert content_hash(**fields) != content_hash(text="find x")


def test_the_hash_knows_where_an_option_ends():
    options = [{"label": "A", "text": "1 2"}, {"label": "B", "text": "3"}]
    two = [{"label": "A", "text": "1"}, {"label": "B", "text": "2 3"}]
    assert content_hash(text="?", options=options) != content_hash(text="?", options=two)


@given(st.text(max_size=30), st.text(max_size=30))
def test_text_and_option_never_run_into_one_another(text, option):
    with_option = content_hash(text=text, options=[Option("A", option)])
    assert with_option != content_hash(text=f"{text}\x1f{option}")
    assert with_option != content_hash(text=text + option)


def test_rows_and_records_have_the_same_hash():
    assert content_hash(text="?", options=[Option("A", "1", "m")]) == content_hash(
        text="?", options=[{"label": "B", "text": "1"}]
    )


@pytest.mark.django_db
def test_exact_duplicates_are_those_that_are_not_retired_nor_the_question_itself():
    first, second = QuestionFactory(text="1 + 1"), QuestionFactory(text="1 +  1", status="draft")
    QuestionFactory(text="1 + 1", status="retired")
    QuestionFactory(text="1 + 2")
    assert list(exact_duplicates(text="1 + 1", options=[])) == [first, second]
    assert list(exact_duplicates(text="1 + 1", options=[], exclude=first)) == [second]


@pytest.mark.django_db
def test_an_exact_duplicate_has_the_same_answer_or_none():
    twelve, none = QuestionFactory(text="Find x.", answer="$12$"), QuestionFactory(text="Find x.", answer="")
    twenty = QuestionFactory(text="Find x.", answer="20  cm")
    assert list(exact_duplicates(text="Find x.", options=[], answer="12")) == [twelve, none]
    assert list(exact_duplicates(text="Find x.", options=[], answer="２０ cm")) == [none, twenty]
    assert list(exact_duplicates(text="Find x.", options=[])) == [twelve, none, twenty]
    assert list(exact_duplicates(text="Find x.", options=[], answer=r"$\frac{24}{2}$")) == [twelve, none]
    assert list(exact_duplicates(text="Find x.", options=[], answer="12 cm")) == [none]  # 12 of what?


@pytest.mark.django_db
def test_a_question_that_is_not_there_is_told():
    with pytest.raises(NotFound, match="no question 7"):
        question_get(question_id=7)


@pytest.mark.django_db
def test_the_paths_of_many_questions_take_two_queries():
    hierarchy, second_hierarchy = HierarchyFactory(), HierarchyFactory()
    deep = ConceptFactory(hierarchy=hierarchy, names=("A", "B", "C"))
    root = ConceptFactory(hierarchy=second_hierarchy, names=("A",))
    both, none = QuestionFactory(concepts=[root, deep]), QuestionFactory()
    with CaptureQueriesContext(connection) as queries:
        paths = concept_paths([both.pk, none.pk])
    assert paths == {both.pk: [("A", "B", "C"), ("A",)]}
    assert len(queries) == 2
    assert concept_paths([both.pk], hierarchy=second_hierarchy) == {both.pk: [("A",)]}


@pytest.mark.django_db
def test_a_record_has_every_field():
    concept = ConceptFactory(names=("A", "B"))
    question = QuestionFactory(
        source="set", source_id="q1", text="?", language="zh", kind="choice", answer="A", solution="s",
        options=[{"label": "A", "text": "1", "misconception": "m"}, {"label": "B", "text": "2"}],
        grade="3", stage="primary", difficulty=2, difficulty_scale="0-4", facility=0.5, responses=4,
        concepts=[concept],
    )  # fmt: skip
    QuestionEquation.objects.create(question=question, expression="1+1", numbers=["1", "1"])
    ((_pk, record),) = numbered_question_records(Question.objects.all())
    assert (record.id, record.source, record.text, record.language) == ("q1", "set", "?", "zh")
    assert record.options == (Option("A", "1", "m"), Option("B", "2"))
    assert (record.kind, record.answer, record.solution) == ("choice", "A", "s")
    assert (record.equation, record.numbers, record.concepts) == ("1+1", ("1", "1"), (("A", "B"),))
    assert (record.difficulty, record.difficulty_scale) == (2.0, "0-4")
    assert (record.grade, record.stage, record.facility, record.responses) == ("3", "primary", 0.5, 4)


@pytest.mark.django_db
def test_records_come_in_batches_by_ascending_id(monkeypatch):
    monkeypatch.setattr(selectors, "RECORDS_AT_ONCE", 2)
    made = [QuestionFactory(text=f"{n} + 1").text for n in range(5)]
    assert [record.text for _pk, record in numbered_question_records(Question.objects.order_by("-pk"))] == made


@pytest.mark.django_db
def test_an_export_is_filtered_by_everything_that_it_says():
    hierarchy = HierarchyFactory(name="maths")
    above = ConceptFactory(hierarchy=hierarchy, names=("Algebra",))
    below = ConceptFactory(hierarchy=hierarchy, names=("Algebra", "Equations"))
    fields = {"source": "s", "language": "en", "kind": "open", "grade": "3", "stage": "primary"}
    wanted = QuestionFactory(**fields, difficulty=2, difficulty_scale="0-4", concepts=[above, below])
    QuestionFactory(status="draft")
    unwanted = QuestionFactory(source="t", language="zh", kind="blanks", grade="4", stage="high")
    for name, value in {**fields, "hierarchy": "maths", "concept": str(above.pk), "difficulty": "40-60"}.items():
        assert list(questions_matching(filters={name: value})) == [wanted], name
    assert set(questions_matching(filters={})) == {wanted, unwanted}
    assert questions_matching(filters={"status": "draft"}).count() == 1
    assert questions_matching(filters={"difficulty": "50"}).count() == 1
    assert not questions_matching(filters={"language": "en", "source": "t"}).exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("colour", "red"),
        ("status", "gone"),
        ("concept", "99"),
        ("concept", "x"),
        ("hierarchy", "none"),
        ("difficulty", "hard"),
        ("difficulty", "1-"),
    ],
)
def test_a_filter_that_makes_no_sense_is_refused(name, value):
    with pytest.raises(ValidationFailed):
        list(questions_matching(filters={name: value}))


def test_all_wordings_are_those_of_the_original_whichever_is_asked_for(django_assert_num_queries):
    original = add_question("How much is 3 + 4?")
    wordings = [add_question(f"What is 3 + 4, {end}?", paraphrase_of=original) for end in ("please", "then")]
    add_question("How much is 5 + 4?")
    expected = {question.pk for question in (original, *wordings)}
    for question in (original, wordings[0]):
        with django_assert_num_queries(1):
            assert set(wording_ids(question.pk)) == expected
    assert wording_ids(0) == []


def test_a_reversed_version_tells_the_same_story_and_a_similar_problem_another():
    asked, reverse, similar, orphan = (add_question(f"How much is 3 + {number}?") for number in range(4))
    kinds = ProblemVariant.Kind
    for question, kind, added in (
        (asked, kinds.REVERSED, reverse),
        (asked, kinds.SIMILAR, similar),
        (None, kinds.REORDERED, orphan),
    ):
        ProblemVariant.objects.create(
            question=question, kind=kind, added=added, state="accepted", text="5 and 2?", equation="5+2", answer="7"
        )
    assert set(story_ids(asked.pk)) == set(story_ids(reverse.pk)) == {asked.pk, reverse.pk}
    assert story_ids(similar.pk) == [similar.pk]
    assert story_ids(orphan.pk) == [orphan.pk]
