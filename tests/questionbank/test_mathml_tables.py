"""Rules and alignment of arrays, aligned equations, matrices."""

from __future__ import annotations

import re

import pytest
from django.conf import settings

from questionbank.mathml import formula_mathml
from questionbank.mathml_tables import TABLE_CLASSES


def cells(latex: str) -> list[list[set[str]]]:
    """Return the classes of each cell, by row."""
    rows = re.findall(r"<mtr>(.*?)</mtr>", formula_mathml(latex))
    return [[set(match.split()) for match in re.findall(r'<mtd(?: class="([^"]*)")?>', row)] for row in rows]


def test_the_columns_of_an_array_are_aligned_as_its_letters_say() -> None:
    assert cells(r"\begin{array}{lcr}1&2&3\end{array}") == [[{"cell-left"}, set(), {"cell-right"}]]
    assert cells(r"\begin{array}{*{2}{r}p{2cm}}1&2&3\end{array}") == [
        [{"cell-right"}, {"cell-right"}, {"cell-left"}]
    ]


def test_bars_between_columns_are_drawn() -> None:
    assert cells(r"\left(\begin{array}{cc|c}1&2&3\end{array}\right)") == [[set(), set(), {"rule-before"}]]
    assert cells(r"\begin{array}{|c|}1\end{array}") == [[{"rule-before", "rule-after"}]]


def test_each_hline_is_drawn_where_it_stands() -> None:
    above, below = {"rule-above"}, {"rule-below"}
    assert cells(r"\begin{array}{c}1\\\hline 2\\3\end{array}") == [[set()], [above], [set()]]
    assert cells(r"\begin{array}{c}\hline 1\\2\\\hline\end{array}") == [[above], [below]]
    assert cells(r"\begin{array}{c}\hline\hline 1\\ \hline 2\\[2pt] \hline\end{array}") == [
        [above],
        [above | below],
    ]


def test_each_array_has_its_own_columns() -> None:
    assert cells(
        r"\begin{array}{c|c}1&2\end{array}+\begin{array}{cc}3&4\end{array}+\begin{array}{|c}5\end{array}"
    ) == [
        [set(), {"rule-before"}],
        [set(), set()],
        [{"rule-before"}],
    ]


@pytest.mark.parametrize("name", ["align", "align*", "aligned", "split", "eqnarray*", "flalign"])
def test_equations_are_aligned_at_their_relation(name: str) -> None:
    latex = rf"\begin{{{name}}}a&=b\\c+d&=-e\end{{{name}}}"
    assert 'class="formula-aligned"' in formula_mathml(latex)
    assert cells(latex) == [[{"cell-right"}, {"cell-left"}]] * 2


@pytest.mark.parametrize(
    "latex", ["\\begin{aligned}[t]a&=b\\end{aligned}", "\\begin{align*}\n[a]&=b\\end{align*}"]
)
def test_a_bracket_behind_the_beginning_is_read(latex: str) -> None:
    assert len(cells(latex)[0]) == 2
    assert ("[" in re.sub("<[^>]*>", "", formula_mathml(latex))) == ("[a]" in latex)


def test_characters_that_stand_for_rules_inside_are_dropped_from_what_people_write() -> None:
    assert cells("\\begin{array}{c}\ue000\ue100 1\\end{array}") == [[set()]]
    assert "\ue000" not in formula_mathml("a\ue000").split(">", 1)[1]


def test_the_style_sheet_draws_every_class() -> None:
    sheet = (settings.BASE_DIR / "static" / "css" / "formulas.css").read_text()
    for classes in TABLE_CLASSES.values():
        for name in classes:
            assert f".{name}" in sheet
