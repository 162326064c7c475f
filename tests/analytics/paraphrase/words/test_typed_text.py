"""Numbers and units in one notation, for the encoder of a scorer."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from analytics.paraphrase.scorer import asks_something, reading_typed, typed_text
from tests.cases import each_case


@each_case("likeness", "typed_texts")
def test_equal_numbers_and_units_become_equal_texts(text, other):
    assert typed_text(text) == typed_text(other)


def test_a_changed_number_stands_in_two_places():
    original, changed = typed_text("Ann has 3 pens and 14 cards."), typed_text("Ann has 3 pens and 15 cards.")
    assert original == "Ann has 3 pens and 14 cards. # 3 # 14"
    assert changed == "Ann has 3 pens and 15 cards. # 3 # 15"


def test_the_list_does_not_depend_on_the_order_of_the_words():
    original, reordered = typed_text("3 kg for 5 dollars"), typed_text("5 dollars for 3 kg")
    assert original.split("#", 1)[1] == reordered.split("#", 1)[1]


def test_the_power_of_a_unit_is_no_number():
    assert typed_text("5 m^2 and 5 square metres") == "5 meter ^ 2 and 5 meter ^ 2 # 5 # 5 # meter ^ 2"


def test_large_and_broken_numbers_are_no_trouble():
    assert len(typed_text("9" * 290 + ".5 billion and $\\frac{1}{0}$ and 10^{400}")) > 290


@given(st.text(alphabet="0123456789.,/ abkm$\\{}^%half twodozen五千米", max_size=60))
def test_any_text_can_be_written(text):
    assert isinstance(typed_text(text), str)


def test_an_encoder_reads_what_is_typed():
    seen = []

    def encode(texts):
        seen.extend(texts)
        return np.zeros((len(texts), 2), dtype=np.float32)

    assert reading_typed(encode)(["two km"]).shape == (1, 2)
    assert seen == ["2 kilometer # 2 # kilometer"]


@each_case("rewording", "asking")
def test_questions_tasks_and_blanks_ask_and_statements_do_not(text, asks):
    assert asks_something(text) is asks
