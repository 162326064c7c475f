"""Drawing expression trees."""

from __future__ import annotations

from itertools import pairwise

import pytest

from questionbank.rendering.expression_trees import expression_drawing


def test_an_operator_stands_over_the_middle_of_its_operands():
    drawing = expression_drawing(["*", "N0", "-", "1", "N1"], ["*", "80", "-", "1", "0.25"])
    nodes = {node.label: node for node in drawing.nodes}
    assert nodes["×"].x == (nodes["80"].x + nodes["−"].x) / 2
    assert nodes["−"].x == (nodes["1"].x + nodes["0.25"].x) / 2
    assert nodes["×"].y < nodes["80"].y == nodes["−"].y < nodes["1"].y
    assert (nodes["80"].slot, nodes["1"].slot, nodes["0.25"].slot) == (0, None, 1)
    assert len(drawing.lines) == 4


def test_boxes_do_not_overlap_and_lie_inside():
    terms = ["+", "+", "1234567890123", "7", "0.333333"]
    drawing = expression_drawing(["+", "+", "N0", "N1", "N2"], terms)
    boxes = sorted((node.left, node.left + node.width) for node in drawing.nodes if not node.is_operator)
    assert boxes[0][0] >= 0
    assert boxes[-1][1] <= drawing.width
    assert all(first[1] <= second[0] for first, second in pairwise(boxes))
    assert all(0 < node.y < drawing.height for node in drawing.nodes)


@pytest.mark.parametrize("tokens", [[], ["+", "1"], ["1", "2"]])
def test_what_is_no_tree_is_not_drawn(tokens):
    assert expression_drawing(tokens, tokens) is None
