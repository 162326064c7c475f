"""The files that a worksheet can be downloaded as, and what they can hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from questionbank.printing.html import worksheet_html
from questionbank.printing.latex import worksheet_latex
from questionbank.printing.pdf import worksheet_pdf
from questionbank.printing.word import worksheet_docx
from questionbank.worksheets.sheet import Sheet


@dataclass(frozen=True, slots=True)
class WorksheetFile:
    """A kind of file.

    Attributes:
        write: returns the file of one or several versions; raises `PrintingRefused`.
    """

    label: str
    suffix: str
    media_type: str
    write: Callable[[Sequence[Sheet]], bytes]


@dataclass(frozen=True, slots=True)
class Contents:
    """What of a worksheet is in a file.

    Attributes:
        shows: arguments of `compose_versions`.
        is_used: whether it is handed out to students, so that its questions count as used.
    """

    label: str
    shows: Mapping[str, bool]
    suffix: str = ""
    is_used: bool = False


FILES: Mapping[str, WorksheetFile] = {  # a literal table
    "pdf": WorksheetFile("PDF", ".pdf", "application/pdf", worksheet_pdf),
    "word": WorksheetFile(
        "Word",
        ".docx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        worksheet_docx,
    ),
    "latex": WorksheetFile("LaTeX", ".zip", "application/zip", worksheet_latex),
    "html": WorksheetFile("HTML", ".html", "text/html; charset=utf-8", worksheet_html),
}
CONTENTS: Mapping[str, Contents] = {  # likewise
    "students": Contents("For students", {"key": False}, is_used=True),
    "key": Contents("Key", {"key": True}, "key"),
    "solutions": Contents("Key with worked solutions", {"key": True, "solutions": True}, "solutions"),
}
