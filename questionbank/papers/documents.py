"""Read a document of any type as lines.

`read_document` detects a file's type from its content, whatever its name; `read_text` reads pasted text. HTML, RTF and
LaTeX are read here, with pandoc; Word and OpenDocument by `office_files`, PDF by `pdf`.
"""

from __future__ import annotations

import base64
import binascii
import io
import re
import zipfile
from html import escape
from pathlib import Path, PurePath

from analytics.text.formulas import segment_text
from questionbank.core.errors import DocumentRefused
from questionbank.formats.foreign import foreign_program
from questionbank.formats.lines import guess_encoding, looks_like_utf16
from questionbank.formats.pictures import SUFFIXES, PictureRefused, picture_names, read_picture
from questionbank.papers.line_cutting import cut_lines
from questionbank.papers.marks import GAP
from questionbank.papers.office_files import Package, read_docx, read_odt
from questionbank.papers.pandoc import BlockReader, document_blocks, run_pandoc, title_paragraphs
from questionbank.papers.paper_lines import Document
from questionbank.papers.paragraphs import (
    BOLD,
    ELSEWHERE,
    FILE_LIMIT,
    PROTECTED,
    Paragraph,
    Rich,
    Source,
    array_latex,
    counted,
    picture_name,
)
from questionbank.papers.pdf.pdf_documents import read_pdf

