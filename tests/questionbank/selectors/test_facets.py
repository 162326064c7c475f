"""Counts by filter value: one query, right numbers, a cap."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from questionbank.models import Question
from questionbank.selectors import facets
from questionbank.selectors.facets import count_facets
from tests.questionbank.small_bank import add_concept, add_question

pytestmark = pytest.mark.django_db


def counts(found, name):
    return [(one.label, one.count) for one in found.values[name]]


def test_each_filter_is_counted_and_the_commonest_value_comes_first():
    add_question("a", kind="choice", grade="7", source="Book", difficulty=0, difficulty_scale="0-4")
    add_question("b", kind="choice", grade="7", language="zh", difficulty=4, difficulty_scale="0-4")
    add_question("c", grade="8", source="Book", difficulty=3.9, difficulty_scale="0-4")
    found = count_facets(Question.objects.all())
    assert (found.total, found.is_capped) == (3, False)
    assert counts(found, "kind") == [("Multiple choice", 2), ("Open answer", 1)]
    assert counts(found, "grade") == [("7", 2), ("8", 1)]
    assert counts(found, "language") == [("English", 2), ("Chinese", 1)]
    assert counts(found, "source") == [("Book", 2)]
    assert counts(found, "difficulty") == [("0 to 20 %", 1), ("80 to 100 %", 2)]


def test_a_question_counts_once_below_a_concept_however_often_it_is_tagged_there():
    linear, quadratic = add_concept("Algebra", "Linear"), add_concept("Algebra", "Quadratic")
    circle = add_concept("Geometry", "Circle")
    add_question("a", concepts=[linear, quadratic])
    add_question("b", concepts=[linear, circle])
    found = count_facets(Question.objects.all())
    assert counts(found, "concept") == [("Algebra", 2), ("Geometry", 1)]
    algebra = add_concept("Algebra")
    found = count_facets(Question.objects.all(), concept=algebra.pk)
    assert counts(found, "concept") == [("Linear", 2), ("Quadratic", 1)]
    assert [one.value for one in found.values["concept"]] == [str(linear.pk), str(quadratic.pk)]
    assert counts(count_facets(Question.objects.all(), concept=circle.pk), "concept") == []


def test_no_more_than_the_bound_is_counted(monkeypatch):
    monkeypatch.setattr(facets, "COUNTED", 3)
    for number in range(5):
        add_question(f"Question {number}")
    found = count_facets(Question.objects.all())
    assert (found.total, found.is_capped) == (3, True)
    assert counts(found, "language") == [("English", 3)]


def test_candidates_are_read_by_one_query():
    add_question("a", concepts=[add_concept("Algebra")])
    with CaptureQueriesContext(connection) as captured:
        count_facets(Question.objects.filter(language="en"))
    assert sum("questionbank_question" in one["sql"] for one in captured.captured_queries) == 1


def test_nothing_found_has_no_values():
    found = count_facets(Question.objects.none())
    assert found.total == 0
    assert not any(found.values.values())
