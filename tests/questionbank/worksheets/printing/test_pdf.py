from __future__ import annotations

import dataclasses
import glob
import importlib.util

import pypdfium2
import pytest

from questionbank.core.errors import PrintingRefused
from questionbank.worksheets.printing import typesetting
from questionbank.worksheets.printing.markup import MOST_QUESTIONS
from questionbank.worksheets.printing.pdf import worksheet_pdf
from questionbank.worksheets.sheet import PaperSize, Sheet, SheetItem, SheetSection
from tests.pictures import png
from tests.questionbank.worksheets.printing.reading import characters, page_text, pdf_text

pytestmark = pytest.mark.skipif(importlib.util.find_spec("typst") is None, reason="needs the extra 'documents'")

CHOICE = SheetItem(
    "1",
    r"Solve $x^2 - 5x + \frac{6}{2} = 0$ for *all* real $x$.",
    options=(("A", "$2$"), ("B", r"$\frac12$"), ("C", "both"), ("D", "neither")),
    points=2,
    answer="C",
    solution=r"Because $x = \sqrt{3}$.",
)


def sheet(*items: SheetItem, **changes: object) -> Sheet:
    return dataclasses.replace(Sheet("Algebra", (SheetSection(items or (CHOICE,)),)), **changes)


def test_a_worksheet_says_its_title_questions_options_and_points():
    text = " ".join(
        pdf_text(worksheet_pdf([sheet(version="B", total_points=2, instructions="Use a *pencil*.")]))[0].split()
    )
    for words in (
        "Algebra",
        "Version B",
        "Total:",
        "/ 2",
        "Name",
        "Class",
        "Date",
        "Use a pencil.",
        "Solve",
        "both",
        "[2]",
        "Page 1 of 1",
    ):
        assert words in text
    assert "Because" not in text


def test_equal_worksheets_give_equal_bytes():
    sheets = [sheet(pictures={"a.png": png()}), sheet(shows_key=True, shows_solutions=True)]
    assert worksheet_pdf(sheets) == worksheet_pdf(sheets)


def test_each_worksheet_counts_its_pages_from_one_and_has_its_paper():
    long = sheet(*(dataclasses.replace(CHOICE, answer_lines=12),) * 4, paper=PaperSize.LETTER)
    pdf = worksheet_pdf([sheet(), long])
    texts = pdf_text(pdf)
    assert ["Page 1 of 1" in texts[0], f"Page 1 of {len(texts) - 1}" in texts[1]] == [True, True]
    document = pypdfium2.PdfDocument(pdf)
    assert [tuple(map(round, document.get_page_size(place))) for place in (0, 1)] == [(595, 842), (612, 792)]
    document.close()


@pytest.mark.parametrize(
    "hostile",
    [
        '#panic("x") #import "@preview/cetz:0.3.0" #sys.inputs',
        "= Heading\n- item *bold* _x_ `raw` @label <tag> // comment /* */ \\ $",
        '<script>alert(1)</script> <img src="file:///etc/passwd">',
        '#read("/etc/passwd") #image("content.json") #{ while true {} }',
        r'"]], "c": [#eval("1")] \u{41} \#let x',
    ],
)
def test_code_and_markup_in_any_text_are_printed_as_text(hostile):
    item = SheetItem("#1", hostile, options=(("#A", hostile), ("*B*", "2")), answer_lines=1)
    worksheet = sheet(item, title=hostile.replace("\n", " "), version="#v", instructions=hostile)
    text = "".join(pdf_text(worksheet_pdf([worksheet])))
    missing = characters(page_text(hostile)) - characters(text)
    assert not missing


def test_a_formula_that_cannot_be_set_is_printed_as_its_source(monkeypatch, settings):
    source = typesetting.__file__
    broken = (
        "import runpy, sys\n"
        f"typesetting = runpy.run_path({source!r})\n"
        "class Faulty(typesetting['_Typesetter']):\n"
        "    def __init__(self, folder, fonts):\n"
        "        super().__init__(folder)\n"
        "        content = json.loads(self._content)\n"
        "        content['formulas'][1]['drawing'] = ['no such drawing']\n"
        "        self._content = json.dumps(content)\n"
        "from pathlib import Path\n"
        "import json\n"
        "print(json.dumps(Faulty(Path(sys.argv[1]), '').run()))\n"
    )
    folder = settings.VAR_DIR / "printing"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "typesetting.py").write_text(broken)
    for name in ("worksheet.typ", "formula.typ"):
        (folder / name).write_bytes((typesetting.Path(source).parent / name).read_bytes())
    monkeypatch.setattr("questionbank.worksheets.printing.pdf._HERE", folder)
    text = " ".join(pdf_text(worksheet_pdf([sheet(SheetItem("1", "First $a+b$ then $x^{77}$ end."))]))[0].split())
    assert "First 𝑎 + 𝑏 then x^{77} (this formula cannot be set) end." in text


def test_what_a_worksheet_cannot_be_printed_for_is_said(monkeypatch):
    with pytest.raises(PrintingRefused, match="no question"):
        worksheet_pdf([sheet(CHOICE), Sheet("Empty", ())][1:])
    with pytest.raises(PrintingRefused, match="2,001 questions"):
        worksheet_pdf([sheet(*(CHOICE,) * (MOST_QUESTIONS + 1))])
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(PrintingRefused, match="pip install"):
        worksheet_pdf([sheet()])


def test_a_picture_is_printed_and_one_that_is_too_large_is_named_with_its_size():
    vast = png()[:16] + (40_000).to_bytes(4, "big") + (1_000).to_bytes(4, "big") + png()[24:]
    text = "Look: ![a dot](dot.png) and ![a map](vast.png)"
    pdf = worksheet_pdf([sheet(SheetItem("1", text), pictures={"dot.png": png(), "vast.png": vast})])
    assert b"/Image" in pdf
    printed = " ".join(" ".join(pdf_text(pdf)).split())
    assert "[Not printed: the picture vast.png has 40,000 by 1,000 pixels.] a map" in printed


def boxes(pdf: bytes) -> tuple[list[tuple[float, ...]], dict[str, float]]:
    """The pictures of the first page as (left, bottom, right, top), and how high the top of each character is."""
    document = pypdfium2.PdfDocument(pdf)
    page = document[0]
    reader = page.get_textpage()
    pictures = [one.get_bounds() for one in page.get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE])]
    tops = {reader.get_text_range(place, 1): reader.get_charbox(place)[3] for place in range(reader.count_chars())}
    reader.close()
    document.close()
    return pictures, tops


def test_picture_options_stand_two_by_two_as_large_as_their_source_prints_them():
    pictures = {f"{label}.png": png(shade, 600, 400) for shade, label in enumerate("abcd")}
    options = tuple((label.upper(), f"![]({label}.png)") for label in "abcd")
    item = SheetItem("1", "Which graph?", options=options)
    large, _tops = boxes(worksheet_pdf([sheet(item, pictures=pictures)]))
    assert len({round(left) for left, *_others in large}) == len({round(top) for *_, top in large}) == 2
    small, _tops = boxes(worksheet_pdf([sheet(item, pictures=pictures, picture_widths=dict.fromkeys(pictures, 72.0))]))
    assert {round(right - left) for left, _bottom, right, _top in small} == {72}
    assert len({round(top) for *_, top in small}) == 1  # in a row


def test_a_number_stands_beside_the_picture_that_begins_its_question():
    item = SheetItem("7", "![graph](q.png)\n\nWhat is x?")
    [(_left, bottom, _right, top)], tops = boxes(
        worksheet_pdf([sheet(item, pictures={"q.png": png(0, 300, 200)}, has_name_field=False)])
    )
    assert top - 20 < tops["7"] <= top + 5
    assert tops["x"] < bottom


def test_marks_and_lines_stand_with_their_parts_to_any_depth():
    inner = (SheetItem("(i)", "Inner one.", points=1), SheetItem("(ii)", "Inner two.", points=0.5))
    parts = (SheetItem("(a)", "", parts=inner), *(SheetItem(f"({n})", "More.", points=0) for n in range(60)))
    [*pages] = pdf_text(worksheet_pdf([sheet(SheetItem("1", "", parts=parts, points=1.5))]))
    text = " ".join(pages)
    assert (text.count("[1]"), text.count("[0.5]"), text.count("[0]")) == (1, 1, 60)
    assert text.count("[Total: 1.5]") == 1
    single = pdf_text(
        worksheet_pdf([sheet(SheetItem("1", "", parts=(SheetItem("(a)", "Only.", points=2),), points=2))])
    )
    assert ("[2]" in single[0], "Total" in single[0]) == (True, False)


