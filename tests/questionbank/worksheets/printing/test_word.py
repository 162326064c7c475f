from __future__ import annotations

import io
import json
import re
import zipfile
from xml.etree import ElementTree

import docx
import pytest
from docx.enum.text import WD_TAB_ALIGNMENT

from questionbank.core.errors import PrintingRefused
from questionbank.formulas import FormulaRefused, formula_mathml
from questionbank.papers.pandoc import pandoc_path, run_pandoc
from questionbank.worksheets.printing import word
from questionbank.worksheets.printing.markup import Element, read_markup
from questionbank.worksheets.printing.word import worksheet_docx
from questionbank.worksheets.sheet import PaperSize, Sheet, SheetItem, SheetSection
from tests.pictures import png
from tests.questionbank.worksheets.printing.samples import public_formulas

pytestmark = pytest.mark.skipif(not pandoc_path(), reason="needs the extra 'documents'")


def part(package: bytes, name: str) -> str:
    with zipfile.ZipFile(io.BytesIO(package)) as parts:
        return parts.read(name).decode()


def sheet(*texts: str, **changes: object) -> Sheet:
    items = tuple(SheetItem(str(number), text, answer="$x$") for number, text in enumerate(texts, start=1))
    return Sheet(**{"title": "Test", "sections": (SheetSection(items),)} | changes)


def back(package: bytes) -> list[str]:
    """Return the formulas of a Word file as LaTeX, in their order."""
    document = json.loads(run_pandoc(package, "docx", "json"))
    found: list[str] = []

    def walk(node: object) -> None:
        if isinstance(node, dict) and node.get("t") == "Math":
            found.append(node["c"][1])
        for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
            walk(inner)

    walk(document["blocks"])
    return found


def test_every_part_is_well_formed_and_equal_worksheets_give_equal_bytes():
    worksheets = [
        sheet("Is $x<1$ & a ![dot](a.png)?", version="A", pictures={"a.png": png()}),
        sheet("b", shows_key=True),
    ]
    package = worksheet_docx(worksheets)
    assert package == worksheet_docx(worksheets)
    with zipfile.ZipFile(io.BytesIO(package)) as parts:
        names = parts.namelist()
        for name in names:
            if name.endswith((".xml", ".rels")):
                ElementTree.fromstring(parts.read(name))
    assert any(name.startswith("word/media/") for name in names)


def test_each_worksheet_has_its_paper_and_columns():
    package = worksheet_docx([sheet("a", columns=2), sheet("b", paper=PaperSize.LETTER)])
    document = part(package, "word/document.xml")
    sections = re.findall(r"<w:sectPr.*?</w:sectPr>", document)
    assert [re.search(r'w:cols w:num="(\d)"', section)[1] for section in sections] == ["1", "2", "1", "1"]
    assert [re.search(r'w:pgSz w:w="(\d+)"', section)[1] for section in sections] == [
        "11906",
        "11906",
        "12240",
        "12240",
    ]


def test_what_word_has_no_notation_for_is_said_by_what_it_has():
    package = worksheet_docx(
        [
            sheet(
                r"$12\longdiv{345}$",
                r"$\begin{array}{r}12\\+3\\\hline 15\end{array}$",
                r"$\cancel{7}$",
                r"$\binom{n}{r}$",
            )
        ]
    )
    division, addition, _, binomial = back(package)
    assert division == r"12)\overline{345}"
    assert r"\underline" in addition
    assert "strikeBLTR" in part(package, "word/document.xml")
    assert binomial in {r"\left( \genfrac{}{}{0pt}{}{n}{r} \right)", r"\binom{n}{r}"}


def test_marks_stand_at_the_end_of_the_line_and_pictures_beside_their_numbers():
    table = "| x | 1 |\n|---|---|\n| y | 2 |"
    items = (
        SheetItem("1", f"{table}\n\nFind y.", points=1),
        SheetItem("2", f"Complete it.\n\n{table}", points=2),
        SheetItem("3", "![](a.png)\n\nWhat is x?", points=3),
        SheetItem("4", "Which?", options=tuple((label, "![](a.png)") for label in "ABCD"), points=4),
    )
    made = sheet(sections=(SheetSection(items),), pictures={"a.png": png(0, 600, 400)}, picture_widths={"a.png": 400.0})
    document = docx.Document(io.BytesIO(worksheet_docx([made])))
    found = [(paragraph.style.name, paragraph.text) for paragraph in document.paragraphs]
    assert ("Question 1 Text", "Find y.\t(1 point)") in found
    assert ("Question 1", "2.\tComplete it.\t(2 points)") in found
    assert ("Question 1 Picture", "3.\t") in found
    assert [name for name, _text in found].count("Pictures in Pairs") == 2
    for name in ("Question 1", "Question 1 Text"):
        stops = document.styles[name].paragraph_format.tab_stops
        assert [stop.position.twips for stop in stops if stop.alignment == WD_TAB_ALIGNMENT.RIGHT] == [9638]
    assert document.styles["Instructions"].paragraph_format.keep_with_next


