"""Graphics that templates render without scripts: icons, bars, charts, the difficulty scale, the symbols of the map.

Nothing here writes a ``style`` attribute, because the content security policy forbids it: lengths are
percentages in attributes of inline SVG. Graphics are hidden from screen readers, so a template writes
the number next to each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import groupby
from typing import Any

from django import template
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join, linebreaks
from django.utils.http import urlencode
from django.utils.safestring import SafeString, mark_safe

from analytics.catalog import CAPABILITIES
from analytics.metrics import SUITES
from questionbank.bank.difficulty_selectors import DifficultyFigure, counted_difficulty
from questionbank.bank.school_grades import grade_name
from questionbank.core.capability_catalog import scope_name
from questionbank.core.charts import SHAPES, LineChart, interval_plot
from questionbank.core.wording import duration_text, few, language_name, number_text, percent_text, readable
from questionbank.jobs.run_selectors import run_title
from questionbank.models import Question, Retraining, Run
from questionbank.rendering.expression_trees import SIGNS
from questionbank.similar.reasons import LOOKS_ALIKE, SAME_IDEA
from questionbank.training.retraining_selectors import unread_retrainings

register = template.Library()

ICONS = {  # 24 by 24, outlined; a literal table
    "undo": "M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3",
    "alert": "M12 4 2.8 19.5h18.4zM12 10v4.5M12 17v.2",
    "check": "m4.5 12.5 5 5 10-11",
    "clock": "M12 3.5a8.5 8.5 0 1 0 .01 0zM12 7.5V12l3 2",
    "copy": "M9 9h11v11H9zM15 9V4H4v11h5",
    "down": "m7 10 5 5 5-5",
    "forward": "M4 12h16m-6-6 6 6-6 6",
    "grip": "M9 5.5v1m6-1v1m-6 5v1m6-1v1m-6 5v1m6-1v1",
    "help": "M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.5v.2M12 3a9 9 0 1 0 .01 0z",
    "jobs": "M4 6h16M4 12h10M4 18h6M18 14v6m-3-3h6",
    "key": "M8 16.5a4.5 4.5 0 1 1 4-6.5h9v4h-3v3h-3v-3h-3a4.5 4.5 0 0 1-4 2.5z",
    "leave": "M10 4H4v16h6M9 12h11m-4-4 4 4-4 4",
    "moon": "M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z",
    "paste": "M8 5H5v16h14V5h-3M9 3h6v4H9z",
    "pen": "m4 20 1-4L16.5 4.5l3 3L8 19zM14 7l3 3",
    "people": "M9 11a3.5 3.5 0 1 0-.01 0zM2.5 20a6.5 6.5 0 0 1 13 0M16 11.5a3 3 0 1 0-1-5.8M17.5 14a6 6 0 0 1 4 6",
    "person": "M12 12a4 4 0 1 0-.01 0zM4.5 20.5a7.5 7.5 0 0 1 15 0",
    "plus": "M12 5v14M5 12h14",
    "print": "M7 9V3.5h10V9M7 17H4V9h16v8h-3M7 14h10v6.5H7z",
    "pulse": "M3 12h4l3-7 4 14 3-7h4",
    "screen": "M3.5 5h17v11h-17zM9 20h6M12 16v4",
    "search": "M10.5 17a6.5 6.5 0 1 0-.01 0zM15.5 15.5 21 21",
    "shield": "M12 3 5 5.5v6c0 4.5 3 7.5 7 9.5 4-2 7-5 7-9.5v-6zM9 12l2.2 2.2L15 10.5",
    "shuffle": "M4 7h3c5 0 5 10 10 10h3m-3-3 3 3-3 3M4 17h3c1.5 0 2.6-.9 3.5-2.2"
    "M13.5 9.2C14.4 7.9 15.5 7 17 7h3m-3-3 3 3-3 3",
    "sun": "M12 8a4 4 0 1 0 .01 0zM12 2v2m0 16v2M2 12h2m16 0h2M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5",
    "tree": "M5 4h5v4H5zM14 10h5v4h-5zM14 16.5h5v4h-5zM7.5 8v10.5H14M7.5 12H14",
    "up": "m7 14 5-5 5 5",
    "download": "M12 4v12m-5-5 5 5 5-5M4 20h16",
    "upload": "M12 16V4m-5 5 5-5 5 5M4 16v4h16v-4",
    "cross": "m6 6 12 12M18 6 6 18",
    "bookmark": "M6 3.5h12V21l-6-4.5L6 21z",
}

FLAGS = {  # flag of a similar question -> name, badge class, icon; a literal table
    SAME_IDEA: ("Same idea, new numbers", "badge-accent", "check"),
    LOOKS_ALIKE: ("Looks alike, solved differently", "badge-caution", "alert"),
}
FOUND_BY = {"number": "number", "concept": "concept", "text": "words", "formula": "formula", "vector": "meaning"}


@register.simple_tag
@cache
def icon(name: str) -> SafeString:
    """Return an icon; decorative only."""
    return format_html(
        '<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="{}"/></svg>', ICONS[name]
    )


@register.simple_tag
def bar(share: float | None, scale: float = 1.0) -> SafeString:
    """Return a horizontal bar filled to `share` of `scale`."""
    width = f"{100 * min(max((share or 0.0) / scale, 0.0), 1.0):.1f}%"
    return format_html(
        '<svg class="bar" aria-hidden="true" focusable="false">'
        '<rect class="bar-track" width="100%" height="100%"/>'
        '<rect class="bar-fill" width="{}" height="100%"/></svg>',
        width,
    )


@register.simple_tag
def difficulty_scale(
    value: float,
    low: float | None = None,
    high: float | None = None,
    hollow: bool = False,
    middle: tuple[float, float] | None = None,
) -> SafeString:
    """Draw a line from 0 to 100 per cent with a point at `value`, a band from `low` to `high`, and a middle band.

    An estimate is drawn `hollow`, an observation solid, so that they differ by more than colour.
    """
    ends = [(low, high), *([middle] if middle else [])]
    bands = format_html_join(
        "",
        '<rect class="scale-band" x="{}%" y="6" width="{}%" height="12" rx="3"/>',
        (
            (f"{_within(left):.1f}", f"{max(_within(right) - _within(left), 0.5):.1f}")
            for left, right in ends
            if left is not None and right is not None
        ),
    )
    ticks = mark_safe(  # noqa: S308 - literal numbers
        "".join(f'<line class="scale-axis" x1="{at}%" x2="{at}%" y1="9" y2="15"/>' for at in (0, 25, 50, 75, 100))
    )
    return format_html(
        '<svg class="scale" aria-hidden="true" focusable="false">{}'
        '<line class="scale-axis" x1="0" x2="100%" y1="12" y2="12"/>{}'
        '<circle class="{}" cx="{}%" cy="12" r="5"/></svg>',
        bands,
        ticks,
        "scale-hollow" if hollow else "scale-point",
        f"{_within(value):.1f}",
    )


def _within(value: float) -> float:
    return min(max(value, 0.0), 100.0)


register.filter(few)
register.filter(grade_name)
register.filter(language_name)
register.filter(readable)
register.filter(scope_name)
register.filter("percent", percent_text)


@register.simple_tag
def flag_badge(flag: str) -> SafeString:
    """Return a badge for a similar question's flag, in words, with an icon and a colour."""
    name, look, picture = FLAGS.get(flag, (flag, "", "alert"))
    return format_html('<span class="badge {}">{}{}</span>', look, icon(picture), name)


