"""Canvas packages: a manifest, quizzes and question banks in QTI 1.2, and their pictures.

A quiz or a bank becomes a concept of its questions. A Common Cartridge contains every quiz twice; the version with
Canvas's own question types is read. Every item's bytes are kept, so that it can be exported as it came.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote, unquote

from analytics.question_content import Section
from analytics.records import Original, QuestionRecord
from questionbank.core.errors import ImportRefused, LineWarning
from questionbank.formats.archives import Places, file_pieces, is_archive, member_bytes, opened_archive
from questionbank.formats.canvas.reading import read_item, with_hashes, with_paths
from questionbank.formats.canvas.words import BLACKBOARD, FORMAT, KEPT
from questionbank.formats.canvas.writing import write_item
from questionbank.formats.fields import FieldProblems, exported_path
from questionbank.formats.html_reading import html_to_our_text
from questionbank.formats.html_text import text_html
from questionbank.formats.items import item_entries, lost_fields
from questionbank.formats.limits import CONCEPT_NAME_LIMIT, HEADING_LIMIT
from questionbank.formats.pictures import hash_of, kept_address
from questionbank.formats.seam import (
    WRITTEN_ANEW,
    Attachments,
    CannotHold,
    Entry,
    ReadContext,
    is_written_anew,
    kept_losses,
    not_held,
)
from questionbank.formats.written_numbers import finite_number
from questionbank.formats.xml_nodes import BadXml, Node, as_utf8, parse, root_element
from questionbank.formats.xml_writing import DECLARATION, Markup, element, opening, package_manifest

MANIFEST = "imsmanifest.xml"
_ROOT = re.compile(rb"<(?:[\w.-]+:)?questestinterop\b")
_LOOKED_AT = 4_096
_MOST_LOOKED_AT = 300  # members of an archive without a manifest, to guess its format
_LARGEST = 400_000  # elements of a manifest, not counting metadata
_MOST_ELEMENTS = 1_000_000  # around a file's items
_UPLOADED = "Uploaded%20Media/"
_NO_SECTION = Section()
_NAMELESS = re.compile(r"(?:root|main|default)?[ _]?section[ _]?\d*", re.IGNORECASE)  # default names given by programs
_META_NAME = "assessment_meta.xml"  # metadata of a quiz, beside its questions
_PATH_SIGNS = {ord(">"): "＞", ord(";"): "；"}
Find = Callable[[str], bytes | None]
_Place = tuple[Section, float | None, int, int]
"""Section and points of the group around an item, and the item's offset and length in the file of all items."""


def is_canvas(archive: zipfile.ZipFile) -> bool:
    """Return whether an archive is a package, or contains QTI 1.2 files without a manifest."""
    return MANIFEST in archive.namelist() or bool(_question_files(archive, most=_MOST_LOOKED_AT))


def is_qti(beginning: str, _name: str) -> bool:
    """Return whether a file is an unpacked file of a package."""
    return root_element(beginning).rpartition(":")[2] == "questestinterop"


# -- reading ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class QtiItem:
    """An ``<item>`` element.

    Attributes:
        title: title of the assessment or bank around it.
        line: line in its file.
        points: points per item stated by the group around it.
        section: section around it; the instructions are HTML or plain text.
    """

    data: bytes
    title: str
    line: int
    points: float | None = None
    section: Section = _NO_SECTION


def qti_items(data: bytes) -> list[QtiItem]:
    """Return a file's items in order, at any depth.

    Raises:
        BadXml: the file is not QTI 1.2 or exceeds a limit.
    """
    data = as_utf8(data)
    root = parse(data, kept_whole=("item",), elements_limit=_MOST_ELEMENTS)
    if root.name != "questestinterop":
        raise BadXml(f"line 1 begins with the element {root.name[:40]!r}, not with 'questestinterop'")
    items, title = [], ""
    for node, points, section in _nodes(root):
        if node.name == "assessment":
            title = node.get("title")
        elif node.name == "qtimetadatafield":
            label, entry = node.find("fieldlabel"), node.find("fieldentry")
            title = entry.text() if label and entry and label.text() == "bank_title" else title
        elif node.name == "item":
            name = " ".join(title.split())
            item_data = data[node.start : node.end]
            items.append(QtiItem(item_data, name, node.line, points, section))
    return items


