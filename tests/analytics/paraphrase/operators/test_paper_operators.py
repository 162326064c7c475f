"""f1 to f10: each changes what it says it changes, and says None where it does not apply."""

from __future__ import annotations

import random

import numpy as np

from analytics.language.mentions import unit_dimension
from analytics.paraphrase.operators import deletions, numbers, stand_ins, words
from analytics.paraphrase.operators.rule_paraphraser import reword
from analytics.paraphrase.words.entities import find_entities
from analytics.text.numbers import find_numbers
from analytics.text.units import find_units
from tests.cases import each_case

TRIP = "Nora cycled 90 km from Lyon at a constant speed of 15 kmph. How many hours did it take her in total?"
PENS = "Omar has 12 pens and Ivy has 7 pens. How many more pens does Omar have than Ivy?"


def rng(seed: int = 0) -> random.Random:
    return random.Random(seed)


def values(text: str) -> list[object]:
    return [number.value for number in find_numbers(text)]


def test_the_same_sentence_is_the_question_itself() -> None:
    assert deletions.same(TRIP, rng()) == TRIP
    assert deletions.same("  ", rng()) is None


@each_case("rewording", "numbers_in_words")
def test_numbers_become_words_where_they_stand(question: str, written: str | None) -> None:
    assert numbers.in_words(question, rng()) == written
    if written:
        assert values(written) == values(question)


@each_case("rewording", "units_written_out")
def test_abbreviated_units_are_written_out(question: str, written: str | None) -> None:
    assert numbers.write_out_units(question, rng()) == written


def test_the_last_sentence_goes_or_the_last_three_tokens() -> None:
    assert deletions.delete_last_sentence(TRIP, rng()) == "Nora cycled 90 km from Lyon at a constant speed of 15 kmph."
    assert deletions.delete_last_sentence("How many pens are in the box?", rng()) == "How many pens are"
    assert deletions.delete_last_sentence("Find x now.", rng()) is None


def test_of_the_key_phrases_the_one_farthest_by_cosine_goes() -> None:
    """An encoder that knows the word "speed" alone: without it the cosine is 0, without any other 1."""

    def encode(texts: list[str]) -> np.ndarray:
        return np.array([[1.0, 0.0] if "speed" in text else [0.0, 1.0] for text in texts])

    changed = deletions.delete_phrase(TRIP, rng(), encode=encode, count=10)
    assert changed is not None
    assert "speed" not in changed
    assert "Lyon" in changed
    assert deletions.delete_phrase("of the 3?", rng(), encode=encode) is None


def test_a_key_phrase_is_deleted_without_an_encoder_too() -> None:
    changed = deletions.delete_phrase(PENS, rng())
    assert changed is not None
    assert len(changed.split()) < len(PENS.split())
    assert "  " not in changed


def test_a_replaced_name_leaves_a_contradiction_or_a_gap() -> None:
    """Never a renaming throughout: a new name stands beside the old one, or a name is gone."""
    for seed in range(60):
        changed = words.replace_names(PENS, rng(seed))
        assert changed is not None
        assert changed != PENS
        old = {"Omar", "Ivy"}
        new = {entity.text for entity in find_entities(changed, ("Omar", "Ivy"))} - old
        mentions = sum(changed.count(name) for name in old | new)
        assert mentions < 4 or any(name in changed for name in old)
    assert words.replace_names("A train leaves at 5. How far does it go?", rng()) is None


def test_a_name_that_stands_once_is_deleted_or_confused_with_another() -> None:
    outputs = {words.replace_names("Omar has 3 pens. How many pens does he lose?", rng(seed)) for seed in range(30)}
    assert outputs == {"Has 3 pens. How many pens does he lose?"}
    outputs = {words.replace_names("Omar has 3 pens. Ivy has 5 pens.", rng(seed)) for seed in range(60)}
    assert "Ivy has 3 pens. Ivy has 5 pens." in outputs


