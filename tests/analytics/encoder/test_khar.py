"""KH-distance: Eq. 1, several paths, several hierarchies, and the vectorised ranks."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.encoder.khar import (
    UNDEFINED,
    default_temperatures,
    encode_paths,
    kh_distance,
    kh_ranks,
)

LEVELS = 3
names = st.sampled_from("abc")
path = st.lists(names, min_size=1, max_size=4).map(tuple)
question = st.lists(path, min_size=1, max_size=3)


@pytest.mark.parametrize(
    ("first_path", "second_path", "distance"),
    [
        (("Algebra", "Function", "Sine"), ("Algebra", "Function", "Sine"), 1),
        (("Algebra", "Function", "Sine"), ("Algebra", "Function", "Power"), 2),
        (("Algebra", "Function", "Sine"), ("Algebra", "Equation", "Linear"), 3),
        (("Algebra", "Function", "Sine"), ("Geometry", "Circle", "Arc"), 4),
        (("Algebra", "Function"), ("Algebra", "Function", "Sine"), 2),  # tagged at different depths
        (("Algebra", "Sine", "x"), ("Geometry", "Sine", "x"), 4),  # names agree, parents do not
    ],
)
def test_distances_of_equation_1(first_path, second_path, distance):
    assert kh_distance([first_path], [second_path], LEVELS) == distance


def test_with_several_concepts_the_nearest_pair_counts():
    paths = [("Algebra", "Function", "Sine"), ("Geometry", "Circle", "Arc")]
    assert kh_distance(paths, [("Geometry", "Circle", "Chord")], LEVELS) == 2


@given(question, question)
def test_it_is_symmetric_and_within_1_and_levels_plus_1(first_paths, second_paths):
    distance = kh_distance(first_paths, second_paths, LEVELS)
    assert distance == kh_distance(second_paths, first_paths, LEVELS)
    assert 1 <= distance <= LEVELS + 1


@given(st.lists(names, min_size=LEVELS, max_size=LEVELS), st.integers(0, LEVELS))
def test_it_falls_as_the_shared_prefix_grows(concepts, shared):
    neighbour = (*concepts[:shared], *("z" for _ in range(LEVELS - shared)))
    assert kh_distance([tuple(concepts)], [neighbour], LEVELS) == LEVELS - shared + 1


@given(st.lists(question, min_size=1, max_size=5), st.lists(question, min_size=1, max_size=5))
def test_ranks_equal_the_distance_of_every_pair(anchors, candidates):
    numbers, owner = encode_paths([*anchors, *candidates], LEVELS)
    cut = len(anchors)
    ranks = kh_ranks(numbers[:cut], numbers[cut:], owner[:cut], owner[cut:])
    expected = [[kh_distance(anchor, candidate, LEVELS) for candidate in candidates] for anchor in anchors]
    np.testing.assert_array_equal(ranks, expected)


def test_between_hierarchies_and_without_concepts_it_is_undefined():
    numbers, owner = encode_paths([[("a",)], [("a",)], []], LEVELS, ["one", "two", "one"])
    ranks = kh_ranks(numbers, numbers, owner, owner)
    assert ranks[0, 1] == ranks[0, 2] == ranks[2, 2] == UNDEFINED
    assert ranks[0, 0] == LEVELS  # tagged at level 1 only: nothing finer is shared


def test_an_empty_queue_has_no_ranks():
    numbers, owner = encode_paths([[("a",), ("b",)], [("a",)]], LEVELS)
    assert kh_ranks(numbers, numbers[:0], owner, owner[:0]).shape == (2, 0)


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="without concepts"):
        kh_distance([], [("a",)], LEVELS)
    with pytest.raises(ValueError, match="levels"):
        kh_distance([("a",)], [("a",)], 0)


@pytest.mark.parametrize("levels", [1, 2, 3, 5, 7])
def test_default_temperatures_rise_from_rank_1_to_the_last(levels):
    temperatures = default_temperatures(levels)
    assert len(temperatures) == levels + 2
    assert temperatures[0] == temperatures[1] == 0.1
    assert all(low < high for low, high in itertools.pairwise(temperatures[1:]))
    assert temperatures[-1] == 0.6
