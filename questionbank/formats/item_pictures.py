"""The pictures of one item of a file: kept by their hashes, and called by names that are each one picture's."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable
from urllib.parse import quote

from analytics.question_content import Picture
from analytics.records import QuestionRecord
from questionbank.formats.pictures import PictureRefused

Put = Callable[[bytes], str]
"""Keeps a picture and returns its SHA-256; raises PictureRefused."""
Say = Callable[[str, str], None]
"""Takes the field and the reason of what went or looks wrong."""

_UNSAFE_NAME = re.compile(r"[()\[\]\n\r\t]+")
_IN_ADDRESSES = {ord(sign): quote(sign) for sign in "()[] \n\r\t"}
_INLINE = re.compile(r"\s*data:(?:image/[a-z.+-]{1,20};base64,)?", re.IGNORECASE)


def base64_bytes(text: str | bytes) -> bytes | None:
    """Return what base64 holds, or None."""
    source = text.encode() if isinstance(text, str) else text
    try:
        return base64.b64decode(b"".join(source.split()), validate=True)
    except (binascii.Error, ValueError):
        return None


def hash_of(data: bytes) -> str:
    """Return the hash of a picture that is kept nowhere: a `Put` for items that are read again."""
    return hashlib.sha256(data).hexdigest()


def kept_address(record: QuestionRecord, folder: str, mark: str) -> Callable[[str], str]:
    """Return where a kept item has each picture of a record, by its name: its hash before its path.

    Args:
        folder: with a slash behind it, in which the pictures of a written package are.
        mark: before the hash.
    """
    hashes = {picture.name: picture.sha256 for picture in record.content.pictures if picture.sha256}
    return lambda name: f"{mark}{hashes[name]}/{folder}{quote(name)}" if name in hashes else name


def safe_name(name: str) -> str:
    """Return a name without the signs that end it in our texts."""
    return _UNSAFE_NAME.sub("_", name)


class ItemPictures:
    """Names pictures of one question.

    Args:
        put: keeps a picture.
        say: is told what could not be kept.
    """

    def __init__(self, put: Put, say: Say) -> None:
        self._put, self._say = put, say
        self.by_name: dict[str, str] = {}  # our name -> hash, or "" where the picture is missing

    def as_content(self) -> tuple[Picture, ...]:
        return tuple(Picture(*pair) for pair in self.by_name.items())

    def keep(self, data: bytes | None, field: str, name: str) -> str:
        """Keep a file that is a picture; returns its hash, or ""."""
        if data is None:
            self._say(field, f"{field}: the file {name[:60]!r} is damaged (not base64)")
            return ""
        try:
            return self._put(data)
        except PictureRefused as error:
            self._say(field, f"{field}: the file {name[:60]!r} {error}; it stays with the original")
            return ""

    def name(self, name: str, digest: str) -> str:
        """Return our name of a picture, another one where a text has given that name to another picture."""
        name = safe_name(name).strip()[:100] or "picture"
        stem, dot, ending = name.rpartition(".")
        again, candidate = 1, name
        while self.by_name.get(candidate, digest) != digest:
            again += 1
            candidate = f"{stem}-{again}.{ending}" if dot else f"{name}-{again}"
        self.by_name[candidate] = digest
        return candidate

    def shown(self, data: bytes | None, field: str, name: str) -> str:
        """Return our name of a picture that an item names, given its file, which is None where there is none."""
        if data is None:
            self._say(field, f"{field} names the picture {name[:60]!r}, which is not in the file")
        elif digest := self.keep(data, field, name):
            return self.name(name, digest)
        return self.missing(name)

    def elsewhere(self, address: str, field: str) -> str:
        """Return what our text calls a picture by an address that names no file of the item.

        A picture in the address itself (``data:image/png;base64,...``) is kept; another address stays.
        """
        inline = _INLINE.match(address)
        if inline is None:
            address = address.strip()
            return address.translate(_IN_ADDRESSES) if "://" in address else safe_name(address)[:300]
        digest = self.keep(base64_bytes(address[inline.end() :]), field, "picture in the text")
        return self.name("picture.png", digest) if digest else ""

    def missing(self, name: str) -> str:
        """Return our name of a picture that the file names and does not hold."""
        name = safe_name(name)[:100]
        if name:
            self.by_name.setdefault(name, "")
        return name
