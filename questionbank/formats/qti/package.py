"""Read and write QTI 2.1, 2.2 and 3.0 files.

Packages with a manifest, archives without one, and single items are read. Every item's bytes are kept with its
context in the package, so that it can be exported as it came. What is written is a package: a manifest, a test with
sections, items, and their files.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from urllib.parse import quote, unquote

from analytics.question_content import Section, own_text
from analytics.records import Original, QuestionRecord
from questionbank.core.errors import ImportRefused, LineWarning
from questionbank.formats.archives import Members, Places, file_pieces, is_archive, opened_archive
from questionbank.formats.fields import FieldProblems, exported_path
from questionbank.formats.items import item_entries, lost_fields
from questionbank.formats.lines import unpacked_stream
from questionbank.formats.pictures import hash_of, kept_address
from questionbank.formats.qti.manifest import Contents, Listed, contents, is_item, manifest_folder
from questionbank.formats.qti.metadata import (
    CATALOG,
    KEPT,
    MANIFEST,
    SECTIONED,
    TOOL,
    Around,
    Version,
    ours_alone,
    read_around,
    read_metadata,
    with_observed,
    with_predictions,
    write_metadata,
)
from questionbank.formats.qti.reading import Reading, read_item
from questionbank.formats.qti.texts import qti_tree, with_hashes, with_paths
from questionbank.formats.qti.writing import document, write_item, write_stimulus
from questionbank.formats.seam import (
    WRITTEN_ANEW,
    Attachments,
    CannotHold,
    Entry,
    ReadContext,
    is_as_read,
    is_written_anew,
    kept_losses,
    not_held,
)
from questionbank.formats.xml_nodes import ITEM_LIMIT, BadXml, as_utf8, root_element
from questionbank.formats.xml_writing import Markup, element, joined, package_manifest

_KEPT_LIMIT = 512 * 1024  # total bytes of other files kept with an item
_WARNED = 50  # warnings about missing files, and about faults
_NAMED = 10  # rules of a test listed in a note
_LOOKED_AT = 300  # archive members checked for a version
_ROOTS = ("assessmentItem", "qti-assessment-item")
_SPACES = (  # marks of an item's version
    ("qti3", re.compile(rb"imsqtiasi_v3p0|<(?:[\w.-]+:)?qti-assessment-item\b")),
    ("qti22", re.compile(rb"imsqti_v2p2")),
    ("qti21", re.compile(rb"<(?:[\w.-]+:)?assessmentItem[\s>]")),
)


# -- recognising ---------------------------------------------------------------------------------------------------


def version_of(beginning: bytes) -> str:
    """Return an item's version name by its beginning; empty if it is not an item."""
    beginning = beginning.replace(b"\0", b"")
    return next((name for name, form in _SPACES if is_item(beginning) and form.search(beginning)), "")


def archive_version(archive: zipfile.ZipFile) -> str:
    """Return the version of the first item in an archive; empty if it contains none."""
    names = [member.filename for member in archive.infolist() if member.filename.lower().endswith((".xml", ".qti"))]
    for name in islice(names, _LOOKED_AT):
        with archive.open(name) as file:
            if version := version_of(file.read(4_096)):
                return version
    return ""


def text_version(beginning: str, _name: str) -> str:
    """Return the version of a file that is a single item."""
    is_one = root_element(beginning).rpartition(":")[2] in _ROOTS
    return version_of(beginning.encode()) if is_one else ""


# -- reading -------------------------------------------------------------------------------------------------------


def read_qti(path: Path, context: ReadContext, format: str) -> Iterator[tuple[int, Entry]]:
    """Yield the entries of each item, by item number."""
    if not is_archive(path):
        yield from _single(path, context, format)
        return
    with opened_archive(path) as archive:
        names = archive.namelist()
        folder = manifest_folder(names)
        members = Members(archive, path, folder or "")
        try:
            found = contents(members, names, has_manifest=folder is not None)
        except BadXml as error:
            raise ImportRefused(f"{path.name} cannot be read: its imsmanifest.xml: {error}.") from error
        if folder is not None and not found.items:  # the manifest refers to no items
            members = Members(archive, path)
            found.items = contents(members, names, has_manifest=False).items
        yield from _said_of(found)
        if not found.items:
            gone = next(iter(found.missing), "")
            why = f", and the file {gone[:60]!r} that it names is missing" if gone else ""
            raise ImportRefused(f"{path.name} holds no questions in QTI 2 or 3{why}.")
        if found.tests:
            context.notes.append("Titles of a test's sections are read as concepts.")
        if found.lost:
            more = f" and {len(found.lost) - _NAMED:,} more rules" if len(found.lost) > _NAMED else ""
            context.notes.append(f"Not kept of the test: {'; '.join(found.lost[:_NAMED])}{more}.")
        reader = _PackageReader(members, context, format)
        for number, item in enumerate(found.items, start=1):
            yield from reader.entries(number, item)
            if context.progress is not None:
                context.progress(number, len(found.items))


