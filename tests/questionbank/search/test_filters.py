"""Filters: read from an address, written into one, and combined."""

from __future__ import annotations

import random

import pytest
from django.http import QueryDict
from hypothesis import given, settings
from hypothesis import strategies as st

from questionbank.search.facets import count_facets
from questionbank.search.filters import SearchFilters, filtered_questions, passing
from questionbank.search.page_parts import contradiction
from tests.factories import UserFactory
from tests.questionbank.small_bank import add_concept, add_question


def test_an_address_comes_back_as_it_was():
    address = "concept=5&difficulty_min=20&difficulty_max=62.5&grade=7&kind=choice&language=zh&source=S+1"
    filters = SearchFilters.from_querydict(
        QueryDict(f"{address}&concepts_all=7,6&concepts_none=8&status=draft&owner=3&figure=none&numbers=given")
    )
    assert SearchFilters.from_querydict(filters.to_query()) == filters
    assert filters.to_query() == {
        "concept": "5",
        "concepts_all": "7,6",
        "concepts_none": "8",
        "difficulty_min": "20",
        "difficulty_max": "62.5",
        "grade": "7",
        "kind": "choice",
        "language": "zh",
        "source": "S 1",
        "status": "draft",
        "owner": "3",
        "figure": "none",
        "numbers": "given",
    }


@pytest.mark.parametrize(
    "address",
    [
        "",
        "concept=x&owner=-1&difficulty_min=nan&difficulty_max=inf",
        "concepts_all=x,,-1&concepts_any=&concepts_none=99999999999999999999",
        "concept=²&kind=essay&status=deleted&difficulty_min=",
        "concept=99999999999999999999&status=ready&page=2&figure=perhaps&numbers=3",
    ],
)
def test_what_makes_no_sense_is_left_out(address):
    filters = SearchFilters.from_querydict(QueryDict(address))
    assert filters.is_default
    assert filters.to_query() == {}


def test_each_concept_is_combined_once_and_at_most_20_are():
    given = {"concepts_any": "3,4,3", "concepts_none": ",".join(map(str, range(1, 30)))}
    filters = SearchFilters.from_querydict(given)
    assert filters.concepts_any == (3, 4)
    assert filters.concepts_none == tuple(range(1, 21))


def test_per_cents_stay_between_0_and_100():
    filters = SearchFilters.from_querydict(QueryDict("difficulty_min=-5&difficulty_max=1e9"))
    assert (filters.difficulty_min, filters.difficulty_max) == (0.0, 100.0)
    filters = SearchFilters.from_querydict(QueryDict("difficulty_min=90&difficulty_max=10"))
    assert (filters.difficulty_min, filters.difficulty_max) == (10.0, 90.0)