@register.filter
def found_by_name(way: str) -> str:
    """Return the name of the search method that found a question, as one word."""
    return str(FOUND_BY.get(way, way))


@register.filter
def with_lists(text: str) -> SafeString:
    r"""Format a text as paragraphs; lines that begin with a hyphen become a list.

    >>> with_lists("Accept it if:\n- it is clear\n- it is right")
    '<p>Accept it if:</p><ul><li>it is clear</li><li>it is right</li></ul>'
    """
    parts: list[str] = []
    for is_list, lines in groupby(text.splitlines(), key=lambda line: line.startswith("- ")):
        if is_list:
            items = format_html_join("", "<li>{}</li>", ((line[2:],) for line in lines))
            parts.append(format_html("<ul>{}</ul>", items))
        elif paragraph := "\n".join(lines).strip():
            parts.append(mark_safe(linebreaks(paragraph, autoescape=True)))  # noqa: S308 - it escapes the text
    return format_html_join("", "{}", ((part,) for part in parts))


@register.filter
def figure(value: Any) -> str:
    """Format a value of a run's result for display."""
    if isinstance(value, bool):
        return str("yes" if value else "no")
    if isinstance(value, float | int):
        return number_text(value)
    if value is None:
        return "–"
    if isinstance(value, dict):
        return ", ".join(f"{name}: {figure(part)}" for name, part in value.items())
    if isinstance(value, list):
        return ", ".join(figure(part) for part in value)
    return str(value)


