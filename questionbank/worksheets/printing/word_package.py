"""What pandoc leaves out of a Word file: styles, paper, columns, page numbers, a fixed date, equations."""

from __future__ import annotations

import io
import re
import unicodedata
import zipfile
from collections.abc import Iterator, Mapping, Sequence

from questionbank.worksheets.printing.markup import Element
from questionbank.worksheets.sheet import PaperSize, Sheet

STROKES = {"updiagonalstrike": "\ue001", "downdiagonalstrike": "\ue002", "horizontalstrike": "\ue003"}
"""Marks a frame that consists of a stroke only, which pandoc cannot express; `word_package` converts it."""


def with_word_formulas(tree: Element) -> None:
    """Change the formulas in a text to a form that Word can show."""
    for math in tree.iterate("math"):
        _change(math)


def _change(element: Element) -> None:
    for child in element.elements:
        _change(child)
    if element.tag == "menclose":
        _open(element)
    elif element.tag == "mo":
        element.children = [unicodedata.normalize("NFC", element.text())]  # composes a struck equals sign
    elif element.tag == "mfrac" and element.attributes.get("linethickness", "").startswith("0"):
        element.attributes["linethickness"] = "0pt"  # pandoc's notation for no line
    elif "tml-boxed" in element.classes:
        element.tag, element.attributes = "menclose", {"notation": "box"}
    elif element.tag == "mtable":
        for row in element.elements:
            for place, cell in enumerate(row.elements):
                _rule(cell, is_first=place == 0)


def _open(element: Element) -> None:
    notation = element.attributes.get("notation", "")
    inner = [child for child in element.children if isinstance(child, str) or child.tag != "mrow" or child.children]
    element.tag, element.attributes = "mrow", {}
    if notation == "longdiv":
        element.children = [_sign(")"), _bar("mover", inner, "¯")]
    elif strokes := [STROKES[name] for name in notation.split() if name in STROKES]:
        element.tag, element.attributes = "menclose", {"notation": "box"}
        element.children = [Element("mtext", {}, ["".join(strokes)]), *inner]
    elif notation in {"actuarial", "phasorangle"}:
        element.children = [_bar("mover" if notation == "actuarial" else "munder", inner, "¯"), _sign("|")]
    else:
        element.tag, element.attributes, element.children = "menclose", {"notation": "box"}, inner


def _rule(cell: Element, *, is_first: bool) -> None:
    sides = {name.split("-")[1] for name in cell.classes if name.startswith("rule-")}
    if "below" in sides:
        cell.children = [_bar("munder", cell.children, "_")]
    if "above" in sides:
        cell.children = [_bar("mover", cell.children, "¯")]
    if "before" in sides and not is_first:
        cell.children.insert(0, _sign("|"))
    if "after" in sides:
        cell.children.append(_sign("|"))


def _bar(tag: str, children: list[Element | str], line: str) -> Element:
    return Element(
        tag, {"accent": "true"}, [Element("mrow", {}, children), Element("mo", {"stretchy": "true"}, [line])]
    )


def _sign(text: str) -> Element:
    return Element("mo", {"stretchy": "false"}, [text])


TAB = "\ue000"
"""Stands in for a tab, which pandoc would turn into a space."""
HEAD_END, SHEET_END = "Worksheet Head", "Worksheet End"
"""Styles of the empty paragraphs that end a worksheet's head and the worksheet itself."""

_PAPERS = {PaperSize.A4: (11906, 16838), PaperSize.LETTER: (12240, 15840)}
_MARGIN, _GUTTER = 1134, 510
INDENT = 454  # of the question text
_DATE = (1980, 1, 1, 0, 0, 0)
_FOOTER = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<w:ftr xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
    '<w:p><w:pPr><w:jc w:val="center"/></w:pPr>'
    '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> PAGE </w:instrText></w:r>'
    '<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p></w:ftr>'
)
_FOOTER_TYPE = (
    '<Override PartName="/word/footer1.xml"'
    ' ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.footer+xml"/>'
)
_FOOTER_RELATION = (
    '<Relationship Id="rIdFooter1" Target="footer1.xml"'
    ' Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/footer"/>'
)
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def _paragraph(name: str, properties: str, run: str = "") -> tuple[str, str]:
    identity = name.replace(" ", "")
    is_own = "" if name.startswith(("heading", "Normal")) else ' w:customStyle="1"'
    return identity[0].upper() + identity[1:], (
        f'<w:style w:type="paragraph"{is_own} w:styleId="{identity[0].upper() + identity[1:]}"><w:name w:val="{name}"/>'
        f'<w:basedOn w:val="Normal"/><w:qFormat/><w:pPr>{properties}</w:pPr><w:rPr>{run}</w:rPr></w:style>'
    )


_TINY = '<w:spacing w:before="0" w:after="0" w:line="20" w:lineRule="exact"/>'


_AT_TOP = '<w:textAlignment w:val="top"/>'  # aligns a number with the top of a picture


def _indented(left: int, hanging: int = 0) -> str:
    return f'<w:ind w:left="{left}"' + (f' w:hanging="{hanging}"' if hanging else "") + "/>"


