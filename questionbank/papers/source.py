"""The common result of reading any kind of document, and the detection of a file's kind from its content."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from questionbank.core.errors import DocumentRefused
from questionbank.formats.foreign import foreign_program
from questionbank.papers.blocks import BlockReader
from questionbank.papers.paragraphs import Paragraph

ELSEWHERE = "not in the file and not fetched. Insert them into the document."
CHANGED = "The document has tracked changes. It is read as if all of them were accepted."
PROTECTED = "The document is protected by a password. Save a copy without a password and read that."


def counted(count: int, one: str, many: str) -> str:
    """Return the singular or plural form of a phrase for a number.

    >>> counted(1, "1 picture is", "{} pictures are"), counted(2, "1 picture is", "{} pictures are")
    ('1 picture is', '2 pictures are')
    """
    return one if count == 1 else many.format(f"{count:,}")


@dataclass(slots=True)
class Source:
    """A document's paragraphs and pictures.

    Attributes:
        pictures: their bytes, by their names in the text.
        notices: sentences about what could not be read.
        picture_widths: in points, by the same names, for pictures that specify a width.
        lost_pictures: number of pictures that could not be stored.
        pages: the pictures of its pages, if it has pages; empty for a page that could not be rendered.
    """

    paragraphs: list[Paragraph]
    pictures: dict[str, bytes] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    lost_pictures: int = 0
    picture_widths: dict[str, float] = field(default_factory=dict)
    pages: list[bytes] = field(default_factory=list)


def title_paragraphs(reader: BlockReader, meta: Mapping[str, Any]) -> Iterator[Paragraph]:
    """Yield what pandoc separates from the text: title, subtitle, authors, date, abstract."""
    for name in ("title", "subtitle", "author", "date", "abstract"):
        value = meta.get(name)
        values = value["c"] if value is not None and value["t"] == "MetaList" else [value]
        for one in values:
            if one is not None and one["t"] == "MetaInlines":
                paragraphs = reader.paragraphs([{"t": "Para", "c": one["c"]}])
            elif one is not None and one["t"] == "MetaBlocks":
                paragraphs = reader.paragraphs(one["c"])
            else:
                continue
            if name == "title":
                for paragraph in paragraphs:
                    paragraph.heading = 1
            yield from paragraphs


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