def _said_of(found: Contents) -> Iterator[tuple[int, Entry]]:
    for path, who in islice(found.missing.items(), _WARNED):
        yield 0, LineWarning(0, f"the package lacks the file {path[:80]!r}, which {who} names", "file")
    if len(found.missing) > _WARNED:
        yield 0, LineWarning(0, f"the package lacks {len(found.missing) - _WARNED:,} more files", "file")
    for fault in found.faults[:_WARNED]:
        yield 0, LineWarning(0, fault, "file")


def _single(path: Path, context: ReadContext, format: str) -> Iterator[tuple[int, Entry]]:
    with path.open("rb") as raw:
        stream, _packed = unpacked_stream(raw, path)
        data = stream.read(ITEM_LIMIT + 1)
    if len(data) > ITEM_LIMIT:
        raise ImportRefused(f"{path.name} cannot be read: it is an item of more than {ITEM_LIMIT // 1024**2} MB.")
    try:
        qti_tree(as_utf8(data))
    except BadXml as error:
        raise ImportRefused(f"{path.name} cannot be read: {error}.") from error
    reader = _PackageReader(None, context, format)
    yield from reader.entries(1, Listed(Around(path.name)), data)


class _PackageReader:
    """Reads the items of a package, or a single item without one."""

    def __init__(self, members: Members | None, context: ReadContext, format: str) -> None:
        self._members, self._format = members, format
        self._put = context.attachments.put

    def entries(self, number: int, item: Listed, data: bytes | None = None) -> Iterator[tuple[int, Entry]]:
        path = item.around.path
        name = path.rpartition("/")[2] if self._members is None else path

        def read() -> tuple[QuestionRecord, list[tuple[str, str]]]:
            try:
                return self._record(item, data)
            except (BadXml, FieldProblems) as error:
                raise FieldProblems([("question", f"the item {name[-80:]!r} {error}")]) from error

        yield from item_entries(number, read)

    def _record(self, item: Listed, data: bytes | None) -> tuple[QuestionRecord, list[tuple[str, str]]]:
        around = item.around
        folder = posixpath.dirname(around.path)
        utf8 = as_utf8(data if data is not None else self._read(around.path) or b"")
        record, reading = read_item(utf8, self._put, lambda path: self._read(posixpath.join(folder, path)), around)
        kept, left = self._kept_files(item, reading)
        name = around.path[-60:]
        said = [*reading.texts.said, *(("file", f"the file {path[:60]!r} is not kept ({name})") for path in left)]
        said += [("test", f"in its test the question “{name}” {rule}, which is not kept") for rule in item.lost]
        preamble = replace(around, files=kept).as_bytes()
        original = Original(self._format, with_hashes(utf8, reading.texts.hashes), preamble)
        return replace(record, original=original), said

    def _read(self, path: str) -> bytes | None:
        return self._members.read(path) if self._members is not None else None

    def _kept_files(self, item: Listed, reading: Reading) -> tuple[dict[str, bytes], list[str]]:
        """Return the files that an item needs besides its pictures, and the paths of those that are too large."""
        if self._members is None:
            return {}, []
        folder = posixpath.dirname(item.around.path)
        named = (posixpath.join(folder, path) for path in (*reading.texts.named, *_stylesheets(reading)))
        pictures = {self._members.name(posixpath.join(folder, path)) for path in reading.texts.hashes}
        kept: dict[str, bytes] = {}
        left: list[str] = []
        total = 0
        for path in dict.fromkeys(posixpath.normpath(path) for path in (*item.files, *named)):
            name = self._members.name(path)
            if not name or name in pictures:
                continue
            data = self._members.read(path) or b""
            if is_item(data[:4_096]) or total + len(data) > _KEPT_LIMIT:
                if not is_item(data[:4_096]):
                    left.append(path)
                continue
            total += len(data)
            kept[path] = data
        return kept, left


def _stylesheets(reading: Reading) -> list[str]:
    return [node.get("href") for node in reading.root.iter("stylesheet") if node.get("href")]


_FOLDER, _PICTURES, _STIMULI = "items", "media", "stimuli"
_TEST = "test.xml"
_OURS_BEFORE = re.compile(rf"<lom [^<>]*><general><identifier><catalog>{CATALOG}</catalog>.*?</lom>", re.DOTALL)
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class _Item:
    """An item to be written to a package."""

    data: bytes
    around: Around
    is_own: bool = True


