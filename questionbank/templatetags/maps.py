"""Symbols of the map's legend: each colour has a distinct shape."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from questionbank.core.charts import SHAPES

register = template.Library()

GREY = 8  # the number for points without a colour of their own


@register.simple_tag
def map_symbol(colour: int | None, sequential: bool = False) -> SafeString:
    """Return the symbol of a colour, grey by default; decorative, because the name is next to it."""
    number = GREY if colour is None else colour
    family = "map-band" if sequential and colour is not None else "map-colour"
    return format_html(
        '<svg class="map-symbol {}-{}" viewBox="0 0 16 16" aria-hidden="true" focusable="false"><path d="{}"/></svg>',
        family,
        number,
        SHAPES[0] if number == GREY else SHAPES[number % len(SHAPES)],
    )
