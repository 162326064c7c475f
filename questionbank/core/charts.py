"""Geometry of the server-rendered charts and of the points on the map."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from questionbank.core.wording import number_text

Point = tuple[float, float]

LOOKS = 6  # combinations of dash pattern and colour in the style sheet
MARKERS = ("circle", "square", "triangle", "diamond", "cross")  # with LOOKS, 30 distinct series
POINTS = 300  # approximate number of points per curve
MARKS = 8  # markers per curve
ROWS = 40  # rows of the table
EXTENT = 1000  # size of the drawing area in path units


@dataclass(frozen=True, slots=True)
class Tick:
    """An axis label; `at` in per cent from the left or from the top."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A marker; `x` and `y` in per cent from the left and from the top."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Curve:
    """One series as drawn.

    Attributes:
        name: name in the legend.
        look: number of its dash pattern and colour.
        marker: one of `MARKERS`.
        path: SVG path in `EXTENT` by `EXTENT` units; empty if there is no line to draw.
        marks: positions of the markers; the last value always has one.
        last: the last value as text; empty if the legend does not show it.
    """

    name: str
    look: int
    marker: str
    path: str
    marks: tuple[Mark, ...]
    last: str


@dataclass(frozen=True, slots=True)
class LineChart:
    """The data that a template needs to draw curves.

    Attributes:
        rows: of the table: a value of x, then the value of each series ("" if it has none).
        rows_left_out: number of x values that the table omits.
        summary: for people who cannot see the chart: each series' name, first, last, smallest and largest value.
    """

    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    rows: tuple[tuple[str, ...], ...]
    rows_left_out: int
    summary: tuple[tuple[str, str, str, str, str], ...]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not self.curves


@dataclass(frozen=True, slots=True)
class Interval:
    """A difference with its interval on a line from -bound to +bound, in per cent from the left."""

    at: float
    low: float
    high: float


def line_chart(
    series: Iterable[tuple[str, Sequence[Point]]],
    *,
    title: str = "",
    x_label: str = "",
    y_label: str = "",
    within: tuple[float, float] = (-math.inf, math.inf),
    shows_last: bool = True,
) -> LineChart:
    """Lay out curves over common axes.

    Series without a finite value are left out; a non-finite value leaves a gap in its line. A curve with many
    points is thinned to what is visible; the axes cover all points.

    Args:
        series: (name, points) in the order of the legend; each series' points in ascending order of x.
        title: what the chart shows.
        x_label: label of the x axis.
        y_label: label of the y axis.
        within: smallest and largest possible value, such as 0 and 1 for a share; the margin around a flat line is
            clipped to it.
        shows_last: whether the legend shows each series' last value; where x is no time, it means nothing.
    """
    picked = [(name, list(points)) for name, points in series if any(math.isfinite(value) for _x, value in points)]
    if not picked:
        return LineChart(title, x_label, y_label, (), (), (), (), 0, ())
    finite = [point for _name, points in picked for point in points if math.isfinite(point[1])]
    x_low, x_high = _range(x for x, _value in finite)
    y_low, y_high = _range((value for _x, value in finite), within)
    y_values = nice_ticks(y_low, y_high)
    y_low, y_high = min(y_low, y_values[0]), max(y_high, y_values[-1])

    def place(point: Point) -> Point:
        return (point[0] - x_low) / (x_high - x_low), (y_high - point[1]) / (y_high - y_low)

    curves = []
    for number, (name, points) in enumerate(picked):
        drawn = [place(point) for point in points if math.isfinite(point[1])]
        curves.append(
            Curve(
                name=name,
                look=number % LOOKS,
                marker=MARKERS[number % len(MARKERS)],
                path=" ".join(_path([place(point) for point in thinned(run)]) for run in _unbroken(points)).strip(),
                marks=tuple(Mark(round(100 * x, 2), round(100 * y, 2)) for x, y in _picked(drawn, MARKS)),
                last=_last_text(points) if shows_last else "",
            )
        )
    rows, left_out = _table(picked)
    return LineChart(
        title=title,
        x_label=x_label,
        y_label=y_label,
        curves=tuple(curves),
        x_ticks=tuple(
            Tick(round(100 * place((value, y_low))[0], 2), number_text(value))
            for value in nice_ticks(x_low, x_high)
            if x_low <= value <= x_high
        ),
        y_ticks=tuple(Tick(round(100 * place((x_low, value))[1], 2), number_text(value)) for value in y_values),
        rows=rows,
        rows_left_out=left_out,
        summary=tuple(_summary(name, points) for name, points in picked),
    )


