"""The ranks of a batch to a queue equal the distance of every pair, whichever way they are worked out."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from analytics.concept_paths import NO_CONCEPT, UNDEFINED, encode_paths, kh_distance
from analytics.encoder import objectives
from analytics.encoder.objectives import RankTable

LEVELS = 3
path = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(tuple)
question = st.tuples(st.lists(path, max_size=3), st.sampled_from(["one", "two"]))


def expected(questions, rows, others, farthest=LEVELS + 1):
    """Equation 1 for each pair, written plainly."""

    def rank(row, other):
        (paths, hierarchy), (other_paths, other_hierarchy) = questions[row], questions[other]
        if row == other or hierarchy != other_hierarchy or not paths or not other_paths:
            return UNDEFINED
        distance = kh_distance(paths, other_paths, LEVELS)
        return farthest if distance == LEVELS + 1 else distance

    return [[rank(row, other) for other in others] for row in rows]


@given(st.data(), st.lists(question, min_size=1, max_size=8), st.booleans())
def test_ranks_equal_the_distance_of_every_pair(data, questions, tabled):
    rows = data.draw(st.lists(st.integers(0, len(questions) - 1), unique=True, min_size=1))
    others = data.draw(st.lists(st.integers(0, len(questions) - 1), max_size=12))
    numbers, owners = encode_paths([paths for paths, _ in questions], LEVELS, [name for _, name in questions])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(objectives, "_MOST_IN_A_TABLE", 100 if tabled else 0)
        patched.setattr(objectives, "_BLOCK", 3)
        table = RankTable(numbers, owners)
        ranks = table.ranks(torch.tensor(rows), torch.tensor(others, dtype=torch.long))
    assert ranks.tolist() == expected(questions, rows, others)


def test_a_queue_as_the_published_one_is_ranked_as_before():
    rng = np.random.default_rng(0)
    questions = [
        ([tuple(map(str, rng.integers(4, size=3))) for _ in range(rng.integers(0, 3))], str(rng.integers(3)))
        for _ in range(400)
    ]
    numbers, owners = encode_paths([paths for paths, _ in questions], LEVELS, [name for _, name in questions])
    rows, others = rng.permutation(400)[:32], rng.integers(400, size=1_600)
    ranks = RankTable(numbers, owners, farthest=9).ranks(torch.from_numpy(rows), torch.from_numpy(others), views=1)
    assert ranks.dtype == torch.int8
    assert not ranks[:, 0].any()
    assert ranks[:, 1:].tolist() == expected(questions, rows, others, farthest=9)


def test_memory_of_an_earlier_call_is_written_over_only_where_it_fits():
    numbers, owners = encode_paths([[("a", "b")], [("a", "c")], [("d",)]], 2)
    table, rows = RankTable(numbers, owners), torch.tensor([0, 1])
    first = table.ranks(rows, torch.tensor([1, 2]))
    second = table.ranks(rows, torch.tensor([2, 0]), out=first)
    assert second.data_ptr() == first.data_ptr()
    assert second.tolist() == [[3, UNDEFINED], [3, 2]]
    assert table.ranks(rows, torch.tensor([0]), out=first).tolist() == [[UNDEFINED], [2]]


def test_without_concepts_all_questions_of_a_hierarchy_are_farthest_apart():
    table = RankTable(np.full((3, 1, 1), NO_CONCEPT), np.zeros(3, dtype=np.int64), farthest=4)
    assert table.ranks(torch.tensor([0]), torch.tensor([0, 1, 2]), views=1).tolist() == [[0, UNDEFINED, 4, 4]]
