"""Read QTI 2.1, 2.2 and 3.0 files: packages with a manifest, archives without one, and single items.

Every item's bytes are kept with its context in the package, so that it can be exported as it came.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from analytics.records import Original, QuestionRecord
from questionbank.core.errors import ImportRefused, LineWarning
from questionbank.formats.archives import Members, is_archive, opened_archive
from questionbank.formats.fields import FieldProblems
from questionbank.formats.items import item_entries
from questionbank.formats.lines import unpacked_stream
from questionbank.formats.qti.manifest import Contents, Listed, contents, is_item, manifest_folder
from questionbank.formats.qti.metadata import Around
from questionbank.formats.qti.reading import Reading, read_item
from questionbank.formats.qti.texts import qti_tree, with_hashes
from questionbank.formats.seam import Entry, ReadContext
from questionbank.formats.xml_nodes import ITEM_LIMIT, BadXml, as_utf8, root_element

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
