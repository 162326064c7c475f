"""The geometry of charts: ranges, gaps, thinning, and looks that differ by more than colour."""

from __future__ import annotations

import math
import re
from itertools import pairwise

import pytest

from questionbank.core.charts import LOOKS, MARKERS, ROWS, interval_plot, line_chart, nice_ticks, thinned

NAN = math.nan


def places(path: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+) (-?[\d.]+)", path)]


@pytest.mark.parametrize("series", [[], [("loss", [])], [("loss", [(1, NAN)]), ("other", [(1, math.inf)])]])
def test_without_a_finite_value_the_chart_is_empty(series) -> None:
    chart = line_chart(series, title="Loss")
    assert chart.is_empty
    assert (chart.title, chart.rows, chart.x_ticks) == ("Loss", (), ())


def test_one_point_is_a_marker_in_the_middle_without_a_line() -> None:
    (curve,) = line_chart([("loss", [(10, 2.5)])]).curves
    assert curve.path == ""
    assert [(mark.x, mark.y) for mark in curve.marks] == [(50, 50)]
    assert curve.last == "2.5"


@pytest.mark.parametrize("value", [0.0, 3.0, -0.25, 1e-9])
def test_a_constant_series_is_a_level_line_between_the_ends_of_its_axis(value) -> None:
    chart = line_chart([("loss", [(0, value), (5, value), (10, value)])])
    (curve,) = chart.curves
    assert [x for x, _y in places(curve.path)] == [0, 500, 1000]
    heights = {y for _x, y in places(curve.path)}
    assert len(heights) == 1
    assert 0 < heights.pop() < 1000


@pytest.mark.parametrize(
    ("value", "low", "high", "place"), [(1.0, "0.9", "1", 0), (0.0, "0", "1", 1000), (0.5, "0.44", "0.56", 500)]
)
def test_the_axis_of_a_share_ends_where_shares_do(value, low, high, place) -> None:
    chart = line_chart([("accuracy", [(0, value), (5, value)])], within=(0, 1))
    labels = [tick.label for tick in chart.y_ticks]
    assert (labels[0], labels[-1]) == (low, high)
    assert {y for _x, y in places(chart.curves[0].path)} == {place}


def test_a_value_beyond_what_a_figure_can_have_is_drawn() -> None:
    chart = line_chart([("accuracy", [(0, 1.5), (5, 1.5)])], within=(0, 1))
    assert chart.y_ticks[-1].label == "1.5"


def test_the_largest_value_is_at_the_top_and_the_smallest_at_the_bottom() -> None:
    chart = line_chart([("loss", [(0, 4.0), (50, 2.0), (100, 0.0)])])
    assert places(chart.curves[0].path) == [(0, 0), (500, 500), (1000, 1000)]
    assert [(tick.label, tick.at) for tick in chart.y_ticks][:: len(chart.y_ticks) - 1] == [("0", 100), ("4", 0)]
    assert chart.x_ticks[0].at == 0
    assert chart.x_ticks[-1].label == "100"


def test_a_value_that_is_no_number_leaves_a_gap() -> None:
    points = [(0, 1.0), (1, 2.0), (2, NAN), (3, 1.0), (4, 2.0), (5, NAN), (6, 1.5)]
    chart = line_chart([("loss", points)])
    assert chart.curves[0].path.count("M") == 2
    assert chart.curves[0].last == "1.5"
    assert "nan" not in chart.curves[0].path
    assert chart.rows[2] == ("2", "–")
    assert len(chart.curves[0].marks) == 5


def test_a_curve_of_many_points_is_thinned_and_keeps_its_ends_and_spikes() -> None:
    points = [(step, math.sin(step / 500)) for step in range(20_000)]
    points[7_777] = (7_777, 9.0)
    points[12_345] = (12_345, -9.0)
    kept_points = thinned(points, 200)
    assert len(kept_points) <= 200
    assert (kept_points[0], kept_points[-1]) == (points[0], points[-1])
    assert {points[7_777], points[12_345]} <= set(kept_points)
    assert kept_points == sorted(kept_points)
    assert len(places(line_chart([("loss", points)]).curves[0].path)) <= 300


def test_few_points_are_not_thinned() -> None:
    points = [(step, step**2) for step in range(200)]
    assert thinned(points, 200) == points


def test_the_table_has_every_series_and_says_how_much_it_leaves_out() -> None:
    loss = [(float(step), 1 / (step + 1)) for step in range(1000)]
    chart = line_chart([("loss", loss), ("precision", [(999.0, 0.5)])])
    assert len(chart.rows) == ROWS
    assert chart.rows_left_out == 1000 - ROWS
    assert chart.rows[0] == ("0", "1", "")
    assert chart.rows[-1] == ("999", "0.001", "0.5")


def test_the_legend_has_the_last_value_unless_it_means_nothing() -> None:
    series = [("facility", [(1, 0.2), (2, 0.9)])]
    assert line_chart(series).curves[0].last == "0.9"
    assert line_chart(series, shows_last=False).curves[0].last == ""


def test_series_differ_by_marker_and_dash_and_not_by_colour_alone() -> None:
    chart = line_chart([(f"loss at rank {rank}", [(0, rank), (1, rank + 1)]) for rank in range(30)])
    assert len({(curve.look, curve.marker) for curve in chart.curves}) == 30
    assert {curve.marker for curve in chart.curves} == set(MARKERS)
    assert {curve.look for curve in chart.curves} == set(range(LOOKS))


def test_the_summary_says_in_numbers_what_the_picture_shows() -> None:
    chart = line_chart([("loss", [(0, 3.0), (1, 5.0), (2, 1.0), (3, 2.0)])])
    assert chart.summary == (("loss", "3", "2", "1", "5"),)


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3.2, 17), (1e-7, 2e-7), (0.999, 1.001), (0, 123_456)])
def test_ticks_enclose_the_range_and_are_evenly_spread(low, high) -> None:
    ticks = nice_ticks(low, high)
    assert ticks[0] <= low + 1e-12
    assert ticks[-1] >= high - 1e-12
    assert 3 <= len(ticks) <= 8
    steps = [after - before for before, after in pairwise(ticks)]
    assert max(steps) == pytest.approx(min(steps))


def test_an_interval_lies_around_the_middle_and_is_cut_at_the_bound() -> None:
    inside = interval_plot(0.01, -0.01, 0.03, bound=0.04)
    assert (inside.low, inside.at, inside.high) == (37.5, 62.5, 87.5)
    cut = interval_plot(0.5, 0.1, 0.9, bound=0.2)
    assert (cut.low, cut.at, cut.high) == (75, 100, 100)
    assert interval_plot(0, 0, 0, bound=0).at == 50
