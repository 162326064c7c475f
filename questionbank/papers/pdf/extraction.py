"""Read the pages of a PDF file with PDFium, in a separate process because PDFium is C++ handling untrusted data.

    python extraction.py check FILE
    python extraction.py pages FILE FOLDER FIRST WITHOUT

`check` prints the number of pages, and the characters on some of them. `pages` writes each page from FIRST on as
`page-N.png`, then `page-N.json`; page WITHOUT gets no picture. Pages count from 0. Imports no other module of the
project, for a fast start.
"""

from __future__ import annotations

import ctypes
import json
import math
import resource
import struct
import sys
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

MEGABYTES = 2_000  # of address space
SECONDS = 120  # of processor time
PAGES_CHECKED = 24
PAGES_LIMIT = 200  # `pages` refuses longer documents
GLYPHS_LIMIT = 20_000  # per page
OBJECTS_LIMIT = 20_000
DEEPEST_FORM = 8
SCALE = 2.0  # pixels per point
PIXELS_LIMIT = 4_000_000  # per page picture
UPRIGHT = 0.2  # radians
BOLD, COLOURED, MATH_FONT, UNKNOWN, INVISIBLE = 1, 2, 4, 8, 16
_FORCED_BOLD = 1 << 18  # flag of a font descriptor (ISO 32000-1, table 123)
_MATH_FONTS = (
    "math",
    "cmmi",
    "cmsy",
    "cmex",
    "msam",
    "msbm",
    "stix",
    "xits",
    "latinmodernmath",
    "lmmath",
    "mt-extra",
    "mtmi",
)
_TEXT, _PATH, _IMAGE, _SHADING, _FORM = 1, 2, 3, 4, 5  # FPDF_PAGEOBJ_*

Point = tuple[float, float]


def main() -> None:
    """Run the command given on the command line."""
    resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES * 2**20, MEGABYTES * 2**20))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    import pypdfium2 as pdfium

    do, path, *rest = sys.argv[1:]
    try:
        document = pdfium.PdfDocument(path)
        if do == "check":
            said: dict[str, Any] = check(document)
        else:
            folder, first, without = Path(rest[0]), int(rest[1]), int(rest[2])
            for number in range(first, min(len(document), PAGES_LIMIT)):
                write_page(document, number, folder, with_picture=number != without)
            said = {"pages": len(document)}
    except pdfium.PdfiumError as error:
        said = {"error": "password" if getattr(error, "err_code", 0) == 4 or "password" in str(error) else "damaged"}
    print(json.dumps(said))  # noqa: T201 - for the process that started this one


def check(document: Any) -> dict[str, Any]:
    """Return the number of pages, how many of them were sampled, and how many of those contain text."""
    pages = len(document)
    looked_at = range(0, pages, max(1, math.ceil(pages / PAGES_CHECKED)))
    with_text = characters = 0
    for number in looked_at:
        try:
            text = document[number].get_textpage().get_text_bounded()
        except Exception:  # noqa: BLE001, S112 - a page that cannot be read holds no text
            continue
        letters = sum(map(str.isalnum, text))
        characters += letters
        with_text += letters > 20
    return {"pages": pages, "checked": len(looked_at), "with_text": with_text, "characters": characters}


def write_page(document: Any, number: int, folder: Path, *, with_picture: bool) -> None:
    """Write one page; for an unreadable page, write that it is damaged."""
    import pypdfium2 as pdfium

    try:
        page = document[number]
        read = PageReader(page).as_json()
        if with_picture:
            scale = min(SCALE, math.sqrt(PIXELS_LIMIT / max(1.0, math.prod(read["size"]))))
            (folder / f"page-{number}.png").write_bytes(page_png(page, scale))
            read["scale"] = scale
        page.close()
    except (pdfium.PdfiumError, MemoryError):
        read = {"size": [1, 1], "glyphs": [], "objects": [], "is_damaged": True}
    part = folder / f"page-{number}.part"
    part.write_text(json.dumps(read), encoding="utf-8")
    part.rename(folder / f"page-{number}.json")