@dataclass(slots=True)
class _Section:
    """References to the items of one concept, and its subsections."""

    references: dict[tuple[str, ...], list[Markup]] = field(default_factory=dict)  # by the elements that they share
    inner: dict[str, _Section] = field(default_factory=dict)


def write_qti(records: Iterable[QuestionRecord], attachments: Attachments, version: Version) -> Iterator[bytes]:
    """Yield a package in pieces; omit what QTI cannot hold."""
    with tempfile.TemporaryFile() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            _Package(archive, attachments, version).write(records)
        yield from file_pieces(file)


class _Package:
    def __init__(self, archive: zipfile.ZipFile, attachments: Attachments, version: Version) -> None:
        self._archive, self._attachments, self._version = archive, attachments, version
        self._places = Places(MANIFEST, _TEST)
        self._top = _Section()
        self._resources: list[Markup] = []
        self._number = 0

    def write(self, records: Iterable[QuestionRecord]) -> None:
        for record in records:
            try:
                item = written(record, self._version)
            except CannotHold:
                continue
            self._add(record, item)
        self._archive.writestr(_TEST, self._test())
        space, schema, number = self._version.package
        depends = [element("dependency", identifierref=f"i{place + 1}") for place in range(self._number)]
        kind = f"imsqti_test_xml{self._version.resource}"
        test = element("resource", element("file", href=_TEST), *depends, identifier="test", type=kind, href=_TEST)
        self._archive.writestr(
            MANIFEST, package_manifest([test, *self._resources], schema, number, xmlns=space, identifier="kindred")
        )

    def _add(self, record: QuestionRecord, item: _Item) -> None:
        self._number += 1
        identifier = f"i{self._number}"
        around = item.around
        path, _is_new = self._places.of(around.path, hashlib.sha256(item.data).hexdigest() + identifier)
        folder = posixpath.dirname(path)
        files: list[str] = []

        def picture(address: str, digest: str) -> str:
            there = self._put(_within(folder, unquote(address)), digest, self._attachments.get(digest))
            files.append(there)
            same = there == _within(folder, unquote(address))
            return address if same else quote(posixpath.relpath(there, folder or "."))

        data = with_paths(item.data, picture)
        for name, piece in around.files.items():
            if item.is_own and name.startswith(_STIMULI):
                piece = with_paths(piece, lambda address, digest: picture(address, digest))
            files.append(self._put(name, hashlib.sha256(piece).hexdigest(), piece))
        self._archive.writestr(path, data)
        listed = [element("file", href=quote(name)) for name in dict.fromkeys([path, *files])]
        metadata = Markup(with_observed(with_predictions(around.metadata, record.predicted), record.observed))
        kind = f"imsqti_item_xml{self._version.resource}"
        self._resources.append(
            element("resource", metadata, *listed, identifier=identifier, type=kind, href=quote(path))
        )
        section = self._top
        for name in exported_path(record.concepts[0]) if record.concepts else ():
            section = section.inner.setdefault(name, _Section())
        reference = element(
            "assessmentItemRef",
            Markup(around.timing),
            identifier=f"ref_{identifier}",
            href=quote(path),
            category=SECTIONED if _stands_in_section(record) else None,
        )
        section.references.setdefault(around.shared, []).append(reference)

    def _put(self, path: str, digest: str, data: bytes | None) -> str:
        """Write a file once; return its path, changed if another file has it."""
        place, is_new = self._places.of(path, digest)
        if is_new and data is not None:
            self._archive.writestr(place, data)
        return place

    # -- test and manifest -----------------------------------------------------------------------------------------

    def _test(self) -> str:
        numbers = iter(range(1, 10**9))
        inner = self._section(self._top, "Questions", numbers)
        modes = {"navigationMode": "nonlinear", "submissionMode": "individual"}
        part = element("testPart", inner, identifier="part", **modes)
        return document("assessmentTest", [part], self._version, identifier="test", title="Questions", toolName=TOOL)

    def _section(self, section: _Section, title: str, numbers: Iterator[int]) -> Markup:
        groups = []
        for shared, references in section.references.items():
            items = joined(references, "\n")
            groups.append(_section_element(numbers, "Section", *map(Markup, shared), items) if shared else items)
        groups += [self._section(inner, name, numbers) for name, inner in section.inner.items()]
        return _section_element(numbers, title, *groups)


def _section_element(numbers: Iterator[int], title: str, *inner: Markup) -> Markup:
    identifier = f"section{next(numbers)}"
    return element("assessmentSection", joined(inner), identifier=identifier, title=title, visible=True)


