"""Clauses move and repeat; what is asked stays last."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.encoder.augmentation import insert_clause, shuffle_clauses

TEXT = "Tom has 3 pens, Ann has 5 pens, and Bob has $x$ pens. How many pens do they have?"


def test_shuffling_keeps_every_clause_and_the_question_last():
    changed = {shuffle_clauses(TEXT, random.Random(seed)) for seed in range(40)}
    assert len(changed) == 5  # three clauses: five other orders
    for text in changed:
        assert text.endswith("How many pens do they have?")
        assert sorted(text.replace(",", "").replace(".", "").split()) == sorted(
            TEXT.replace(",", "").replace(".", "").split()
        )


def test_insertion_repeats_one_clause_before_the_question():
    changed = {insert_clause(TEXT, random.Random(seed)) for seed in range(60)}
    assert "Tom has 3 pens, Ann has 5 pens, and Bob has $x$ pens. Tom has 3 pens, How many" in " ".join(changed)
    for text in changed:
        assert text.endswith("How many pens do they have?")
        assert len(text) > len(TEXT)


def test_sub_questions_stay_where_they_are():
    text = "Let $f(x)=x^2$, and $a>0$. (1) Find $f(a)$. (2) If $a=2$, find $f(2)$."
    for seed in range(20):
        changed = shuffle_clauses(text, random.Random(seed))
        assert changed is not None
        assert changed.endswith("(1) Find $f(a)$. (2) If $a=2$, find $f(2)$.")


def test_chinese_conditions_move():
    text = "小明有3支笔，小红有5支笔，他们一共有多少支笔？"
    assert shuffle_clauses(text, random.Random(0)) == "小红有5支笔，小明有3支笔，他们一共有多少支笔？"


@pytest.mark.parametrize("text", ["", "What is $2+2$?", "Solve $x=1$."])
def test_a_question_without_conditions_gives_none(text):
    assert shuffle_clauses(text, random.Random(0)) is None
    assert insert_clause(text, random.Random(0)) is None


@given(st.text(alphabet="ab ,.?$1，。\n(", max_size=60), st.integers(0, 5))
def test_nothing_raises_and_shuffling_keeps_every_character(text, seed):
    changed = shuffle_clauses(text, random.Random(seed))
    assert changed is None or sorted(changed) == sorted(text)
    insert_clause(text, random.Random(seed))
