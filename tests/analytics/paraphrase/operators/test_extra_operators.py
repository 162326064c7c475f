"""The operators that are not the paper's."""

from __future__ import annotations

import random

from analytics.paraphrase.operators import numbers, words
from analytics.paraphrase.words.entities import first_names
from analytics.paraphrase.words.wording import STOP_WORDS
from analytics.text.numbers import find_numbers
from tests.cases import each_case


def rng(seed: int = 0) -> random.Random:
    return random.Random(seed)


def test_words_become_digits() -> None:
    text = "Twenty-five pens cost three dollars. One is half red, two dozen are blue."
    assert numbers.in_digits(text, rng()) == "25 pens cost 3 dollars. One is half red, two dozen are blue."
    assert numbers.in_digits("One pen, 3 cards.", rng()) is None


def test_units_are_abbreviated_behind_a_number() -> None:
    text = "Zoe walked 200 kilometres for 3 hours and paid 5 dollars. How many metres did she walk?"
    assert (
        numbers.abbreviate_units(text, rng()) == "Zoe walked 200 km for 3 hr and paid $5. How many metres did she walk?"
    )
    assert numbers.abbreviate_units("Zoe walked 3 km.", rng()) is None


def test_one_number_changes_wherever_it_stands() -> None:
    for seed in range(40):
        changed = numbers.change("He has 14 books. The 14 books cost three coins.", rng(seed))
        assert changed is not None
        before, after = [14, 14, 3], [int(number.value) for number in find_numbers(changed)]
        assert (after[0] != 14 and after[0] == after[1] and after[2] == 3) != (after[:2] == [14, 14] and after[2] != 3)
        assert before != after
    assert numbers.change("One half.", rng()) is None


def test_two_numbers_swap_their_roles() -> None:
    text = "A shirt costs 12 coins. Tim buys 3 shirts and gets change."
    assert numbers.swap(text, rng()) == "A shirt costs 3 coins. Tim buys 12 shirts and gets change."


@each_case("rewording", "not_swapped")
def test_numbers_whose_order_is_free_are_not_swapped(question: str) -> None:
    assert numbers.swap(question, rng()) is None


def test_names_swap_in_one_sentence_only() -> None:
    text = "Zoe has 5 more cards than Tim. Tim has 3 cards."
    assert words.swap_in_sentence(text, rng()) == "Tim has 5 more cards than Zoe. Tim has 3 cards."
    assert words.swap_in_sentence("Zoe has 5 more cards than Tim.", rng()) is None
    assert words.swap_in_sentence("Zoe and Tim share 9 cards. Tim eats.", rng()) is None


@each_case("rewording", "turned")
def test_a_comparison_is_turned_round(question: str, turned: str | None) -> None:
    assert {words.turn_round(question, rng(seed)) for seed in range(10)} == {turned}


def test_names_and_things_are_renamed_throughout() -> None:
    text = "Zoe has 3 apples. Zoe eats an apple. How many apples are left?"
    for seed in range(40):
        changed = words.rename_throughout(text, rng(seed))
        assert changed is not None
        assert ("Zoe" in changed) in {True, False}
        assert changed.count("Zoe") in {0, 2}
        assert changed.count("apple") in {0, 3}
        assert changed.count("Zoe") == 0 or changed.count("apple") == 0
        assert [number.value for number in find_numbers(changed)] == [3]
    assert words.rename_throughout("A train goes 5 km.", rng()) is None


def test_things_are_renamed_in_some_places_only() -> None:
    text = "A cart of 20 lemons is shared by 10 girls. How many lemons does each girl get?"
    for seed in range(20):
        changed = words.rename_in_places(text, rng(seed))
        assert changed is not None
        assert changed.count("lemons") == 1
    assert words.rename_in_places("He has 3 lemons.", rng()) is None


def test_an_unrelated_word_takes_the_place_of_a_name_a_unit_a_number_or_what_is_counted() -> None:
    text = "Ann has 12 pens and walks 3 km. How many pens has she?"
    replaced = set()
    for seed in range(60):
        changed = words.put_unrelated(text, rng(seed))
        assert changed is not None
        before, after = text.split(), changed.split()
        assert len(before) == len(after)
        pairs = [(word, substitute) for word, substitute in zip(before, after, strict=True) if word != substitute]
        assert 1 <= len(pairs) <= 2
        for word, substitute in pairs:
            replaced.add(word)
            assert substitute.strip(".").lower() in words.WORDS
    assert replaced == {"Ann", "12", "pens", "3", "km."}


def test_formulas_stay_and_where_nothing_stands_nothing_is_put_in() -> None:
    assert words.put_unrelated("What is $x^2 + 3$?", rng()) is None
    assert words.put_unrelated("Why is that so?", rng()) is None


def test_unrelated_words_are_neither_countable_things_nor_names_and_no_stop_words() -> None:
    things = {word for pair in words.THINGS for word in pair}
    people = {name.lower() for of_kind in first_names() for name in of_kind}
    assert things.isdisjoint(words.WORDS)
    assert STOP_WORDS.isdisjoint(words.WORDS)
    assert people.isdisjoint(words.WORDS)
    assert len(set(words.WORDS)) == len(words.WORDS) > 200
