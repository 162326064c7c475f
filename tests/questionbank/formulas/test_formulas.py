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


@pytest.mark.parametrize(
    ("latex", "characters"),
    [
        (r"\require{cancel}\cancel{x}", "x"),
        (r"x \in \N, \Z, \Q, \R, \C", "x∈ℕ,ℤ,ℚ,ℝ,ℂ"),
        (r"\SI{50}{\kilo\metre\per\hour}", "50km/h"),
        (r"\qty{9.81}{\metre\per\square\second}", "9.81m/s2"),
        (r"\qty{10}{\kilo\metre}", "10km"),
        (r"\SI{3e8}{m/s}", "3×108m/s"),
        (r"\unit{\newton\metre}", "Nm"),
        (r"\num{1234567.5}", "1234567.5"),
        (r"\num{-2.5e-3}", "−2.5×10−3"),
        (r"\num{1,5}", "1,5"),
        (r"\ang{90}", "90∘"),
        (r"\ang{12;30;15}", "12∘30′15″"),
        (r"\SI{20}{\degreeCelsius}", "20°C"),
        (r"\SI{15}{\percent}", "15%"),
        (r"\ce{2H2 + O2 -> 2H2O}", "2H2+O2→2H2O"),
        (r"\mathop{\rm argmin}_x f", "argminxf"),
        (r"\operatorname*{arg\,max}_{x} f", "arg maxxf"),
        (r"\mbox{if } x", "if x"),
        (r"\nicefrac{1}{2}", "¹⁄₂"),
        (r"\longdivision{12}{3}", "312"),
        (r"12\enclose{longdiv}{48}", "1248"),
        (r"\enclose{updiagonalstrike}{x}", "x"),
        (r"\Bigg\{ x \Bigg\}", "{x}"),
        (r"a \hfill b \hphantom{c}", "abc"),
        (r"\raisebox{2pt}{x}y", "xy"),
        (r"x \label{eq:1} \nonumber", "x"),
        (r"x &lt; 3 &nbsp; y &gt; 2", "x<3 y>2"),
        (r"1{,}000 + 10,\!000 + 1,234", "1,000+10,000+1,234"),
        (r"0.3 + .5", "0.3+.5"),
        (r"\text{Let $n$ be even}", "Let n be even"),
        (r"\cases{1 & if $x>0$\cr 0 & otherwise\cr}", "{1if x>00otherwise"),
        (r"\pmatrix{1&2\cr 3&4}", "(1234)"),
        (r"\begin{pmatrix}1&2\3&-4\end{pmatrix}", "(123−4)"),
        (r"\left { 1,2 \right }", "{1,2}"),
        (r"a \textless b \textbar c \text{d \textgreater{} e}", "a<b|cd > e"),
        (r"\root 3 \of {x}", "x3"),
        (r"15 % of 60\textbackslash\%", "15%of60%"),
        (r"\abs{x}+\norm{v}", "|x|+‖v‖"),
        (r"\color{red}{x}\textcolor{blue}{y}\colorbox{yellow}{z}", "xyz"),
        (r"\begin{array}{r@{=}l} x & 1 \\ y & 2 \end{array}", "x=1y=2"),
        (r"3+4=\underline{\hspace{2cm}}", "3+4=____"),
        (r"x=____", "x=____"),
        (r"\lcm(4,6)", "lcm(4,6)"),
        (r"4$5", "4$5"),
        (r"\begin{tabular}{c|c} $x$ & a \\ [.1cm] $y$ & b \\$z$ & c\end{tabular}", "xaybzc"),
    ],
)
def test_what_people_type_is_drawn_with_all_of_its_content(latex: str, characters: str) -> None:
    assert text(latex) == characters


