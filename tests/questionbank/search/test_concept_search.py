"""A search for a concept's name, a synonym or an abbreviation finds what is tagged with it."""

from __future__ import annotations

import pytest

from questionbank.bank.search_index import vocabulary_refresh
from questionbank.models import KnowledgeConcept, SynonymGroup
from questionbank.registry.serving import serving
from questionbank.search.concept_search import ConceptNames, concept_names
from questionbank.search.filters import SearchFilters
from questionbank.search.search import search_questions
from tests.cases import each_case
from tests.questionbank.small_bank import add_concept, add_question

NAMES = ConceptNames.of(
    [
        (1, "0001", ("Geometry",)),
        (2, "00010001", ("Geometry", "Triangles")),
        (3, "000100010001", ("Geometry", "Triangles", "Pythagoras' theorem")),
        (4, "0002", ("Trigonometry",)),
        (5, "00020001", ("Trigonometry", "Right-angled triangles")),
        (6, "0003", ("Calculus",)),
        (7, "00030001", ("Calculus", "Integration by parts (with trigonometric functions)")),
        (8, "00030002", ("Calculus", "Compound interest")),
        (9, "0004", ("The Pythagorean theorem & its converse",)),
    ],
    [
        ["Pythagoras' theorem", "Pythagorean theorem", "Pythagoras"],
        ["right-angled triangle trigonometry", "SOHCAHTOA"],
        ["highest common factor", "HCF"],
    ],
)


@each_case("searches", "concepts")
def test_names_synonyms_and_parts_of_paths_name_concepts(typed, ids):
    assert [match.id for match in NAMES.named(typed).concepts] == ids


def test_a_concept_in_a_sentence_is_mentioned_and_not_the_whole_search():
    named = NAMES.named("a savings account with compound interest for ten years")
    assert [match.id for match in named.concepts] == [8]
    assert not named.is_whole


def test_synonyms_that_no_concept_has_still_say_what_to_look_for():
    named = NAMES.named("HCF")
    assert named.concepts == ()
    assert ("highest", "common", "factor") in named.phrases


@pytest.fixture
def tagged(db) -> tuple[KnowledgeConcept, list[int]]:
    concept = add_concept("Highest common factor")
    ids = [
        add_question(text, concepts=[concept]).pk
        for text in ("The largest number that divides 12 and 18", "Equal parcels of 54 roses and 63 lilies")
    ]
    for number in range(30):
        add_question(f"The hcl solution number {number}")
    vocabulary_refresh()
    return concept, ids


@pytest.mark.parametrize("typed", ["HCF", "hcf", "greatest common divisor", "highest common factor", "GCF"])
def test_questions_tagged_with_what_a_search_names_come_first(tagged, typed):
    concept, ids = tagged
    page = search_questions(query=typed, filters=SearchFilters(), serving=serving())
    assert {hit.question.pk for hit in page.hits[:2]} == set(ids)
    assert page.hits[0].found_by[0] == "concept"
    assert page.corrected == ""
    assert [(named.match.id, named.questions) for named in page.concepts] == [(concept.pk, 2)]


def test_filters_and_the_status_hold_for_tagged_questions(tagged):
    _concept, ids = tagged
    page = search_questions(query="HCF", filters=SearchFilters(language="zh"), serving=serving())
    assert not set(ids) & {hit.question.pk for hit in page.hits}


@pytest.mark.django_db
def test_a_new_synonym_and_a_renamed_concept_are_noticed():
    concept = add_concept("Surds")
    assert concept_names().named("roots that stay").concepts == ()
    SynonymGroup.objects.create(terms=["surds of our school", "roots that stay", "Surds"])
    assert [match.id for match in concept_names().named("roots that stay").concepts] == [concept.pk]
    concept.name = "Roots"
    concept.save()
    assert concept_names().named("roots").concepts[0].name == "Roots"
