"""Charts in templates: printable inline SVG rendered on the server; and the symbols of the map's legend."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from questionbank.core.charts import SHAPES, LineChart, interval_plot

register = template.Library()

GREY = 8  # the number of a map's points without a colour of their own


@register.inclusion_tag("components/line_chart.html")
def line_chart(chart: LineChart, id: str) -> dict[str, Any]:
    """Render a chart from `questionbank.core.charts.line_chart`.

    Args:
        id: prefix of its parts' ids; unique on the page, and stable when a live part is rendered again.
    """
    return {"chart": chart, "id": id}


@register.simple_tag
def difference_interval(difference: float, low: float, high: float, bound: float) -> SafeString:
    """Draw a line centred on 0, the interval as a band, and the difference as a point.

    The interval is solid if it excludes 0. Hidden from screen readers, because the numbers are next to it.
    """
    at = interval_plot(difference, low, high, bound=bound)
    return format_html(
        '<svg class="interval" aria-hidden="true" focusable="false">'
        '<line class="interval-axis" x1="0" x2="100%" y1="12" y2="12"/>'
        '<line class="interval-zero" x1="50%" x2="50%" y1="0" y2="24"/>'
        '<rect class="interval-band{}" x="{}%" y="7" width="{}%" height="10" rx="2"/>'
        '<circle class="interval-point" cx="{}%" cy="12" r="4"/></svg>',
        " interval-clear" if low > 0 or high < 0 else "",
        at.low,
        max(round(at.high - at.low, 2), 0.5),
        at.at,
    )


@register.simple_tag
def map_symbol(colour: int | None, sequential: bool = False) -> SafeString:
    """Return the map's symbol of a colour, grey by default; decorative, because the name is next to it."""
    number = GREY if colour is None else colour
    family = "map-band" if sequential and colour is not None else "map-colour"
    return format_html(
        '<svg class="map-symbol {}-{}" viewBox="0 0 16 16" aria-hidden="true" focusable="false"><path d="{}"/></svg>',
        family,
        number,
        SHAPES[0] if number == GREY else SHAPES[number % len(SHAPES)],
    )