def test_a_key_has_answers_and_solutions_and_no_questions():
    item = SheetItem(
        "1", "Secret question", answer="$42$", solution="Because.", parts=(SheetItem("(a)", "Part", answer="7"),)
    )
    worksheet = Sheet("T", (SheetSection((item, SheetItem("2", "No answer"))),), shows_key=True, shows_solutions=True)
    text = run_pandoc(worksheet_docx([worksheet]), "docx", "plain").decode()
    assert "Secret" not in text
    for words in ("1.", "42", "Solution", "Because.", "(a)", "7", "No answer is known."):
        assert words in text


@pytest.mark.parametrize(
    "hostile",
    ["<script>x</script> <b onclick=x>", r"\input{/etc/passwd}", "![x](file:///etc/passwd)", "\ue000 `=openxml`"],
)
def test_hostile_text_is_text(hostile):
    document = part(worksheet_docx([sheet(hostile, title=hostile)]), "word/document.xml")
    ElementTree.fromstring(document)
    assert "root:" not in document


def test_without_pandoc_the_refusal_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(word, "pandoc_path", lambda: "")
    with pytest.raises(PrintingRefused, match="pip install"):
        worksheet_docx([sheet("a")])


@pytest.mark.shared_data
def test_nearly_all_public_formulas_come_back_from_word_as_they_went(shared_data):
    formulas = [latex for latex in public_formulas(shared_data, 3_000) if drawn(latex) is not None]
    equal = 0
    wrong = []
    for start in range(0, len(formulas), 500):
        part = formulas[start : start + 500]
        package = worksheet_docx([sheet(*(f"${latex}$" for latex in part), has_name_field=False)])
        document = run_pandoc(package, "docx", "json")
        returned = dict(_by_number(json.loads(document)["blocks"]))
        for number, latex in enumerate(part, start=1):
            came = returned.get(number, "")
            if drawn(latex) == drawn(came):
                equal += 1
            else:
                wrong.append((latex, came))
    assert len(formulas) >= 2_900
    assert equal >= 0.98 * len(formulas), (equal, len(formulas), wrong[:40])


def _by_number(blocks: list[dict]) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []

    def walk(node: object) -> None:
        if isinstance(node, dict) and node.get("t") == "Str" and re.fullmatch(r"\d+\.", str(node["c"])):
            found.append((int(node["c"][:-1]), ""))
        elif isinstance(node, dict) and node.get("t") == "Math" and found:
            found[-1] = (found[-1][0], found[-1][1] + node["c"][1])
        else:
            for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
                walk(inner)

    walk(blocks)
    return found


def drawn(latex: str) -> object:
    """Return what a formula shows: its elements and signs, without spaces; None where it cannot be drawn."""
    try:
        return _bare(read_markup(formula_mathml(latex)))
    except FormulaRefused:
        return None


_SAME = str.maketrans(
    {"∼": "~", "˜": "~", "ˆ": "^", "‾": "¯", "−": "-", "⋅": "·", "∥": "‖", "△": "▵", "⟶": "→", "\u00a0": " "}
)


def _bare(element: Element) -> list[object]:
    parts: list[object] = []
    for child in element.elements:
        if child.tag in {"mspace", "mphantom"}:
            continue
        if child.tag in {"mi", "mn", "mo", "mtext"}:
            parts += [letter for letter in child.text().translate(_SAME) if not letter.isspace()]
        elif child.tag in {"mrow", "mstyle", "mpadded", "math", ""}:
            parts += _bare(child)
        elif child.tag in {"munder", "mover", "munderover", "msub", "msup", "msubsup"}:
            name = child.tag.replace("munder", "msub").replace("msubover", "msubsup").replace("mover", "msup")
            parts.append((name, *(tuple(_bare(Element("", {}, [operand]))) for operand in child.elements)))
        else:
            parts.append((child.tag, *(tuple(_bare(Element("", {}, [operand]))) for operand in child.elements)))
    return parts
