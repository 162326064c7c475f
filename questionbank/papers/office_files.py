"""Read Word (DOCX) and OpenDocument (ODT) files: zip archives, opened with limits so that none exhausts the memory.

What pandoc would drop is first rewritten into the text: in Word files by `questionbank.papers.word_text`, in
OpenDocument files here (OpenDocument 1.3, parts 2 and 3).
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from posixpath import dirname, join, normpath
from typing import Any
from xml.etree import ElementTree as ET  # for writing only; input is parsed by defusedxml

from defusedxml import ElementTree as SafeElementTree
from defusedxml.common import DefusedXmlException

from questionbank.core.errors import DocumentRefused
from questionbank.formats.mathml_latex import mathml_to_latex
from questionbank.formats.pictures import PictureRefused, read_picture
from questionbank.papers.list_numbers import Counters, ListNumbers, Styles
from questionbank.papers.marks import GAP
from questionbank.papers.pandoc import BOXED, COLOUR_BEGINS, COLOUR_ENDS, BlockReader, document_blocks, title_paragraphs
from questionbank.papers.paragraphs import (
    CHANGED,
    DAMAGED,
    ELSEWHERE,
    FORMULA,
    PAGES_LIMIT,
    PROTECTED,
    TOO_DEEP,
    Paragraph,
    Source,
    counted,
    is_colour,
    picture_name,
)
from questionbank.papers.word_text import WordFacts, WordText

TEXT_LIMIT = 60 * 1024 * 1024  # bytes of an unpacked XML part
UNPACKED_LIMIT = 300 * 1024 * 1024
MEMBERS_LIMIT = 5_000
DEPTH_LIMIT = 250  # nesting of XML elements; a table within a table is three
TOO_LARGE = "The document is too large when it is unpacked. Split it, or save it with smaller pictures."


class Package:
    """A zip archive in memory.

    Raises:
        DocumentRefused: If the archive is damaged or larger than `UNPACKED_LIMIT` when unpacked.
    """

    def __init__(self, data: bytes) -> None:
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
            members = self._archive.infolist()
        except (zipfile.BadZipFile, ValueError, OSError) as error:
            raise DocumentRefused(DAMAGED) from error
        if len(members) > MEMBERS_LIMIT or sum(member.file_size for member in members) > UNPACKED_LIMIT:
            raise DocumentRefused(TOO_LARGE)
        self.names = {member.filename: member for member in members}

    def read(self, name: str, limit: int = TEXT_LIMIT) -> bytes:
        """Return a part; empty if it does not exist.

        Raises:
            DocumentRefused: If it is damaged or larger than the limit.
        """
        member = self.names.get(name)
        if member is None:
            return b""
        if member.file_size > limit:
            raise DocumentRefused(TOO_LARGE)
        try:
            with self._archive.open(member) as file:
                data = file.read(limit + 1)
        except (zipfile.BadZipFile, zlib.error, OSError, NotImplementedError, RuntimeError, EOFError) as error:
            raise DocumentRefused(DAMAGED) from error
        if len(data) > limit:  # the size in the directory is wrong
            raise DocumentRefused(TOO_LARGE)
        return data

    def xml(self, name: str) -> Any:
        """Return the root element of a part; None if the part does not exist.

        Raises:
            DocumentRefused: If it is not XML, defines entities, or is nested too deeply.
        """
        data = self.read(name)
        if not data:
            return None
        try:
            root = SafeElementTree.fromstring(data)
        except (SafeElementTree.ParseError, DefusedXmlException, ValueError, LookupError) as error:
            raise DocumentRefused(DAMAGED) from error
        if _is_deep(root):
            raise DocumentRefused(TOO_DEEP)
        return root

    def pictures(self, folder: str) -> dict[str, bytes]:
        """Return the displayable pictures in a folder, by their names relative to it."""
        found = {}
        for name in self.names:
            if not name.startswith(folder) or name.endswith("/"):
                continue
            try:
                data = self.read(name, UNPACKED_LIMIT)
                read_picture(data)
            except (PictureRefused, DocumentRefused):
                continue
            found[name.removeprefix(folder)] = data
        return found

    def with_parts(self, parts: Mapping[str, bytes], *, without: str) -> bytes:
        """Return the archive with parts replaced or added, and with the parts in a folder emptied."""
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            for name in {**dict.fromkeys(self.names), **dict.fromkeys(parts)}:
                data = parts.get(name)
                if data is None:
                    data = b"" if name.startswith(without) or name.endswith("/") else self.read(name)
                archive.writestr(name, data)
        return file.getvalue()


def _is_deep(root: Any) -> bool:
    """Return whether elements are nested more than `DEPTH_LIMIT` deep."""
    row = [root]
    for _ in range(DEPTH_LIMIT):
        row = [child for element in row for child in element]
        if not row:
            return False
    return True


# -- Word --------------------------------------------------------------------------------------------------------------


_RELATIONSHIPS = "{http://schemas.openxmlformats.org/package/2006/relationships}"
_PROPERTIES = "{http://schemas.openxmlformats.org/officeDocument/2006/extended-properties}"


def read_docx(package: Package) -> Source:
    """Return the paragraphs and pictures of a Word document.

    Raises:
        DocumentRefused: If the document is damaged or too long.
    """
    body = _body_name(package)
    _check_pages(package)
    folder = dirname(body)
    relations = _relations(package, join(folder, "_rels", f"{body.rpartition('/')[2]}.rels"))
    kept = package.pictures(f"{folder}/media/")
    pictures = {picture_name(name): data for name, data in kept.items()}
    by_id = {
        name: picture_name(target)
        for name, (target, is_external) in relations.items()
        if not is_external and target.rpartition("media/")[2] in kept
    }
    root = package.xml(body)
    if root is None:
        raise DocumentRefused(DAMAGED)
    styles_root = package.xml(join(folder, "styles.xml"))
    word = WordText(
        Styles(styles_root),
        Counters(package.xml(join(folder, "numbering.xml"))),
        by_id,
        frozenset(name for name, (_target, is_external) in relations.items() if is_external),
    )
    word.rewrite(root)
    parts = {body: ET.tostring(root, encoding="utf-8", xml_declaration=True)}
    if styles_root is not None:
        parts[join(folder, "styles.xml")] = ET.tostring(styles_root, encoding="utf-8", xml_declaration=True)
    meta, blocks = document_blocks(package.with_parts(parts, without=f"{folder}/media/"), "docx")
    reader = BlockReader(lambda address: picture_name(address) if picture_name(address) in pictures else "")
    paragraphs: list[Paragraph] = [*title_paragraphs(reader, meta), *reader.paragraphs(blocks)]
    has_macros = any(name.lower().endswith("vbaproject.bin") for name in package.names)
    return Source(
        paragraphs,
        pictures,
        [*_notices(word.facts, has_macros=has_macros)],
        lost_pictures=reader.lost_pictures,
        picture_widths=reader.picture_widths,
    )


def _body_name(package: Package) -> str:
    root = package.xml("_rels/.rels")
    for relation in root if root is not None else ():
        if (relation.get("Type") or "").endswith("/officeDocument"):
            name = normpath((relation.get("Target") or "").lstrip("/"))
            if name in package.names:
                return name
    return "word/document.xml"


def _relations(package: Package, name: str) -> dict[str, tuple[str, bool]]:
    """Return a part's relationships by id: the target, and whether it is outside the file."""
    root = package.xml(name)
    return {
        relation.get("Id") or "": (relation.get("Target") or "", relation.get("TargetMode") == "External")
        for relation in (root.iter(f"{_RELATIONSHIPS}Relationship") if root is not None else ())
    }


