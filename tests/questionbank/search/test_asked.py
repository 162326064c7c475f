"""Filters that the words of a search name, which the bank can filter by and which can be taken off."""

from __future__ import annotations

import pytest

from questionbank.bank.search_index import vocabulary_refresh
from questionbank.models import KnowledgeConcept, Question
from questionbank.registry.serving import serving
from questionbank.search.asked import TOPIC, read_filters
from questionbank.search.filters import SearchFilters
from questionbank.search.search import matching_questions, search_questions
from tests.cases import each_case
from tests.questionbank.small_bank import add_concept, add_question

pytestmark = pytest.mark.django_db

STORY = "Ann has {} bags of 5 apples each. How many apples has she got altogether?"


@pytest.fixture
def bank() -> dict[str, Question]:
    multiplication, fractions = add_concept("Number", "Multiplication"), add_concept("Number", "Fractions")
    made = {
        "story": add_question(STORY.format(3), grade="3", concepts=[multiplication]),
        "older story": add_question(STORY.format(14), grade="6", concepts=[multiplication]),
        "product": add_question("Work out $7 \\times 8$.", grade="3", concepts=[multiplication]),
        "choice": add_question(
            "Which is the greatest of these fractions?", grade="Year 6", kind="choice", difficulty=5,
            difficulty_scale="1-5", concepts=[fractions],
            options=[{"label": "A", "text": "1/2"}, {"label": "B", "text": "1/3"}],
        ),
        "true or false": add_question("True or false: one half is more than one third.", grade="9"),
        "chinese": add_question("小明有5个苹果，又买了3个苹果，一共有多少个苹果？", language="zh", grade="三年级"),
    }  # fmt: skip
    vocabulary_refresh()
    return made


@each_case("searches", "filters")
def test_filters_are_read_out_of_the_words(bank, typed, rest, values):
    found = read_filters(typed, SearchFilters())
    assert found.text == rest
    assert found.filters == SearchFilters(**values)
    assert len(found.read) == len(values)


def test_a_filter_of_the_page_counts_before_the_words_and_one_taken_off_not_at_all(bank):
    given = SearchFilters(grade="6")
    assert read_filters("grade 3 multiplication", given).filters == given
    off = read_filters("grade 3 multiplication word problems", SearchFilters(), off=["grade"])
    assert (off.text, off.filters) == ("multiplication", SearchFilters(task="word_problem"))
    assert [one.name for one in off.read] == ["task"]


def found(query: str, **options) -> list[Question]:
    page = search_questions(query=query, filters=SearchFilters(), serving=serving(), **options)
    return [hit.question for hit in page.hits]


def test_a_search_finds_what_passes_and_then_what_does_not(bank):
    page = search_questions(query="grade 3 multiplication word problems", filters=SearchFilters(), serving=serving())
    assert [hit.question for hit in page.hits] == [bank["story"]]
    assert {hit.question for hit in page.closest} == {bank["older story"], bank["product"]}
    assert [one.label for one in page.read] == ["Grade 3", "Word problem"]
    assert page.query == "grade 3 multiplication word problems"
    assert page.topic == "multiplication"


def test_beyond_the_grade_that_was_named_the_nearest_with_all_words_come_first(bank):
    multiplication = KnowledgeConcept.objects.get(name="Multiplication")
    near = add_question(STORY.format(8), grade="Year 5", concepts=[multiplication])
    nowhere = add_question(STORY.format(9), grade="", concepts=[multiplication])
    only_in_grade = add_question("Multiplication signs are counted.", grade="3")
    page = search_questions(query="grade 3 multiplication apples", filters=SearchFilters(), serving=serving())
    assert [hit.question for hit in page.hits] == [bank["story"]]
    whole = [near, bank["older story"], nowhere]
    assert [hit.question for hit in page.closest][:3] == whole
    assert only_in_grade in [hit.question for hit in page.closest][3:]


@each_case("searches", "exams")
def test_exams_and_grades_that_no_question_has_narrow_nothing(bank, typed, rest, years):
    found = read_filters(typed, SearchFilters())
    assert (found.text, found.filters) == (rest, SearchFilters())
    assert [one.years and list(one.years) for one in found.read] == [years]


def test_the_grades_of_an_exam_come_first(bank):
    fractions = KnowledgeConcept.objects.get(name="Fractions")
    old, young = (
        add_question(f"Add {text}.", grade=grade, concepts=[fractions]) for text, grade in (("1/2", "10"), ("1/3", "4"))
    )
    assert found("GCSE fractions")[0] == old
    assert found("KS2 fractions")[-1] == old
    assert set(found("GCSE fractions")) == set(found("fractions")) == {bank["choice"], old, young}


def test_an_exam_alone_shows_its_highest_grade(bank):
    assert read_filters("GCSE", SearchFilters()).filters == SearchFilters(grade="9")
    assert read_filters("AQA", SearchFilters()).text == "AQA"


def test_what_is_counted_is_what_a_selection_takes(bank):
    query, off = "grade 3 multiplication word problems", ["grade"]
    taken = set(matching_questions(query=query, filters=SearchFilters(), off=off))
    assert taken == set(found(query, off=off)) == {bank["story"], bank["older story"]}
    assert set(matching_questions(query=query, filters=SearchFilters())) == {bank["story"]}


def test_searched_as_typed_no_filter_is_read(bank):
    page = search_questions(query="grade 3 multiplication", filters=SearchFilters(), serving=serving(), exact=True)
    assert page.read == ()
    assert page.hits == []


def test_a_topic_that_is_taken_off_is_searched_as_words(bank):
    assert set(found("multiplication")) == {bank["story"], bank["older story"], bank["product"]}
    assert found("multiplication", off=[TOPIC]) == []


def test_a_misspelt_search_names_filters_too(bank):
    page = search_questions(query="grade 3 multiplicaton", filters=SearchFilters(), serving=serving())
    assert page.corrected == "grade 3 multiplication"
    assert {hit.question for hit in page.hits} == {bank["story"], bank["product"]}


def test_all_words_may_name_filters(bank):
    assert set(found("word problems")) == {bank["story"], bank["older story"], bank["chinese"]}


def test_a_concept_whose_name_has_such_words_is_a_name(bank):
    concept = add_concept("Number", "True or false")
    tagged = add_question("Half or third?", concepts=[concept])
    page = search_questions(query="true or false", filters=SearchFilters(), serving=serving())
    assert page.read == ()
    assert tagged in [hit.question for hit in page.hits]


@each_case("searches", "sources")
def test_the_name_given_at_import_finds_its_questions(bank, typed, rest):
    name = "Year 10 mock exam, June 2024"
    imported = add_question("Which fractions are equal?", source=name)
    page = search_questions(query=typed, filters=SearchFilters(), serving=serving())
    if rest is None:
        assert page.filters.source == ""
        return
    assert (page.filters.source, page.query) == (name, typed)
    assert [hit.question for hit in page.hits] == [imported]
    assert [one.label for one in page.read] == [f"Source: {name}"]


def test_drafts_of_an_import_are_found_by_its_name_by_their_owner_alone(bank, django_user_model):
    owner, other = (django_user_model.objects.create_user(username=name) for name in ("owner", "other"))
    draft = add_question("Add 1 and 2.", source="Herbstklausur 7b", status="draft", created_by=owner)
    for person, wanted in ((owner, [draft]), (other, [])):
        filters = SearchFilters().seen_by(person)
        page = search_questions(query="herbstklausur 7b", filters=filters, serving=serving())
        assert [hit.question for hit in page.hits] == wanted
