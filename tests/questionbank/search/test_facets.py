"""Counts by filter value: right numbers however questions change, and "many" beyond a bound."""

from __future__ import annotations

import itertools
import random

import pytest
from django.db import connection
from django.db.models import Q
from django.test.utils import CaptureQueriesContext

from questionbank.bank.concept_services import concept_merge, concept_move
from questionbank.bank.question_services import question_restore, question_retire, question_set_tags
from questionbank.bank.search_index import facet_counts_settle
from questionbank.models import FacetCount, KnowledgeConcept, Question, QuestionTag
from questionbank.search import facets
from questionbank.search.facets import count_facets
from questionbank.search.filters import COMBINED, Condition, SearchFilters, among, filtered_questions
from tests.questionbank.small_bank import add_concept, add_question

pytestmark = pytest.mark.django_db


def facets_of(**filters):
    given = SearchFilters(**filters)
    return count_facets(filters=given)


def counts(result, name):
    return [(value.label, value.count) for value in result.values[name]]


def test_each_filter_is_counted_and_the_commonest_value_comes_first():
    add_question("a", kind="choice", grade="7", source="Book", difficulty=0, difficulty_scale="0-4")
    add_question("b", kind="choice", grade="7", language="zh", difficulty=4, difficulty_scale="0-4")
    add_question("c", grade="8", source="Book", difficulty=3.9, difficulty_scale="0-4")
    result = facets_of()
    assert (result.total, result.is_capped) == (3, False)
    assert counts(result, "kind") == [("Multiple choice", 2), ("Open answer", 1)]
    assert counts(result, "grade") == [("7", 2), ("8", 1)]
    assert counts(result, "language") == [("English", 2), ("Chinese", 1)]
    assert counts(result, "source") == [("Book", 2)]
    assert counts(result, "difficulty") == [("0 to 20 %", 1), ("80 to 100 %", 2)]


def test_a_question_counts_once_below_a_concept_however_often_it_is_tagged_there():
    linear, quadratic = add_concept("Algebra", "Linear"), add_concept("Algebra", "Quadratic")
    circle = add_concept("Geometry", "Circle")
    add_question("a", concepts=[linear, quadratic])
    add_question("b", concepts=[linear, circle])
    result = facets_of()
    assert counts(result, "concept") == [("Algebra", 2), ("Geometry", 1)]
    assert counts(result, "hierarchy") == [("Test hierarchy", 2)]
    result = facets_of(concept=add_concept("Algebra").pk)
    assert counts(result, "concept") == [("Linear", 2), ("Quadratic", 1)]
    assert [value.value for value in result.values["concept"]] == [str(linear.pk), str(quadratic.pk)]
    assert counts(facets_of(concept=circle.pk), "concept") == []


def test_more_concepts_in_a_search_cost_no_more_queries():
    concepts = [add_concept("Algebra", name).pk for name in ("Linear", "Quadratic", "Cubic")]
    add_question("a", concepts=[KnowledgeConcept.objects.get(pk=concepts[0])])

    def queries(number: int) -> int:
        filters = {"concepts_any": tuple(concepts[:number])}
        facets_of(**filters)  # what lies below each concept is read once
        with CaptureQueriesContext(connection) as asked:
            facets_of(**filters)
        return len(asked)

    assert queries(3) == queries(1)


def varied_bank(size: int, seed: int) -> tuple[list[Question], list[KnowledgeConcept]]:
    """Questions of two hierarchies that differ in all that is filtered by, some with several tags."""
    rng = random.Random(seed)
    concepts = [
        add_concept(strand, topic, hierarchy=hierarchy)
        for hierarchy in ("School", "Contest")
        for strand in ("Algebra", "Geometry")
        for topic in ("One", "Two")
    ]
    questions = [
        add_question(
            f"Question {number}",
            status=rng.choice(("ready", "ready", "ready", "draft", "retired")),
            language=rng.choice(("en", "en", "zh")),
            kind=rng.choice(Question.Kind.values),
            source=rng.choice(("Book", "Contest", "")),
            grade=rng.choice(("6", "7", "")),
            **rng.choice(({}, {"difficulty": rng.choice((1, 2.2, 3, 4)), "difficulty_scale": "0-4"})),
            concepts=rng.sample(concepts, rng.randrange(3)),
        )
        for number in range(size)
    ]
    return questions, concepts


SEARCHES = [
    {},
    {"status": "any"},
    {"language": "zh", "kind": "choice"},
    {"source": "Book", "grade": "7"},
    {"difficulty_min": 25.0, "difficulty_max": 75.0},
    {"difficulty_min": 55.0, "status": "any"},
    {"concept": "Algebra"},
    {"concept": "Algebra", "language": "en", "difficulty_max": 55.0},
    {"concepts_all": ["Algebra", "Geometry"]},
    {"concepts_any": ["One", "Geometry"], "concepts_none": ["Two"], "status": "any"},
]