def _check_pages(package: Package) -> None:
    root: Any = package.xml("docProps/app.xml")
    pages = (root.findtext(f"{_PROPERTIES}Pages") if root is not None else "") or ""
    if pages.isdigit() and int(pages) > PAGES_LIMIT:
        raise DocumentRefused(
            f"The document has {int(pages):,} pages, more than {PAGES_LIMIT:,}. Split it into smaller documents."
        )


def _notices(facts: WordFacts, *, has_macros: bool) -> Iterator[str]:
    if has_macros:
        yield "The document contains macros. They were not run and are left out."
    if facts.has_changes:
        yield CHANGED
    if facts.has_comments:
        yield "The document has comments. They are left out."
    if facts.old_formulas:
        lost = facts.old_formulas - facts.kept_formulas
        yield " ".join(
            [
                counted(facts.old_formulas, "1 formula was", "{} formulas were"),
                "made with an old formula editor (Equation Editor 3, MathType or EQ fields) and cannot be read.",
                *(
                    [counted(facts.kept_formulas, "1 is", "{} are") + " kept as a picture."]
                    if facts.kept_formulas
                    else []
                ),
                *([f"[formula] stands in place of {lost}."] if lost else []),
                "In Word, convert them to equations (double-click one, or use MathType's Convert Equations)"
                " and read the document again.",
            ]
        )
    if facts.objects:
        objects = counted(
            facts.objects, "1 embedded object, such as a spreadsheet,", "{} embedded objects, such as spreadsheets,"
        )
        yield f"{objects} cannot be read. Paste tables or pictures instead."
    if facts.drawings:
        drawings = counted(facts.drawings, "1 drawing made in Word", "{} drawings made in Word")
        yield f"{drawings} cannot be read; [image] marks the place. Save drawings as PNG pictures and insert those."
    if facts.external:
        yield counted(facts.external, "1 picture is", "{} pictures are") + f" {ELSEWHERE}"


