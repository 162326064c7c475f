r"""What people type becomes what they mean, within limits, or is refused."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from questionbank.formulas import FormulaRefused, draw_formula, formula_mathml, split_definitions
from questionbank.formulas.source import prepare
from tests.cases import each_case

_TAGS = re.compile(r"<[^>]*>")
_LATEX = re.compile(r' data-latex="[^"]*"')


def drawn(latex: str, *, display: bool = False, definitions: str = "") -> str:
    return _LATEX.sub("", formula_mathml(latex, display=display, definitions=definitions))


def text(latex: str) -> str:
    """Return the characters of a formula."""
    return unescape(_TAGS.sub("", drawn(latex))).replace("\u00a0", " ").replace("\u2009", " ")


def cells(latex: str) -> list[list[set[str]]]:
    """Return the classes of each cell, by row."""
    rows = re.findall(r"<mtr[^>]*>(.*?)</mtr>", formula_mathml(latex))
    return [[set(match.split()) for match in re.findall(r'<mtd(?:[^>]*class="([^"]*)")?[^>]*>', row)] for row in rows]


@each_case("drawn_formulas", "characters")
def test_what_people_type_is_drawn_with_all_of_its_content(latex: str, characters: str) -> None:
    assert text(latex) == characters


@each_case("drawn_formulas", "markup")
def test_what_covers_stretches_or_spaces_is_marked_up_so(latex: str, markup: str) -> None:
    assert re.search(markup, drawn(latex)), drawn(latex)


def test_the_commands_of_school_and_first_year_mathematics_are_drawn_or_refused_with_a_reason() -> None:
    lines = (Path(__file__).parent / "commands.tsv").read_text(encoding="utf-8").splitlines()
    expected = dict(line.split("\t") for line in lines if not line.startswith("#"))
    found = {}
    for latex in expected:
        try:
            found[latex] = re.sub(r"\s", " ", text(latex))
        except FormulaRefused as refusal:
            found[latex] = "! " + re.sub(r" at (?:position|end).*", "", str(refusal))
    assert len(expected) >= 200
    assert {latex: (found[latex], seen) for latex, seen in expected.items() if found[latex] != seen} == {}


def test_the_columns_of_an_array_are_aligned_as_its_letters_say() -> None:
    left, centre, right = cells(r"\begin{array}{lcr}1&2&3\end{array}")[0]
    assert "tml-left" in left
    assert not {"tml-left", "tml-right"} & centre
    assert "tml-right" in right
    assert len(cells(r"\begin{array}{*{2}{r}p{2cm}>{\bf}c}1&2&3&4\end{array}")[0]) == 4


@each_case("drawn_formulas", "rules")
def test_the_rules_of_a_table_are_drawn_where_they_stand(latex: str, rules: list[list[str]]) -> None:
    found = [sorted(name for name in cell if name.startswith("rule")) for row in cells(latex) for cell in row]
    assert found == rules


def test_a_cell_over_two_columns_spans_them() -> None:
    html = drawn(r"\begin{array}{ccc} \multicolumn{2}{r}{xy} & q \\ 1&2&3 \end{array}")
    first, second = re.findall(r"<mtr>(.*?)</mtr>", html)
    assert re.search(r'<mtd [^>]*columnspan="2"', first)
    assert (first.count("<mtd"), second.count("<mtd")) == (2, 3)


@pytest.mark.parametrize(
    "name", ["align", "align*", "aligned", "split", "eqnarray*", "flalign", "alignat*", "gather", "multline"]
)
@pytest.mark.parametrize("display", [True, False])
def test_environments_of_displayed_formulas_are_drawn_wherever_they_stand(name: str, display: bool) -> None:
    rows = r"a=b\\c=d" if name in {"gather", "multline"} else r"a&=b\\c&=d"
    argument = "{1}" if name.startswith("alignat") else ""
    assert drawn(rf"\begin{{{name}}}{argument}{rows}\end{{{name}}}", display=display).count("<mtr>") == 2


def test_a_number_of_an_equation_stands_at_the_margin_or_apart_in_a_line() -> None:
    assert "tml-wide" in drawn(r"E=mc^2 \tag{3}", display=True)
    assert text(r"E=mc^2 \tag{3}").endswith("(3)")


def test_definitions_hold_for_the_formulas_behind_them_and_no_others() -> None:
    own, rest = split_definitions(r"\newcommand{\half}[1]{\frac{#1}{2}} \DeclareMathOperator{\Foo}{foo} x")
    assert rest.split() == ["x"]
    assert "<mfrac>" in drawn(r"\half{3}", definitions=own)
    assert "foo" in drawn(r"\Foo y", definitions=own)
    with pytest.raises(FormulaRefused):
        formula_mathml(r"\half{3}")


@each_case("drawn_formulas", "refused")
def test_what_cannot_be_drawn_is_refused(latex: str) -> None:
    with pytest.raises(FormulaRefused):
        formula_mathml(latex)


@pytest.mark.parametrize(
    "latex",
    [
        "{" * 41 + "}" * 41,
        "x" * 5_001,
        r"\def\a{\a}\a",
        r"\def\a#1{\a{#1#1}}\a{x}",
        "".join(rf"\def\{chr(97 + n)}{{\{chr(98 + n)}\{chr(98 + n)}}}" for n in range(20)) + r"\a",
        r"\sqrt" * 900,
        r"\left(" * 41 + r"\right)" * 41,
        "{" * 100_000,
        r"\def\a{" * 900,
        r"\begin{array}{c}" * 39,
        r"x^{" * 40,
        "$" * 4_000,
        r"\underline{" + "~" * 4_000,
        r"\root " + "x" * 4_000,
    ],
)
def test_what_grows_without_end_is_given_up(latex: str) -> None:
    with pytest.raises(FormulaRefused):
        formula_mathml(latex)


PIECES = (
    r"\frac \text{a<b} \sqrt { } ^ _ x 2 \left( \right) & \\ \begin{cases} \end{cases} \begin{array}{c|c} \end{array} "
    r"\multicolumn{2}{c} \cline{1-2} \hline \overline \cases{ \cr $ \def\a#1 \a \SI{1}{\m} &lt; , \! ____ \root \of "
    r"\tag{1} ' %"
).split()


@given(st.lists(st.sampled_from(PIECES), max_size=25))
@settings(max_examples=200, deadline=None)
def test_any_input_is_prepared_and_drawn_or_refused(pieces: list[str]) -> None:
    latex = " ".join(pieces)
    assert isinstance(prepare(latex, display=False), str)
    try:
        html = draw_formula(latex)
    except FormulaRefused:
        return
    assert html.startswith("<math ")
    assert "\U000f0000" not in html.split(">", 1)[1]
