# ruff: noqa: E501 - lines as Word writes them
"""Documents to lines: what each kind of file says, what is said about what cannot be read, and what is refused."""

from __future__ import annotations

import base64
import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from questionbank.core.errors import DocumentRefused
from questionbank.papers import pandoc
from questionbank.papers.documents import read_document, read_text
from questionbank.papers.paper_lines import Document
from questionbank.papers.question_assembly import assemble, guess_roles
from tests.pictures import png
from tests.questionbank.papers.word_files import WordFile, field_runs

Change = Callable[[dict[str, bytes]], None]


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str, bytes], Document]:
    def read_bytes(name: str, data: bytes) -> Document:
        path = tmp_path / "upload"
        path.write_bytes(data)
        return read_document(path, name)

    return read_bytes


def changed(data: bytes, change: Change) -> bytes:
    """Return a Word file with its parts changed."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    change(parts)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return file.getvalue()


def word(*texts: str) -> bytes:
    file = WordFile()
    for text in texts:
        file.add(text)
    return file.bytes()


def in_body(xml: str) -> Change:
    def change(parts: dict[str, bytes]) -> None:
        body = parts["word/document.xml"].decode()
        parts["word/document.xml"] = body.replace("<w:sectPr", f"{xml}<w:sectPr", 1).encode()

    return change


# -- what is refused ----------------------------------------------------------------------------------------------

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500)


def archive(**parts: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in parts.items():
            made.writestr(name.replace("__", "/").replace("_dot_", "."), data)
    return file.getvalue()


REFUSED = {
    "test.docx": (OLE + "EncryptedPackage".encode("utf-16-le"), "protected by a password"),
    "old.doc": (OLE + "WordDocument".encode("utf-16-le"), r"save it as a Word document \(.docx\)"),
    "test.pages": (archive(Index__Document_dot_iwa=b"x"), r"Export To > Word"),
    "test.pdf": (b"%PDF-1.7\n...", "damaged"),
    "slides.pptx": (archive(ppt__presentation_dot_xml=b"<p/>"), "Presentations"),
    "marks.xlsx": (archive(xl__workbook_dot_xml=b"<w/>"), "import page"),
    "many.zip": (archive(a_dot_txt=b"x"), "archive without a document"),
    "photo.jpg": (b"\xff\xd8\xff\xe0" + bytes(50), "Pictures cannot be read"),
    "program.exe": (b"MZ\0\0" + bytes(10) + b"x" * 100, r"type \.exe cannot be read"),
    "damaged.docx": (b"PK\x03\x04" + b"x" * 100, "damaged"),
    "no text.docx": (archive(word__document_dot_xml=b"<w:document"), "damaged"),
    "empty.docx": (b"  ", "empty"),
    "qcm.tex": (rb"\usepackage[box]{automultiplechoice}", "from Auto Multiple Choice, .* amc2moodle"),
    "question.html": (b"<p>2+2?</p><pl-number-input>", "from PrairieLearn"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused_with_the_way_around(read: Callable[[str, bytes], Document], name: str) -> None:
    data, reason = REFUSED[name]
    with pytest.raises(DocumentRefused, match=reason):
        read(name, data)


def test_an_archive_bomb_is_refused_before_it_is_unpacked(read: Callable[[str, bytes], Document]) -> None:
    def bomb(parts: dict[str, bytes]) -> None:
        parts["word/document.xml"] = b"<w:document>" + b" " * 70_000_000

    with pytest.raises(DocumentRefused, match="too large when it is unpacked"):
        read("bomb.docx", changed(word("x"), bomb))


def test_entities_are_refused(read: Callable[[str, bytes], Document]) -> None:
    def laughs(parts: dict[str, bytes]) -> None:
        parts["word/document.xml"] = b'<!DOCTYPE a [<!ENTITY b "bb">]>' + parts["word/document.xml"].partition(b"?>")[2]

    with pytest.raises(DocumentRefused, match="damaged"):
        read("laughs.docx", changed(word("x"), laughs))


DEEP = {
    "deep.docx": changed(
        word("1. What?"), in_body("<w:tbl><w:tr><w:tc>" * 3_000 + "<w:p/>" + "</w:tc></w:tr></w:tbl>" * 3_000)
    ),
    "deep tables.html": b"<table><tr><td>" * 3_000 + b"1. What?" + b"</td></tr></table>" * 3_000,
    "deep.html": b"<div>" * 120 + b"1. What?" + b"</div>" * 120,
    "deep.odt": archive(
        mimetype=b"application/vnd.oasis.opendocument.text", content_dot_xml=b"<a>" * 3_000 + b"</a>" * 3_000
    ),
}


@pytest.mark.parametrize("name", DEEP)
def test_a_document_that_nests_too_deeply_is_refused_in_one_sentence(
    read: Callable[[str, bytes], Document], name: str
) -> None:
    with pytest.raises(DocumentRefused, match="within each other too many times"):
        read(name, DEEP[name])


def test_a_document_of_10000_pages_is_refused(read: Callable[[str, bytes], Document]) -> None:
    def pages(parts: dict[str, bytes]) -> None:
        parts["docProps/app.xml"] = (
            b'<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties">'
            b"<Pages>10000</Pages></Properties>"
        )

    with pytest.raises(DocumentRefused, match="10,000 pages"):
        read("long.docx", changed(word("x"), pages))


def test_a_text_of_too_many_lines_is_refused() -> None:
    with pytest.raises(DocumentRefused, match="30,000 lines"):
        read_text("x\n" * 30_001)


@pytest.mark.parametrize("status", [251, 1])
def test_a_pandoc_that_fails_says_what_to_do(
    read: Callable[[str, bytes], Document], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, status: int
) -> None:
    program = tmp_path / "pandoc"
    program.write_text(f"#!/bin/sh\ncat > /dev/null\nexit {status}\n")
    program.chmod(0o700)
    monkeypatch.setattr(pandoc, "pandoc_path", lambda: str(program))
    with pytest.raises(DocumentRefused, match="memory" if status == 251 else "damaged"):
        read("test.docx", word("1. What?"))


def test_a_pandoc_that_takes_too_long_is_ended(
    read: Callable[[str, bytes], Document], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "pandoc"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o700)
    monkeypatch.setattr(pandoc, "pandoc_path", lambda: str(program))
    monkeypatch.setattr(pandoc, "SECONDS_LIMIT", 0.2)
    with pytest.raises(DocumentRefused, match="took longer"):
        read("test.docx", word("1. What?"))


def test_without_the_extra_text_is_read_and_word_is_refused(
    read: Callable[[str, bytes], Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pandoc, "pandoc_path", lambda: "")
    assert read("test.txt", b"1. What is 2 + 2?").lines[0].text == "What is 2 + 2?"
    with pytest.raises(DocumentRefused, match=re.escape('pip install "kindred[documents]"')):
        read("test.docx", word("1. What?"))


# -- what is said -------------------------------------------------------------------------------------------------

INSERTED = '<w:p><w:r><w:t xml:space="preserve">old </w:t></w:r><w:ins w:id="1" w:author="a"><w:r><w:t>new</w:t></w:r></w:ins><w:del w:id="2" w:author="a"><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>'
OLD_FORMULA = (
    '<w:p><w:r><w:object><v:shape xmlns:v="urn:schemas-microsoft-com:vml"><v:imagedata r:id="{id}"/></v:shape>'
    '<o:OLEObject xmlns:o="urn:schemas-microsoft-com:office:office" ProgID="Equation.3"/></w:object></w:r></w:p>'
)
SHAPE = (
    '<w:p><w:r><w:drawing><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
    '<a:prstGeom prst="ellipse"/></a:graphic></w:drawing></w:r></w:p>'
)
LINKED = (
    '<w:p><w:r><w:drawing><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
    '<a:blip r:link="rId99"/></a:graphic></w:drawing></w:r></w:p>'
)


def relation(parts: dict[str, bytes], name: str, target: str, mode: str = "") -> None:
    mode = f' TargetMode="{mode}"' if mode else ""
    entry = f'<Relationship Id="{name}" Type="x/image" Target="{target}"{mode}/></Relationships>'
    rels = parts["word/_rels/document.xml.rels"].decode().replace("</Relationships>", entry)
    parts["word/_rels/document.xml.rels"] = rels.encode()


def old_formula(picture: str, data: bytes) -> Change:
    def change(parts: dict[str, bytes]) -> None:
        in_body(OLD_FORMULA.format(id="rId98"))(parts)
        relation(parts, "rId98", f"media/{picture}")
        parts[f"word/media/{picture}"] = data

    return change


def linked_picture(parts: dict[str, bytes]) -> None:
    in_body(LINKED)(parts)
    relation(parts, "rId99", "https://example.org/a.png", "External")


def macros(parts: dict[str, bytes]) -> None:
    parts["word/vbaProject.bin"] = b"x"


SAID: dict[str, tuple[Change, str, str]] = {
    "macros": (macros, "contains macros", ""),
    "tracked changes": (in_body(INSERTED), "tracked changes", "old new"),
    "old formula": (old_formula("image9.wmf", b"\xd7\xcd\xc6\x9a"), "1 formula was made with an old", "[formula]"),
    "old formula with a picture": (
        old_formula("image9.png", png()),
        "1 is kept as a picture",
        "![formula](image9.png)",
    ),
    "drawing": (in_body(SHAPE), "1 drawing made in Word", "[image]"),
    "picture elsewhere": (linked_picture, "not in the file and not fetched", "[image]"),
}


@pytest.mark.parametrize("case", SAID)
def test_what_is_left_out_is_said(read: Callable[[str, bytes], Document], case: str) -> None:
    change, notice, text = SAID[case]
    document = read("test.docx", changed(word("1. What?"), change))
    assert any(notice in said for said in document.notices), document.notices
    assert document.lines[0].text == "What?"
    assert not text or document.lines[-1].text == text


BOX = (
    '<w:p><w:r><w:t>2. Find y.</w:t></w:r><w:r><w:pict><v:textbox xmlns:v="urn:schemas-microsoft-com:vml"><w:txbxContent>'
    "<w:p><w:r><w:t>Turn to the next sheet</w:t></w:r></w:p></w:txbxContent></v:textbox></w:pict></w:r></w:p>"
)


def test_a_text_box_within_a_question_is_doubted(read: Callable[[str, bytes], Document]) -> None:
    document = read("test.docx", changed(word("1. Find x."), in_body(BOX)))
    first, second = assemble(document.lines, guess_roles(document.lines)).questions
    assert [doubt.code for doubt in (*first.doubts, *second.doubts)] == ["boxed"]


def test_a_picture_is_kept_under_the_name_that_the_text_has(read: Callable[[str, bytes], Document]) -> None:
    document = read("test.docx", word("1. Look: {pic}"))
    (name,) = document.pictures
    assert document.lines[0].text == f"Look: ![]({name})"
    assert document.pictures[name] == png()


# -- how it is read -----------------------------------------------------------------------------------------------


BODIES = {
    "tabs part options": ("<w:p><w:r><w:t>A. 1</w:t></w:r><w:r><w:tab/><w:t>B. 2</w:t></w:r></w:p>", ["1", "2"]),
    "an underlined blank is a gap": (
        '<w:p><w:r><w:t>It has </w:t></w:r><w:r><w:rPr><w:u w:val="single"/></w:rPr><w:t xml:space="preserve">     </w:t></w:r><w:r><w:t xml:space="preserve"> sides.</w:t></w:r></w:p>',
        ["It has ____ sides."],
    ),
    "formulas as fields": (
        '<w:p><w:r><w:t xml:space="preserve">2. </w:t></w:r>' + field_runs(r"EQ \f(1,2)") + "</w:p>",
        [r"$\frac{1}{2}$"],
    ),
    "a text box": (
        '<w:p><w:r><w:pict><v:textbox xmlns:v="urn:schemas-microsoft-com:vml"><w:txbxContent><w:p><w:r><w:t>2. Boxed</w:t></w:r></w:p></w:txbxContent></v:textbox></w:pict></w:r></w:p>',
        ["Boxed"],
    ),
    "prices": ("<w:p><w:r><w:t>It costs $5, not $7.</w:t></w:r></w:p>", [r"It costs \$5, not \$7."]),
    "typed LaTeX": (r"<w:p><w:r><w:t>Solve $x^2=4$ now.</w:t></w:r></w:p>", ["Solve $x^2=4$ now."]),
    "blanks around the signs of a formula": (
        '<w:p><m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr>'
        '<m:sub><m:r><m:t xml:space="preserve">k=1        \n   </m:t></m:r></m:sub><m:sup><m:r><m:t xml:space="preserve">6      </m:t></m:r></m:sup></m:nary>'
        '<m:sSup><m:e><m:r><m:t xml:space="preserve">k     </m:t></m:r></m:e><m:sup><m:r><m:t xml:space="preserve">2  </m:t></m:r></m:sup></m:sSup></m:oMath></w:p>',
        [r"$\sum_{k = 1}^{6}k^{2}$"],
    ),
    "raised signs": (
        '<w:p><w:r><w:t>x</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>2</w:t></w:r></w:p>',
        ["x²"],
    ),
    "an underlined digit": (
        '<w:p><w:r><w:t>3</w:t></w:r><w:r><w:rPr><w:u w:val="single"/></w:rPr><w:t>4</w:t></w:r><w:r><w:t>5 is it</w:t></w:r></w:p>',
        [r"3$\underline{4}$5 is it"],
    ),
}


@pytest.mark.parametrize("case", BODIES)
def test_word_is_read_as_its_reader_sees_it(read: Callable[[str, bytes], Document], case: str) -> None:
    body, texts = BODIES[case]
    document = read("test.docx", changed(word("1. First"), in_body(body)))
    assert [line.text for line in document.lines[1:]] == texts


def test_word_s_own_numbers_are_those_that_it_shows(read: Callable[[str, bytes], Document]) -> None:
    file = WordFile()
    numbers = file.numbered(("decimal", "Question %1:"), ("lowerLetter", "(%2)"), ("lowerRoman", "%3)"))
    for level in (0, 1, 2, 2, 1, 0, 1):
        file.add("x y z", item=(numbers, level))
    document = read("test.docx", file.bytes())
    assert [line.number for line in document.lines] == [
        "Question 1:", "(a)", "i)", "ii)", "(b)", "Question 2:", "(a)"
    ]  # fmt: skip
    assert [line.level for line in document.lines] == [1, 2, 3, 3, 2, 1, 2]


PICTURE = base64.b64encode(png()).decode()
OTHERS = {
    "page.html": f'<html><body><ol><li>What is \\(\\frac12\\)?<br><img src="data:image/png;base64,{PICTURE}"><ol type="A"><li>1</li><li><span style="color:#f00">2</span></li></ol></li></ol></body></html>',
    "page.rtf": r"{\rtf1\ansi 1. What is it?\par A. 1\par {\b B. 2}\par}",
    "paper.md": "# Test\n1\\. What is $x$?\n\nA. 1\n\n**B. 2**\n",
    "paper.tex": "\\documentclass{exam}\\begin{document}\\begin{questions}\\question What is $x$?\\begin{choices}\\choice 1\\CorrectChoice 2\\end{choices}\\end{questions}\\end{document}",
    "paper.txt": "1. What is it?\nA. 1\nB. 2 ✓",
}  # fmt: skip


def test_an_exam_in_latex_keeps_bonus_questions_parts_within_parts_answers_and_drawings(
    read: Callable[[str, bytes], Document],
) -> None:
    source = (
        r"\documentclass{exam}\begin{document}\begin{questions}\question[3] Solve it: \fillin[four][2cm] is $2x$."
        r"\bonusquestion[2] Look. \begin{tikzpicture}\draw (0,0) -- (1,1);\end{tikzpicture} How long is it?"
        r"\question Given $f$:\begin{parts}\part[2] Find\begin{subparts}\subpart[1] $f(1)$\subpart[1] $f(2)$"
        r"\end{subparts}\bonuspart[1\half] Find $f(3)$.\end{parts}\end{questions}\end{document}"
    )
    document = read("exam.tex", source.encode())
    filled, drawn, nested = assemble(document.lines, guess_roles(document.lines)).questions
    assert (filled.record.text, filled.record.answer) == ("Solve it: ____ is $2x$.", "four")
    assert (drawn.record.text, drawn.record.content.points) == ("Look. [image] How long is it?", 2)
    assert any("1 drawing made in LaTeX" in notice for notice in document.notices)
    assert [(part.text, part.content.points) for part in nested.record.content.parts] == [
        ("Find\n(i) $f(1)$\n(ii) $f(2)$", 2), ("Find $f(3)$.", 1.5)
    ]  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_other_kinds_of_documents_are_read(read: Callable[[str, bytes], Document], name: str) -> None:
    document = read(name, OTHERS[name].encode())
    (question,) = assemble(document.lines, guess_roles(document.lines)).questions
    assert question.record.text.startswith("What is")
    assert ([option.text for option in question.record.options], question.record.answer) == (["1", "2"], "B")


RED = '<span style="color:#d00">{}</span>'
WRITTEN_IN = {  # by a teacher
    "behind the question": f"<ol><li>Find 3 + 4. {RED.format('7')}</li><li>Find 5 + 6.</li></ol>",
    "below the question": f"<ol><li>Find 3 + 4.<p>{RED.format('7')}</p></li><li>Find 5 + 6.</li></ol>",
    "behind points": f"<ol><li>Find 3 + 4. (2) {RED.format('7')}</li><li>Find 5 + 6.</li></ol>",
}


@pytest.mark.parametrize("where", WRITTEN_IN)
def test_an_answer_in_colour_is_the_answer(read: Callable[[str, bytes], Document], where: str) -> None:
    document = read("page.html", WRITTEN_IN[where].encode())
    first, second = assemble(document.lines, guess_roles(document.lines)).questions
    assert (first.record.text[:11], first.record.answer, second.record.answer) == ("Find 3 + 4.", "7", "")


def test_quotations_of_markdown_are_read_as_what_they_quote(read: Callable[[str, bytes], Document]) -> None:
    document = read("paper.md", b"> 1. Is $3 > 2$?\n>\n> **Answer:** yes\n")
    (question,) = assemble(document.lines, guess_roles(document.lines)).questions
    assert (question.record.text, question.record.answer) == ("Is $3 > 2$?", "yes")


def test_a_formula_of_several_lines_is_one_formula(read: Callable[[str, bytes], Document]) -> None:
    page = "<p>1. Find \\(\\begin{pmatrix}1\n\\\\\n- 2\\end{pmatrix}\\).</p>"
    assert [line.number for line in read("page.html", page.encode()).lines] == ["1."]


def test_an_odt_keeps_formulas_colours_and_pictures(read: Callable[[str, bytes], Document]) -> None:
    odt = pandoc.run_pandoc(b"1\\. What is $\\frac{1}{2}$?\n\nA. 1\n\nB. 2", "markdown", "odt")
    document = read("paper.odt", odt)
    assert [(line.number, line.text) for line in document.lines] == [
        ("1.", r"What is $\frac{1}{2}$?"), ("A.", "1"), ("B.", "2")
    ]  # fmt: skip


def _odt_list(content: str, more: str = "") -> str:
    return f'<text:list text:style-name="L9" {more}><text:list-item>{content}</text:list-item></text:list>'


def _odt_part(text: str) -> str:
    return f"<text:list><text:list-item><text:p>{text}</text:p></text:list-item></text:list>"


_ODT_LEVELS = """<text:list-style style:name="L9">
<text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>
<text:list-level-style-number text:level="2" style:num-format="a" style:num-prefix="(" style:num-suffix=")"/>
<text:list-level-style-number text:level="3" style:num-format="i" style:num-suffix="." text:display-levels="2"/>
<text:list-level-style-bullet text:level="4" text:bullet-char="☐"/></text:list-style>"""
_GOES_ON = 'text:continue-numbering="true"'
ODT_BODIES = {  # the body of an OpenDocument text, and the numbers and texts of its lines
    "a list that goes on behind answer spaces": (
        _odt_list(f"<text:p>Simplify</text:p>{_odt_part('3a + a')}")
        + "<text:p>.......... [2]</text:p>"
        + _odt_list(_odt_part("4x × 3x"), _GOES_ON)
        + "<text:p>.......... [1]</text:p>"
        + _odt_list("<text:p>Find x.</text:p><text:p>Show it.</text:p>", _GOES_ON),
        "1. Simplify/(a) 3a + a/.......... [2]/(b) 4x × 3x/.......... [1]/2. Find x./Show it.",
    ),
    "a list that goes on from one by its id, and one that begins anew": (
        _odt_list("<text:p>Find x.</text:p>", 'xml:id="one"')
        + _odt_list("<text:p>Find y.</text:p>")
        + _odt_list("<text:p>Find z.</text:p>", 'text:continue-list="one"'),
        "1. Find x./1. Find y./2. Find z.",
    ),
    "a number of two levels, a box to tick, and text in a list without a number": (
        _odt_list(f"<text:list><text:list-item>{_odt_part('Find x.')}</text:list-item></text:list>")
        + _odt_list(
            "<text:p>Tick.</text:p>"
            + 3 * "<text:list><text:list-item>"
            + "<text:p>Yes</text:p>"
            + 3 * "</text:list-item></text:list>"
        )
        + '<text:list text:style-name="L9"><text:list-header><text:p>Note</text:p></text:list-header></text:list>',
        "a.i. Find x./1. Tick./☐ Yes/Note",
    ),
    "text boxes, and drawings of which only words can be read": (
        "<text:p>Use the box.<draw:custom-shape><text:p>Fare</text:p><text:p>£3</text:p></draw:custom-shape>"
        "<draw:frame><draw:text-box><text:p>In a frame</text:p></draw:text-box></draw:frame></text:p>"
        "<text:p>Look.<draw:g><draw:line/><draw:rect><text:p>6 cm</text:p></draw:rect></draw:g></text:p>"
        "<text:p>Write here.<draw:rect/></text:p>"
        "<draw:frame><draw:text-box><text:p>On the page</text:p></draw:text-box></draw:frame>",
        "Use the box./Fare/£3/In a frame/Look.[image]/6 cm/Write here./On the page",
    ),
}


@pytest.mark.parametrize(("body", "shown"), ODT_BODIES.values(), ids=ODT_BODIES.keys())
def test_an_odt_has_the_lines_that_it_shows(read: Callable[[str, bytes], Document], body: str, shown: str) -> None:
    def with_body(parts: dict[str, bytes]) -> None:
        content = parts["content.xml"].decode()
        content = re.sub(r"(?s)(<office:text[^>]*>).*(</office:text>)", rf"\1{body}\2", content)
        parts["content.xml"] = content.replace(
            "</office:automatic-styles>", f"{_ODT_LEVELS}</office:automatic-styles>"
        ).encode()

    document = read("paper.odt", changed(pandoc.run_pandoc(b"text", "markdown", "odt"), with_body))
    assert "/".join(f"{line.number} {line.text}".strip() for line in document.lines) == shown


TABLES: dict[str, tuple[list[str | list[list[str]]], list[tuple[str, float | None, int, int]]]] = {
    # what stands in the document, and of each question the text, points, options and parts
    "a column of marks": (
        [
            [
                ["No.", "Question", "Marks"],
                ["1", "Work out 3 + 4 and write it down.", "2"],
                ["2", "Solve the equation 2x = 6.", "1"],
                ["3", "(a) Expand 3(x + 2) and simplify.\n(b) Factorise x² + 7x + 12.", "4"],
                ["", "Total", "7"],
            ]
        ],
        [
            ("Work out 3 + 4 and write it down.", 2, 0, 0),
            ("Solve the equation 2x = 6.", 1, 0, 0),
            ("Answer each part.", 4, 0, 2),
        ],
    ),
    "letters in the row below pictures": (
        ["1. Which is it?", [["{pic}", "{pic}"], ["A", "B"], ["{pic}", "{pic}"], ["C", "D"]], "2. Find x."],
        [("Which is it?", None, 4, 0), ("Find x.", None, 0, 0)],
    ),
    "letters on the line below pictures": (
        ["1. Which is it?", "{pic}\t{pic}", "A\tB", "{pic}\t{pic}", "C\tD", "2. Find x."],
        [("Which is it?", None, 4, 0), ("Find x.", None, 0, 0)],
    ),
    "data that look like the marks of a paper": (
        ["1. Look at it.", [["Mark", "1", "2", "3"], ["Frequency", "5", "7", "8"]], "Find the mean.", "2. Find x."],
        [
            ("Look at it.\n| Mark | 1 | 2 | 3 |\n| Frequency | 5 | 7 | 8 |\nFind the mean.", None, 0, 0),
            ("Find x.", None, 0, 0),
        ],
    ),
}


@pytest.mark.parametrize("case", TABLES)
def test_tables_of_a_paper_keep_questions_whole(read: Callable[[str, bytes], Document], case: str) -> None:
    content, expected = TABLES[case]
    file = WordFile()
    for piece in content:
        file.add(piece) if isinstance(piece, str) else file.table(piece)
    document = read("test.docx", file.bytes())
    records = [found.record for found in assemble(document.lines, guess_roles(document.lines)).questions]
    assert [(one.text, one.content.points, len(one.options), len(one.content.parts)) for one in records] == expected
