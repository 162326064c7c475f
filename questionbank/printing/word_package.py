"""The parts of a Word file that pandoc leaves plain: styles, paper, columns, page numbers, and a fixed date.

Office Open XML, ECMA-376 part 1: 17.7 (styles), 17.6 (sections), 17.10 (footers). Lengths are in twentieths of a
point.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Sequence

from questionbank.printing.word_formulas import STROKES
from questionbank.worksheets.sheet import PaperSize, Sheet

TAB = "\ue000"
"""Replaces a tabulator in what pandoc gets, which would make a blank of one."""
HEAD_END, SHEET_END = "Worksheet Head", "Worksheet End"
"""Styles of the empty paragraphs that end the head of a worksheet, and the worksheet."""

_PAPERS = {PaperSize.A4: (11906, 16838), PaperSize.LETTER: (12240, 15840)}
_MARGIN, _GUTTER = 1134, 510
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
_STYLES = dict(
    (
        _paragraph("heading 1", '<w:keepNext/><w:pBdr><w:bottom w:val="single" w:sz="8" w:space="4" w:color="auto"/>'
                   '</w:pBdr>'
                   '<w:spacing w:before="0" w:after="120"/><w:outlineLvl w:val="0"/>', '<w:b/><w:sz w:val="34"/>'),
        _paragraph("heading 2", '<w:keepNext/><w:spacing w:before="320" w:after="120"/><w:outlineLvl w:val="1"/>',
                   '<w:b/><w:sz w:val="25"/>'),
        _paragraph("Worksheet Line", '<w:tabs><w:tab w:val="right" w:pos="9638"/></w:tabs>'
                   '<w:spacing w:before="60" w:after="160"/>'),
        _paragraph("Instructions", '<w:spacing w:before="60" w:after="120"/>', "<w:i/>"),
        _paragraph("Shared Text", '<w:keepNext/><w:pBdr><w:left w:val="single" w:sz="12" w:space="6" w:color="AAAAAA"/>'
                   '</w:pBdr>'
                   '<w:spacing w:before="200" w:after="80"/><w:ind w:left="140"/>'),
        _paragraph("Question 1", '<w:keepNext/><w:keepLines/><w:tabs><w:tab w:val="left" w:pos="454"/></w:tabs>'
                   '<w:spacing w:before="220" w:after="60"/><w:ind w:left="454" w:hanging="454"/>'),
        _paragraph("Question 1 Text", '<w:spacing w:before="60" w:after="60"/><w:ind w:left="454"/>'),
        _paragraph("Question 2", '<w:tabs><w:tab w:val="left" w:pos="964"/></w:tabs>'
                   '<w:spacing w:before="100" w:after="60"/>'
                   '<w:ind w:left="964" w:hanging="510"/>'),
        _paragraph("Question 2 Text", '<w:spacing w:before="60" w:after="60"/><w:ind w:left="964"/>'),
        _paragraph("Option", '<w:keepLines/><w:tabs><w:tab w:val="left" w:pos="850"/></w:tabs>'
                   '<w:spacing w:before="20" w:after="20"/>'
                   '<w:ind w:left="850" w:hanging="396"/>'),
        _paragraph("Option Text", '<w:spacing w:before="20" w:after="20"/><w:ind w:left="850"/>'),
        _paragraph("Options in a Line", '<w:keepLines/><w:tabs>' + "".join(
            f'<w:tab w:val="left" w:pos="{454 + 2296 * place}"/>' for place in range(1, 5)
        ) + '</w:tabs><w:spacing w:before="40" w:after="40"/><w:ind w:left="454"/>'),
        _paragraph("Answer Line", '<w:pBdr><w:bottom w:val="single" w:sz="4" w:space="1" w:color="888888"/>'
                   '<w:between w:val="single" w:sz="4" w:space="1" w:color="888888"/></w:pBdr>'
                   '<w:spacing w:before="160" w:after="0" w:line="320" w:lineRule="exact"/><w:ind w:left="454"/>'),
        _paragraph(HEAD_END, _TINY),
        _paragraph(SHEET_END, _TINY),
    )
)  # fmt: skip
_STRIKES = {
    "horizontalstrike": "strikeH",
    "updiagonalstrike": "strikeBLTR",
    "downdiagonalstrike": "strikeTLBR",
}
_STRUCK = re.compile(
    rf"<m:borderBox><m:e><m:r>(?:<m:rPr>(?:(?!</m:rPr>).)*</m:rPr>)?<m:t[^>]*>([{''.join(STROKES.values())}]+)</m:t></m:r>"
)
_TABLE_LINES = "<w:tblBorders>" + "".join(
    f'<w:{side} w:val="single" w:sz="4" w:space="0" w:color="777777"/>'
    for side in ("top", "left", "bottom", "right", "insideH", "insideV")
) + "</w:tblBorders>"  # fmt: skip


def dress(package: bytes, sheets: Sequence[Sheet]) -> bytes:
    """Return pandoc's Word file with our styles, and with the paper and columns of each worksheet."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as source, zipfile.ZipFile(buffer, "w") as target:
        parts = {name: source.read(name) for name in source.namelist()}
        parts["word/footer1.xml"] = _FOOTER.encode()
        for name, change in _CHANGES.items():
            parts[name] = change(parts[name].decode()).encode()
        parts["word/document.xml"] = _with_sections(parts["word/document.xml"].decode(), sheets).encode()
        for name, data in parts.items():
            target.writestr(zipfile.ZipInfo(name, _DATE), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _with_styles(styles: str) -> str:
    for identity in _STYLES:
        styles = re.sub(rf'<w:style [^>]*w:styleId="{identity}".*?</w:style>', "", styles, flags=re.DOTALL)
    styles = re.sub(
        r"<w:rFonts w:asciiTheme=\"minorHAnsi\"[^>]*/>",
        '<w:rFonts w:ascii="Cambria" w:hAnsi="Cambria" w:eastAsia="SimSun" w:cs="Times New Roman"/>',
        styles,
        count=1,
    )
    styles = re.sub(r'(<w:szC?s? w:val=")24(" ?/>)', r"\g<1>22\2", styles, count=2)
    styles = re.sub(
        r'(<w:style [^>]*w:styleId="Table".*?<w:tblPr>)',
        rf"\1{_TABLE_LINES}",
        styles,
        count=1,
        flags=re.DOTALL,
    )
    return styles.replace("</w:styles>", "".join(_STYLES.values()) + "</w:styles>")


_CHANGES = {
    "word/styles.xml": _with_styles,
    "[Content_Types].xml": lambda text: text.replace("</Types>", f"{_FOOTER_TYPE}</Types>"),
    "word/_rels/document.xml.rels": lambda text: text.replace(
        "</Relationships>", f"{_FOOTER_RELATION}</Relationships>"
    ),
    "docProps/core.xml": lambda text: re.sub(
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "1980-01-01T00:00:00Z", text
    ),
}


def _with_sections(document: str, sheets: Sequence[Sheet]) -> str:
    """Put the sections' properties where the marked paragraphs are, and tabulators where their marks are."""
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
    """Yield for each worksheet the properties of its head and of its questions."""
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
    """Return the beginning of a frame without sides, but with strokes."""
    hidden = "".join(f'<m:hide{side} m:val="1"/>' for side in ("Top", "Bot", "Left", "Right"))
    strokes = "".join(f'<m:{_STRIKES[name]} m:val="1"/>' for name in _STRIKES if STROKES[name] in frame[1])
    return f"<m:borderBox><m:borderBoxPr>{hidden}{strokes}</m:borderBoxPr><m:e>"