def _last_text(points: Sequence[Point]) -> str:
    return number_text(next(value for _x, value in reversed(points) if math.isfinite(value)))


def interval_plot(difference: float, low: float, high: float, *, bound: float) -> Interval:
    """Place a difference and its interval on a line centred on 0; values beyond the bound are clipped."""

    def place(value: float) -> float:
        share = value / bound if bound > 0 else 0.0
        return round(50 + 50 * min(max(share, -1.0), 1.0), 2)

    return Interval(at=place(difference), low=place(low), high=place(high))


def nice_ticks(low: float, high: float) -> tuple[float, ...]:
    """Return about five round values that enclose low..high.

    >>> nice_ticks(0.13, 0.87)
    (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    >>> nice_ticks(0, 450)
    (0.0, 100.0, 200.0, 300.0, 400.0, 500.0)
    """
    rough = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    digits = max(0, 1 - math.floor(math.log10(step)))
    return tuple(round(number * step, digits) + 0.0 for number in range(first, last + 1))


def thinned(points: Sequence[Point], size: int = POINTS) -> list[Point]:
    """Return at most about `size` points that draw the same curve: the first, the last and the extremes between.

    Each stretch of the curve keeps its smallest and its largest value, so that no spike is lost.
    """
    if len(points) <= size:
        return list(points)
    inner, stretches = points[1:-1], max(1, (size - 2) // 2)
    points_kept = [points[0]]
    for number in range(stretches):
        stretch = inner[number * len(inner) // stretches : (number + 1) * len(inner) // stretches]
        if stretch:
            points_kept += sorted({min(stretch, key=lambda point: point[1]), max(stretch, key=lambda point: point[1])})
    return [*points_kept, points[-1]]


def _range(values: Iterable[float], within: Point = (-math.inf, math.inf)) -> Point:
    """Return the smallest and largest value; equal values get a margin, which does not exceed `within`."""
    numbers = list(values)
    low, high = min(numbers), max(numbers)
    if high - low > 1e-9 * max(abs(low), abs(high)):
        return low, high
    margin = 0.1 * abs(low) or 1.0
    least, most = within
    return max(low - margin, min(low, least)), min(high + margin, max(high, most))


def _unbroken(points: Sequence[Point]) -> list[list[Point]]:
    runs: list[list[Point]] = [[]]
    for point in points:
        if math.isfinite(point[1]):
            runs[-1].append(point)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if len(run) > 1]


def _path(places: Sequence[Point]) -> str:
    return "M" + " ".join(f"{EXTENT * x:.1f} {EXTENT * y:.1f}" for x, y in places)


def _picked(items: Sequence[Point], size: int) -> list[Point]:
    """Return evenly spaced items, always including the last."""
    if len(items) <= size:
        return list(items)
    return [items[round(number * (len(items) - 1) / (size - 1))] for number in range(size)]


def _table(series: Sequence[tuple[str, Sequence[Point]]]) -> tuple[tuple[tuple[str, ...], ...], int]:
    columns = [dict(points) for _name, points in series]
    places = sorted({x for column in columns for x in column})
    positions = [x for x, _same in _picked([(x, x) for x in places], ROWS)]
    rows = tuple(
        (number_text(x), *(number_text(column[x]) if x in column else "" for column in columns)) for x in positions
    )
    return rows, len(places) - len(positions)


def _summary(name: str, points: Sequence[Point]) -> tuple[str, str, str, str, str]:
    values = [value for _x, value in points if math.isfinite(value)]
    first, last, smallest, largest = values[0], values[-1], min(values), max(values)
    return name, number_text(first), number_text(last), number_text(smallest), number_text(largest)


SHAPES = (  # as drawn by static/js/map.js; the colour's number modulo len(SHAPES) selects one
    "M8 2a6 6 0 1 0 .01 0z",
    "M3 3h10v10H3z",
    "M8 2l6.5 11.5h-13z",
    "M8 1.5 14.5 8 8 14.5 1.5 8z",
)
