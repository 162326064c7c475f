"""Documents that are zip archives (DOCX, ODT), opened with limits so that no archive can exhaust the memory."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

from defusedxml import ElementTree as SafeElementTree
from defusedxml.common import DefusedXmlException

from questionbank.core.errors import DocumentRefused
from questionbank.formats.pictures import PictureRefused, read_picture

FILE_LIMIT = 50 * 1024 * 1024  # bytes
TEXT_LIMIT = 60 * 1024 * 1024  # bytes of an unpacked XML part
UNPACKED_LIMIT = 300 * 1024 * 1024
MEMBERS_LIMIT = 5_000
PAGES_LIMIT = 500
DEPTH_LIMIT = 250  # nesting of XML elements; a table within a table is three
DAMAGED = "The document is damaged. Open it in the program that made it and save it again."
TOO_LARGE = "The document is too large when it is unpacked. Split it, or save it with smaller pictures."

TOO_DEEP = "The document has tables or lists within each other too many times to be read. Save a simpler copy of it."


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


def picture_name(address: str) -> str:
    """Return our name for a picture from its address in a package: no spaces, no brackets."""
    name = address.rpartition("/")[2]
    return "".join(sign if sign.isalnum() or sign in "._-" else "-" for sign in name)
