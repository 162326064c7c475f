"""Word files for tests, written by python-docx: formulas, automatic numbers, colours, tables, pictures."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Any

import docx
from docx.enum.text import WD_COLOR_INDEX
from docx.oxml import parse_xml
from docx.shared import RGBColor

from tests.pictures import png

NS = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    ' xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)
_PIECE = re.compile(r"\$([^$]+)\$|(\{pic\})")


_LOOKS = {
    "bold": '<m:rPr><m:sty m:val="bi"/></m:rPr><w:rPr><w:b/></w:rPr>',
    "red": '<w:rPr><w:color w:val="C00000"/></w:rPr>',
    "highlight": '<w:rPr><w:highlight w:val="yellow"/></w:rPr>',
    "underline": '<w:rPr><w:u w:val="single"/></w:rPr>',
}


def omml(latex: str, look: str = "") -> str:
    r"""Return a formula as Word has it; of LaTeX only ``\frac``, ``\sqrt`` and ``^``."""
    plain = f"<m:oMath {NS}>{_omml(latex)}</m:oMath>"
    return plain.replace("<m:r>", f"<m:r>{_LOOKS[look]}") if look else plain


def field_runs(code: str) -> str:
    """Return the runs of a field."""
    return (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        f'<w:r><w:instrText>{code}</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def _omml(latex: str) -> str:
    out, place = "", 0
    while place < len(latex):
        if latex.startswith(r"\frac", place):
            top, place = _group(latex, place + 5)
            bottom, place = _group(latex, place)
            out += f"<m:f><m:num>{_omml(top)}</m:num><m:den>{_omml(bottom)}</m:den></m:f>"
        elif latex.startswith(r"\sqrt", place):
            inner, place = _group(latex, place + 5)
            out += f'<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/><m:e>{_omml(inner)}</m:e></m:rad>'
        elif latex[place + 1 : place + 2] == "^":
            upper, end = _group(latex, place + 2) if latex[place + 2] == "{" else (latex[place + 2], place + 3)
            out += f"<m:sSup><m:e>{_run(latex[place])}</m:e><m:sup>{_omml(upper)}</m:sup></m:sSup>"
            place = end
        else:
            out += _run(latex[place])
            place += 1
    return out


def _group(latex: str, place: int) -> tuple[str, int]:
    deep = 0
    for end in range(place, len(latex)):
        deep += (latex[end] == "{") - (latex[end] == "}")
        if deep == 0:
            return latex[place + 1 : end], end + 1
    raise ValueError(latex)


def _run(text: str) -> str:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    return f'<m:r><m:t xml:space="preserve">{escaped}</m:t></m:r>'


class WordFile:
    """A Word file in the making."""

    def __init__(self) -> None:
        self.document = docx.Document()
        self._lists = 100

    def numbered(self, *levels: tuple[str, str]) -> int:
        """Return the id of a new list with levels of (format, text), such as ``("decimal", "%1.")``."""
        self._lists += 1
        shapes = "".join(
            f'<w:lvl w:ilvl="{place}"><w:start w:val="1"/><w:numFmt w:val="{shape}"/>'
            f'<w:lvlText w:val="{text}"/></w:lvl>'
            for place, (shape, text) in enumerate(levels)
        )
        numbering = self.document.part.numbering_part.element
        abstract = parse_xml(f'<w:abstractNum {NS} w:abstractNumId="{self._lists}">{shapes}</w:abstractNum>')
        numbering.insert(0, abstract)
        numbering.append(
            parse_xml(f'<w:num {NS} w:numId="{self._lists}"><w:abstractNumId w:val="{self._lists}"/></w:num>')
        )
        return self._lists

    def add(
        self,
        text: str = "",
        *,
        look: str = "",
        item: tuple[int, int] | None = None,
        into: Any = None,
        style: str | None = None,
    ) -> Any:
        """Add a paragraph: ``$...$`` becomes a formula, ``{pic}`` a picture, ``**...**`` is bold.

        Args:
            look: ``bold``, ``underline``, ``red`` or ``highlight``, of the whole. item: list and level. into: a cell.
        """
        if into is None:
            paragraph = self.document.add_paragraph(style=style)
        else:
            paragraph = into.paragraphs[0] if not into.paragraphs[0].runs and not into.text else into.add_paragraph()
        if item is not None:
            paragraph._p.get_or_add_pPr().append(
                parse_xml(f'<w:numPr {NS}><w:ilvl w:val="{item[1]}"/><w:numId w:val="{item[0]}"/></w:numPr>')
            )
        for place, bold in enumerate(text.split("**")):
            start = 0
            for match in _PIECE.finditer(bold):
                self._run(paragraph, bold[start : match.start()], look or ("bold" if place % 2 else ""))
                if match[1]:
                    paragraph._p.append(parse_xml(omml(match[1], look)))
                else:
                    paragraph.add_run().add_picture(io.BytesIO(png()))
                start = match.end()
            self._run(paragraph, bold[start:], look or ("bold" if place % 2 else ""))
        return paragraph

    @staticmethod
    def _run(paragraph: Any, text: str, look: str) -> None:
        if not text:
            return
        run = paragraph.add_run(text)
        if look == "bold":
            run.bold = True
        elif look == "underline":
            run.underline = True
        elif look == "red":
            run.font.color.rgb = RGBColor(0xC0, 0, 0)
        elif look == "highlight":
            run.font.highlight_color = WD_COLOR_INDEX.YELLOW

    def heading(self, text: str, level: int = 1) -> None:
        """Add a heading."""
        self.document.add_heading(text, level)

    def table(self, rows: Sequence[Sequence[str]]) -> Any:
        """Add a table; the paragraphs of a cell stand on lines of their own."""
        table = self.document.add_table(len(rows), max(map(len, rows)))
        for row, cells in enumerate(rows):
            for column, text in enumerate(cells):
                for line in text.split("\n"):
                    self.add(line, into=table.cell(row, column))
        return table

    def bytes(self) -> bytes:
        """Return the file."""
        file = io.BytesIO()
        self.document.save(file)
        return file.getvalue()
