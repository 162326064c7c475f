"""The shapes of the map's points, as SVG paths of 16 by 16. Needs no Django."""

from __future__ import annotations

SHAPES = (  # as static/js/map.js draws them, by the colour's number modulo their number
    "M8 2a6 6 0 1 0 .01 0z",
    "M3 3h10v10H3z",
    "M8 2l6.5 11.5h-13z",
    "M8 1.5 14.5 8 8 14.5 1.5 8z",
)