def test_names_that_change_places_throughout_are_a_renaming_and_no_replacement() -> None:
    both_once, one_twice = "Omar has 3 pens. Ivy has 5 pens.", "Omar has 3 pens. Ivy has 5. Omar gets 2."
    for seed in range(200):
        assert words.replace_names(both_once, rng(seed)) != "Ivy has 3 pens. Omar has 5 pens."
        assert words.replace_names(one_twice, rng(seed)) != "Ivy has 3 pens. Omar has 5. Ivy gets 2."


def test_at_most_two_numbers_become_quantifiers_or_nothing() -> None:
    kinds = set()
    for seed in range(80):
        changed = numbers.delete("Omar pays $12 for 7 pens and 20% of 45 cards.", rng(seed))
        assert changed is not None
        lost = 4 - len(values(changed))
        assert lost in {1, 2}
        kinds |= {word for word in ("some", "a few", "many", "a lot of") if word in changed}
        assert "$ " not in changed
        assert " %" not in changed
    assert kinds == {"some", "a few", "many", "a lot of"}


def test_a_number_that_stands_twice_is_lost_in_both_places() -> None:
    for seed in range(20):
        changed = numbers.delete("He has 4 books. He sorts the 4 books.", rng(seed))
        assert changed is not None
        assert values(changed) == []
    assert numbers.delete("One side is red.", rng()) is None


def test_a_unit_becomes_another_of_its_category_and_stays_in_one_place() -> None:
    text = "Ann runs 5 km, then 3 km, for $4. How many km does she run?"
    seen = set()
    for seed in range(60):
        changed = numbers.replace_units(text, rng(seed))
        assert changed is not None
        before = [mention.unit for mention in find_units(text)]
        after = [mention.unit for mention in find_units(changed)]
        assert [unit_dimension(unit) for unit in before] == [unit_dimension(unit) for unit in after]
        assert before != after
        assert "kilometer" in after
        seen |= set(after)
    assert {"meter", "mile", "dollar_cent"} <= seen


def test_units_that_measure_nothing_stay() -> None:
    assert numbers.replace_units("One day, Ann found 3 pens.", rng()) is None
    assert numbers.replace_units("How many pens?", rng()) is None


def test_articles_agree_with_the_new_unit() -> None:
    for seed in range(40):
        changed = numbers.replace_units("It rains for a minute.", rng(seed))
        assert changed is not None
        assert ("an hour" in changed) == ("hour" in changed)


def test_the_lossy_summary_loses_a_number_but_not_everything() -> None:
    for seed in range(40):
        changed = stand_ins.summarise(PENS, rng(seed))
        assert changed is not None
        assert sorted(map(str, values(changed))) != sorted(map(str, values(PENS)))
    assert stand_ins.summarise("How many pens?", rng()) is None


@each_case("rewording", "kept")
def test_the_rule_paraphraser_keeps_numbers_units_names_and_formulas(question: str) -> None:
    outputs = {reword(question, rng(seed)) for seed in range(40)} - {None}
    assert outputs
    for changed in outputs:
        assert changed is not None
        assert changed.split() != question.split()
        assert sorted(map(str, values(changed))) == sorted(map(str, values(question)))
        assert sorted(mention.unit for mention in find_units(changed)) == sorted(
            mention.unit for mention in find_units(question)
        )
        for name in ("Omar", "Ivy", "Nora", "$x + 3 = 7$"):
            assert (name in changed) == (name in question)


@each_case("rewording", "rewordings")
def test_rewordings_are_among_what_the_rules_make(question: str, rewordings: list[str]) -> None:
    assert set(rewordings) <= {reword(question, rng(seed)) for seed in range(200)}


def test_a_question_without_words_is_not_reworded() -> None:
    assert reword("25 * 25 = ?", rng()) is None


def test_the_same_seed_gives_the_same_output() -> None:
    for apply in (reword, stand_ins.summarise, numbers.delete, words.replace_names, numbers.replace_units):
        assert apply(PENS, rng(5)) == apply(PENS, rng(5))