@pytest.mark.parametrize(
    ("latex", "markup"),
    [
        (r"\overline{142857}", r'<mover [^>]*class="wide-bar"><mn>142857</mn><mo'),
        (r"\underline{x+y}", r"<munder [^>]*wide-bar-below"),
        (r"\widehat{ABC}", r"<mover [^>]*wide-hat"),
        (r"\widetilde{ABC}", r"<mover [^>]*wide-tilde"),
        (r"\hat{x}", r"<mover><mi>x</mi>"),
        (r"\overrightarrow{CD}", r'<mo stretchy="true"[^>]*>→'),
        (r"\xrightarrow{\text{divide}}", r'<mover><mo stretchy="true"[^>]*>→'),
        (r"\overset{\frown}{AB}", r'<mo stretchy="true"[^>]*>⏜'),
        (r"\overset{a}{x}", r"<mover><mi>x</mi><mi>a</mi></mover>"),
        (r"\operatorname*{arg\,max}_{x} f", r"<munder><mi>arg.max</mi>"),
        (r"\displaystyle\sum_{i=1}^n i", r"<munderover><mo[^>]*>∑"),
        (r"\begin{rcases} a \\ b \end{rcases}", r"</mtable><mo[^>]*>}</mo>"),
        (r"\begin{pmatrix*}[r] -1 \\ 2 \end{pmatrix*}", r'<mtd class="tml-right'),
        (r"\textbf{v}", '<mtext class="formula-bold">v</mtext>'),
        (r"\textbf{Größe 12}", '<mtext class="formula-bold">Größe\u00a012</mtext>'),
        (r"\textit{für}", '<mtext class="formula-italic">für</mtext>'),
        ("f'(x)", '<mi>f</mi><mo form="postfix">′</mo>'),
        ("f''^2", '<msup><mrow><mi>f</mi><mo form="postfix">′</mo><mo form="postfix">′</mo></mrow><mn>2</mn>'),
        ("x_1'", '<msub><mi>x</mi><mn>1</mn></msub><mo form="postfix">′</mo>'),
        ("x=-2", '<mo form="prefix" stretchy="false">−</mo><mn>2</mn>'),
        (r"\rule{2cm}{1pt}", '<mspace class="formula-rule"|<mspace [^>]*class="formula-rule"'),
        (r"a\!b", '<mrow class="kern-3">'),
        (r"\cancel{3}", '<menclose notation="updiagonalstrike">'),
        (r"\longdiv{125}", '<menclose notation="longdiv"'),
        (r"(1,2)", r'<mn>1</mn><mo separator="true">,</mo><mn>2</mn>'),
        (r"(1,200)", r'<mn>1</mn><mo separator="true">,</mo><mn>200</mn>'),
        (r"1,200", r"<mn>1,200</mn>"),
        (r"\mathbb{R}", "<mi>ℝ</mi>"),
    ],
)
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


@pytest.mark.parametrize(
    ("latex", "rules"),
    [
        (r"\begin{array}{c|c}1&2\end{array}", [["rule-after"], []]),
        (r"\begin{array}{|c|}1\end{array}", [["rule-after", "rule-before"]]),
        (r"\begin{array}{c}1\\\hline 2\end{array}", [["rule-below"], []]),
        (r"\begin{array}{c}\toprule 1\\ \bottomrule\end{array}", [["rule-above", "rule-below"]]),
        (r"\begin{array}{c}1\\ \hdashline 2\end{array}", [["rule-below-dashed"], []]),
        (r"\begin{array}{rl} x & 5 \\ \cline{1-2} y & 4 \end{array}", [[], [], ["rule-above"], ["rule-above"]]),
        (r"\begin{array}{rl} x & 5 \\ \cline{2-2} \end{array}", [[], ["rule-below"]]),
    ],
)
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


@pytest.mark.parametrize(
    ("latex", "characters"),
    [
        (r"\newcommand{\R}{\mathbb{R}} f:\R\to\R", "f:ℝ→ℝ"),
        (r"\def\v#1{\vec{#1}} \v a", "a→"),
        (r"\newcommand{\p}[2][2]{#2^{#1}} \p{x}+\p[3]{y}", "x2+y3"),
        (r"\let\al=\alpha \al", "α"),
        (r"\renewcommand{\vec}[1]{\mathbf{#1}} \vec{v}", "𝐯"),
        (r"\DeclareMathOperator*{\opt}{opt} \opt_x", "optx"),
    ],
)
def test_each_way_to_define_is_read(latex: str, characters: str) -> None:
    assert text(latex) == characters


@pytest.mark.parametrize(
    "latex",
    [
        r"\foo{x}",
        "x^",
        r"\frac{1}",
        "a & b",
        r"x^2^3",
        r"\href{javascript:alert(1)}{x}",
        r"\style{color:red}{x}",
        r"\class{x}{y}",
        r"\includegraphics{a.png}",
        r"\input{/etc/passwd}",
        r"\ref{eq:1}",
        r"\SI{5}{\parrot}",
        r"\enclose{spiral}{x}",
        "",
        "x\x07",
        "{" * 41 + "}" * 41,
        "x" * 5_001,
    ],
)
def test_what_cannot_be_drawn_is_refused(latex: str) -> None:
    with pytest.raises(FormulaRefused):
        formula_mathml(latex)


@pytest.mark.parametrize(
    "latex",
    [
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