# -- OpenDocument ------------------------------------------------------------------------------------------------------


_NAMESPACES = {
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    "style": "urn:oasis:names:tc:opendocument:xmlns:style:1.0",
    "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
    "draw": "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0",
    "fo": "urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0",
    "xlink": "http://www.w3.org/1999/xlink",
    "svg": "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0",
    "manifest": "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0",
}
for _prefix, _address in _NAMESPACES.items():
    ET.register_namespace(_prefix, _address)
_NO_STYLES = (
    f'<office:document-styles xmlns:office="{_NAMESPACES["office"]}" office:version="1.2"><office:font-face-decls/>'
    "<office:styles/><office:automatic-styles/><office:master-styles/></office:document-styles>"
).encode()
_PREFIX_OF_MATH = re.compile(r"<(/?)(?:math|m|mml):")
_STYLE, _TEXT, _FO = (f"{{{_NAMESPACES[name]}}}" for name in ("style", "text", "fo"))
_PARAGRAPHS = (f"{_TEXT}p", f"{_TEXT}h")
_DRAW, _XLINK, _MANIFEST = (f"{{{_NAMESPACES[name]}}}" for name in ("draw", "xlink", "manifest"))

_PLAIN = frozenset({f"{_DRAW}rect", f"{_DRAW}line", f"{_DRAW}connector"})  # lines and answer boxes
_SHAPES = _PLAIN | {
    f"{_DRAW}{name}" for name in "custom-shape g ellipse circle polygon polyline regular-polygon path caption".split()
}
_PLAIN_TYPES = frozenset({"rectangle", "ooxml-rect", "round-rectangle", "ooxml-roundRect"})


def read_odt(package: Package) -> Source:
    """Return the paragraphs and pictures of an OpenDocument text.

    Raises:
        DocumentRefused: If the document is damaged or password-protected.
    """
    manifest = package.xml("META-INF/manifest.xml")
    if manifest is not None and next(manifest.iter(f"{_MANIFEST}encryption-data"), None) is not None:
        raise DocumentRefused(PROTECTED)
    root = package.xml("content.xml")
    if root is None:
        raise DocumentRefused(DAMAGED)
    pictures = {picture_name(name): data for name, data in package.pictures("Pictures/").items()}
    _write_formulas(root, package)
    _write_gaps(root)
    _write_colours(root)
    drawings = _hoist_boxes(root)
    styles = package.xml("styles.xml")
    ListNumbers([root] if styles is None else [styles, root]).write(root)
    notices = []
    if next(root.iter(f"{_TEXT}changed-region"), None) is not None:
        notices.append(CHANGED)
    external = sum((image.get(f"{_XLINK}href") or "").startswith("http") for image in root.iter(f"{_DRAW}image"))
    if external:
        notices.append(counted(external, "1 picture is", "{} pictures are") + f" {ELSEWHERE}")
    if drawings:
        notices.append(
            f"{counted(drawings, '1 drawing', '{} drawings')} cannot be read; [image] marks the place."
            " Save drawings as PNG pictures and insert those."
        )
    parts = {"content.xml": ET.tostring(root, encoding="utf-8")}
    if "styles.xml" not in package.names:  # pandoc requires it
        parts["styles.xml"] = _NO_STYLES
    data = package.with_parts(parts, without="Pictures/")
    meta, blocks = document_blocks(data, "odt")
    reader = BlockReader(lambda address: picture_name(address) if picture_name(address) in pictures else "")
    return Source(
        [*title_paragraphs(reader, meta), *reader.paragraphs(blocks)],
        pictures,
        notices,
        reader.lost_pictures - external,
        reader.picture_widths,
    )