def _nodes(
    node: Node, points: float | None = None, section: Section = _NO_SECTION
) -> Iterator[tuple[Node, float | None, Section]]:
    """Yield all nodes, each with the points and the section that apply to it."""
    stated = node.find("selection_ordering", "selection", "selection_extension", "points_per_item")
    points = finite_number(stated.text()) if stated else points
    if node.name == "section":
        heading = " ".join(node.get("title").split())[:HEADING_LIMIT]
        said = (part.all_text().strip() for part in node.children("presentation_material", "rubric", "objectives"))
        instructions = "\n\n".join(filter(None, said))
        if _NAMELESS.fullmatch(heading):
            heading = ""
        section = Section(heading or section.heading, instructions or ("" if heading else section.instructions))
    yield node, points, section
    for child in node.children():
        yield from _nodes(child, points, section)


def read_canvas(path: Path, context: ReadContext) -> Iterator[tuple[int, Entry]]:
    """Yield the entries of each item, by item number."""
    if not is_archive(path):
        yield from _Package(path, context, lambda _path: None).entries([(path.name, path.read_bytes())])
        return
    with opened_archive(path) as archive:
        package = _Package(path, context, _finder(archive, path))
        if MANIFEST in archive.namelist():
            yield from package.missing(archive)
        members = [(name, member_bytes(archive, name, path) or b"") for name in _question_files(archive)]
        if not members:
            raise ImportRefused(f"{path.name} holds no questions in QTI 1.2, 2.1, 2.2 or 3.0. Export it as QTI.")
        yield from package.entries(members)


def _question_files(archive: zipfile.ZipFile, most: int | None = None) -> list[str]:
    """Return the members with questions; of duplicate quizzes, the one with Canvas's types.

    Args:
        most: maximum number of members to inspect.
    """
    found = []
    for member in archive.infolist()[:most]:
        if member.filename.lower().endswith((".xml", ".qti", ".dat")) and member.filename != MANIFEST:
            with archive.open(member) as file:
                beginning = file.read(_LOOKED_AT)
            if _ROOT.search(beginning.replace(b"\0", b"")):
                found.append(member.filename)
    own = {name.rpartition("/")[2].partition(".")[0] for name in found if name.endswith(".xml.qti")}
    return [name for name in found if name.endswith(".xml.qti") or name.split("/")[-2:-1] not in [[one] for one in own]]


def _finder(archive: zipfile.ZipFile, path: Path) -> Find:
    by_name = {unquote(name): name for name in archive.namelist()}
    by_ending = {name.rpartition("/")[2]: name for name in archive.namelist()}
    named = [(ending, name) for ending, name in by_ending.items() if ending.startswith("__xid-")]
    by_ending |= {ending[2:].rpartition(".")[0]: name for ending, name in named}  # Blackboard's pictures

    def find(wanted: str) -> bytes | None:
        for place in (wanted, f"web_resources/{wanted}"):
            if place in by_name:
                return member_bytes(archive, by_name[place], path)
        name = by_ending.get(wanted.rpartition("/")[2])
        return member_bytes(archive, name, path) if name else None

    return find


class _Package:
    def __init__(self, path: Path, context: ReadContext, find: Find) -> None:
        self._path, self._context, self._find = path, context, find
        self._number = 0

    def missing(self, archive: zipfile.ZipFile) -> Iterator[tuple[int, Entry]]:
        """Yield a warning for each file in the manifest that is missing from the package."""
        try:
            data = as_utf8(member_bytes(archive, MANIFEST, self._path) or b"")
            manifest = parse(data, kept_whole=("metadata",), elements_limit=_LARGEST)
        except BadXml as error:
            raise ImportRefused(f"{self._path.name} cannot be read: its {MANIFEST}: {error}.") from error
        names = {unquote(name) for name in archive.namelist()}
        for href in (node.get("href") for node in manifest.iter("file")):
            if href and unquote(href) not in names and "://" not in href:
                what = f"the package lacks the file {href[:80]!r}, which its manifest names"
                yield 0, LineWarning(0, what, "file")

    def entries(self, members: list[tuple[str, bytes]]) -> Iterator[tuple[int, Entry]]:
        total, done = sum(len(data) for _name, data in members) or 1, 0
        for name, data in members:
            try:
                items = qti_items(data)
            except BadXml as error:
                raise ImportRefused(f"{self._path.name} cannot be read: {name[:60]!r}: {error}.") from error
            instructions = self._instructions(name)
            for item in items:
                self._number += 1
                place = f"{name.rpartition('/')[2]}, line {item.line:,}"
                yield from self._item(item, place, instructions)
            done += len(data)
            if self._context.progress is not None:
                self._context.progress(done, total)

    def _instructions(self, member: str) -> str:
        """Return the instructions of a quiz, which are in a separate file."""
        folder = member.rpartition("/")[0] or member.rpartition("/")[2].partition(".")[0]
        try:
            meta = parse(as_utf8(self._find(f"{folder}/{_META_NAME}") or b"<quiz/>"), elements_limit=_LARGEST)
        except BadXml:
            return ""  # its contents are optional
        description = meta.find("description")
        return _said(description.all_text()) if description else ""

    def _item(self, item: QtiItem, place: str, instructions: str) -> Iterator[tuple[int, Entry]]:
        data, concepts = item.data, _concepts(item.title)
        section = replace(item.section, instructions=_said(item.section.instructions) or instructions)

        def read() -> tuple[QuestionRecord, list[tuple[str, str]]]:
            record, said, hashes = read_item(data, self._context.attachments.put, self._find, concepts)
            format = BLACKBOARD if b"bbmd_questiontype" in data else FORMAT
            stated: dict[str, Any] = {} if item.points is None else {"points": item.points}
            stated |= {"section": section} if section != _NO_SECTION else {}
            record = replace(record, content=replace(record.content, **stated))
            return replace(record, original=Original(format, with_hashes(data, hashes))), said

        yield from item_entries(self._number, read, place)


