"""Geometry: transformations."""

from __future__ import annotations

from questionbank.demo.notation import m
from questionbank.demo.pattern import Item, Pattern
from questionbank.demo.wording import Draw

__all__ = ["PATTERNS"]


def transform_point(d: Draw) -> Item:
    x, y = d.whole(-8, 9, but=(0,)), d.whole(-8, 9, but=(0,))
    a, b = d.whole(-7, 7, but=(0,)), d.whole(-7, 7, but=(0,))
    d.require(abs(x) != abs(y))
    moves = (
        ("is reflected in the $x$-axis", (x, -y), "The $y$-coordinate changes its sign."),
        ("is reflected in the $y$-axis", (-x, y), "The $x$-coordinate changes its sign."),
        ("is reflected in the line $y = x$", (y, x), "The coordinates change places."),
        ("is rotated by $180^\\circ$ about the origin", (-x, -y), "Both coordinates change their sign."),
        ("is rotated by $90^\\circ$ anticlockwise about the origin", (-y, x), "$(x, y)$ goes to $(-y, x)$."),
        ("is rotated by $90^\\circ$ clockwise about the origin", (y, -x), "$(x, y)$ goes to $(y, -x)$."),
        (
            rf"is translated by $\begin{{pmatrix}} {a} \\ {b} \end{{pmatrix}}$",
            (x + a, y + b),
            "Add the components to the coordinates.",
        ),
    )
    move, image, why = d.one_of(*moves)
    shown = m(f"({image[0]}, {image[1]})")
    translated = "translated" in move
    others = (
        (
            ((x - a, y - b), "Translates in the opposite direction"),
            ((x + b, y + a), "Swaps the components"),
            ((a, b), "Gives the vector instead of the image"),
        )
        if translated
        else (
            ((x, -y), "Reflects in the $x$-axis"),
            ((-x, y), "Reflects in the $y$-axis"),
            ((-x, -y), "Rotates by $180^\\circ$"),
            ((y, x), "Reflects in the line $y = x$"),
            ((-y, x), "Rotates by $90^\\circ$ anticlockwise"),
        )
    )
    return Item(
        ask=(
            f"The point $({x}, {y})$ {move}. What are the coordinates of its image?",
            f"Find the image of $P({x}, {y})$ when it {move}.",
            f"When the point $({x}, {y})$ {move}, its image is ____.",
        ),
        answer=shown,
        steps=(why, f"The image is {shown}."),
        wrong=tuple((m(f"({p[0]}, {p[1]})"), reason) for p, reason in d.shuffled(others)),
        choice=0.5,
    )


def enlarge_point(d: Draw) -> Item:
    cx, cy = d.whole(-4, 5), d.whole(-4, 5)
    dx, dy = d.whole(-4, 5, but=(0,)), d.whole(-4, 5, but=(0,))
    k = d.one_of(2, 3, -1, -2, 4)
    d.require((cx or cy) and abs(dx) != abs(dy))
    x, y = cx + dx, cy + dy
    image = (cx + k * dx, cy + k * dy)
    return Item(
        ask=(
            (
                f"The point $({x}, {y})$ is enlarged with centre $({cx}, {cy})$ and scale factor ${k}$. Find"
                " its image."
            ),
            (
                f"An enlargement has the centre $({cx}, {cy})$ and the scale factor ${k}$. Where does it send"
                f" the point $({x}, {y})$?"
            ),
        ),
        answer=m(f"({image[0]}, {image[1]})"),
        steps=(
            f"From the centre to the point it is ${dx}$ across and ${dy}$ up.",
            f"Times ${k}$: ${k * dx}$ across and ${k * dy}$ up from the centre.",
            f"The image is $({image[0]}, {image[1]})$.",
        ),
        wrong=(
            (m(f"({k * x}, {k * y})"), "Enlarges from the origin"),
            (m(f"({k * dx}, {k * dy})"), "Forgets to add the centre again"),
            (m(f"({x + k}, {y + k})"), "Adds the scale factor"),
            (m(f"({x + k * dx}, {y + k * dy})"), "Starts from the point instead of the centre"),
        ),
        choice=0.4,
    )


PATTERNS = (
    Pattern("transform-point", "Reflection, rotation and translation", 8, -0.5, transform_point),
    Pattern("enlarge-point", "Reflection, rotation and translation", 9, 0.7, enlarge_point),
)