def _write_formulas(root: Any, package: Package) -> None:
    """Replace formulas, which are separate MathML documents, with LaTeX."""
    for frame in list(root.iter(f"{_DRAW}frame")):
        element = frame.find(f"{_DRAW}object")
        if element is None:
            continue
        folder = (element.get(f"{_XLINK}href") or "").removeprefix("./").rstrip("/")
        content = package.read(f"{folder}/content.xml").decode("utf-8", "replace")
        if "math" not in content[:1000]:
            continue
        latex = mathml_to_latex(_PREFIX_OF_MATH.sub(r"<\1", content))
        tail = frame.tail
        frame.clear()
        frame.tag, frame.tail = f"{_TEXT}span", tail
        frame.text = f"{FORMULA}{latex}{FORMULA}" if latex else "[formula]"


def _write_gaps(root: Any) -> None:
    """Replace tabs and multiple spaces with one wide space."""
    for parent in root.iter():
        for child in list(parent):
            if child.tag == f"{_TEXT}tab" or (child.tag == f"{_TEXT}s" and int(child.get(f"{_TEXT}c") or 1) > 1):
                text = GAP + (child.tail or "")
                before = list(parent)[: list(parent).index(child)]
                parent.remove(child)
                if before:
                    before[-1].tail = (before[-1].tail or "") + text
                else:
                    parent.text = (parent.text or "") + text


def _hoist_boxes(root: Any) -> int:
    """Move the paragraphs of text boxes after the paragraph that holds the box; return the number of lost drawings."""
    parents = {child: parent for parent in root.iter() for child in parent}
    drawings = 0
    for shape in reversed([*_shapes(root)]):
        place = shape
        while place in parents and place.tag not in _PARAGRAPHS:
            place = parents[place]
        is_inside = place in parents
        holder = parents[place if is_inside else shape]
        blocks = [*_blocks(shape)]
        is_drawn = _is_drawn(shape, has_text=bool(blocks))
        drawings += is_drawn
        tail = shape.tail
        shape.clear()
        shape.tag, shape.tail = f"{_TEXT}{'span' if is_inside else 'p'}", tail
        shape.text = "[image]" if is_drawn else ""
        behind = list(holder).index(place if is_inside else shape) + 1
        for offset, block in enumerate(blocks):
            for part in block.iter():
                if part.tag in _PARAGRAPHS:
                    part.text = BOXED + (part.text or "")
            holder.insert(behind + offset, block)
    return drawings


def _shapes(element: Any) -> Iterator[Any]:
    """Yield an element's outermost text boxes and shapes, except those with a picture, which pandoc reads."""
    for child in element:
        is_box = child.tag in _SHAPES or child.find(f"{_DRAW}text-box") is not None
        if is_box and next(child.iter(f"{_DRAW}image"), None) is None:
            yield child
        else:
            yield from _shapes(child)


def _blocks(shape: Any) -> Iterator[Any]:
    """Yield a shape's non-empty paragraphs, lists and tables."""
    for child in shape:
        if child.tag in (*_PARAGRAPHS, f"{_TEXT}list", f"{{{_NAMESPACES['table']}}}table"):
            if "".join(child.itertext()).strip():
                yield child
        else:
            yield from _blocks(child)


def _is_drawn(shape: Any, *, has_text: bool) -> bool:
    """Return whether a shape shows more than its text, a line or an answer box."""
    if shape.tag == f"{_DRAW}g":
        return any(_is_drawn(child, has_text=False) or child.tag in _PLAIN for child in shape)
    geometry = shape.find(f"{_DRAW}enhanced-geometry")
    is_plain = geometry is not None and geometry.get(f"{_DRAW}type") in _PLAIN_TYPES
    return shape.tag in _SHAPES - _PLAIN and not has_text and not is_plain


def _write_colours(root: Any) -> None:
    """Put colour markers around spans and paragraphs with a coloured style."""
    coloured = set()
    for style in root.iter(f"{_STYLE}style"):
        properties = style.find(f"{_STYLE}text-properties")
        if properties is None:
            continue
        background = properties.get(f"{_FO}background-color") or ""
        if is_colour(properties.get(f"{_FO}color") or "") or background not in ("", "transparent", "#ffffff"):
            coloured.add(style.get(f"{_STYLE}name"))
    for element in [*root.iter(f"{_TEXT}span"), *root.iter(f"{_TEXT}p")]:
        if element.get(f"{_TEXT}style-name") in coloured and "".join(element.itertext()).strip():
            element.text = COLOUR_BEGINS + (element.text or "")
            if len(element):
                element[-1].tail = (element[-1].tail or "") + COLOUR_ENDS
            else:
                element.text += COLOUR_ENDS
