"""Pictures in texts, ``![description](name)``; the type and size of a picture file; and the pictures of one item.

Type and size are read from the first bytes; nothing is decoded.

PNG (W3C, chunk IHDR), JPEG (ITU-T T.81, markers SOF), GIF89a and WebP (RFC 9649). SVG is refused, as it can contain
scripts.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import struct
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from analytics.question_content import Picture
from analytics.records import QuestionRecord
from analytics.text.characters import PICTURE

BYTES_LIMIT = 10 * 1024 * 1024
PIXELS_LIMIT = 50_000_000
FRAMES_LIMIT = 1_000
ADDRESS = re.compile(r"/pictures/[0-9a-f]{64}")
"""Path of an attached picture; texts can show pictures from no other URL."""
SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp"}
_NO_FRAME = frozenset({0xC4, 0xC8, 0xCC})  # markers between SOF0 and SOF15 that do not start a frame


class PictureRefused(Exception):
    """The bytes are not a displayable picture; the message says why, as in "is an SVG picture"."""


@dataclass(frozen=True, slots=True)
class PictureFacts:
    """Type and size of a picture."""

    media_type: str
    width: int
    height: int


def read_picture(data: bytes) -> PictureFacts:
    """Return the type and size of a picture.

    Raises:
        PictureRefused: the bytes are not a displayable picture.
    """
    if len(data) > BYTES_LIMIT:
        raise PictureRefused(f"is larger than {BYTES_LIMIT // 1024**2} MB")
    try:
        facts = _facts(data)
        frames = _frames(data)
    except (struct.error, IndexError) as error:
        raise PictureRefused("is a damaged picture") from error
    if facts is None:
        if re.match(rb"\s*(?:<\?xml|<!--|<!doctype svg|<svg)", data[:200], re.IGNORECASE):
            raise PictureRefused("is an SVG picture, which could run scripts; save it as PNG")
        raise PictureRefused("is not a PNG, JPEG, GIF or WebP picture")
    if not 0 < facts.width * facts.height <= PIXELS_LIMIT:
        raise PictureRefused(f"has {facts.width:,} by {facts.height:,} pixels, more than {PIXELS_LIMIT:,}")
    if frames > FRAMES_LIMIT:
        raise PictureRefused(f"is an animation of {frames:,} frames, more than {FRAMES_LIMIT:,}")
    return facts


def _frames(data: bytes) -> int:
    """Return an animation's number of frames; for a truncated one, at most the frames before its end."""
    if data.startswith(b"\x89PNG"):
        place = data.find(b"acTL", 0, 65_536)
        return int(struct.unpack(">I", data[place + 4 : place + 8])[0]) if place >= 0 else 1
    if data.startswith(b"RIFF"):
        return data.count(b"ANMF")
    return _gif_frames(data) if data.startswith(b"GIF8") else 1


def _gif_frames(data: bytes) -> int:
    """Return the number of image descriptors of a GIF (GIF89a, sections 20 and 23)."""
    frames, place = 0, 13 + _colours(data[10])
    while place + 10 < len(data) and data[place] in (0x21, 0x2C):
        is_frame = data[place] == 0x2C
        frames += is_frame
        place += 11 + _colours(data[place + 9]) if is_frame else 2
        while place < len(data) and data[place]:  # data blocks, each preceded by its length
            place += data[place] + 1
        place += 1
    return frames


def _colours(flags: int) -> int:
    return 3 * 2 ** ((flags & 7) + 1) if flags & 0x80 else 0


def _facts(data: bytes) -> PictureFacts | None:
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return PictureFacts("image/png", *struct.unpack(">II", data[16:24]))
    if data.startswith((b"GIF87a", b"GIF89a")):
        return PictureFacts("image/gif", *struct.unpack("<HH", data[6:10]))
    if data.startswith(b"\xff\xd8\xff"):
        return _jpeg(data)
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return _webp(data)
    return None


def _jpeg(data: bytes) -> PictureFacts:
    place = 2
    while True:
        while data[place] == 0xFF and data[place + 1] == 0xFF:  # padding
            place += 1
        marker = data[place + 1]
        if data[place] != 0xFF:
            raise PictureRefused("is a damaged picture")
        if 0xC0 <= marker <= 0xCF and marker not in _NO_FRAME:
            height, width = struct.unpack(">HH", data[place + 5 : place + 9])
            return PictureFacts("image/jpeg", width, height)
        (length,) = struct.unpack(">H", data[place + 2 : place + 4])
        place += 2 + max(length, 2)


def _webp(data: bytes) -> PictureFacts:
    if data[12:16] == b"VP8X":
        width, height = (int.from_bytes(data[at : at + 3], "little") + 1 for at in (24, 27))
    elif data[12:16] == b"VP8L":
        (bits,) = struct.unpack("<I", data[21:25])
        width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    else:
        width, height = (value & 0x3FFF for value in struct.unpack("<HH", data[26:30]))
    return PictureFacts("image/webp", width, height)


def picture_names(texts: Iterable[str]) -> dict[str, None]:
    """Return the names of the pictures in some texts, in order.

    >>> list(picture_names(["A ![graph](a.png) and ![]()", "![](b.png)"]))
    ['a.png', 'b.png']
    """
    names = (match["name"].strip() for text in texts if "](" in text for match in PICTURE.finditer(text))
    return {name: None for name in names if name}


def is_picture(text: str) -> bool:
    """Return whether a text consists of a picture only."""
    return PICTURE.fullmatch(text.strip()) is not None


def with_addresses(text: str, pictures: Iterable[Mapping[str, str]]) -> str:
    """Replace the names of attached pictures in a text by their URLs."""
    if "](" not in text:
        return text
    addresses = {picture["name"]: f"/pictures/{picture['sha256']}" for picture in pictures if picture.get("sha256")}
    return PICTURE.sub(
        lambda match: (
            f"![{match['alt']}]({addresses.get(match['name'].strip(), '')})"
            if match["name"].strip() in addresses
            else match[0]
        ),
        text,
    )


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
