from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.concept_paths import (
    PathTree,
    common_leading_nodes,
    default_temperatures,
    drop_common_leading_nodes,
    kh_distance,
    without_leading,
)

MANY = [("Root", "Point", "A", "a")] * 6 + [("Root", "Point", "B")] * 6


def test_leading_nodes_that_nearly_all_share_are_dropped():
    others = [("Curriculum", "Point", "C")]
    assert common_leading_nodes(MANY + others) == ("Root", "Point")
    assert set(drop_common_leading_nodes(MANY + others)) == {("A", "a"), ("B",), ("Curriculum", "Point", "C")}


def test_a_less_common_start_stays():
    assert common_leading_nodes(MANY + [("Curriculum", "C")] * 2) == ()
    assert common_leading_nodes(MANY + [("Curriculum", "C")] * 2, share=0.8) == ("Root", "Point")


def test_the_only_level_is_never_dropped():
    assert common_leading_nodes([("Algebra",)] * 9) == ()
    assert drop_common_leading_nodes([("Maths", "Algebra")] * 9) == [("Algebra",)] * 9


def test_a_path_that_is_only_the_leading_nodes_keeps_its_last():
    assert without_leading(("Root", "Point"), ("Root", "Point")) == ("Point",)
    assert without_leading(("Root",), ("Root", "Point")) == ("Root",)


def test_no_paths_have_no_leading_nodes():
    assert common_leading_nodes([]) == ()


def test_a_tree_knows_which_nodes_lie_on_which_path():
    tree = PathTree.of([("A", "x"), ("A",), ("B", "x"), ("A", "x")])
    assert tree.paths == (("A",), ("A", "x"), ("B", "x"))
    assert tree.nodes == (("A",), ("A", "x"), ("B",), ("B", "x"))
    assert tree.membership.tolist() == [[1, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]]
    assert (tree.depth(), tree.level(1).tolist(), tree.level(2).tolist()) == (2, [0, 2], [1, 3])


def test_targets_share_a_questions_weight_among_its_known_paths():
    tree = PathTree.of([("A",), ("B",), ("C",)])
    targets = tree.targets([[("A",), ("C",)], [("B",), ("Z",)], [], [("Z",)]])
    assert targets.tolist() == [[0.5, 0, 0.5], [0, 1, 0], [0, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize("levels", [1, 3])
def test_an_empty_tree_has_no_levels(levels):
    assert np.array_equal(PathTree.of([]).level(levels), [])


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
