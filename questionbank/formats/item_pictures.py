"""The pictures of one item: stored by hash, with a unique name for each picture."""

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
"""Stores a picture and returns its SHA-256; raises PictureRefused."""
Say = Callable[[str, str], None]
"""Takes the field and the reason for something lost or suspicious."""

_UNSAFE_NAME = re.compile(r"[()\[\]\n\r\t]+")
_IN_ADDRESSES = {ord(sign): quote(sign) for sign in "()[] \n\r\t"}
_INLINE = re.compile(r"\s*data:(?:image/[a-z.+-]{1,20};base64,)?", re.IGNORECASE)


def base64_bytes(text: str | bytes) -> bytes | None:
    """Decode base64; None if it is invalid."""
    source = text.encode() if isinstance(text, str) else text
    try:
        return base64.b64decode(b"".join(source.split()), validate=True)
    except (binascii.Error, ValueError):
        return None


def hash_of(data: bytes) -> str:
    """Return the hash of a picture without storing it: a `Put` for items that are read again."""
    return hashlib.sha256(data).hexdigest()


def kept_address(record: QuestionRecord, folder: str, mark: str) -> Callable[[str], str]:
    """Return a function from picture names to addresses in a kept item: the hash before the path.

    Args:
        folder: folder for pictures in the written package, with a trailing slash.
        mark: prefix of the hash.
    """
    hashes = {picture.name: picture.sha256 for picture in record.content.pictures if picture.sha256}
    return lambda name: f"{mark}{hashes[name]}/{folder}{quote(name)}" if name in hashes else name


def safe_name(name: str) -> str:
    """Replace the characters that would end a name in our texts."""
    return _UNSAFE_NAME.sub("_", name)


class ItemPictures:
    """Names the pictures of one question.

    Args:
        put: stores a picture.
        say: called with what could not be stored.
    """

    def __init__(self, put: Put, say: Say) -> None:
        self._put, self._say = put, say
        self.by_name: dict[str, str] = {}  # our name -> hash, or "" if the picture is missing

    def as_content(self) -> tuple[Picture, ...]:
        return tuple(Picture(*pair) for pair in self.by_name.items())

    def keep(self, data: bytes | None, field: str, name: str) -> str:
        """Store a file that is a picture; return its hash, or ""."""
        if data is None:
            self._say(field, f"{field}: the file {name[:60]!r} is damaged (not base64)")
            return ""
        try:
            return self._put(data)
        except PictureRefused as error:
            self._say(field, f"{field}: the file {name[:60]!r} {error}; it stays with the original")
            return ""

    def name(self, name: str, digest: str) -> str:
        """Return our name of a picture; a new name if another picture of the item already has this one."""
        name = safe_name(name).strip()[:100] or "picture"
        stem, dot, ending = name.rpartition(".")
        again, candidate = 1, name
        while self.by_name.get(candidate, digest) != digest:
            again += 1
            candidate = f"{stem}-{again}.{ending}" if dot else f"{name}-{again}"
        self.by_name[candidate] = digest
        return candidate

    def shown(self, data: bytes | None, field: str, name: str) -> str:
        """Return our name of a picture that an item refers to; `data` is its file, or None if missing."""
        if data is None:
            self._say(field, f"{field} names the picture {name[:60]!r}, which is not in the file")
        elif digest := self.keep(data, field, name):
            return self.name(name, digest)
        return self.missing(name)

    def elsewhere(self, address: str, field: str) -> str:
        """Return what our text calls a picture whose address is not a file of the item.

        A picture in the address itself (``data:image/png;base64,...``) is stored; any other address is kept as it is.
        """
        inline = _INLINE.match(address)
        if inline is None:
            address = address.strip()
            return address.translate(_IN_ADDRESSES) if "://" in address else safe_name(address)[:300]
        digest = self.keep(base64_bytes(address[inline.end() :]), field, "picture in the text")
        return self.name("picture.png", digest) if digest else ""

    def missing(self, name: str) -> str:
        """Return our name of a picture that the file refers to but does not contain."""
        name = safe_name(name)[:100]
        if name:
            self.by_name.setdefault(name, "")
        return name