class PageReader:
    """Reads the glyphs, rules, drawings and images of a page, in points from its upper left corner."""

    def __init__(self, page: Any) -> None:
        import pypdfium2.raw as raw

        self._raw, self._page = raw, page
        self._turn = page.get_rotation() // 90
        self._box = page.get_cropbox()
        self._fonts: dict[int, tuple[int, str]] = {}  # style and name of each text object's font

    def as_json(self) -> dict[str, Any]:
        left, bottom, right, top = self._box
        size = (right - left, top - bottom)
        return {
            "size": size[::-1] if self._turn % 2 else size,
            "glyphs": list(self._glyphs()),
            "objects": list(self._objects()),
        }

    def _place(self, x: float, y: float) -> Point:
        """Convert a point from the page's own coordinates to the page as displayed."""
        left, bottom, right, top = self._box
        turned = ((x - left, top - y), (y - bottom, x - left), (right - x, y - bottom), (top - y, right - x))
        return turned[self._turn]

    def _corners(self, left: float, bottom: float, right: float, top: float) -> list[float]:
        (x0, y0), (x1, y1) = self._place(left, bottom), self._place(right, top)
        return [round(value, 2) for value in (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))]

    # -- text -----------------------------------------------------------------------------------------------------

    def _glyphs(self) -> Iterator[list[Any]]:
        """Yield [character, left, top, right, bottom, start, baseline, end, size, flags, code]."""
        raw = self._raw
        text = self._page.get_textpage()
        box = [ctypes.c_double() for _ in range(4)]
        origin = [ctypes.c_double() for _ in range(2)]
        loose, matrix = raw.FS_RECTF(), raw.FS_MATRIX()
        high = 0  # the first half of a surrogate pair
        for index in range(min(text.count_chars(), GLYPHS_LIMIT)):
            code = raw.FPDFText_GetUnicode(text, index)
            if raw.FPDFText_IsGenerated(text, index) == 1 or code in (10, 13):
                continue
            is_hyphen = code == 0xFFFE or raw.FPDFText_IsHyphen(text, index) == 1  # at a line end
            code = 0x2D if is_hyphen else code
            if 0xD800 <= code < 0xDC00:
                high = code
                continue
            if 0xDC00 <= code < 0xE000 and high:
                code = 0x10000 + ((high - 0xD800) << 10) + code - 0xDC00
            high = 0
            raw.FPDFText_GetMatrix(text, index, matrix)
            if not self._is_upright(matrix):
                continue
            raw.FPDFText_GetCharBox(text, index, box[0], box[1], box[2], box[3])
            raw.FPDFText_GetLooseCharBox(text, index, loose)
            raw.FPDFText_GetCharOrigin(text, index, origin[0], origin[1])
            left, right, bottom, top = (value.value for value in box)
            stretch = math.hypot(matrix.c, matrix.d)
            size = raw.FPDFText_GetFontSize(text, index) * stretch
            flags, name = self._font(text, index)
            if (raw.FPDFText_HasUnicodeMapError(text, index) == 1 and not is_hyphen) or code in (0, 0xFFFD):
                flags |= UNKNOWN
            start, baseline = self._place(origin[0].value, origin[1].value)
            ends = self._corners(loose.left, loose.bottom, loose.right, loose.top)
            yield [
                chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd",
                *self._corners(left, bottom, right, top),
                round(start, 2), round(baseline, 2), ends[2], round(size, 2), flags, name,
            ]  # fmt: skip

    def _is_upright(self, matrix: Any) -> bool:
        angle = math.atan2(matrix.b, matrix.a) - self._turn * math.pi / 2
        return abs(math.remainder(angle, 2 * math.pi)) < UPRIGHT

    def _font(self, text: Any, index: int) -> tuple[int, str]:
        found = self._raw.FPDFText_GetTextObject(text, index)
        key = ctypes.addressof(found.contents) if found else 0
        if key not in self._fonts:
            self._fonts[key] = self._font_looks(text, index, found)
        return self._fonts[key]

    def _font_looks(self, text: Any, index: int, found: Any) -> tuple[int, str]:
        raw = self._raw
        buffer, flags = ctypes.create_string_buffer(256), ctypes.c_int()
        raw.FPDFText_GetFontInfo(text, index, buffer, 256, flags)
        name = buffer.value.decode("utf-8", "replace").lower()
        bare = name.replace(" ", "").replace("-", "")
        looks = 0
        if "bold" in name or "heavy" in name or "cmbx" in name or flags.value & _FORCED_BOLD:
            looks |= BOLD
        if raw.FPDFText_GetFontWeight(text, index) >= 650:
            looks |= BOLD
        if any(part.replace("-", "") in bare for part in _MATH_FONTS):
            looks |= MATH_FONT
        channels = [ctypes.c_uint() for _ in range(4)]
        if raw.FPDFText_GetFillColor(text, index, *channels):
            red, green, blue, _alpha = (channel.value for channel in channels)
            if max(red, green, blue) - min(red, green, blue) > 60:
                looks |= COLOURED
            if min(red, green, blue) > 245:
                looks |= INVISIBLE
        if found and raw.FPDFTextObj_GetTextRenderMode(found) == 3:
            looks |= INVISIBLE
        return looks, name

    # -- what is drawn --------------------------------------------------------------------------------------------

    def _objects(self) -> Iterator[list[Any]]:
        """Yield ["image" or "shape", left, top, right, bottom] and ["rule", x0, y0, x1, y1]."""
        raw, page = self._raw, self._page
        count = raw.FPDFPage_CountObjects(page)
        found = (raw.FPDFPage_GetObject(page, index) for index in range(min(count, OBJECTS_LIMIT)))
        yield from islice(self._drawn(found, (1, 0, 0, 1, 0, 0), 0), OBJECTS_LIMIT)

    def _drawn(self, found: Iterator[Any], outer: tuple[float, ...], depth: int) -> Iterator[list[Any]]:
        raw = self._raw
        for item in found:
            kind = raw.FPDFPageObj_GetType(item)
            if kind == _FORM and depth < DEEPEST_FORM:
                own = raw.FS_MATRIX()
                raw.FPDFPageObj_GetMatrix(item, own)
                matrix = _times((own.a, own.b, own.c, own.d, own.e, own.f), outer)
                inner = (
                    raw.FPDFFormObj_GetObject(item, index)
                    for index in range(min(raw.FPDFFormObj_CountObjects(item), OBJECTS_LIMIT))
                )
                yield from self._drawn(inner, matrix, depth + 1)
            elif kind in (_PATH, _IMAGE, _SHADING):
                yield from self._shape(item, kind, outer)

    def _shape(self, item: Any, kind: int, outer: tuple[float, ...]) -> Iterator[list[Any]]:
        raw = self._raw
        bounds = [ctypes.c_float() for _ in range(4)]
        if not raw.FPDFPageObj_GetBounds(item, *bounds):
            return
        left, bottom, right, top = (bound.value for bound in bounds)
        corners = [_applied(outer, x, y) for x, y in ((left, bottom), (right, top))]
        box = self._corners(*corners[0], *corners[1])
        if not all(map(math.isfinite, box)):
            return
        if kind != _PATH:
            yield ["image" if kind == _IMAGE else "shape", *box]
            return
        fill, stroke = ctypes.c_int(), ctypes.c_int()
        raw.FPDFPath_GetDrawMode(item, fill, stroke)
        if self._is_white(item, is_filled=fill.value != 0, is_stroked=bool(stroke.value)):
            return
        if min(box[2] - box[0], box[3] - box[1]) < 2.5:
            yield ["rule", *box]
            return
        lines = self._straight(item, outer)
        if lines is not None and stroke.value and not fill.value:
            yield from lines
        else:
            is_box = lines is not None and raw.FPDFPath_CountSegments(item) <= 6
            yield ["box" if is_box else "shape", *box]

    def _is_white(self, item: Any, *, is_filled: bool, is_stroked: bool) -> bool:
        """Return whether a path is invisible on white paper."""
        raw = self._raw
        for is_drawn, ask in ((is_filled, raw.FPDFPageObj_GetFillColor), (is_stroked, raw.FPDFPageObj_GetStrokeColor)):
            channels = [ctypes.c_uint() for _ in range(4)]
            if is_drawn and (not ask(item, *channels) or self._shows([channel.value for channel in channels])):
                return False
        return True

    @staticmethod
    def _shows(channels: list[int]) -> bool:
        return min(channels[:3]) < 250 and channels[3] > 10

    def _straight(self, item: Any, outer: tuple[float, ...]) -> list[list[Any]] | None:
        """Return the lines of a path if they are all horizontal or vertical; None otherwise."""
        raw = self._raw
        own = raw.FS_MATRIX()
        raw.FPDFPageObj_GetMatrix(item, own)
        matrix = _times((own.a, own.b, own.c, own.d, own.e, own.f), outer)
        lines: list[list[Any]] = []
        last = first = (0.0, 0.0)
        x, y = ctypes.c_float(), ctypes.c_float()
        count = raw.FPDFPath_CountSegments(item)
        if count > 400:
            return None
        for index in range(count):
            segment = raw.FPDFPath_GetPathSegment(item, index)
            kind = raw.FPDFPathSegment_GetType(segment)
            if kind == raw.FPDF_SEGMENT_BEZIERTO or not raw.FPDFPathSegment_GetPoint(segment, x, y):
                return None
            here = _applied(matrix, x.value, y.value)
            if kind == raw.FPDF_SEGMENT_MOVETO:
                first = here
            else:
                ends = [(last, here), *([(here, first)] if raw.FPDFPathSegment_GetClose(segment) else [])]
                for one, other in ends:
                    box = self._corners(*one, *other)
                    if min(box[2] - box[0], box[3] - box[1]) > 1:
                        return None
                    lines.append(["rule", *box])
            last = here
        return lines


