"""Queries made from questions are what they say they are."""

from __future__ import annotations

import random
import re

import pytest
from rapidfuzz.distance import OSA

from worker.evaluation import known_items, misspell

TEXT = (
    r"A farmer harvests carrots and potatoes from a rectangular garden; the diagonal of the garden is"
    r" $\sqrt{a^{2}+b^{2}}=13$ metres and one side is $5$ metres long."
)


def make(*questions, seed=0, rarity=lambda word: 1.0):
    return known_items(questions, rng=random.Random(seed), rarity=rarity)


def by_sort(items):
    return {item.sort: item.query for item in items}


def test_every_sort_is_made_of_the_question():
    queries = by_sort(make((1, TEXT, "en")))
    assert set(queries) == {"misspelt words", "part of the text", "formula"}
    assert queries["part of the text"] in TEXT
    assert queries["formula"].strip("$") == r"\sqrt{a^{2}+b^{2}}=13"
    words = queries["misspelt words"].split()
    originals = re.findall(r"[a-z]{4,}", TEXT.lower())
    slips = [min(OSA.distance(word, original) for original in originals) for word in words]
    assert len(words) == 4
    assert max(slips) == 1
    assert 1 <= sum(slips) <= 2


def test_the_same_seed_makes_the_same_queries():
    assert make((1, TEXT, "en"), seed=5) == make((1, TEXT, "en"), seed=5)
    assert make((1, TEXT, "en"), seed=5) != make((1, TEXT, "en"), seed=6)


def test_rarer_words_are_chosen_more_often():
    rarity = {"carrots": 50.0, "potatoes": 50.0}
    chosen = [
        by_sort(make((1, TEXT, "en"), seed=seed, rarity=lambda word: rarity.get(word, 0.05)))["misspelt words"]
        for seed in range(30)
    ]
    assert sum("arrot" in query or "carot" in query or "crrot" in query for query in chosen) > 20


def test_what_a_question_does_not_have_is_not_asked():
    assert make((1, "Find $x$.", "en")) == []
    assert by_sort(make((1, "小明有三个苹果又买了五个现在有几个苹果", "zh"))).keys() == {"part of the text"}


def test_formulas_come_with_and_without_delimiters():
    bare = {by_sort(make((1, TEXT, "en"), seed=seed))["formula"].startswith("$") for seed in range(20)}
    assert bare == {True, False}


@pytest.mark.parametrize("seed", range(20))
def test_a_slip_is_one_edit_and_keeps_the_first_letter(seed):
    slipped = misspell("diagonal", random.Random(seed))
    assert slipped[0] == "d"
    assert OSA.distance(slipped, "diagonal") <= 1
