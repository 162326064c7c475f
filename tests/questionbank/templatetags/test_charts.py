"""What the tags for charts write."""

from __future__ import annotations

import re

from django.template import Context, Template

from questionbank.core.charts import line_chart
from questionbank.templatetags.pages import difference_interval


def drawn(chart) -> str:
    return Template("{% load pages %}{% line_chart chart 'losses' %}").render(Context({"chart": chart}))


def test_a_chart_has_a_name_a_description_and_a_table_with_the_same_numbers() -> None:
    page = drawn(
        line_chart(
            [("total", [(0, 4.0), (10, 2.5)]), ("rank <1>", [(0, 1.0), (10, 0.5)])],
            title="Loss",
            x_label="Step",
            y_label="Loss",
        )
    )
    assert '<title id="losses-title">Loss</title>' in page
    assert "total: from 4 to 2.5, between 2.5 and 4." in page
    assert "rank &lt;1&gt;" in page
    assert "<1>" not in page
    assert re.search(r'<th class="number" scope="row">10</th>\s*<td class="number">2.5</td>', page)
    assert "chart-look-0" in page
    assert "chart-look-1" in page


def test_numbers_of_a_picture_do_not_follow_the_language(settings) -> None:
    settings.USE_THOUSAND_SEPARATOR = True
    page = drawn(line_chart([("total", [(0, 1.0), (3, 2.0)])]))
    assert not re.search(r'(?:x|y|d)="[^"]*,', page)


def test_an_empty_chart_says_so() -> None:
    page = drawn(line_chart([], title="Loss"))
    assert "No values yet." in page
    assert "<svg" not in page


def test_an_interval_that_excludes_no_difference_looks_different() -> None:
    assert "interval-clear" in difference_interval(0.02, 0.01, 0.03, 0.05)
    assert "interval-clear" in difference_interval(-0.02, -0.03, -0.01, 0.05)
    unclear = difference_interval(0.01, -0.01, 0.03, 0.05)
    assert "interval-clear" not in unclear
    assert 'x="40.0%" width="40.0%"' not in unclear
    assert 'cx="60.0%"' in unclear
