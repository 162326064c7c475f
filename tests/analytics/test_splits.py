from __future__ import annotations

import numpy as np
import pytest

from analytics.splits import grouped_folds, grouped_split, groups_by_masked_text, is_held_out, linked_texts


def test_texts_that_differ_in_numbers_case_and_blanks_are_one_group():
    groups = groups_by_masked_text(["Add 3 and 4.5.", "add  twelve and 1,000.", "Add x and 4.", "Add 3 and 4.5"])
    assert groups[0] == groups[1]
    assert len(set(groups.tolist())) == 3


@pytest.mark.parametrize("seed", range(5))
def test_a_split_never_separates_a_group_and_takes_about_the_share(seed):
    rng = np.random.default_rng(seed)
    groups = rng.integers(120, size=600)
    mask = grouped_split(groups, 0.2, rng)
    assert not set(groups[mask]) & set(groups[~mask])
    assert 0.17 <= mask.mean() <= 0.2


def test_a_split_of_few_groups_takes_one_and_of_one_group_none():
    rng = np.random.default_rng(0)
    assert grouped_split(np.array([0, 0, 0, 1, 1, 1]), 0.05, rng).sum() == 3
    assert grouped_split(np.zeros(6, dtype=int), 0.2, rng).sum() == 0


def test_the_same_seed_gives_the_same_split():
    groups = np.arange(100) // 2
    first, second, reseeded = (grouped_split(groups, 0.3, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, reseeded)


def test_folds_keep_groups_together_and_are_of_like_size():
    groups = np.arange(90) // 3
    fold = grouped_folds(groups, 3, np.random.default_rng(0))
    assert np.bincount(fold).tolist() == [30, 30, 30]
    assert all(len(set(fold[groups == group].tolist())) == 1 for group in range(30))


def test_the_held_out_part_is_fixed_and_keeps_questions_together_that_differ_in_numbers():
    texts = [
        f"A farmer of kind {name} has 12 sheep." for name in (f"{a}{b}" for a in "abcdefghij" for b in "klmnopqrst")
    ]
    held = [is_held_out(text) for text in texts]
    assert 0.02 < sum(held) / len(held) < 0.2
    assert [is_held_out(text.replace("12", "34")) for text in texts] == held
    assert all(is_held_out(text, share=1.0) for text in texts)
    assert not any(is_held_out(text, share=0.0) for text in texts)


def test_texts_are_linked_however_long_the_way_and_in_whatever_order():
    chain = [("d 1", "c 2"), ("b", "a"), ("c 3", "b"), ("x", "y")]
    for pairs in (chain, chain[::-1], [(right, left) for left, right in chain]):
        linked = linked_texts(pairs)
        assert linked == {"a": "a", "b": "a", "c #": "a", "d #": "a", "x": "x", "y": "x"}
    assert linked_texts([]) == {}
