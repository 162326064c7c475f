"""Read ODT: rewrite formulas, colours, numbers and tabs of the package into its text (OpenDocument 1.3, parts 2, 3)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree as ET  # for writing only; input is parsed by defusedxml

from questionbank.core.errors import DocumentRefused
from questionbank.formats.mathml_latex import mathml_to_latex
from questionbank.papers.blocks import BOXED, COLOUR_BEGINS, COLOUR_ENDS, BlockReader
from questionbank.papers.marks import GAP
from questionbank.papers.odt_numbering import ListNumbers
from questionbank.papers.packages import DAMAGED, Package, picture_name
from questionbank.papers.pandoc import document_blocks
from questionbank.papers.paragraphs import FORMULA
from questionbank.papers.source import CHANGED, ELSEWHERE, PROTECTED, Source, counted, title_paragraphs
from questionbank.papers.word_numbering import is_colour

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
            f"{counted(drawings, '1 drawing', '{} drawings')} cannot be read; [image] stands there."
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
