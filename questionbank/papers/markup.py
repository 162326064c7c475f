"""Read RTF, HTML and LaTeX with pandoc, after rewriting what pandoc would drop."""

from __future__ import annotations

import base64
import binascii
import re
from html import escape

from questionbank.formats.encodings import guess_encoding, looks_like_utf16
from questionbank.formats.pictures import SUFFIXES, PictureRefused, read_picture
from questionbank.papers.blocks import BlockReader
from questionbank.papers.packages import picture_name
from questionbank.papers.pandoc import document_blocks, run_pandoc
from questionbank.papers.paragraphs import Paragraph
from questionbank.papers.source import ELSEWHERE, Source, counted, title_paragraphs

_DATA = re.compile(r"data:image/[\w.+-]+;base64,([A-Za-z0-9+/=\s]+)")
_EMBEDDED = re.compile(r'<img[^>]{0,2000}?src="(data:[^"]+)"')
_MATHJAX = re.compile(r"<script\b[^<>]*\btype=[\"']?math/tex[^<>]*>(.*?)</script\s*>", re.DOTALL | re.IGNORECASE)
_SCRIPT = re.compile(r"<(script|style)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_RTF_SIGN = re.compile(rb"\\u(-?\d{1,5})\?")  # pandoc drops the next character unless it is a space
_RTF_GAP = re.compile(rb"\\tab(?![a-z])[ ]?")
_HTML = "html+tex_math_dollars+tex_math_single_backslash"
_EXAM = (  # the exam class: (pattern, replacement)
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
    meta, blocks = document_blocks(text.encode(), _HTML)
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
        pictures.embedded = _EMBEDDED.findall(page)
    reader = BlockReader(pictures.name)
    return pictures.source(reader, [*title_paragraphs(reader, meta), *reader.paragraphs(blocks)])


def read_latex(text: str) -> Source:
    """Return the paragraphs of a LaTeX file, including the exam class. Raises `DocumentRefused`."""
    text, drawings = _DRAWING.subn("{}[image]", text)
    text = _CHOICES.sub(lambda match: match[0] + "\ue007", text)
    text = _PARTS.sub(lambda match: match[0] + "\ue008", text)
    text = _SUBPARTS.sub(lambda match: match[0] + "\ue00a", text)
    for pattern, replacement in _EXAM:
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
            + " cannot be read; [image] stands there. Save drawings as PNG pictures and insert those."
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
        match = _DATA.match(address)
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
