"""HTML and LaTeX."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import zipfile

import pytest

from questionbank.core.errors import PrintingRefused
from questionbank.papers.pandoc import run_pandoc
from questionbank.worksheets.printing.html import worksheet_html
from questionbank.worksheets.printing.latex import worksheet_latex
from questionbank.worksheets.printing.markup import read_markup
from questionbank.worksheets.printing.pdf import worksheet_pdf
from questionbank.worksheets.printing.word import worksheet_docx
from questionbank.worksheets.sheet import LABELS, PaperSize, Sheet, SheetItem, SheetSection, labels_for
from tests.pictures import png
from tests.questionbank.worksheets.printing.reading import pdf_text, shown_text, words
from tests.questionbank.worksheets.printing.samples import public_formulas

ITEM = SheetItem(
    "3",
    "Find $x^2$ in **bold**:\n\n- one\n- two\n\n| a | $\\frac12$ |\n| b | 5 % |\n\n![dot](dot.png) ____",
    options=(("A", "5 & 6"), ("B", "$2$")),
    parts=(SheetItem("(a)", "Why?", points=1, answer="So."),),
    points=2.5,
    answer="$4$",
    solution="It is $2^2$.",
    answer_lines=2,
    stimulus="Shared text.",
)
HOSTILE = [
    r"\input{/etc/passwd} \write18{rm} 100% #1 $ ~^_ {",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "--- [x] | \\\\ \\end{document}",
]


def sheet(item: SheetItem = ITEM, **changes: object) -> Sheet:
    values = {"title": "Test", "sections": (SheetSection((item,)),), "pictures": {"dot.png": png()}}
    return Sheet(**values | changes)


def latex(*sheets: Sheet) -> tuple[str, list[str]]:
    with zipfile.ZipFile(io.BytesIO(worksheet_latex(sheets))) as archive:
        return archive.read("worksheet.tex").decode(), archive.namelist()


@pytest.mark.parametrize("write", [worksheet_html, worksheet_docx, worksheet_latex, worksheet_pdf])
def test_a_key_tells_the_answer_of_a_description_and_which_numbers_did_not_change(write):
    for package in ("typst", "pypandoc"):
        pytest.importorskip(package)
    told = SheetItem("", "Use a ruler.")
    solved = SheetItem("", "Look at this.", solution="Shown.")
    asked = SheetItem("1", "Why?")
    sections = (SheetSection((told,), "Before"), SheetSection((told, asked, solved), "Then"))
    key = sheet(sections=sections, shows_key=True, shows_solutions=True, same_numbers="1 (not in English)", version="B")
    data = write([key])
    if write is worksheet_pdf:
        said = "".join(pdf_text(data))
    elif write is worksheet_docx:
        said = run_pandoc(data, "docx", "plain").decode()
    else:
        said = latex(key)[0] if write is worksheet_latex else data.decode()
    assert said.count("No answer is known.") == 1
    assert "Same numbers as version A: 1 (not in English)." in " ".join(said.split())
    assert "Shown." in said
    assert "ruler" not in said
    assert "\\begin{description}\n\n" not in said


def test_html_needs_no_other_file_and_says_everything():
    html = worksheet_html([sheet(version="A", total_points=3), sheet(shows_key=True, shows_solutions=True)]).decode()
    assert not re.search(r'(?:src|href)="(?!data:image/png;base64,)', html)
    body = read_markup(html.split("</head>")[1])
    said = words(shown_text(body))
    assert set(words("Find bold one two Shared text Why Version Total Name Class Date Solution")) <= set(said)
    question, key = body.iterate("section")
    assert "It is" not in question.text()
    assert "It is" in key.text()
    assert "Why?" not in key.text()


def test_latex_has_questions_points_options_and_pictures():
    source, names = latex(sheet(paper=PaperSize.LETTER, columns=2), sheet(shows_key=True, shows_solutions=True))
    assert names == ["worksheet.tex", "pictures/picture-1.png"]
    for piece in (
        "letterpaper", "{multicols}{2}", r"\setcounter{question}{2}", r"\question Find $x^2$ in \textbf{bold}:",
        r"\item one",
        r"a & $\frac12$ \\ \hline", r"b & 5 \%", "{pictures/picture-1.png}", r"\item[{A.}] 5 \& 6", r"\part[1] Why?",
        "[Total: 2.5]",
        r"\fillwithlines{17mm}", r"\uplevel{Shared text.}", r"\item[{3}] $4$", "It is $2^2$.",
    ):  # fmt: skip
        assert piece in source
    assert source.count("{") == source.count("}")


@pytest.mark.parametrize("language", LABELS)
def test_a_worksheet_is_labelled_in_the_language_of_its_questions(language):
    labels = labels_for(f"{language}-XX")
    assert labels == LABELS[language]
    assert all(labels.data().values())
    assert labels.page.format(page=1, pages=2) != labels.page
    html = worksheet_html([sheet(language=language, shows_key=True), sheet(language=language)]).decode()
    assert all(word in html for word in (labels.name, labels.date, labels.key))


def test_equal_worksheets_give_equal_bytes():
    assert worksheet_latex([sheet()]) == worksheet_latex([sheet()])
    assert worksheet_html([sheet()]) == worksheet_html([sheet()])


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_is_text(hostile):
    worksheet = sheet(SheetItem("1", hostile, options=((hostile, hostile),)), title=hostile, version=hostile)
    html = worksheet_html([worksheet]).decode().split("</head>")[1]
    assert "<script" not in html
    assert "onerror=" not in re.sub(r"&lt;.*?&gt;", "", html)
    source, _ = latex(worksheet)
    body = source.split(r"\begin{document}")[1]
    assert not re.search(r"\\(?:input|write)\b", body)
    assert body.count(r"\end{document}") == 1
    assert not re.search(r"(?<!\\)(?:%|#)", body)


@pytest.mark.parametrize("write", [worksheet_html, worksheet_latex])
def test_nothing_to_print_is_refused(write):
    with pytest.raises(PrintingRefused, match="no question"):
        write([Sheet("Empty", ())])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"$90%$", r"$90\%$"),
        (r"$40\%$", r"$40\%$"),
        (r"So $\begin{align*}a&=b\end{align*}$ holds", r"$\begin{aligned}a&=b\end{aligned}$"),
        (r"$\newcommand{\N}{\mathbb N}\N$", r"$\mathbb N$"),
        (r"\newcommand{\half}[1]{\frac{#1}{2}} $\half 3 + \half{x}$", r"$\frac{3}{2} + \frac{x}{2}$"),
        (r"$a\textless b$", r"$a<  b$"),
        (r"$\def\textless{\input{/etc/passwd}}1$ < 2", r"$1$ \textless{} 2"),
        (r"$\newcommand{\x}[9]{#9}\x123456789$", r"\texttt{\$\textbackslash{}newcommand"),
    ],
)
def test_a_formula_is_written_as_tex_takes_it(text, expected):
    source, _ = latex(Sheet("T", (SheetSection((SheetItem("1", text),)),)))
    assert expected in source


@pytest.mark.shared_data
@pytest.mark.skipif(not shutil.which("lualatex"), reason="needs LuaLaTeX with the class exam")
def test_tex_compiles_public_formulas_without_an_error(shared_data, tmp_path):
    items = [SheetItem(str(n), f"${f}$") for n, f in enumerate(public_formulas(shared_data, 3_000)[:600], start=1)]
    with zipfile.ZipFile(io.BytesIO(worksheet_latex([Sheet("T", (SheetSection(tuple(items)),))]))) as archive:
        archive.extractall(tmp_path)
    command = ["lualatex", "-interaction=nonstopmode", "-no-shell-escape", "worksheet.tex"]
    log = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False).stdout
    if "exam.cls' not found" in log:
        pytest.skip("needs the LaTeX class exam")
    assert re.findall(r"^!.*", log, re.MULTILINE) == []
