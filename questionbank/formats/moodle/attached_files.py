"""Files attached to an item of Moodle's XML: left out while it is kept, and put back when it is written."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable

from questionbank.formats.item_pictures import base64_bytes

_FILE = re.compile(rb"(<file\b[^>]*>)([^<]*)(</file>)")
KEPT = "sha256:"


def without_pictures(data: bytes, kept: frozenset[str]) -> bytes:
    """Return an item with the pictures that are attached replaced by their hashes."""

    def replaced(match: re.Match[bytes]) -> bytes:
        picture = base64_bytes(match[2])
        digest = hashlib.sha256(picture or b"").hexdigest()
        return match[1] + f"{KEPT}{digest}".encode() + match[3] if digest in kept else match[0]

    return _FILE.sub(replaced, data) if b"<file" in data else data


def with_pictures(data: bytes, get: Callable[[str], bytes | None]) -> bytes:
    """Return an item with its pictures in the place of their hashes."""

    def replaced(match: re.Match[bytes]) -> bytes:
        digest = match[2].decode(errors="replace").strip()
        picture = get(digest.removeprefix(KEPT)) if digest.startswith(KEPT) else None
        return match[0] if picture is None else match[1] + base64.b64encode(picture) + match[3]

    return _FILE.sub(replaced, data) if b"sha256:" in data else data
