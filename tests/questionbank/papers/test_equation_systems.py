"""A system of equations comes as one formula with a row for each equation, and pages can draw it."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from pathlib import Path

import pytest
from docx.oxml import parse_xml

from analytics.text.formulas import segment_text
from questionbank.formulas import formula_mathml
from questionbank.papers.documents import read_document
from questionbank.papers.paper_lines import Line
from tests.questionbank.papers.word_files import NS, WordFile, field_runs

ROWS = ("x+y=7", "2x-y=5")


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str, bytes], tuple[Line, ...]]:
    def read_bytes(name: str, data: bytes) -> tuple[Line, ...]:
        path = tmp_path / "file"
        path.write_bytes(data)
        return read_document(path, name).lines

    return read_bytes


def check(lines: tuple[Line, ...]) -> None:
    """Check that there are two questions, and that the first has one formula of two rows between its words."""
    assert [line.number for line in lines] == ["1.", "2."]
    before, formula, *behind = segment_text(lines[0].text)
    assert before.source == "Solve the system "
    assert [one.source for one in behind] in ([], [" for x."])
    drawn = formula_mathml(formula.body, display=formula.display)
    rows = [re.sub(r"<[^>]*>|[\s{\u2061-\u2064]", "", row) for row in drawn.split("<mtr>")[1:]]
    assert [row.replace("−", "-") for row in rows if row] == [*ROWS]


def run(text: str) -> str:
    return f'<m:r><m:t xml:space="preserve">{text}</m:t></m:r>'


def array(*rows: str) -> str:
    return f"<m:eqArr>{''.join(f'<m:e>{row}</m:e>' for row in rows)}</m:eqArr>"


def matrix(*rows: str) -> str:
    return f"<m:m>{''.join(f'<m:mr><m:e>{row}</m:e></m:mr>' for row in rows)}</m:m>"


def braced(inner: str) -> str:
    return f'<m:d><m:dPr><m:begChr m:val="{{"/><m:endChr m:val=""/></m:dPr><m:e>{inner}</m:e></m:d>'


def formula(*inner: str) -> str:
    return f"<m:oMath>{''.join(inner)}</m:oMath>"


def displayed(*formulas: str) -> str:
    return f"<m:oMathPara>{''.join(formulas)}</m:oMathPara>"


BREAK = "<m:r><w:br/></m:r>"
FIRST, SECOND = map(run, ROWS)
WORD = {
    "an array in a brace": formula(braced(array(FIRST, SECOND))),
    "a blank behind it": formula(braced(array(FIRST, SECOND)), run(" ")),
    "a matrix in a brace": formula(braced(matrix(FIRST, SECOND))),
    "aligned": formula(braced(array(run("x+y&amp;=7"), run("2x-y&amp;=5")))),
    "an array alone": formula(array(FIRST, SECOND)),
    "displayed": displayed(formula(braced(array(FIRST, SECOND)))),
    "several in one display": displayed(formula(FIRST, BREAK), formula(SECOND)),
    "a break within": displayed(formula(FIRST, BREAK, SECOND)),
    "a break in a run": formula('<m:r><m:t>x+y=7</m:t><w:br/></m:r>', SECOND),
    "several displays": displayed(formula(FIRST)) + displayed(formula(SECOND)),
    "several displays, broken": f"{displayed(formula(FIRST))}<w:r><w:br/></w:r>{displayed(formula(SECOND))}",
    "not built up": formula(run("{█(x+y=7@2x-y=5)┤")),
    "a field": field_runs(r"EQ \b\lc\{\rc\ (\a\al\co1(x+y=7,2x-y=5))"),
}  # fmt: skip


@pytest.mark.parametrize("case", WORD)
def test_a_system_of_word_is_one_formula(read: Callable[[str, bytes], tuple[Line, ...]], case: str) -> None:
    file = WordFile()
    paragraph = file.add("1. Solve the system ")
    for element in parse_xml(f"<w:p {NS}>{WORD[case]}</w:p>"):
        paragraph._p.append(element)
    file.add("2. Find y.")
    check(read("paper.docx", file.bytes()))


def test_a_long_equation_that_goes_on_in_the_next_line_stays_one(
    read: Callable[[str, bytes], tuple[Line, ...]],
) -> None:
    file = WordFile()
    file.add("1. So ")._p.append(parse_xml(f"<m:oMath {NS}>{run('x=2+3')}{BREAK}{run('=5')}</m:oMath>"))
    assert read("paper.docx", file.bytes())[0].text == "So $x = 2 + 3 = 5$"


_ROWS = "x+y&=7\\\\\n2x-y&=5\n"
LATEX = {
    "cases": "$\\begin{cases} x+y=7 \\\\ 2x-y=5 \\end{cases}$",
    "array": "\\[ \\left\\{\n\\begin{array}{l}\nx+y=7\\\\\n2x-y=5\n\\end{array}\n\\right. \\]",
    "a blank at its end": "$\\left\\{\\begin{array}{l} x+y=7 \\\\ 2x-y=5 \\end{array} \\right.\\ $",
    "align": f"\\begin{{align*}}\n{_ROWS}\\end{{align*}}",
    "aligned in dollars": f"$$\n\\left\\{{\\begin{{aligned}}\n{_ROWS}\\end{{aligned}}\\right.\n$$",
    "cases in an equation": "\\begin{equation}\n\\begin{cases}\nx+y=7\\\\\n2x-y=5\n\\end{cases}\n\\end{equation}",
    "gather": "\\begin{gather}\nx+y=7\\\\\n2x-y=5\n\\end{gather}",
    "numcases": "\\begin{numcases}{}\nx+y=7\\\\\n2x-y=5\n\\end{numcases}",
    "empheq": f"\\begin{{empheq}}[left=\\empheqlbrace]{{align*}}\n{_ROWS}\\end{{empheq}}",
    "systeme": r"$\systeme{x+y=7,2x-y=5}$",
}
PAPERS: dict[str, Callable[[str], str]] = {
    "paper.tex": lambda latex: (
        "\\documentclass{article}\\begin{document}\\begin{enumerate}"
        f"\\item Solve the system {latex} for x.\n\\item Find y.\\end{{enumerate}}\\end{{document}}"
    ),
    "page.html": lambda latex: f"<ol><li>Solve the system {escape(latex)} for x.</li><li>Find y.</li></ol>",
    "breaks.html": lambda latex: f"<p>1. Solve the system {escape(latex)} for x.</p><p>2. Find y.</p>".replace(
        "\n", "<br>"
    ),
    "paper.txt": lambda latex: f"1. Solve the system {latex} for x.\n2. Find y.",
    "paper.md": lambda latex: f"1. Solve the system {latex} for x.\n2. Find y.",
}


@pytest.mark.parametrize("name", PAPERS)
@pytest.mark.parametrize("case", LATEX)
def test_a_system_in_latex_is_one_formula(read: Callable[[str, bytes], tuple[Line, ...]], case: str, name: str) -> None:
    check(read(name, PAPERS[name](LATEX[case]).encode()))


def test_systems_that_one_kind_of_document_alone_has_are_read(read: Callable[[str, bytes], tuple[Line, ...]]) -> None:
    check(read("paper.tex", PAPERS["paper.tex"](r"\systeme{x+y=7,2x-y=5}").encode()))
    script = f'<script type="math/tex">{LATEX["cases"].strip("$")}</script>'
    check(read("paper.txt", PAPERS["paper.txt"]("{█(x+y=7@2x-y=5)┤").encode()))
    check(read("page.html", f"<p>1. Solve the system {script} for x.</p><p>2. Find y.</p>".encode()))


def test_a_formula_that_never_ends_takes_no_line_with_it(read: Callable[[str, bytes], tuple[Line, ...]]) -> None:
    text = "1. Solve \\[ x = 2\n2. Find $y$.\n3. It costs $5.\n4. It costs $$6."
    assert [line.number for line in read("paper.txt", text.encode())] == ["1.", "2.", "3.", "4."]


def test_escaped_signs_of_markdown_leave_formulas_alone(read: Callable[[str, bytes], tuple[Line, ...]]) -> None:
    (line,) = read("paper.md", rb"1\. Is \(x\_1 > 2\) \*always\*?")
    assert line.text == r"Is \(x\_1 > 2\) *always*?"