def _said(source: str) -> str:
    """Return the instructions of a quiz or section, with pictures reduced to placeholders."""
    return html_to_our_text(source, picture_name=lambda _address: "")[0].strip()


def _concepts(title: str) -> tuple[tuple[str, ...], ...]:
    """Return the concept that stands for a quiz or bank."""
    name = title.translate(_PATH_SIGNS)[:CONCEPT_NAME_LIMIT].strip()
    return ((name,),) if name else ()


# -- writing ------------------------------------------------------------------------------------------------------

_QTI = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"
_HEAD = opening(
    "questestinterop",
    **{
        "xmlns": _QTI,
        "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
        "xsi:schemaLocation": f"{_QTI} {_QTI}p1.xsd",
    },
)
_FOOT = b"\n</section></assessment></questestinterop>\n"
_QUIZ_SPACE = "http://canvas.instructure.com/xsd/cccv1p0"
_PACKAGE_SPACES = {
    "xmlns": "http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1",
    "xmlns:lom": "http://ltsc.ieee.org/xsd/imsccv1p1/LOM/resource",
    "xmlns:imsmd": "http://www.imsglobal.org/xsd/imsmd_v1p2",
}


def write_canvas(records: Iterable[QuestionRecord], attachments: Attachments) -> Iterator[bytes]:
    """Yield the package in pieces, one quiz per first concept; omit what Canvas cannot hold."""
    with tempfile.TemporaryFile() as file, tempfile.TemporaryFile() as items:
        pictures = _Pictures(attachments)
        quizzes: dict[tuple[str, ...], list[_Place]] = {}
        for record in records:
            try:
                item, points = _item(record, pictures)
            except CannotHold:
                continue
            quizzes.setdefault(record.concepts[0] if record.concepts else (), []).append(
                (record.content.section, points, items.tell(), len(item))
            )
            items.write(item)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            resources: list[Markup] = []
            for concept, places in quizzes.items():
                resources += _write_quiz(archive, concept, places, items)
            resources += pictures.write(archive)
            archive.writestr(
                MANIFEST, package_manifest(resources, "IMS Content", "1.1.3", identifier="kindred", **_PACKAGE_SPACES)
            )
        yield from file_pieces(file)


def _title(concept: tuple[str, ...]) -> str:
    return " > ".join(exported_path(concept)) or "Questions"


def _write_quiz(
    archive: zipfile.ZipFile, concept: tuple[str, ...], places: list[_Place], items: IO[bytes]
) -> list[Markup]:
    """Write the files of a quiz and return their resource elements."""
    title = _title(concept)
    ident = f"k{hashlib.sha256(title.encode()).hexdigest()[:32]}"
    name, meta = f"{ident}/{ident}.xml", f"{ident}/{_META_NAME}"
    with archive.open(name, "w") as stream:
        head = f"{_HEAD}\n{opening('assessment', ident=ident, title=title)}{opening('section', ident='root_section')}\n"
        stream.write(f"{DECLARATION}{head}".encode())
        groups = groupby(places, key=lambda place: place[:2])
        for number, ((section, points), group) in enumerate(groups, start=1):
            members = [*group]
            before, after = _section_edges(section, number, points, len(members))
            stream.write(before)
            for _section, _points, start, length in members:
                items.seek(start)
                stream.write(items.read(length) + b"\n")
            stream.write(after)
        stream.write(_FOOT)
    quiz = element(
        "quiz", element("title", title), element("quiz_type", "assignment"), identifier=ident, xmlns=_QUIZ_SPACE
    )
    archive.writestr(meta, f"{DECLARATION}{quiz}\n")
    depends = element("dependency", identifierref=f"{ident}_meta")
    kind = "associatedcontent/imscc_xmlv1p1/learning-application-resource"
    return [
        element("resource", element("file", href=name), depends, identifier=ident, type="imsqti_xmlv1p2"),
        element("resource", element("file", href=meta), identifier=f"{ident}_meta", type=kind, href=meta),
    ]