def _within(folder: str, path: str) -> str:
    """Return a path below the root of a package, whatever the given path is."""
    joined = posixpath.normpath(posixpath.join("/", folder, path.replace("\\", "/")))
    return joined.lstrip("/")


# -- items ---------------------------------------------------------------------------------------------------------


def written(record: QuestionRecord, version: Version) -> _Item:
    """Return a record as an item: as it came, or rewritten.

    Raises:
        CannotHold: QTI has no equivalent.
    """
    original = record.original
    if original is None or original.format != version.name:
        return own_item(record, version)
    around = read_around(original.preamble)
    before = again(original.data, around)
    if is_written_anew(record, before):
        return own_item(record, version)
    is_filed = {*before.concepts} == {*record.concepts}
    section = record.content.section
    is_placed = section == Section() or _stands_in_section(record)
    if is_as_read(record) and is_filed and is_placed:
        return _kept(original.data, around)
    content = replace(before.content, section=section if is_placed else Section())
    concepts = record.concepts if is_filed else before.concepts
    source = before.source or record.source
    ours = lost_fields(record, replace(before, id=record.id, source=source, concepts=concepts, content=content))
    metadata = _with_ours(around.metadata, ours) if ours else around.metadata
    return _kept(original.data, replace(around, metadata=metadata))


def _stands_in_section(record: QuestionRecord) -> bool:
    """Return whether an item's section is the section of our test for its concept."""
    path = exported_path(record.concepts[0]) if record.concepts else []
    return bool(path) and record.content.section == Section(path[-1])


def _kept(data: bytes, around: Around) -> _Item:
    path = _within("", around.path or f"{_FOLDER}/item.xml")
    return _Item(data, replace(around, path=path), is_own=False)


def _with_ours(metadata: str, ours: str) -> str:
    """Return an item's manifest metadata with our current fields, replacing older ones."""
    if not metadata:
        return f"<metadata>{ours_alone(ours)}</metadata>"
    if read_metadata(metadata.encode()).ours:
        metadata = _OURS_BEFORE.sub("", metadata)
    head, tag, rest = metadata.rpartition("</")
    return f"{head}{ours_alone(ours)}{tag}{rest}"


def own_item(record: QuestionRecord, version: Version) -> _Item:
    """Return a record as an item written by us."""
    address = kept_address(record, f"{_PICTURES}/", KEPT)
    files: dict[str, bytes] = {}
    stimulus = ""
    shared = record.content.stimulus
    if version.is_three and shared.text and own_text(record.text, record.content) != record.text:
        identifier = f"s{hashlib.sha256(shared.text.encode()).hexdigest()[:16]}"
        stimulus = f"../{_STIMULI}/{identifier}.xml"
        files[f"{_STIMULI}/{identifier}.xml"] = write_stimulus(shared, identifier, version, _beside(address))
    data = write_item(record, version, address, stimulus)
    path = f"{_FOLDER}/{_UNSAFE.sub('-', record.id).strip('-.')[:60] or 'item'}.xml"
    around = Around(path, f"<metadata>{write_metadata(record, '')}</metadata>", files)
    metadata = f"<metadata>{write_metadata(record, lost_fields(record, again(data, around)))}</metadata>"
    return _Item(data, replace(around, metadata=metadata))


def _beside(address: Callable[[str], str]) -> Callable[[str], str]:
    """Return a function for addresses relative to another folder beside the items' folder."""
    return lambda name: address(name).replace(f"/{_PICTURES}/", f"/../{_FOLDER}/{_PICTURES}/", 1)


def again(data: bytes, around: Around) -> QuestionRecord:
    """Return the record of a written or kept item when read back."""
    folder = posixpath.dirname(around.path)
    by_path = {posixpath.normpath(name).casefold(): piece for name, piece in around.files.items()}

    def find(wanted: str) -> bytes | None:
        return by_path.get(posixpath.normpath(posixpath.join(folder, wanted)).casefold())

    try:
        return read_item(data, hash_of, find, around)[0]
    except FieldProblems:
        return QuestionRecord("", "")


def qti_losses(record: QuestionRecord, version: Version) -> list[str]:
    """Return what other systems lose of a question; we restore it from the manifest."""
    original, lost = record.original, []
    if original is not None and original.format == version.name:
        before = again(original.data, read_around(original.preamble))
        if not is_written_anew(record, before):
            return kept_losses(record, before)
        lost = [WRITTEN_ANEW]
    item = own_item(record, version)
    now = again(item.data, replace(item.around, metadata=f"<metadata>{write_metadata(record, '')}</metadata>"))
    if record.content.points is None:  # an item without stated points gives one point
        now = replace(now, content=replace(now.content, points=None))
    return lost + not_held(record, replace(now, source=record.source))
