"""KH-distance: Eq. 1, several paths."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.concept_paths import default_temperatures, kh_distance

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
