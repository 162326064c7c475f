"""Misspelt words become words of the bank; words that it has stay."""

from __future__ import annotations

import pytest

from questionbank.models import VocabularyWord
from questionbank.search import query
from questionbank.search.query import Vocabulary, vocabulary
from tests.cases import each_case

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
