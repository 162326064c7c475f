"""Topics in German, French, Spanish and Chinese, and where questions on a topic are found."""

from __future__ import annotations

import tomllib
from collections import Counter
from importlib.resources import files

import pytest

from questionbank.bank.search_index import vocabulary_refresh
from questionbank.models import Question
from questionbank.registry.serving import serving
from questionbank.search.asked import TRANSLATION
from questionbank.search.filters import SearchFilters
from questionbank.search.query import Vocabulary
from questionbank.search.search import SearchPage, search_questions
from questionbank.search.topics import topics, translated
from tests.cases import each_case
from tests.questionbank.small_bank import add_concept, add_question

BANK = Vocabulary({"fraction": 50, "angle": 20, "rest": 5, "line": 30}, 500)


@each_case("searches", "translated")
def test_a_search_in_another_language_is_rewritten_in_english(typed, english, language):
    found = translated(typed, BANK)
    assert found is not None
    assert (found.text, found.language) == (english, language)


@pytest.mark.parametrize(
    "typed",
    [
        "fractions", "the rest of the pencils", "angle", "mode and median", "place value", "simultanious equations",
        "sin x + cos x", "比较大小的水果", "Ein Bauer hat Hühner",
    ],
)  # fmt: skip
def test_other_searches_stay_as_they_are(typed):
    found = translated(typed, BANK)
    assert found is None or found.language == "zh"


def test_the_table_names_nothing_twice():
    table = tomllib.loads(files("questionbank.search").joinpath("topics.toml").read_text(encoding="utf-8"))
    assert {language for values in table.values() for language in values} == {"in", "de", "fr", "es", "zh"}
    english = Counter(name.casefold() for topic in topics() for name in topic.names)
    assert [name for name, count in english.items() if count > 1] == []
    for language in ("de", "fr", "es", "zh"):
        names = Counter(name.strip().casefold() for values in table.values() for name in values[language].split(","))
        assert [name for name, count in names.items() if count > 1 or not name] == []


def find(query: str, **options) -> SearchPage:
    return search_questions(query=query, filters=SearchFilters(), serving=serving(), **options)


def found(query: str, **options) -> list[Question]:
    return [hit.question for hit in find(query, **options).hits]


@pytest.mark.django_db
class TestInTheBank:
    @pytest.fixture
    def bank(self) -> dict[str, Question]:
        fractions = add_concept("Number", "Fractions")
        events = add_concept("Probability", "Independent events")
        made = {
            "sum": add_question("Add $\\frac{1}{2}$ and $\\frac{1}{3}$.", concepts=[fractions]),
            "german": add_question("Eine Aufgabe zur Bruchrechnung.", language="de"),
            "coins": add_question("Two coins are tossed. How likely are two heads?", concepts=[events]),
            "venn": add_question("Draw a Venn diagram of the sets."),
            "orchard": add_question("An orchard has 96 trees."),
        }
        for number in range(20):
            add_question(f"What is {number} more than 7?")
        vocabulary_refresh()
        return made

    def test_a_foreign_name_finds_the_concept_and_first_what_is_in_that_language(self, bank):
        page = find("Bruchrechnung")
        assert [hit.question for hit in page.hits] == [bank["german"], bank["sum"]]
        assert [one.label for one in page.read] == ["In English: fractions"]
        assert page.query == "Bruchrechnung"

    def test_a_translation_can_be_taken_off(self, bank):
        assert found("Bruchrechnung", off=[TRANSLATION]) == [bank["german"]]
        assert found("Bruchrechnung", exact=True) == [bank["german"]]

    def test_a_bank_in_that_language_is_searched_as_typed(self, bank):
        for number in range(5):
            add_question(f"Wie viel ist {number} mehr als 7?", language="de")
        assert found("Bruchrechnung") == [bank["german"]]

    def test_a_topic_without_a_concept_finds_the_concepts_that_hold_it(self, bank):
        assert found("tree diagrams") == [bank["coins"]]

    def test_a_concept_of_the_topics_own_name_counts_first(self, bank):
        own = add_concept("Probability", "Tree diagrams")
        drawn = add_question("Draw it.", concepts=[own])
        assert found("tree diagrams") == [drawn]
