"""The files of a worksheet: which formats there are, which parts of it they contain, and how they are named."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpResponse
from django.utils.text import slugify

from questionbank.core.errors import NotFound
from questionbank.models import Worksheet
from questionbank.worksheets.print_selectors import compose_versions, version_names
from questionbank.worksheets.printing.html import worksheet_html
from questionbank.worksheets.printing.latex import worksheet_latex
from questionbank.worksheets.printing.pdf import worksheet_pdf
from questionbank.worksheets.printing.word import worksheet_docx
from questionbank.worksheets.selectors import WorksheetRow
from questionbank.worksheets.sheet import Sheet


@dataclass(frozen=True, slots=True)
class WorksheetFile:
    """A file format.

    Attributes:
        write: returns the file for one or several versions; raises `PrintingRefused`.
    """

    label: str
    suffix: str
    media_type: str
    write: Callable[[Sequence[Sheet]], bytes]


@dataclass(frozen=True, slots=True)
class Contents:
    """Which parts of a worksheet a file contains.

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
        "Word", ".docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", worksheet_docx
    ),
    "latex": WorksheetFile("LaTeX", ".zip", "application/zip", worksheet_latex),
    "html": WorksheetFile("HTML", ".html", "text/html; charset=utf-8", worksheet_html),
}
CONTENTS: Mapping[str, Contents] = {  # likewise
    "students": Contents("For students", {"key": False}, is_used=True),
    "key": Contents("Key", {"key": True}, "key"),
    "solutions": Contents("Key with worked solutions", {"key": True, "solutions": True}, "solutions"),
}
ALL_VERSIONS = "all"


@dataclass(frozen=True, slots=True)
class Printed:
    """A file of a worksheet, and the numbers of its questions if it is handed out to students."""

    response: HttpResponse
    used: tuple[int, ...]


def worksheet_printed(
    *, worksheet: Worksheet, rows: Sequence[WorksheetRow], format: str, contents: str, version: str
) -> Printed:
    """Return a file as a response that downloads it.

    Args:
        format: a name of `FILES`.
        contents: a name of `CONTENTS`.
        version: a letter, `ALL_VERSIONS`, or empty for the first one.

    Raises:
        NotFound: there is no such file.
        PrintingRefused: the worksheet cannot be printed.
    """
    file, chosen, names = FILES.get(format), CONTENTS.get(contents), version_names(worksheet)
    version = version or names[0]
    if file is None or chosen is None or version not in (*names, ALL_VERSIONS):
        raise NotFound("There is no such file of this worksheet.")
    composed = compose_versions(worksheet, names if version == ALL_VERSIONS else [version], **chosen.shows, rows=rows)
    response = HttpResponse(file.write([one.sheet for one in composed]), content_type=file.media_type)
    parts = [slugify(worksheet.printed_title) or f"worksheet-{worksheet.pk}"]
    parts += [version.lower()] if len(names) > 1 and version != ALL_VERSIONS else []
    parts += [chosen.suffix] if chosen.suffix else []
    response["Content-Disposition"] = f'attachment; filename="{"-".join(parts)}{file.suffix}"'
    return Printed(response, composed[0].numbers if chosen.is_used else ())
