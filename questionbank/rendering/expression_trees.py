"""The geometry of an expression tree that is rendered as SVG on the server. Pure functions.

Leaves are placed side by side in the order of the equation, an operator above the middle of its operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analytics.errors import DataError
from analytics.expression.evaluate import is_slot, slot_index
from analytics.expression.tree import ARITY, from_prefix

COLUMN, ROW, MARGIN, BOX = 64, 58, 30, 34  # in drawing units
SIGNS = {"+": "+", "-": "−", "*": "×", "/": "÷", "^": "^"}


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """An operator or a number.

    Attributes:
        x, y: the centre, in drawing units.
        label: the text.
        half_width: distance from the centre to the side.
        slot: for a number of the text, the index of its slot; None for operators and constants.
    """

    x: float
    y: float
    label: str
    half_width: float
    is_operator: bool
    slot: int | None = None

    @property
    def left(self) -> float:
        """Left edge of the box around a number."""
        return self.x - self.half_width

    @property
    def top(self) -> float:
        """Top edge of the box around a number."""
        return self.y - BOX / 2

    @property
    def width(self) -> float:
        """Width of the box around a number."""
        return 2 * self.half_width


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """A line from an operator to an operand."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True, slots=True)
class ExpressionDrawing:
    """A drawn tree."""

    width: float
    height: float
    nodes: tuple[DrawnNode, ...]
    lines: tuple[DrawnLine, ...]


def expression_drawing(tokens: Sequence[str], terms: Sequence[str]) -> ExpressionDrawing | None:
    """Draw a tree.

    Args:
        tokens: operators, slots and constants in pre-order.
        terms: the same with the slots replaced by numbers.

    Returns:
        The drawing; None if the tokens do not form a complete tree.
    """
    try:
        from_prefix(tokens)
    except DataError:
        return None
    nodes: list[DrawnNode] = []
    lines: list[DrawnLine] = []
    left_edge = 0.0
    place = 0
    deepest = 0

    def draw(depth: int) -> DrawnNode:
        nonlocal left_edge, place, deepest
        token, term = tokens[place], terms[place]
        place += 1
        deepest = max(deepest, depth)
        y = MARGIN + depth * ROW
        operands = [draw(depth + 1) for _operand in range(ARITY.get(token, 0))]
        if operands:
            x = (operands[0].x + operands[-1].x) / 2
            node = DrawnNode(x, y, SIGNS.get(token, token), 18, True)
            lines.extend(DrawnLine(x, y, operand.x, operand.y) for operand in operands)
        else:
            half = max(COLUMN / 2 - 6, 5 * len(term) + 8)
            node = DrawnNode(left_edge + half + 6, y, term, half, False, slot_index(token) if is_slot(token) else None)
            left_edge += 2 * half + 12
        nodes.append(node)
        return node

    draw(0)
    return ExpressionDrawing(max(left_edge, COLUMN), 2 * MARGIN + deepest * ROW, tuple(nodes), tuple(lines))