@register.filter
def duration(seconds: float) -> str:
    """Format a number of seconds in its two most significant units."""
    return duration_text(seconds)


@register.simple_tag(takes_context=True)
def job_title(context: dict[str, Any], run: Run) -> str:
    """Return a job's title for the person viewing the page."""
    return run_title(run, user=context["user"])


@register.simple_tag
def retraining_notices() -> list[Retraining]:
    """Return the retrainings that ended and that no admin has read about."""
    return unread_retrainings()


@register.filter
def kind_title(capability: str) -> str:
    """Return the name of a kind of model; its word if it is of another version."""
    return CAPABILITIES[capability].title if capability in CAPABILITIES else capability


@register.filter
def lasted(run: Run) -> str:
    """Return how long a job took, including pauses, or how long ago it started."""
    if run.started_at is None:
        return ""
    return duration_text(((run.finished_at or timezone.now()) - run.started_at).total_seconds())


@register.filter
def all_but_last(path: Sequence[str]) -> Sequence[str]:
    """Return the ancestors of the concept that a path names."""
    return path[:-1]


@register.filter
def worth_showing(guesses: Sequence[Any]) -> list[Any]:
    """Return the two most probable concepts, and any others that are not nearly impossible."""
    return [guess for place, guess in enumerate(guesses) if place < 2 or is_likely(guess.probability)]


@register.filter
def is_likely(probability: float) -> bool:
    """Return whether a concept is probable enough to be accepted; `percent` writes "<1%" for others."""
    return probability >= 0.01


@register.simple_tag
def leading_difficulty(question: Question, leading: DifficultyFigure | None = None) -> DifficultyFigure | None:
    """Return `leading` if given, otherwise the difficulty that counts."""
    return leading or counted_difficulty(question)


@register.filter
def first_certain(figures: Sequence[DifficultyFigure]) -> DifficultyFigure | None:
    """Return the first informative figure: evidence comes before estimates, and estimates before labels."""
    return next((figure for figure in figures if not figure.is_uncertain), None)


@register.simple_tag(takes_context=True)
def add_to_list(
    context: dict[str, Any],
    question_id: int,
    look: str = "icon-link small",
    is_short: bool = False,
    said: str = "Add to a list",
) -> SafeString:
    """Render the link that adds a question to a list and returns to the current page.

    Args:
        is_short: show only an icon.
        said: the link text.
    """
    request = context["request"]
    end: str | None = getattr(request, "list_add_end", None)  # computed once per page
    if end is None:
        page = context.get("page_address") or request.get_full_path()  # a fragment names its page
        end = request.list_add_end = urlencode({"next": page})
    words = ("", f"{said} ") if is_short else (said, " ")
    return format_html(
        '<a class="{} no-print" href="{}?question={}&amp;{}">'
        '{}{}<span class="visually-hidden">{}(question {})</span></a>',
        look,
        _list_add(),
        question_id,
        end,
        icon("plus"),
        words[0],
        words[1],
        question_id,
    )


@cache
def _list_add() -> str:
    return reverse("list_add")


@register.simple_tag(takes_context=True)
def current(context: dict[str, Any], names: str) -> bool:
    """Return whether the current page has one of these URL names; a name ending in ``_`` is a prefix."""
    match = getattr(context.get("request"), "resolver_match", None)
    at = getattr(match, "url_name", None) or ""
    return any(at.startswith(name) if name.endswith("_") else at == name for name in names.split())


@register.filter
def suite_name(suite: str) -> str:
    """Return the display name of a suite of labelled pairs; for a file, its name."""
    return SUITES.get(suite, suite)


@register.filter
def operator_sign(operator: str) -> str:
    """Return the display form of an operator."""
    return SIGNS.get(operator, operator)


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