@pytest.mark.django_db
class TestFilteredQuestions:
    def found(self, **filters):
        return sorted(filtered_questions(SearchFilters(**filters)).values_list("text", flat=True))

    def test_ready_questions_pass_unless_asked_otherwise(self):
        add_question("Ready")
        add_question("Draft", status="draft")
        add_question("Retired", status="retired")
        assert self.found() == ["Ready"]
        assert self.found(status="draft") == ["Draft"]
        assert self.found(status="any") == ["Draft", "Ready", "Retired"]

    def test_a_concept_includes_those_below_it_and_no_others(self):
        algebra, linear = add_concept("Algebra"), add_concept("Algebra", "Linear")
        add_question("Of algebra", concepts=[algebra])
        add_question("Of both", concepts=[algebra, linear])
        add_question("Linear", concepts=[linear])
        add_question("Geometry", concepts=[add_concept("Geometry")])
        assert self.found(concept=algebra.pk) == ["Linear", "Of algebra", "Of both"]
        assert self.found(concept=linear.pk) == ["Linear", "Of both"]
        assert self.found(concept=linear.pk + 1000) == []

    def test_combined_concepts_pass_what_sets_of_their_questions_give(self):
        """Conditions and kept counts equal unions, intersections and differences of what single concepts pass."""
        rng = random.Random(7)
        concepts = [
            add_concept(*path, hierarchy=hierarchy)
            for hierarchy in ("School", "Contest")
            for path in (("Algebra",), ("Algebra", "Linear"), ("Algebra", "Linear", "Systems"), ("Geometry", "Circle"))
        ]
        deleted = 10**9
        for number in range(60):
            add_question(f"Question {number}", concepts=rng.sample(concepts, rng.randrange(5)))
        everything = {*filtered_questions(SearchFilters()).values_list("pk", flat=True)}
        single = {
            concept: {*filtered_questions(SearchFilters(concept=concept)).values_list("pk", flat=True)}
            for concept in (*(concept.pk for concept in concepts), deleted)
        }
        some = st.lists(st.sampled_from(sorted(single)), max_size=3, unique=True).map(tuple)

        @settings(max_examples=150, deadline=None, database=None, derandomize=True)
        @given(some, some, some, st.none() | st.sampled_from(sorted(single)))
        def check(required, alternatives, left_out, below):
            filters = SearchFilters(
                concept=below, concepts_all=required, concepts_any=alternatives, concepts_none=left_out
            )
            expected = everything.intersection(*(single[pk] for pk in filters.required_concepts))
            if alternatives:
                expected &= set().union(*(single[pk] for pk in alternatives))
            expected = expected.difference(*(single[pk] for pk in left_out))
            assert {*filtered_questions(filters).values_list("pk", flat=True)} == expected
            assert {*passing(filters).ids()} == expected
            counted = count_facets(filters=filters)
            one_by_one = count_facets(filters=filters, matching=[passing(filters)])
            assert counted.total == one_by_one.total == len(expected)
            for facets in (counted, one_by_one):
                beside = {int(value.value): value.count for value in facets.values["concepts_any"]}
                assert beside == {pk: len(expected & single[pk]) for pk in alternatives if expected & single[pk]}
            if contradiction(filters):
                assert not expected

        check()

    def test_a_difficulty_range_is_inclusive_and_passes_no_unknown_difficulty(self):
        for value in (0, 1, 2, 4):
            add_question(f"Level {value}", difficulty=value, difficulty_scale="0-4")
        add_question("Unknown")
        assert self.found(difficulty_min=25, difficulty_max=50) == ["Level 1", "Level 2"]
        assert self.found(difficulty_min=50) == ["Level 2", "Level 4"]

    def test_all_filters_combine(self):
        person = UserFactory()
        concept = add_concept("Algebra")
        right = {
            "kind": "choice",
            "grade": "7",
            "language": "en",
            "source": "Book",
            "created_by": person,
            "difficulty": 2,
            "difficulty_scale": "0-4",
            "concepts": [concept],
        }
        add_question("Right", **right)
        wrong = {"kind": "open", "grade": "8", "language": "zh", "source": "", "created_by": None}
        wrong |= {"difficulty": 4, "concepts": []}
        for name, value in wrong.items():
            add_question(f"Wrong {name}", **right | {name: value})
        every = SearchFilters(
            concept=concept.pk,
            difficulty_min=40,
            difficulty_max=60,
            grade="7",
            kind="choice",
            language="en",
            source="Book",
            owner=person.pk,
        )
        assert [question.text for question in filtered_questions(every)] == ["Right"]

    def test_a_question_that_needs_a_figure_is_told_by_its_text_and_options(self):
        for text in (
            "Find it. [asy]draw((0,0));[/asy]",
            r"See \begin{tikzpicture}\draw;\end{tikzpicture}",
            r"See \includegraphics{a.png}",
            "See [image].",
            "See ![A circle]().",
        ):
            add_question(text)
        add_question("Which one?", options=[{"label": "A", "text": "[asy]dot((1,1));[/asy]"}])
        add_question("Prove it.", solution="[asy]dot((1,1));[/asy]")
        add_question("Draw a picture of [3, 4] and [as] an image.")
        needed = self.found(figure="needed")
        assert len(needed) == 6
        assert self.found(figure="none") == ["Draw a picture of [3, 4] and [as] an image.", "Prove it."]

    def test_templates_and_whole_questions_are_told_apart(self):
        add_question("Solve $(5myvar1)^2 = 4$.")
        add_question("Solve $(5x)^2 = 4$.")
        assert self.found(numbers="drawn") == ["Solve $(5myvar1)^2 = 4$."]
        assert self.found(numbers="given") == ["Solve $(5x)^2 = 4$."]

    def test_the_flag_follows_the_text(self):
        question = add_question("See [image].")
        question.text = "See nothing."
        question.save()
        assert self.found(figure="needed") == []
