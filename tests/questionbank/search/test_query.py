"""What is typed is read as words, a question or a formula; misspelt words are corrected."""

from __future__ import annotations

import pytest

from questionbank.bank.search_index import vocabulary_refresh
from questionbank.models import VocabularyWord
from questionbank.search import query
from questionbank.search.query import Vocabulary, parse_query, vocabulary
from tests.cases import each_case
from tests.questionbank.small_bank import add_question

pytestmark = pytest.mark.django_db

EMPTY = Vocabulary({}, questions=1)


@each_case("searches", "sorts")
def test_the_sort_of_a_query(typed, sort):
    assert parse_query(typed, EMPTY).sort == sort


@each_case("searches", "formulas")
def test_bare_formulas_are_put_between_dollars(typed, searched):
    assert parse_query(typed, EMPTY).searched == searched


def test_a_formula_has_the_same_tokens_with_and_without_delimiters():
    bare, marked = parse_query("x^2+5x+6=0", EMPTY), parse_query(r"\(x^2+5x+6=0\)", EMPTY)
    assert bare.tokens == marked.tokens != ()


def test_misspelt_words_are_corrected_and_words_of_the_bank_stay():
    for text in ("A triangle has three sides", "Spend it all", "The speed of a train", "A quick train"):
        add_question(text)
    vocabulary_refresh()
    parsed = parse_query("Tringle spedd of tarin", vocabulary())
    assert parsed.corrected == "triangle speed of train"
    assert set(parsed.tokens) == {"triangle", "speed", "of", "train"}
    assert parse_query("speed of train", vocabulary()).corrected == ""


def test_of_near_words_the_one_that_stands_with_the_others_is_meant():
    add_question("How much did she spend on the party?")
    add_question("How much did he spend?")
    add_question("What is the speed of a train?")
    vocabulary_refresh()
    assert parse_query("speend train", vocabulary()).corrected == "speed train"
    assert parse_query("speend party", vocabulary()).corrected == "spend party"


def test_a_word_newer_than_the_vocabulary_is_right():
    add_question("A trapezium")
    vocabulary_refresh()
    add_question("A trapezius")
    assert parse_query("trapezius", vocabulary()).corrected == ""


def test_formulas_and_pasted_questions_are_not_corrected():
    add_question("fraction sinus text")
    vocabulary_refresh()
    assert parse_query(r"$\frxc{1}{2} + sinu$", vocabulary()).corrected == ""
    pasted = "Zoltaan walks to the park with Anastaasia and then buys seven fractons for the twelve childen"
    assert parse_query(pasted, vocabulary()).corrected == ""


@pytest.mark.parametrize("typed", ["' & | ! <-> \\", "\\", "'''", "a:*b", "%s %d {x}", "(((((" * 500, "$" * 999])
def test_signs_that_mean_something_to_the_database_do_no_harm(typed):
    parsed = parse_query(typed, vocabulary())
    assert parsed.text == typed.strip()[:4000]


@pytest.mark.parametrize("typed", ["why is the sky blue", "cake for the party", "HCF", "the surd is quaint"])
def test_words_of_ordinary_english_are_never_corrected(typed):
    words = {"say": 90, "way": 80, "is": 99, "the": 99, "came": 70, "hc": 40, "sum": 30, "quart": 9}
    assert parse_query(typed, Vocabulary(words, questions=100)).corrected == ""


@pytest.mark.django_db
def test_a_search_can_be_taken_as_it_was_typed():
    add_question("A triangle")
    vocabulary_refresh()
    assert parse_query("tringle", vocabulary()).corrected == "triangle"
    assert parse_query("tringle", vocabulary(), exact=True).corrected == ""
    assert parse_query("tringle", vocabulary(), names={"tringle"}).corrected == ""


@each_case("searches", "numbers")
def test_the_number_of_a_question_is_read(typed, number, is_number):
    parsed = parse_query(typed, EMPTY)
    assert (parsed.number, parsed.is_number) == (number, is_number)


@each_case("searches", "amounts")
def test_words_and_numbers_that_ask_for_a_part_of_an_amount(typed, concept):
    assert parse_query(typed, EMPTY).concept == concept


def test_a_corrected_word_is_a_word_although_the_search_takes_its_s():
    known = Vocabulary({"pythagora": 5}, questions=9)
    assert parse_query("pythagorus", known).corrected == "pythagoras"


WORDS = {"triangle": 50, "triangles": 9, "rectangle": 30, "speed": 40, "spend": 80, "train": 20, "ratio": 5}


@pytest.fixture
def words() -> Vocabulary:
    return Vocabulary(WORDS, questions=100)


@each_case("searches", "misspelt")
def test_one_or_two_mistakes_are_corrected(words, written, meant):
    assert words.corrections(written)[0] == meant


def test_of_equally_near_words_the_commonest_is_taken(words):
    assert words.corrections("speend") == ["spend", "speed"]


@pytest.mark.parametrize("word", ["train", "speed", "xyzzyx", "ti", "12345", "三角形", "a" * 500, "rat-io"])
def test_known_words_distant_words_and_no_words_stay(words, word):
    assert words.corrections(word) == []


def test_short_words_are_corrected_by_one_mistake_only(words):
    assert words.corrections("rtaoi") == []


def test_rarer_words_weigh_more_and_unknown_ones_most(words):
    assert words.rarity("spend") < words.rarity("triangle") < words.rarity("ratio") < words.rarity("zebra")
    assert words.rarity("spend") > 0


@pytest.mark.django_db
def test_a_refreshed_vocabulary_is_noticed(monkeypatch):
    monkeypatch.setattr(query, "CHECK_AFTER", 0.0)
    VocabularyWord.objects.create(word="triangle", questions=3)
    assert vocabulary().corrections("tringle") == ["triangle"]
    VocabularyWord.objects.all().delete()
    assert vocabulary().corrections("tringle") == []
    assert vocabulary().words == {}


@pytest.mark.django_db
def test_within_the_interval_the_database_is_not_asked(monkeypatch, django_assert_num_queries):
    monkeypatch.setattr(query, "CHECK_AFTER", 0.0)
    first = vocabulary()
    monkeypatch.setattr(query, "CHECK_AFTER", 60.0)
    with django_assert_num_queries(0):
        assert vocabulary() is first