def _times(one: tuple[float, ...], other: tuple[float, ...]) -> tuple[float, ...]:
    a, b, c, d, e, f = one
    A, B, C, D, E, F = other  # noqa: N806 - as in ISO 32000-1, 8.3.4
    return (a * A + b * C, a * B + b * D, c * A + d * C, c * B + d * D, e * A + f * C + E, e * B + f * D + F)


def _applied(matrix: tuple[float, ...], x: float, y: float) -> Point:
    a, b, c, d, e, f = matrix
    return (a * x + c * y + e, b * x + d * y + f)


def page_png(page: Any, scale: float) -> bytes:
    """Return a page as a PNG picture, greyscale if it has no colours; rows are unfiltered."""
    bitmap = page.render(scale=scale, rev_byteorder=True, prefer_bgrx=True)
    width, height, stride = bitmap.width, bitmap.height, bitmap.stride
    pixels = bytes(bitmap.buffer)
    rows = [pixels[start : start + 4 * width] for start in range(0, stride * height, stride)]
    whole = b"".join(rows)
    red, green, blue = whole[0::4], whole[1::4], whole[2::4]
    if red == green == blue:
        return png(width, height, red, 1)
    mixed = bytearray(3 * width * height)
    mixed[0::3], mixed[1::3], mixed[2::3] = red, green, blue
    return png(width, height, bytes(mixed), 3)


def png(width: int, height: int, pixels: bytes, channels: int) -> bytes:
    """Encode pixels with 8 bits per channel, row by row, as a PNG picture (W3C; filter 0 throughout)."""
    line = width * channels
    rows = b"".join(b"\0" + pixels[start : start + line] for start in range(0, line * height, line))
    header = struct.pack(">IIBBBBB", width, height, 8, 0 if channels == 1 else 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )


if __name__ == "__main__":
    main()