def _spaced(before: int, after: int) -> str:
    return f'<w:spacing w:before="{before}" w:after="{after}"/>'


def _tabs(*lefts: int, right: int = 0) -> str:
    stops = [f'<w:tab w:val="left" w:pos="{left}"/>' for left in lefts]
    stops += [f'<w:tab w:val="right" w:pos="{right}"/>'] if right else []
    return f"<w:tabs>{''.join(stops)}</w:tabs>"


def _stops(width: int, columns: int) -> list[int]:
    """Return the positions where the columns after the first begin."""
    return [INDENT + width * place for place in range(1, columns)]


def _numbered(name: str, indent: int, hanging: int, right: int, keeps: str = "") -> Iterator[tuple[str, str]]:
    """Yield the styles of a numbered text: for its first paragraph, its continuation, and beside a picture.

    Args:
        right: position of the text's right edge and of the points.
    """
    first = _spaced(220 if keeps else 100, 60) + _indented(indent, hanging)
    tabs = _tabs(indent, right=right)
    yield _paragraph(name, keeps + tabs + first)
    yield _paragraph(f"{name} Picture", keeps + tabs + first + _AT_TOP)
    yield _paragraph(f"{name} Text", _tabs(right=right) + _spaced(60, 60) + _indented(indent))


def _styles(sheet: Sheet) -> dict[str, str]:
    """Return our styles by their names in the package."""
    page, right = _page_width(sheet), text_width(sheet)
    keeps = "<w:keepNext/><w:keepLines/>"

    def pictures(name: str, columns: int) -> tuple[str, str]:
        tabs = _tabs(*_stops((right - INDENT) // columns, columns))
        return _paragraph(name, f"<w:keepLines/>{tabs}{_spaced(60, 60)}{_indented(INDENT)}{_AT_TOP}")

    return dict(
        (
            _paragraph("heading 1", '<w:keepNext/><w:pBdr><w:bottom w:val="single" w:sz="8" w:space="4"'
                       f' w:color="auto"/></w:pBdr>{_spaced(0, 120)}<w:outlineLvl w:val="0"/>',
                       '<w:b/><w:sz w:val="34"/>'),
            _paragraph("heading 2", f'<w:keepNext/>{_spaced(320, 120)}<w:outlineLvl w:val="1"/>',
                       '<w:b/><w:sz w:val="25"/>'),
            _paragraph("Worksheet Line", _tabs(right=page) + _spaced(60, 160)),
            _paragraph("Instructions", "<w:keepNext/>" + _spaced(60, 120), "<w:i/>"),
            _paragraph("Shared Text", '<w:keepNext/><w:pBdr><w:left w:val="single" w:sz="12" w:space="6"'
                       f' w:color="AAAAAA"/></w:pBdr>{_spaced(200, 80)}{_indented(140)}'),
            *_numbered("Question 1", INDENT, INDENT, right, keeps),
            *_numbered("Question 2", 964, 510, right),
            _paragraph("Points Below", f'<w:keepLines/>{_spaced(60, 60)}<w:jc w:val="right"/>'),
            _paragraph("Option", f"<w:keepLines/>{_tabs(850)}{_spaced(20, 20)}{_indented(850, 396)}"),
            _paragraph("Option Picture", f"<w:keepLines/>{_tabs(850)}{_spaced(20, 20)}{_indented(850, 396)}"
                       f"{_AT_TOP}"),
            _paragraph("Option Text", _spaced(20, 20) + _indented(850)),
            _paragraph("Options in a Line", f"<w:keepLines/>{_tabs(*_stops(2296, 5))}{_spaced(40, 40)}"
                       f"{_indented(INDENT)}"),
            pictures("Pictures in a Row", 4),
            pictures("Pictures in Pairs", 2),
            _paragraph("Answer Line", '<w:pBdr><w:bottom w:val="single" w:sz="4" w:space="1" w:color="888888"/>'
                       '<w:between w:val="single" w:sz="4" w:space="1" w:color="888888"/></w:pBdr>'
                       f'<w:spacing w:before="160" w:after="0" w:line="320" w:lineRule="exact"/>{_indented(INDENT)}'),
            _paragraph(HEAD_END, _TINY),
            _paragraph(SHEET_END, _TINY),
        )
    )  # fmt: skip


_STRIKES = {"horizontalstrike": "strikeH", "updiagonalstrike": "strikeBLTR", "downdiagonalstrike": "strikeTLBR"}
_STRUCK = re.compile(
    rf"<m:borderBox><m:e><m:r>(?:<m:rPr>(?:(?!</m:rPr>).)*</m:rPr>)?<m:t[^>]*>([{''.join(STROKES.values())}]+)</m:t></m:r>"
)
_TABLE_LINES = "<w:tblBorders>" + "".join(
    f'<w:{side} w:val="single" w:sz="4" w:space="0" w:color="777777"/>'
    for side in ("top", "left", "bottom", "right", "insideH", "insideV")
) + "</w:tblBorders>"  # fmt: skip


def text_width(sheet: Sheet) -> int:
    """Return the width of a worksheet's questions, which may be set in two columns."""
    page = _page_width(sheet)
    return (page - _GUTTER) // 2 if sheet.columns == 2 else page


def _page_width(sheet: Sheet) -> int:
    return _PAPERS[sheet.paper][0] - 2 * _MARGIN


def dress(package: bytes, sheets: Sequence[Sheet]) -> bytes:
    """Return pandoc's Word file with our styles, and with the paper size and columns of each worksheet."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as source, zipfile.ZipFile(buffer, "w") as target:
        parts = {name: source.read(name) for name in source.namelist()}
        parts["word/footer1.xml"] = _FOOTER.encode()
        parts["word/styles.xml"] = _with_styles(parts["word/styles.xml"].decode(), _styles(sheets[0])).encode()
        for name, change in _CHANGES.items():
            parts[name] = change(parts[name].decode()).encode()
        parts["word/document.xml"] = _with_sections(parts["word/document.xml"].decode(), sheets).encode()
        for name, data in parts.items():
            target.writestr(zipfile.ZipInfo(name, _DATE), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _with_styles(styles: str, ours: Mapping[str, str]) -> str:
    for identity in ours:
        styles = re.sub(rf'<w:style [^>]*w:styleId="{identity}".*?</w:style>', "", styles, flags=re.DOTALL)
    styles = re.sub(
        r"<w:rFonts w:asciiTheme=\"minorHAnsi\"[^>]*/>",
        '<w:rFonts w:ascii="Cambria" w:hAnsi="Cambria" w:eastAsia="SimSun" w:cs="Times New Roman"/>',
        styles,
        count=1,
    )
    styles = re.sub(r'(<w:szC?s? w:val=")24(" ?/>)', r"\g<1>22\2", styles, count=2)
    styles = re.sub(
        r'(<w:style [^>]*w:styleId="Table".*?<w:tblPr>)', rf"\1{_TABLE_LINES}", styles, count=1, flags=re.DOTALL
    )
    return styles.replace("</w:styles>", "".join(ours.values()) + "</w:styles>")


_CHANGES = {
    "[Content_Types].xml": lambda text: text.replace("</Types>", f"{_FOOTER_TYPE}</Types>"),
    "word/_rels/document.xml.rels": lambda text: text.replace(
        "</Relationships>", f"{_FOOTER_RELATION}</Relationships>"
    ),
    "docProps/core.xml": lambda text: re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "1980-01-01T00:00:00Z", text),
}


def _with_sections(document: str, sheets: Sequence[Sheet]) -> str:
    """Replace the marked paragraphs by section properties, and the tab markers by tabs."""
    properties = _sections(sheets)
    for style in (HEAD_END, SHEET_END):
        document = re.sub(rf'(<w:pStyle w:val="){style}(" ?/>)', rf"\1{style.replace(' ', '')}\2", document)
    marked = re.compile(rf'<w:pStyle w:val="({HEAD_END.replace(" ", "")}|{SHEET_END.replace(" ", "")})" ?/>')
    document = marked.sub(lambda mark: mark[0] + next(properties), document)
    document = re.sub(
        r"<w:sectPr(?: [^>]*)?(?:/>|>(?:(?!</w:sectPr>).)*</w:sectPr>)\s*(?=</w:body>)",
        lambda _: next(properties),
        document,
        flags=re.DOTALL,
    )
    document = _STRUCK.sub(_struck, document)
    return document.replace(TAB, '</w:t><w:tab/><w:t xml:space="preserve">')


def _sections(sheets: Sequence[Sheet]) -> Iterator[str]:
    """Yield, for each worksheet, the section properties of its head and of its questions."""
    footer = f'<w:footerReference xmlns:r="{_RELATIONS}" w:type="default" r:id="rIdFooter1"/>'
    for sheet in sheets:
        width, height = _PAPERS[sheet.paper]
        page = (
            f'<w:pgSz w:w="{width}" w:h="{height}"/><w:pgMar w:top="{_MARGIN}" w:right="{_MARGIN}" w:bottom="{_MARGIN}"'
            f' w:left="{_MARGIN}" w:header="567" w:footer="567" w:gutter="0"/>'
        )
        columns = f'<w:cols w:num="2" w:space="{_GUTTER}"/>' if sheet.columns == 2 else '<w:cols w:num="1"/>'
        first = '<w:type w:val="nextPage"/>', '<w:pgNumType w:start="1"/><w:cols w:num="1"/>'
        yield f"<w:sectPr>{footer}{first[0]}{page}{first[1]}</w:sectPr>"
        yield f'<w:sectPr>{footer}<w:type w:val="continuous"/>{page}{columns}</w:sectPr>'


def _struck(frame: re.Match[str]) -> str:
    """Return the start tag of a frame without sides, but with strokes."""
    hidden = "".join(f'<m:hide{side} m:val="1"/>' for side in ("Top", "Bot", "Left", "Right"))
    strokes = "".join(f'<m:{_STRIKES[name]} m:val="1"/>' for name in _STRIKES if STROKES[name] in frame[1])
    return f"<m:borderBox><m:borderBoxPr>{hidden}{strokes}</m:borderBoxPr><m:e>"
