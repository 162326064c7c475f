"""Measuring search: the figures, the sample, and the queries that are made from questions."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from rapidfuzz.distance import OSA

from questionbank.bank.search_index import vocabulary_refresh
from questionbank.core.errors import NotFound
from questionbank.registry.serving import serving
from tests.questionbank.small_bank import add_question, add_set, store_vectors
from worker.evaluation import evaluate_search, known_items, mean_interval, misspell, reciprocal_rank

WORDS = "carrots potatoes cabbages turnips onions garlic spinach lettuce radishes pumpkins beetroot celery".split()


def test_the_reciprocal_rank_is_of_the_first_right_question_among_ten():
    assert reciprocal_rank([5, 6, 7], {7, 6}) == 0.5
    assert reciprocal_rank([5], {6}) == 0
    assert reciprocal_rank([*range(10), 99], {99}) == 0


def test_intervals_hold_the_mean_and_narrow_with_the_sample():
    rng = np.random.default_rng(0)
    few, many = mean_interval([0.0, 1.0] * 10, rng), mean_interval([0.0, 1.0] * 1000, rng)
    assert few["mean"] == many["mean"] == 0.5
    assert few["low"] < many["low"] < 0.5 < many["high"] < few["high"]
    assert mean_interval([], rng) == {"mean": 0.0, "low": 0.0, "high": 0.0}


@pytest.fixture
def bank(db):
    questions = [
        add_question(
            f"A farmer sells {first} and then some {second} at the market for {n} coins in all; how many {third}"
            f" are left if $x^{{{n}}}+{n}x={n}y$ holds?"
        )
        for n, (first, second, third) in enumerate(
            zip(WORDS, WORDS[3:] + WORDS[:3], WORDS[7:] + WORDS[:7], strict=True), 2
        )
    ]
    store_vectors(add_set("wording"), questions)
    vocabulary_refresh()
    return questions


@pytest.mark.django_db
def test_each_arm_of_each_sort_has_its_figures(bank):
    figures = evaluate_search(serving=serving(), queries=5, split="dev")
    again = evaluate_search(serving=serving(), queries=5, split="dev")
    assert figures == again
    assert figures["measure"] == "MRR@10"
    assert figures["bank"] == 12
    for sort in ("misspelt words", "part of the text", "formula"):
        sort_figures = figures["sorts"][sort]
        assert sort_figures["queries"] > 0
        for arm in ("text", "vectors", "fusion"):
            assert 0 <= sort_figures[arm]["low"] <= sort_figures[arm]["mean"] <= sort_figures[arm]["high"] <= 1
        difference = sort_figures["fusion"]["mean"] - sort_figures["text"]["mean"]
        assert sort_figures["fusion - text"]["mean"] == pytest.approx(difference, abs=2e-4)
    assert figures["sorts"]["part of the text"]["fusion"]["mean"] > 0.8


@pytest.mark.django_db
def test_the_two_halves_share_no_question(bank):
    counts = [
        evaluate_search(serving=serving(), queries=99, split=split)["sorts"]["part of the text"]["queries"]
        for split in ("dev", "test")
    ]
    assert sum(counts) == len(bank)
    assert min(counts) > 0


@pytest.mark.django_db
def test_only_questions_of_the_given_data_are_sampled(bank):
    own = {bytes(bank[0].content_hash)}
    counts = []
    for split in ("dev", "test"):
        try:
            figures = evaluate_search(serving=serving(), queries=99, split=split, among=own)
        except NotFound:
            continue
        counts.append(figures["sorts"]["part of the text"]["queries"])
    assert counts == [1]


@pytest.mark.django_db
def test_an_empty_bank_is_told_in_a_sentence():
    with pytest.raises(NotFound, match="no ready question"):
        evaluate_search(serving=serving(), language="zh")


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