def _section_edges(section: Section, number: int, points: float | None, count: int) -> tuple[bytes, bytes]:
    """Return the text before and after the items of a section; empty for items outside any section.

    Args:
        points: points per item stated by the section, overriding the items' own.
        count: number of its items.
    """
    if section == _NO_SECTION and points is None:
        return b"", b""
    before = [opening("section", ident=f"section_{number}", title=section.heading)]
    if section.instructions:
        html = text_html(section.instructions) or escape(section.instructions, quote=False)
        material = element("material", element("mattext", html, texttype="text/html"))
        before.append(element("presentation_material", element("flow_mat", material)))
    if points is not None:
        gives = element("selection_extension", element("points_per_item", repr(points)))
        selection = element("selection", element("selection_number", str(count)), gives)
        before.append(element("selection_ordering", selection))
    return "".join(f"{piece}\n" for piece in before).encode(), b"</section>\n"


class _Pictures:
    """The pictures of a package, each with a path of its own."""

    def __init__(self, attachments: Attachments) -> None:
        self._attachments = attachments
        self._places = Places()
        self._files: dict[str, str] = {}  # path -> hash

    def place(self, path: str, digest: str) -> str:
        """Return the address of a picture, changed if another picture has its path."""
        place, _is_new = self._places.of(unquote(path), digest)
        self._files[place] = digest
        return path if place == unquote(path) else quote(place)

    def write(self, archive: zipfile.ZipFile) -> Iterator[Markup]:
        """Write the pictures and yield their resource elements."""
        for path, digest in self._files.items():
            data = self._attachments.get(digest)
            if data is not None:
                archive.writestr(path, data)
                ident, href = f"picture{digest[:32]}", quote(path)
                yield element("resource", element("file", href=href), identifier=ident, type="webcontent", href=href)


def _item(record: QuestionRecord, pictures: _Pictures) -> tuple[bytes, float | None]:
    """Return an item, as it came or newly written, and the points that a group around it must state, if any."""
    again = _kept(record)
    if record.original is None or again is None:
        return _own_item(record, pictures), None
    is_same = again.content.points == record.content.points
    return with_paths(record.original.data, pictures.place), None if is_same else record.content.points


def _kept(record: QuestionRecord) -> QuestionRecord | None:
    """Return the record of a question's source item; None if we write the item ourselves."""
    original = record.original
    if original is None or original.format != FORMAT:
        return None
    again = _again(record, original.data)
    return None if is_written_anew(record, _with_points_of(record, again)) else again


def _with_points_of(record: QuestionRecord, again: QuestionRecord) -> QuestionRecord:
    return replace(again, content=replace(again.content, points=record.content.points))


def _own_item(record: QuestionRecord, pictures: _Pictures) -> bytes:
    return with_paths(write_item(record, kept_address(record, _UPLOADED, KEPT), ours=_lost(record)), pictures.place)


def _lost(record: QuestionRecord) -> str:
    return lost_fields(record, _again(record, write_item(record, kept_address(record, _UPLOADED, KEPT))))


def _again(record: QuestionRecord, item: bytes) -> QuestionRecord:
    """Return the record of an item when read from the quiz where a record is exported."""
    concepts = _concepts(_title(record.concepts[0] if record.concepts else ()))
    try:
        return read_item(item, hash_of, lambda _path: None, concepts)[0]
    except FieldProblems:
        return QuestionRecord("", "")


def canvas_losses(record: QuestionRecord, _attachments: Attachments) -> list[str]:
    """Return what Canvas does not see of a question; we restore it from our own field if we wrote the item."""
    if kept := _kept(record):
        lost = kept_losses(record, _with_points_of(record, kept))
        return lost if {*kept.concepts} == {*record.concepts} else [*lost, "the concepts"]
    content = record.content
    if content.points is None:  # Canvas's default is one point
        content = replace(content, points=1.0)
    lost = [WRITTEN_ANEW] if record.original is not None and record.original.format == FORMAT else []
    record = replace(record, content=content)
    again = _again(record, write_item(record, kept_address(record, _UPLOADED, KEPT)))
    again = replace(again, content=replace(again.content, section=content.section))  # stored around the item
    return lost + not_held(record, replace(again, concepts=record.concepts[:1]))
