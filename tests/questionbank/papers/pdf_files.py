"""PDF files for tests: set by Typst, or written object by object where they must be odd."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import typst

HELVETICA = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
NAMELESS = (  # glyphs whose names say nothing, as private fonts have them
    "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 10 10] /FontMatrix [0.1 0 0 0.1 0 0] /FirstChar 97 /LastChar 122"
    " /Widths [" + "6 " * 26 + "] /Encoding << /Differences [97 " + " ".join(f"/g{n}" for n in range(26)) + "] >>"
    " /CharProcs << " + " ".join(f"/g{n} 4 0 R" for n in range(26)) + " >> /Resources << >> >>"
)


def typst_pdf(source: str, folder: Path) -> bytes:
    """Return a PDF of text in Typst's markup."""
    path = folder / "paper.typ"
    path.write_text(source, encoding="utf-8")
    data: bytes = typst.compile(str(path))
    return data


def written_pdf(
    pages: Sequence[str],
    *,
    font: str = HELVETICA,
    images: Mapping[str, tuple[int, int, bytes]] | None = None,
    trailer: str = "",
    is_xref_broken: bool = False,
) -> bytes:
    """Return a PDF of pages given as content streams (ISO 32000-1, 7.8.2), in which F is a font.

    Args:
        images: width, height and pixels (1 bit, packed by zlib) by the name that streams draw them by.
        trailer: entries of the trailer. is_xref_broken: the table of objects is wrong.
    """
    objects = ["", "", font, "<< /Length 22 >>\nstream\n6 0 0 0 6 8 d1 0 0 6 f\nendstream"]
    named = ""
    for name, (width, height, data) in (images or {}).items():
        objects.append(
            f"<< /Type /XObject /Subtype /Image /Width {width} /Height {height} /BitsPerComponent 1"
            f" /ColorSpace /DeviceGray /Filter /FlateDecode /Length {len(data)} >>\nstream\n"
            + data.decode("latin-1")
            + "\nendstream"
        )
        named += f"/{name} {len(objects)} 0 R "
    kids = []
    for content in pages:
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {len(objects)} 0 R"
            f" /Resources << /Font << /F 3 0 R >> /XObject << {named}>> >> >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[0] = "<< /Type /Catalog /Pages 2 0 R >>"
    objects[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(kids)}] >>"
    out, places = "%PDF-1.7\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    start = len(out)
    rows = "".join(f"{place + 13 * is_xref_broken:010} 00000 n \n" for place in places)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{rows}"
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n"
    return out.encode("latin-1")


def line(text: str, x: float = 72, y: float = 700, size: float = 11) -> str:
    """Return what writes a line at a place, measured from the page's left and lower edge."""
    escaped = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return f"BT /F {size} Tf {x} {y} Td ({escaped}) Tj ET\n"


def black(width: int, height: int) -> tuple[int, int, bytes]:
    """Return a black picture."""
    row = bytes((width + 7) // 8)
    packer = zlib.compressobj(9)
    data = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    return width, height, data
