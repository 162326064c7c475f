"""Character encodings of text files: detected, named, and decoded line by line."""

from __future__ import annotations

import codecs
import re
import unicodedata

from analytics.json_lines import decode_line

ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "windows-1252": "Windows-1252",
    "mac-roman": "Mac Roman",
    "gb18030": "GB18030",
}
"""Supported encodings by name; `questionbank.formats.lines` converts UTF-16 to UTF-8."""

_WESTERN = frozenset("äöüßÄÖÜéèêëàâçîïôœùûÉÈÀÇáíóúñÁÍÓÚÑ¿¡øåæ°²³½¼¾×÷±·€£µ«»–—’‘“”„…åÅ")


def looks_like_utf16(beginning: bytes) -> str:
    r"""Return the UTF-16 codec by byte order mark, or by the zero bytes of ASCII letters; empty if it is not UTF-16.

    >>> looks_like_utf16("\ufefftext".encode("utf-16-le")), looks_like_utf16("a;b".encode("utf-16-be"))
    ('utf-16', 'utf-16-be')
    >>> looks_like_utf16(b"text")
    ''
    """
    if beginning.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    start = beginning[:64]
    if len(start) >= 6 and b"\0" in start:
        units = len(start) // 2
        for codec, zeros, letters in (("utf-16-le", start[1::2], start[::2]), ("utf-16-be", start[::2], start[1::2])):
            if zeros.count(0) >= 0.5 * units and not letters.count(0):
                return codec
    return ""


def guess_encoding(beginning: bytes) -> str:
    r"""Guess the encoding of a text from its beginning.

    GB18030 could decode most of Windows-1252 too; but in Chinese text both bytes of a character are above 0xA0, and in
    Western text an accented letter is mostly next to a plain one. Windows-1252 and Mac Roman are told apart by which
    one yields the characters that occur in Western texts.

    >>> guess_encoding("2 × 3 求".encode()), guess_encoding("求面积".encode("gb18030"))
    ('utf-8', 'gb18030')
    >>> guess_encoding("Größe, caf\u00e9".encode("windows-1252")), guess_encoding("Größe".encode("mac-roman"))
    ('windows-1252', 'mac-roman')
    """
    if looks_like_utf16(beginning):
        return "utf-16"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(beginning, final=False)
    except UnicodeDecodeError:
        if re.search(rb"[\xc3-\xf4][\x80-\xbf]", beginning) and _is_mostly_utf8(beginning):
            return "utf-8"  # with some damage, which is reported line by line
    else:
        return "utf-8"
    high = len(re.findall(rb"[\x81-\xfe]", beginning))
    pairs = len(re.findall(rb"[\xa1-\xf7][\xa1-\xfe]", beginning))
    try:
        codecs.getincrementaldecoder("gb18030")().decode(beginning, final=False)
    except UnicodeDecodeError:
        return _western(beginning)
    if 2 * pairs >= 0.8 * high or _gbk_share(beginning) > 0.9:
        return "gb18030"
    return _western(beginning)


def _is_mostly_utf8(beginning: bytes) -> bool:
    decoded = beginning.decode("utf-8", "surrogateescape")
    damaged = sum(1 for sign in decoded if "\udc80" <= sign <= "\udcff")
    return damaged <= sum(1 for sign in decoded if sign > "\x7f") - damaged


def _gbk_share(beginning: bytes) -> float:
    """Return the share of the non-ASCII characters that are Chinese when read as GB18030."""
    signs = [sign for sign in beginning.decode("gb18030", "ignore") if sign > "\x7f"]
    # Two letters of a Western text occasionally form a rare character; common ones are in the first level of GB 2312.
    wide = (sign for sign in signs if unicodedata.east_asian_width(sign) in "WFA")
    common = sum(1 for sign in wide if sign.encode("gb2312", "ignore"))
    return common / len(signs) if len(signs) >= 8 else 0.0


def _western(beginning: bytes) -> str:
    scores = {
        encoding: sum(1 if sign in _WESTERN else -1 for sign in beginning.decode(encoding, "replace") if sign > "\x7f")
        for encoding in ("windows-1252", "mac-roman")
    }
    best = max(scores, key=lambda encoding: scores[encoding])
    return best if scores[best] > 0 else "utf-8"  # neither; the errors are reported line by line


def decode_text(line: bytes, encoding: str) -> str:
    """Decode a line of text.

    Raises:
        ValueError: the line is not valid in this encoding or contains a NUL character; the message is for the user.
    """
    if encoding in ("utf-8", "utf-16"):
        return decode_line(line)
    try:
        text = line.decode(encoding)
    except UnicodeDecodeError as error:
        where = f"at byte {error.start + 1} of the line (0x{line[error.start]:02x})"
        raise ValueError(f"invalid {encoding} {where}") from error
    return decode_line(text.encode("utf-8"))