def test_chinese_without_a_font_says_which_to_install():
    if any(glob.glob(f"/usr/share/**/*{name}*.[ot]t[fc]", recursive=True) for name in ("CJK", "Fandol")):
        pytest.skip("has a font for Chinese")
    printed = " ".join(worksheet_pdf_text(SheetItem("1", "已知 $x$，“＂＼”")).split())
    assert "已知" in printed
    assert "Install a font for Chinese" in printed


def test_what_no_font_has_is_printed_as_its_number_and_said():
    printed = " ".join(worksheet_pdf_text(SheetItem("1", "Rune \U00012000 here, wide ． stop")).split())
    assert "Rune \U00012000 here, wide . stop" in printed.replace("．", ".")  # which a font for Chinese has
    assert "No font of this computer has these characters" in printed
    assert "U+12000" in printed
    assert "Chinese" not in printed


def worksheet_pdf_text(item: SheetItem) -> str:
    return "".join(pdf_text(worksheet_pdf([sheet(item)])))


@pytest.mark.parametrize(
    "formula",
    [
        "+".join(rf"\frac{{a_{{{place}}}}}{{{place}}}" for place in range(60)),
        r"\left(" + "+".join(f"x_{{{place}}}" for place in range(60)) + r"\right)^2",
        r"\sqrt{" + "+".join(f"x_{{{place}}}" for place in range(40)) + "}",
    ],
)
def test_a_long_formula_stays_within_the_page(formula):
    pdf = worksheet_pdf([sheet(SheetItem("1", f"Add ${formula}$ and\n\n$${formula}$$"), columns=2)])
    document = pypdfium2.PdfDocument(pdf)
    for page in document:
        text = page.get_textpage()
        right = max(text.get_charbox(place)[2] for place in range(text.count_chars()))
        assert right <= page.get_width() - 40
        text.close()
        page.close()
    document.close()


def test_a_key_has_short_answers_in_columns_and_says_which_are_unknown():
    items = [SheetItem(str(number), f"Question {number}", answer="$7$") for number in range(1, 9)]
    key = sheet(*items, SheetItem("9", "Open"), shows_key=True)
    text = "".join(pdf_text(worksheet_pdf([key])))
    assert "Question" not in text
    assert "Answer key" in text
    assert "—" in text
    lines = [line for line in text.splitlines() if "7" in line]
    assert len(lines) == 2  # four to a line


def test_two_columns_are_about_as_long_as_each_other():
    items = [SheetItem(str(number), f"Write down the word{number}.") for number in range(1, 7)]
    document = pypdfium2.PdfDocument(worksheet_pdf([sheet(*items, columns=2)]))
    reader = document[0].get_textpage()
    middle = document[0].get_width() / 2

    def is_right(word: str) -> bool:
        place, _ = reader.search(word).get_next()
        return reader.get_charbox(place)[0] > middle

    assert [is_right(f"word{number}") for number in range(1, 7)] == [False] * 3 + [True] * 3
    reader.close()
    document.close()


def test_the_running_title_begins_on_the_second_page_of_each_version():
    long = [SheetItem(str(number), "Why?", answer_lines=20) for number in (1, 2)]
    pages = pdf_text(worksheet_pdf([sheet(*long, version=version) for version in "AB"]))
    assert ["· Version" in text for text in pages] == [False, True, False, True]


def test_no_line_breaks_between_brackets_that_are_short():
    text = r"Compare the values of $f(x)=x+(3x+5)-(2a-7)$ and $g(x)=\left(x+y-12\right)+4$ " * 12
    lines = pdf_text(worksheet_pdf([Sheet("T", (SheetSection((SheetItem("1", text),)),), columns=2)]))[0].splitlines()
    assert len(lines) > 20
    assert [line for line in lines if line.count("(") != line.count(")")] == []


def test_a_key_of_parts_misses_no_answer_of_the_whole():
    whole = SheetItem("1", "Both.", parts=(SheetItem("(a)", "Add.", answer="4"),), solution="Count them.")
    text = " ".join(pdf_text(worksheet_pdf([sheet(whole, shows_key=True, shows_solutions=True)]))[0].split())
    assert "1 Solution Count them. (a) 4" in text


def test_a_long_word_stays_on_the_paper():
    document = pypdfium2.PdfDocument(worksheet_pdf([sheet(SheetItem("1", "Read " + "a" * 300))]))
    reader, width = document[0].get_textpage(), document[0].get_width()
    assert max(reader.get_charbox(place)[2] for place in range(reader.count_chars())) < width - 50
    reader.close()
    document.close()
