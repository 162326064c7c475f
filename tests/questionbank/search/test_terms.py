"""A search of a few words is held term by term: by words, by signs of formulas, by concepts."""

from __future__ import annotations

import pytest

from questionbank.bank.search_index import vocabulary_refresh
from questionbank.models import Question, SynonymGroup
from questionbank.registry.serving import serving
from questionbank.search.filters import SearchFilters
from questionbank.search.search import search_questions
from tests.cases import each_case
from tests.questionbank.small_bank import add_concept, add_question, fill

pytestmark = pytest.mark.django_db


def hits(query: str) -> list[Question]:
    page = search_questions(query=query, filters=SearchFilters(), serving=serving())
    return [hit.question for hit in page.hits]


def test_a_term_may_stand_in_the_text_in_a_formula_or_in_the_concept():
    domain = add_concept("Functions", "Domain and range")
    both = add_question("Consider the function $f(x) = \\sqrt{x - 3}$.", concepts=[domain])
    said = add_question("Find the domain of the function $g(x) = \\sqrt{4 - x}$.")
    add_question("Find the domain of the function $h(x) = \\frac{1}{x}$.")
    add_question("Take the square root of 16.")
    vocabulary_refresh()
    assert set(hits("domain of a square root function")) == {both, said}


@each_case("searches", "signs")
def test_signs_stand_for_words(query, text, other):
    wanted, _other = fill(text, other)
    assert hits(query) == [wanted]


def test_words_side_by_side_rank_before_the_same_words_apart():
    apart, together = fill("A chart of the cost of a bar of gold.", "The bar chart of the cost of gold is out.")
    SynonymGroup.objects.all().delete()
    assert hits("bar chart") == [together, apart]


def test_a_figures_name_finds_its_synonyms_and_not_the_rest_of_a_concepts_list():
    charts = add_concept("Statistics", "Pie charts and bar charts")
    pie = add_question("What angle has the sector in the pie chart?", concepts=[charts])
    bar = add_question("Read the bar chart.", concepts=[charts])
    graph = add_question("The bar graph shows pets.")
    vocabulary_refresh()
    found = hits("bar chart")
    assert set(found) == {bar, graph}
    assert found[0] == bar
    page = search_questions(query="bar chart", filters=SearchFilters(), serving=serving())
    assert [hit.question for hit in page.closest] == [pie]


@each_case("searches", "formulas_in_words")
def test_formulas_in_words_are_read_as_formulas(query, read_as, wanted):
    question, *_others = fill(wanted, "Add $2 + 3$.", "Find the value of $\\frac{2}{3}$ of 8.")
    page = search_questions(query=query, filters=SearchFilters(), serving=serving())
    assert page.read_as.replace(" ", "") == read_as.replace(" ", "")
    assert next(hit.question for hit in [*page.hits, *page.closest]) == question


def test_what_is_asked_beside_a_formula_counts():
    integral, derivative = fill("Find $\\int x^2 \\sin x \\, dx$ .", "Find the derivative of $y = x^2 \\sin x$.")
    page = search_questions(query="derivative of x^2 sin x", filters=SearchFilters(), serving=serving())
    found = [hit.question for hit in [*page.hits, *page.closest]]
    assert found.index(derivative) < found.index(integral)


def test_words_that_only_ask_for_questions_are_not_looked_for():
    wanted, _other = fill("What is the median of 3, 5 and 9?", "This worksheet has exercises about cats.")
    assert hits("worksheet with exercises about the median") == [wanted]
    assert hits("median practice questions") == [wanted]


def test_a_single_chinese_character_finds_the_words_that_begin_or_end_with_it():
    wanted, _other = fill("一个圆形水池的周长是38米，直径是多少米？", "正方形的周长是4米。", language="zh")
    assert hits("圆的周长") == [wanted]


def test_a_name_that_no_question_has_is_searched_as_words():
    wanted, _other = fill("The leaf of a plot of land", "A cat")
    assert SynonymGroup.objects.filter(terms__contains=["stem-and-leaf plot"]).exists()
    page = search_questions(query="stem and leaf plot", filters=SearchFilters(), serving=serving())
    assert [hit.question for hit in page.closest] == [wanted]


def test_direction_counts():
    both = add_concept("Number", "Fractions and decimals")
    decimal = add_question("Write $\\frac{1}{4}$ as a decimal.", concepts=[both])
    fraction = add_question("Write 0.25 as a fraction.", concepts=[both])
    vocabulary_refresh()
    assert hits("converting fractions to decimals") == [decimal]
    assert hits("decimals into fractions") == [fraction]


def test_words_count_in_every_form():
    shared, _cut = fill("They share 12 sweets equally.", "They cut 12 sweets in half.")
    assert hits("sharing sweets equally") == [shared]


def test_a_concepts_own_questions_come_before_those_that_only_say_its_name():
    rounding = add_concept("Number", "Rounding")
    said = add_question("Find the area. Rounding to one decimal place is enough.")
    tagged = add_question("What is 38 to the nearest ten, one place up?", concepts=[rounding])
    vocabulary_refresh()
    assert hits("rounding one place") == [tagged, said]
