"""Small pictures for tests, made here."""

from __future__ import annotations

import struct
import zlib


def png(shade: int = 0, width: int = 2, height: int = 2) -> bytes:
    """A grey PNG; another shade gives other bytes."""
    rows = b"".join(b"\0" + bytes([shade]) * width for _row in range(height))
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )
