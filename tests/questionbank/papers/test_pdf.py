"""PDF files with a text layer: what is read of a page, and what is refused or kept as a picture."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from questionbank.core.errors import DocumentRefused
from questionbank.papers import pdf
from questionbank.papers.documents import read_document
from questionbank.papers.paper_lines import Document, Role, areas_of
from questionbank.papers.pdf import pages
from questionbank.papers.pdf.pages import glyphs_of
from questionbank.papers.question_assembly import assemble, guess_roles
from tests.questionbank.papers.pdf_files import NAMELESS, black, line, typst_pdf, written_pdf

Read = Callable[[bytes], Document]
THREE = line("1. Work out 3 + 4.") + line("2. Find the square.", y=600) + line("3. Solve x + 2 = 5.", y=500)
WHOLE_PAGE = "q 595 0 0 842 0 0 cm /I Do Q\n"


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def read_bytes(data: bytes) -> Document:
        path = tmp_path / "paper.pdf"
        path.write_bytes(data)
        return read_document(path, "paper.pdf")

    return read_bytes


def texts(document: Document) -> list[str]:
    return [f"{one.number} {one.text}".strip() for one in document.lines]


@pytest.mark.parametrize(
    ("typed", "latex"),
    [
        ("$(3x + 1)/4 = sqrt(16)$", r"$\frac{3x + 1}{4} = \sqrt{16}$"),
        ("$a_1 + x_1^2$", r"$a_{1} + x_{1}^{2}$"),
        ("$2^(x^2)$", r"$2^{x^{2}}$"),
        ("$1/(1 + 1/x)$", r"$\frac{1}{1 + \frac{1}{x}}$"),
        ("$root(3, x - 3)$", r"$\sqrt[3]{x - 3}$"),
        ("$ sum_(i=1)^n i^2 $", r"$\sum _{i=1}^{n} i^{2}$"),
        ("$ ((x^2 - 9)/(x - 3))^2 $", r"$\left( \frac{x^{2} - 9}{x - 3} \right)^{2}$"),
        ("$ mat(1, 2; 3, 4) $", r"$\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}$"),
        ("$ cases(x + y = 3, x - y = 1) $", r"$\left\{\begin{array}{l} x + y = 3 \\ x - y = 1 \end{array}\right.$"),
        ("$sin x <= pi$", r"$\sin x \le \pi$"),
        ("5 cm#super[2], the 1#super[st]", "5 cm², the 1st"),
    ],
)
def test_formulas_are_read_as_latex(read: Read, tmp_path: Path, typed: str, latex: str) -> None:
    document = read(typst_pdf(f"{typed}\n\n#lorem(30)", tmp_path))
    assert latex.replace(" ", "") in [text.replace(" ", "") for text in texts(document)]


def test_broken_lines_are_joined_without_their_hyphens_and_ligatures(read: Read, tmp_path: Path) -> None:
    source = "#set page(width: 7cm, height: 12cm, margin: 1cm)\n#set text(hyphenate: true, lang: 'en')\n".replace(
        "'", '"'
    )
    text = "1. Find the most efficient configuration of all the differently coloured representations."
    assert texts(read(typst_pdf(source + text.replace("1. ", "1\\. "), tmp_path))) == [text]


def test_what_stands_on_every_page_belongs_to_no_question(read: Read) -> None:
    edge = line("Mathematics Paper 1H", y=810) + line("Turn over", x=480, y=40) + line("*P12345A0224*", x=250, y=25)
    bodies = [line(f"{number}. Work out {number} + 4.", y=600) + line(str(number), x=297, y=30) for number in (1, 2, 3)]
    rotated = "BT /F 11 Tf 0 1 -1 0 20 300 Tm (DO NOT WRITE IN THIS AREA) Tj ET\n"
    warned = line("Do not write outside the box", x=420, y=500)
    document = read(written_pdf([edge + rotated + warned + body for body in bodies]))
    assert texts(document) == [f"{number}. Work out {number} + 4." for number in (1, 2, 3)]


def test_numbers_alone_in_the_margin_are_those_of_questions(read: Read) -> None:
    page = "".join(
        line(number, x=50, y=y) + line(text, x=80, y=y) + line("(2)", x=520, y=y - 30)
        for number, text, y in (
            ("1", "Work out 3 + 4", 700),
            ("*2", "There are 60 counters.", 600),
            ("3", "Solve it", 500),
        )
    )
    document = read(written_pdf([page]))
    paper = assemble(document.lines, guess_roles(document.lines))
    assert [(one.number, one.record.text, one.record.content.points) for one in paper.questions] == [
        ("1.", "Work out 3 + 4", 2),
        ("2.", "There are 60 counters.", 2),
        ("3.", "Solve it", 2),
    ]


def test_two_columns_are_read_one_after_the_other(read: Read, tmp_path: Path) -> None:
    items = "\n".join(
        f"+ Find the sum of the first {n} whole numbers, and explain how you know that your answer is right."
        for n in range(11, 31)
    )
    source = f"#set page(columns: 2, height: 16cm, margin: 1.5cm)\n{items}"
    found = texts(read(typst_pdf(source, tmp_path)))
    assert [int(text.partition(".")[0]) for text in found] == [*range(1, 21)]
    assert all(text.endswith("your answer is right.") for text in found)


def test_a_rule_between_short_lines_parts_two_columns(read: Read, tmp_path: Path) -> None:
    items = "\n".join(f"+ Solve $x^2 = {n}$." for n in range(11, 27))
    source = (
        "#set page(height: 12cm, width: 16cm, margin: 1cm)\n#set enum(spacing: 2em)\n"
        "#place(dx: 7cm, line(angle: 90deg, length: 9cm, stroke: 0.3pt))\n"
        f"#columns(2)[{items}]"
    )
    assert [int(text.partition(".")[0]) for text in texts(read(typst_pdf(source, tmp_path)))] == [*range(1, 17)]


def test_points_and_lines_to_write_on_at_the_right_are_no_column(read: Read) -> None:
    page = line("Instructions", y=815) + "".join(
        line(f"{number}. Find the root of {number}.", y=y)
        + line("." * 60, x=330, y=y - 40)
        + line("(1)", x=500, y=y - 55)
        + line(f"(Total for Question {number} is 1 mark)", x=330, y=y - 70)
        for number, y in zip(range(1, 7), range(760, 160, -100), strict=True)
    )
    document = read(written_pdf([page]))
    paper = assemble(document.lines, guess_roles(document.lines))
    assert [(one.record.text, one.record.content.points) for one in paper.questions] == [
        (f"Find the root of {number}.", 1) for number in range(1, 7)
    ]


BORDERS = {
    "a border": "36 50 520 740 re S\n",
    "a border that rules meet": "36 50 520 740 re S 36 640 m 556 640 l S 36 440 m 556 440 l S\n",
    "a border with a margin": "36 50 520 740 re S 530 50 m 530 790 l S 36 640 m 556 640 l S\n",
    "a filled page": "0.9 g 36 50 520 740 re f 0 g\n",
}


@pytest.mark.parametrize("name", BORDERS)
def test_the_border_of_a_page_is_neither_table_nor_picture(read: Read, name: str) -> None:
    triangle = "100 530 m 200 530 l 150 580 l h S\n"
    table = "100 300 m 200 300 l S 100 320 m 200 320 l S 100 340 m 200 340 l S\n" + "".join(
        f"{x} 300 m {x} 340 l S\n" for x in (100, 150, 200)
    )
    cells = "".join(line(str(n), x=x, y=y) for n, x, y in ((4, 120, 326), (5, 170, 326), (6, 120, 306)))
    document = read(written_pdf([BORDERS[name] + THREE + triangle + table + cells]))
    assert [text.partition("](")[0] for text in texts(document)] == [
        "1. Work out 3 + 4.",
        "2. Find the square.",
        "![",
        "3. Solve x + 2 = 5.",
        "| 4 | 5 |",
        "| 6 |  |",
    ]


def test_text_in_front_of_an_image_is_read(read: Read) -> None:
    text = "".join(line(f"{n}. Work out the sum of the first {n} whole numbers.", y=750 - 40 * n) for n in range(1, 6))
    document = read(written_pdf(["q 450 0 0 600 60 200 cm /I Do Q\n" + text], images={"I": black(60, 80)}))
    assert sum("whole numbers." in found for found in texts(document)) == 5


def test_cells_below_each_other_are_a_table_without_rules(read: Read, tmp_path: Path) -> None:
    document = read(
        typst_pdf(
            "+ Find the mean mark.\n"
            "  #table(columns: 4, stroke: none, column-gutter: 1em,"
            " [Mark], [1], [2], [3], [Boys], [4], [7], [2], [Girls], [5], [6], [1])\n"
            "+ Solve $2x = 6$. #h(1fr) [2]\n+ Solve $3x = 6$. #h(1fr) [2]\n+ Solve $4x = 8$. #h(1fr) [2]",
            tmp_path,
        )
    )
    assert texts(document) == [
        "1. Find the mean mark.",
        "| Mark | 1 | 2 | 3 |",
        "| Boys | 4 | 7 | 2 |",
        "| Girls | 5 | 6 | 1 |",
        *(f"{number}. Solve ${formula}$. [2]" for number, formula in ((2, "2x = 6"), (3, "3x = 6"), (4, "4x = 8"))),
    ]


def test_ruled_tables_and_drawings_stay_with_their_question(read: Read, tmp_path: Path) -> None:
    document = read(
        typst_pdf(
            "+ Find the mean mark.\n"
            "  #table(columns: 3, [Mark $x$], [1], [2], [Frequency], [$1/2$], [7])\n"
            "+ Find the area.\n\n"
            "  #box(width: 5cm, height: 2cm, stroke: 1pt)[#place(dx: 1cm, circle(radius: 5mm))] #h(2mm) 2 cm\n"
            "+ Write down 7.",
            tmp_path,
        )
    )
    paper = assemble(document.lines, guess_roles(document.lines))
    first, second, third = (one.record.text for one in paper.questions)
    assert "| Mark $x$ | 1 | 2 |\n| Frequency | $\\frac{1}{2}$ | 7 |" in first
    assert "![](" in second
    assert "2 cm" not in second  # the label is in the picture
    assert third == "Write down 7."
    (picture,) = document.pictures.values()
    width, height = struct.unpack(">II", picture[16:24])
    assert width > 2 * 5 / 2.54 * 72  # at two pixels for a point
    assert height > 2 * 2 / 2.54 * 72


def test_each_question_knows_its_area_of_the_page(read: Read) -> None:
    document = read(written_pdf([THREE]))
    (picture,) = document.pages
    assert struct.unpack(">II", picture[16:24]) == (1190, 1684)
    ((page, left, top, right, bottom),) = areas_of(document.lines[:1])
    assert page == 0
    assert left < 2 * 72 < right
    assert top < 2 * (842 - 700) < bottom < 2 * (842 - 600)


REFUSED = {
    "a scan": (written_pdf([WHOLE_PAGE], images={"I": black(60, 80)}), "holds no text"),
    "vectors only": (written_pdf(["72 72 m 200 300 l S 100 100 50 50 re f\n"]), "holds no text"),
    "private fonts": (
        written_pdf([line("abcdefg hijk lmnopqrs tuv")], font=NAMELESS),
        "its fonts do not say|holds no text",
    ),
    "a password": (
        written_pdf(
            [THREE],
            trailer=f"/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <{'11' * 32}> /U <{'22' * 32}> >>"
            " /ID [<00><00>]",
        ),
        "protected by a password",
    ),
    "1,000 pages": (written_pdf([THREE] * 1000), "1,000 pages, more than 200"),
    "half a file": (written_pdf([THREE])[:400], "damaged"),
    "no page": (written_pdf([]), "damaged"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_pdf_that_cannot_be_read_says_what_to_do(read: Read, name: str) -> None:
    data, reason = REFUSED[name]
    with pytest.raises(DocumentRefused, match=reason):
        read(data)


READ = {
    "a broken table of objects": written_pdf([THREE], is_xref_broken=True),
    "text in the wrong order": written_pdf(["".join(reversed(THREE.splitlines(keepends=True)))]),
    "a picture of 30,000 pixels": written_pdf(
        [THREE + "q 200 0 0 50 72 300 cm /I Do Q"], images={"I": black(30_000, 30_000)}
    ),
    "numbers without bounds": written_pdf(["0 0 m 1e30 1e30 l S\n" + THREE]),
}


@pytest.mark.parametrize("name", READ)
def test_an_odd_pdf_is_read_all_the_same(read: Read, name: str) -> None:
    assert [text for text in texts(read(READ[name])) if "![" not in text] == [
        "1. Work out 3 + 4.",
        "2. Find the square.",
        "3. Solve x + 2 = 5.",
    ]


def test_pages_that_are_scans_are_named_and_recognised_text_is_doubted(read: Read) -> None:
    images = {"I": black(60, 80)}
    mixed = read(written_pdf([THREE, WHOLE_PAGE], images=images))
    assert [notice.partition(".")[0] for notice in mixed.notices] == [
        "Page 2 is a scan without text, from which nothing was read"
    ]
    recognised = read(written_pdf([f"{WHOLE_PAGE} 3 Tr {THREE}"], images=images))
    assert "text recognition (OCR)" in recognised.notices[0]
    found = assemble(recognised.lines, [Role.QUESTION] * 3)
    assert all("as printed" in " ".join(map(str, one.doubts)) for one in found.questions)


def test_a_page_on_which_pdfium_dies_is_left_out_and_named(read: Read, tmp_path: Path, monkeypatch) -> None:
    script = tmp_path / "extraction.py"
    original = Path(pdf.extraction.__file__).read_text(encoding="utf-8")
    opens = "        page = document[number]\n"
    deadly = original.replace(opens, f"        if number == 1: __import__('os').abort()\n{opens}")
    script.write_text(deadly, encoding="utf-8")
    monkeypatch.setattr(pages.extraction, "__file__", str(script))
    document = read(
        written_pdf([line("1. Work out 3 + 4, and say why it is so."), line("Lost."), line("2. Find the square.")])
    )
    assert texts(document) == ["1. Work out 3 + 4, and say why it is so.", "2. Find the square."]
    assert document.notices == ("Page 2 cannot be read. Print the file to a new PDF and upload that.",)


def test_letters_overprinted_to_look_bold_count_once() -> None:
    row = ["x", 10.0, 20.0, 15.0, 30.0, 10.0, 30.0, 16.0, 11.0, 0, "helvetica"]
    assert [glyph.text for glyph in glyphs_of([row, json.loads(json.dumps(row))])] == ["x"]
