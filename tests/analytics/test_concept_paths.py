from __future__ import annotations

import numpy as np
import pytest

from analytics.concept_paths import PathTree, common_leading_nodes, drop_common_leading_nodes, without_leading

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
