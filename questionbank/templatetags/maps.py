"""The symbols of the map's legend: each colour has a shape of its own beside it."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()

GREY = 8  # the number of what has no colour of its own
SHAPES = (  # as static/js/map.js draws them, by the colour's number modulo their number
    "M8 2a6 6 0 1 0 .01 0z",
    "M3 3h10v10H3z",
    "M8 2l6.5 11.5h-13z",
    "M8 1.5 14.5 8 8 14.5 1.5 8z",
)


@register.simple_tag
def map_symbol(colour: int | None, sequential: bool = False) -> SafeString:
    """Return the symbol of a colour, by default grey; decoration only, the name stands beside it."""
    number = GREY if colour is None else colour
    family = "map-band" if sequential and colour is not None else "map-colour"
    return format_html(
        '<svg class="map-symbol {}-{}" viewBox="0 0 16 16" aria-hidden="true" focusable="false"><path d="{}"/></svg>',
        family,
        number,
        SHAPES[0] if number == GREY else SHAPES[number % len(SHAPES)],
    )