_DATA_ADDRESS = re.compile(r"data:image/[\w.+-]+;base64,([A-Za-z0-9+/=\s]+)")
_EMBEDDED_PICTURE = re.compile(r'<img[^>]{0,2000}?src="(data:[^"]+)"')
_MATHJAX = re.compile(r"<script\b[^<>]*\btype=[\"']?math/tex[^<>]*>(.*?)</script\s*>", re.DOTALL | re.IGNORECASE)
_SCRIPT = re.compile(r"<(script|style)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_RTF_SIGN = re.compile(rb"\\u(-?\d{1,5})\?")  # pandoc drops the next character unless it is a space
_RTF_GAP = re.compile(rb"\\tab(?![a-z])[ ]?")
_PANDOC_HTML = "html+tex_math_dollars+tex_math_single_backslash"
_EXAM_COMMANDS = (  # the exam class: (pattern, replacement)
    (
        re.compile(r"%[^\n]*"),
        lambda match: match[0] if match.start() and match.string[match.start() - 1] == "\\" else "",
    ),
    (re.compile(r"\\begin\{(?:questions)\}"), r"\\begin{enumerate}"),
    (re.compile(r"\\begin\{(?:parts|(?:sub){1,2}parts)\}"), r"\\begin{enumerate}"),
    (re.compile(r"\\begin\{(?:choices|oneparchoices|checkboxes|oneparcheckboxes)\}"), r"\\begin{enumerate}"),
    (
        re.compile(r"\\end\{(?:questions|parts|(?:sub){1,2}parts|choices|oneparchoices|checkboxes|oneparcheckboxes)\}"),
        r"\\end{enumerate}",
    ),
    (
        re.compile(r"\\(?:bonus|titled)?(?:question|(?:sub){0,2}part)\s*(?:\{[^{}]*\}\s*)?\[(\d+(?:\.\d)?)(\\half)?\]"),
        lambda match: rf"\item ({match[1]}{'½' * bool(match[2])} marks) ",
    ),
    (re.compile(r"\\(?:bonus|titled)?(?:question|(?:sub){0,2}part)(?![A-Za-z])|\\choice(?![A-Za-z])"), r"\\item "),
    (re.compile(r"\\CorrectChoice(?![A-Za-z])"), r"\\item ✓ "),
    (re.compile(r"\\begin\{solution(?:orbox|orlines|ordottedlines)?\}(?:\[[^\]]*\])?"), "\n\nSolution: "),
    (re.compile(r"\\end\{solution(?:orbox|orlines|ordottedlines)?\}"), "\n\n"),
    (
        re.compile(r"\\(?:fillin|blank)(?![A-Za-z])(?:\[([^\[\]_]{0,30})\])?(?:\[[^\[\]]*\])*"),
        lambda match: rf"\_\_{match[1]}\_\_" if match[1] else "____",  # with the answer filled in
    ),
    (
        re.compile(
            r"\\(?:underline|uline)\{\\(?:hspace\*?|hskip|quad|qquad)[^{}]*(?:\{[^{}]*\})?\s*\}"
            r"|\\rule\{[^{}]*\}\{[^{}]*\}"
        ),
        "____",
    ),
    (re.compile(r"\\(?:quad|qquad|hfill)(?![A-Za-z])"), "\u2003"),
    (re.compile(r"\\(?:begin|end)\{subequations\}"), ""),
    (  # pandoc drops them
        re.compile(r"\\begin\{((?:sub)?numcases|empheq)\}.*?\\end\{\1\}|(?<![$\[(])\\systeme\*?\{[^{}]*\}", re.DOTALL),
        r"\\[\g<0>\\]",
    ),
)
_DRAWING = re.compile(r"\\begin\{(tikzpicture|circuitikz|pspicture|picture|asy)\*?\}.*?\\end\{\1\*?\}", re.DOTALL)
_CODECS = {"utf-8": "utf-8-sig", "windows-1252": "cp1252", "mac-roman": "mac_roman"}
_CHOICES = re.compile(r"\\begin\{(?:choices|oneparchoices|checkboxes|oneparcheckboxes)\}")
_PARTS = re.compile(r"\\begin\{parts\}")
_SUBPARTS = re.compile(r"\\begin\{subparts\}")


def read_html(text: str) -> Source:
    """Return the paragraphs and pictures of a page. Raises `DocumentRefused`."""
    text = _SCRIPT.sub("", _MATHJAX.sub(lambda match: rf"\({escape(match[1].strip())}\)", text))
    meta, blocks = document_blocks(text.encode(), _PANDOC_HTML)
    pictures = _Pictures()
    reader = BlockReader(pictures.name)
    paragraphs = [*title_paragraphs(reader, {} if blocks else meta), *reader.paragraphs(blocks)]
    return pictures.source(reader, paragraphs)


def read_rtf(data: bytes) -> Source:
    """Return the paragraphs and pictures of an RTF file. Raises `DocumentRefused`."""
    data = _RTF_SIGN.sub(rb"\\u\1 ?", data)
    data = _RTF_GAP.sub(rb"\\u8195 ?", data)
    meta, blocks = document_blocks(data, "rtf")
    pictures = _Pictures()
    if b"\\pict" in data:
        page = run_pandoc(data, "rtf", "html", "--embed-resources").decode("utf-8", "replace")
        pictures.embedded = _EMBEDDED_PICTURE.findall(page)
    reader = BlockReader(pictures.name)
    return pictures.source(reader, [*title_paragraphs(reader, meta), *reader.paragraphs(blocks)])


def read_latex(text: str) -> Source:
    """Return the paragraphs of a LaTeX file, including the exam class. Raises `DocumentRefused`."""
    text, drawings = _DRAWING.subn("{}[image]", text)
    text = _CHOICES.sub(lambda match: match[0] + "\ue007", text)
    text = _PARTS.sub(lambda match: match[0] + "\ue008", text)
    text = _SUBPARTS.sub(lambda match: match[0] + "\ue00a", text)
    for pattern, replacement in _EXAM_COMMANDS:
        text = pattern.sub(replacement, text)
    text = re.sub(r"\\begin\{enumerate\}\ue007", r"\\begin{enumerate}[A.]", text)
    text = re.sub(r"\\begin\{enumerate\}\ue008", r"\\begin{enumerate}[(a)]", text)
    text = re.sub(r"\\begin\{enumerate\}\ue00a", r"\\begin{enumerate}[(i)]", text)
    meta, blocks = document_blocks(text.encode(), "latex")
    pictures = _Pictures()
    reader = BlockReader(pictures.name)
    source = pictures.source(reader, [*title_paragraphs(reader, meta), *reader.paragraphs(blocks)])
    if drawings:
        source.notices.append(
            counted(drawings, "1 drawing made in LaTeX", "{} drawings made in LaTeX")
            + " cannot be read; [image] marks the place. Save drawings as PNG pictures and insert those."
        )
    return source


def text_of(data: bytes) -> str:
    """Decode bytes, detecting their encoding."""
    codec = looks_like_utf16(data)
    text = data.decode(codec or _CODECS.get(encoding := guess_encoding(data), encoding), "replace")
    return text.removeprefix("\ufeff")


class _Pictures:
    """The pictures embedded in a document; linked pictures are never fetched."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.embedded: list[str] = []  # addresses in picture order, for formats without addresses in the text
        self._elsewhere = 0  # pictures that are not in the file

    def source(self, reader: BlockReader, paragraphs: list[Paragraph]) -> Source:
        notices = []
        if self._elsewhere:
            notices.append(counted(self._elsewhere, "1 picture is", "{} pictures are") + f" {ELSEWHERE}")
        lost = reader.lost_pictures - self._elsewhere
        return Source(paragraphs, self.kept, notices, lost, reader.picture_widths)

    def name(self, address: str) -> str:
        if self.embedded:
            address = self.embedded.pop(0)
        match = _DATA_ADDRESS.match(address)
        if match is None:
            self._elsewhere += 1
            return ""
        try:
            data = base64.b64decode(match[1])
            suffix = SUFFIXES[read_picture(data).media_type]
        except (PictureRefused, binascii.Error, ValueError):
            return ""
        name = picture_name(f"picture{len(self.kept) + 1}{suffix}")
        self.kept[name] = data
        return name


# -- the type of a file ------------------------------------------------------------------------------------------------


_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LATEX = re.compile(rb"\\documentclass|\\begin\s*\{(?:document|questions|enumerate)\}")
_HTML = re.compile(
    rb"\s*(?:<!doctype html|<\?xml[^>]*>\s*<(?:!doctype )?html|<html|<!--"
    rb"|<(?:p|div|h[1-6]|ol|ul|table|body|head)\b[^>]*>)",
    re.IGNORECASE,
)
_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8")
_SAVE_AS = "Open it, choose Save As, and save it as a Word document (.docx)."
_OTHER_NAMES = {
    ".pages": "Pages documents cannot be read. In Pages, choose File > Export To > Word, and read the .docx file.",
    ".doc": f"Word documents of the old kind (.doc) cannot be read. {_SAVE_AS}",
    ".wps": f"WPS documents of the old kind cannot be read. {_SAVE_AS}",
    ".wpd": f"WordPerfect documents cannot be read. {_SAVE_AS}",
    ".pptx": "Presentations cannot be read. Copy the text of the slides and paste it.",
    ".ppt": "Presentations cannot be read. Copy the text of the slides and paste it.",
}


def document_kind(data: bytes, name: str) -> str:
    """Return ``docx``, ``odt``, ``pdf``, ``rtf``, ``html``, ``latex``, ``markdown`` or ``text``.

    Raises:
        DocumentRefused: If it is none of these, or protected; the message explains what to do instead.
    """
    suffix = PurePath(name.lower()).suffix
    if not data.strip():
        raise DocumentRefused("The file is empty.")
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data.startswith(_OLE):
        if "EncryptedPackage".encode("utf-16-le") in data or suffix in (".docx", ".docm", ".dotx"):
            raise DocumentRefused(PROTECTED)
        raise DocumentRefused(_OTHER_NAMES.get(suffix, _OTHER_NAMES[".doc"]))
    if data.startswith(b"PK"):
        return _kind_of_archive(data, suffix)
    if data.lstrip().startswith(b"{\\rtf"):
        return "rtf"
    if data.startswith(_PICTURES):
        raise DocumentRefused("Pictures cannot be read. Type the questions, or paste their text.")
    return _kind_of_text(data, name)


def _kind_of_text(data: bytes, name: str) -> str:
    suffix = PurePath(name.lower()).suffix
    if program := foreign_program(data[:20_000].decode(errors="replace"), name):
        raise DocumentRefused(program)
    if _HTML.match(data[:2000].removeprefix(b"\xef\xbb\xbf")):
        return "html"
    if suffix == ".tex" or _LATEX.search(data[:20_000]):
        return "latex"
    beginning = data[:4096]
    if (
        b"\0" in beginning
        and not beginning.startswith((b"\xff\xfe", b"\xfe\xff"))
        and beginning.count(0) * 4 < len(beginning)
    ):
        raise DocumentRefused(_OTHER_NAMES.get(suffix) or _unknown(name))
    return "markdown" if suffix in (".md", ".markdown") else "text"


def _kind_of_archive(data: bytes, suffix: str) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = {*archive.namelist()}
            kind = archive.read("mimetype")[:100] if "mimetype" in names else b""
    except (zipfile.BadZipFile, ValueError, OSError, KeyError, RuntimeError, NotImplementedError) as error:
        raise DocumentRefused(
            "The document is damaged. Open it in the program that made it and save it again."
        ) from error
    if any(name.startswith("word/") and name.endswith(".xml") for name in names):
        return "docx"
    if kind.startswith(b"application/vnd.oasis.opendocument.text"):
        return "odt"
    if suffix == ".pages" or any(name.endswith(".iwa") for name in names):
        raise DocumentRefused(_OTHER_NAMES[".pages"])
    if any(name.startswith("ppt/") for name in names):
        raise DocumentRefused(_OTHER_NAMES[".pptx"])
    if any(name.startswith("xl/") for name in names):
        raise DocumentRefused("Spreadsheets are read on the import page. Import the file there.")
    raise DocumentRefused("The file is an archive without a document. Unpack it and read the documents in it.")


def _unknown(name: str) -> str:
    suffix = PurePath(name).suffix
    what = f"Files of the type {suffix[:12]}" if suffix else "Files of this type"
    kinds = "Word (.docx), OpenDocument (.odt), PDF, RTF, HTML, LaTeX, Markdown or plain text"
    return f"{what} cannot be read. Use {kinds}."


# -- documents to lines ------------------------------------------------------------------------------------------------


CHARACTERS_LIMIT = 2_000_000
_GAPS = re.compile(r"\t| {2,}|\u00a0{2,}|\u2003+")
_HEADING = re.compile(r"(#{1,6}) +")
_QUOTED = re.compile(r"^\s{0,3}(?:>\s?)+")
_SUMMARY = re.compile(r"<summary>\s*(.{1,40}?)\s*[:：]?\s*</summary>", re.IGNORECASE)
_TAG = re.compile(r"</?(?:details|p|div|br|center)\b[^<>]{0,80}>", re.IGNORECASE)
_EMPHASISED_POINTS = re.compile(r"\*([(\[][^*()\[\]]{1,30}[)\]])\*")
_ESCAPED = re.compile(r"(?<!\\)\\([*_#.)>+-])")
_HARD_BREAK = re.compile(r"(?<!\\)\\$")
_BOLD = re.compile(r"\*\*(?=\S)([^*\n]{1,2000}?)(?<=\S)\*\*")


def read_text(text: str) -> Document:
    """Return the lines of typed or pasted text.

    Raises:
        DocumentRefused: If the text is too long.
    """
    return Document(cut_lines(Paragraph(_typed(line)) for line in _text_lines(text)))


def _text_lines(text: str) -> list[str]:
    if len(text) > CHARACTERS_LIMIT:
        raise DocumentRefused(
            f"The text has more than {CHARACTERS_LIMIT:,} characters. Read it in several smaller documents."
        )
    return re.sub(r"\r\n?|[\v\f\u2028\u2029]", "\n", text).split("\n")


def _markdown(line: str) -> Paragraph:
    """Return a line of Markdown as a paragraph, with its heading, quotation and escapes interpreted."""
    line = _TAG.sub("", _SUMMARY.sub(r"\1:", _QUOTED.sub("", line)))
    heading = _HEADING.match(line)
    text = _EMPHASISED_POINTS.sub(r"\1", line[heading.end() :] if heading else line)
    text = "".join(
        segment.source if segment.kind == "formula" else _ESCAPED.sub(r"\1", segment.source)
        for segment in segment_text(_HARD_BREAK.sub("", text))
    )
    return Paragraph(_typed(text), heading=len(heading[1]) if heading else 0)


def _typed(line: str) -> Rich:
    """Return a typed line with text between double stars in bold."""
    rich = Rich()
    line = array_latex(_GAPS.sub(GAP, line.strip()), between="$")
    start = 0
    for match in _BOLD.finditer(line):
        rich.add(line[start : match.start()])
        rich.add(match[1], BOLD)
        start = match.end()
    rich.add(line[start:])
    return rich


def read_document(path: Path, name: str) -> Document:
    """Return the lines and pictures of a file.

    Args:
        name: the name the file was given.

    Raises:
        DocumentRefused: If it cannot be read; the message explains what to do instead.
    """
    if path.stat().st_size > FILE_LIMIT:
        raise DocumentRefused(f"The file is larger than {FILE_LIMIT // 1024**2} MB. Split it, or use smaller pictures.")
    data = path.read_bytes()
    kind = document_kind(data, name)
    if kind == "text":
        return read_text(text_of(data))
    if kind == "markdown":
        return Document(cut_lines(map(_markdown, _text_lines(text_of(data)))))
    if kind in ("docx", "odt"):
        package = Package(data)
        source = read_docx(package) if kind == "docx" else read_odt(package)
    elif kind == "pdf":
        source = read_pdf(data)
    elif kind == "rtf":
        source = read_rtf(data)
    else:
        source = (read_html if kind == "html" else read_latex)(text_of(data))
    notices = list(source.notices)
    if source.lost_pictures > 0:
        lost = counted(source.lost_pictures, "1 picture is", "{} pictures are")
        notices.append(
            f"{lost} of a type that pages cannot show, such as WMF or TIFF; [image] marks the place. Save them as PNG."
        )
    lines = cut_lines(source.paragraphs)
    named = picture_names(line.text for line in lines)
    pictures = {name: picture for name, picture in source.pictures.items() if name in named}
    widths = {name: width for name, width in source.picture_widths.items() if name in pictures}
    return Document(lines, pictures, tuple(notices), picture_widths=widths, pages=tuple(source.pages))