def concept_named(name: str) -> int:
    return KnowledgeConcept.objects.filter(name=name).order_by("path")[0].pk


def assert_right() -> None:
    """Every count of every search equals one by SELECT count(*)."""
    conditions = {
        "kind": lambda value: Q(kind=value),
        "grade": lambda value: Q(grade=value),
        "language": lambda value: Q(language=value),
        "source": lambda value: Q(source=value),
        "concept": lambda value: Q(tags__concept__path__startswith=KnowledgeConcept.objects.get(pk=value).path),
        "concepts_any": lambda value: Q(tags__concept__path__startswith=KnowledgeConcept.objects.get(pk=value).path),
        "hierarchy": lambda value: Q(tags__concept__hierarchy=value),
        "difficulty": lambda value: Q(difficulty_percent__range=(20 * int(value), 20 * int(value) + 20)),
    }
    for search in SEARCHES:
        given = dict(search)
        if "concept" in given:
            given["concept"] = concept_named(given["concept"])
        given |= {name: tuple(map(concept_named, given[name])) for name in COMBINED if name in given}
        result = facets_of(**given)
        questions = filtered_questions(SearchFilters(**given))
        assert result.total == questions.count()
        for name, values in result.values.items():
            for value in values:
                assert value.count == questions.filter(conditions[name](value.value)).distinct().count() > 0
        for name in ("kind", "language"):
            assert sum(value.count for value in result.values[name]) == result.total


def test_counts_stay_right_while_questions_tags_and_concepts_change():
    questions, concepts = varied_bank(60, seed=1)
    assert_right()
    for question in questions[:10]:
        question_retire(user=None, question=question)
    for question in questions[5:15]:
        question_restore(user=None, question=question)
    for question, concept in zip(questions[20:30], itertools.cycle(concepts), strict=False):
        question_set_tags(user=None, question=question, concepts=[concept, concepts[0]])
    assert_right()
    Question.objects.filter(grade="7").update(grade="8", source="Moved")
    QuestionTag.objects.filter(question__in=questions[30:40]).delete()
    concept_merge(user=None, concept=concepts[0], target=concepts[1])
    concept_move(user=None, concept=concepts[2], parent=None)
    assert_right()
    Question.objects.filter(pk__in=[question.pk for question in questions[40:]]).delete()
    assert_right()


def test_settling_leaves_one_row_a_combination_and_changes_no_count():
    questions, _concepts = varied_bank(20, seed=2)
    Question.objects.all().delete()
    assert facet_counts_settle() > 0
    assert FacetCount.objects.count() == 0
    questions, _concepts = varied_bank(30, seed=3)
    Question.objects.filter(pk__in=[question.pk for question in questions[:10]]).update(grade="9")
    assert facet_counts_settle() > 0
    assert facet_counts_settle() == 0
    assert_right()


def test_what_the_kept_counts_do_not_tell_is_counted_question_by_question():
    teacher_s = add_question("a", difficulty=2.2, difficulty_scale="0-4", grade="7")
    add_question("b", difficulty=2.3, difficulty_scale="0-4", grade="7")
    result = facets_of(difficulty_max=55.5)
    assert (result.total, counts(result, "grade")) == (1, [("7", 1)])
    given = SearchFilters()
    words = count_facets(filters=given, matching=[among([teacher_s.pk])])
    assert (words.total, counts(words, "difficulty")) == (1, [("40 to 60 %", 1)])


@pytest.mark.parametrize("bounds", [{"COUNTED": 3}, {"LARGE": 4, "COUNTED_IN_LARGE": 3}])
def test_beyond_the_bound_every_value_is_named_without_a_number(monkeypatch, bounds):
    for name, bound in bounds.items():
        monkeypatch.setattr(facets, name, bound)
    for number in range(4):
        add_question(f"Question {number}", concepts=[add_concept("Algebra")])
    add_question("问题", language="zh")
    result = count_facets(filters=SearchFilters(), matching=[Condition("TRUE")])
    assert (result.total, result.is_capped) == (3, True)
    assert counts(result, "language") == [("English", None), ("Chinese", None)]
    assert counts(result, "concept") == [("Algebra", None)]


def test_nothing_found_has_no_values():
    result = count_facets(filters=SearchFilters(), matching=[])
    assert result.total == 0
    assert not any(result.values.values())
    assert facets_of(concept=4711).total == 0
