"""f_a to f_e, which make test sets and are never used in training."""

from __future__ import annotations

import random

from analytics.paraphrase.operators import deletions, stand_ins, words
from analytics.paraphrase.operators.stand_ins import corrupt
from analytics.paraphrase.operators.words import TfidfReplacement
from analytics.text.numbers import find_numbers

PENS = "Omar bought 12 pens at the shop. The teacher takes 3 pens. How many pens are left?"


def rng(seed: int = 0) -> random.Random:
    return random.Random(seed)


def test_statements_become_passive() -> None:
    assert stand_ins.to_passive(PENS, rng()) == (
        "12 pens were bought by Omar at the shop. 3 pens are taken by the teacher. How many pens are left?"
    )
    assert stand_ins.to_passive("She ate a pear.", rng()) == "A pear was eaten by her."
    assert stand_ins.to_passive("How many pens are left?", rng()) is None


def test_reconstruction_drops_small_words_and_keeps_numbers() -> None:
    for seed in range(30):
        changed = stand_ins.drop_small_words(PENS, rng(seed))
        assert changed is not None
        assert changed != PENS
        assert [number.value for number in find_numbers(changed)] == [12, 3]
        assert "How many" in changed or "how many" in changed
    assert stand_ins.drop_small_words("Find x", rng()) is None


def test_corruption_loses_no_number() -> None:
    for seed in range(20):
        assert {"12", "3"} <= set(corrupt(PENS, rng(seed), 0.5).split())


def test_corruption_swaps_leaves_out_and_replaces_words() -> None:
    words = PENS.split()
    made = [corrupt(PENS, rng(seed), 0.05).split() for seed in range(200)]
    assert any(len(variant) < len(words) for variant in made)
    assert any(sorted(variant) == sorted(words) and variant != words for variant in made)
    assert any(any(variant.count(word) > words.count(word) for word in variant) for variant in made)
    assert all(set(variant) <= set(words) for variant in made)
    assert corrupt(PENS, rng(0), 0) == " ".join(words)


def test_words_of_high_tfidf_are_replaced_by_words_of_the_vocabulary() -> None:
    texts = ["the pens are left", "the pens are new", "a zebra runs", "the cards are left"]
    operator = TfidfReplacement(texts, share=0.2)
    changed = operator.apply("the zebra has pens and pens are left", rng())
    assert changed is not None
    assert "zebra" not in changed.split()
    new = set(changed.split()) - set("the zebra has pens and pens are left".split())
    assert new <= set(operator.vocabulary)
    assert operator.apply("3 of 4", rng()) is None
    assert TfidfReplacement([]).apply("many pens", rng()) is None


def test_the_stand_in_replaces_words_that_are_rare_in_english() -> None:
    changed = words.replace_rare("The oculist has 3 lenses.", rng())
    assert changed is not None
    assert "oculist" not in changed or "lenses" not in changed


def test_tokens_are_left_out_at_random() -> None:
    for seed in range(30):
        changed = deletions.delete_tokens(PENS, rng(seed))
        assert changed is not None
        assert 0 < len(changed.split()) < len(PENS.split())
    assert deletions.delete_tokens("Find x", rng()) is None


def test_the_question_is_asked_with_one_fact_or_none() -> None:
    outputs = {deletions.ask_only(PENS, rng(seed)) for seed in range(30)}
    assert outputs == {
        "How many pens are left?",
        "How many pens are left if Omar bought 12 pens at the shop?",
        "How many pens are left if the teacher takes 3 pens?",
    }
    assert deletions.ask_only("How many pens?", rng()) is None
