"""Unsupported files that people choose by mistake, or that need a conversion step before Kindred can read them."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path, PurePath

_SAVE = "save it as CSV (UTF-8)"
_MAGIC = {  # beginning of the file -> what it is, and what to do
    b"%PDF": "a PDF: open Import a test paper, which finds the questions in it",
    b"{\\rtf": f"a text with formatting (RTF): put its questions into a table and {_SAVE}",
    b"\x89PNG": "a picture: type or paste its questions",
    b"\xff\xd8\xff": "a picture: type or paste its questions",
    b"PK\x05\x06": "an empty ZIP archive: export the questions again",
    b"PK\x07\x08": "one piece of a ZIP archive in several pieces: save it as one archive",
    b"7z\xbc\xaf": "a 7-Zip archive: unpack it and choose one file from inside",
    b"Rar!": "a RAR archive: unpack it and choose one file from inside",
    b"SQLite format 3": f"a database: export its table of questions and {_SAVE}",
    b"PAR1": f"a Parquet file: open it in Python with pandas and {_SAVE}, or as JSON Lines",
}
_INSIDE_ZIP = (  # name near the beginning of a ZIP archive -> what the file is, and what to do
    (b"moodle_backup.xml", "a Moodle back-up: export the question bank instead, and save its questions as CSV (UTF-8)"),
    (b"xl/workbook.bin", "a binary Excel workbook (XLSB): open it and choose Save As, Excel Workbook (XLSX)"),
    (b"xl/workbook", "an Excel workbook: open it and choose Save As, CSV UTF-8"),
    (b"xl/worksheets", "an Excel workbook: open it and choose Save As, CSV UTF-8"),
    (b"word/document", "a Word document: open Import a test paper, which finds the questions in it"),
    (b"ppt/presentation", f"a PowerPoint file: put its questions into a table and {_SAVE}"),
    (b"Index/", "an Apple Numbers or Pages file: choose File, Export To, CSV, with the encoding UTF-8"),
    (b"opendocument", "a LibreOffice file: open it and choose Save As, Text CSV, with the encoding UTF-8"),
    (b"[Content_Types].xml", "an Office file: open it and choose Save As, CSV UTF-8"),
)  # fmt: skip
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
_INSIDE_OLD_OFFICE = (  # the same for Office files from before 2007, whose parts have names in UTF-16
    ("EncryptedPackage", "protected by a password: open it, remove the password and save it again"),
    ("WordDocument", f"an old Word document (DOC): put its questions into a table and {_SAVE}"),
    ("Workbook", "an old Excel workbook (XLS): open it and choose Save As, Excel Workbook (XLSX)"),
    ("Book", "an old Excel workbook (XLS): open it and choose Save As, Excel Workbook (XLSX)"),
)
_PICTURES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp", ".tif", ".tiff", ".heic"})
_LOOKED_AT = 1 << 20  # bytes of an archive
_PARTS_OF_PACKAGES = (  # beginning of a text that is a single file of a package -> which file
    (r"(<\?xml[^<>]*>)?\s*<([\w.-]+:)?(assessmentTest|qti-assessment-test)\b", "a test of QTI without its items"),
    (
        r"(<\?xml[^<>]*>)?\s*<([\w.-]+:)?(assessmentSection|assessmentItemPool|qti-assessment-section)\b",
        "a section or a pool of QTI without its items",
    ),
    (r"(<\?xml[^<>]*>)?\s*<([\w.-]+:)?manifest\b", "the table of contents of a package without its questions"),
)
_TABLE = f"put its questions into a table with the columns questiontext, answer and category, and {_SAVE}"
_PROGRAMS = (  # system, regex for the end of a file name, regex for the text, what to do
    ("WeBWorK", r"\.pg", r"(?m)^[ \t]*(?:DOCUMENT\s*\(|BEGIN_(?:TEXT|PGML)\b)", _TABLE),
    (
        "PrairieLearn",
        r"/question\.html",
        r"<pl-(?:[a-z-]+-input|question-panel|multiple-choice|checkbox|dropdown|matching|order-blocks)\b",
        _TABLE,
    ),
    ("H5P", r"\.h5p|h5p\.json", r"(?!)", _TABLE),
    (
        "R/exams",
        r"\.r(?:md|nw)",
        r"(?m)^(?:[%\s]*\\)?extype\b",
        "write it as Moodle XML with exams2moodle, and choose that file",
    ),
    (
        "Auto Multiple Choice",
        r"(?!)",
        r"\\usepackage\s*(?:\[[^\]]*\])?\s*\{automultiplechoice\}|\\begin\s*\{(?:questionmult|reponses)|\\AMC[a-zA-Z]",
        "convert it to Moodle XML with amc2moodle, and choose that file",
    ),
)
_ENDINGS_OF_ARCHIVES = (".zip", ".imscc", ".xlsx", ".xlsm", ".ods", ".tar", ".tgz")
_MARKUP = (  # beginning of a text -> what the file is, whatever its name
    (r"(?i)<(!doctype html|html|head|body|table)\b", "a web page"),
    (r"(?i)<(\?xml|[a-z]+[\s/>])", "an XML file"),
)
_PLAIN = (  # the same, for files not named as a table or JSON
    (r"(%[^\n]*\n\s*)*\\(documentclass|begin|usepackage|input|section|chapter)\b", "a LaTeX document"),
)


def foreign_binary(start: bytes, path: Path) -> str:
    """Describe a binary file and suggest an alternative; empty for text.

    Args:
        start: first bytes of the file.
    """
    if start.startswith(b"PK\x03\x04"):
        return f"{path.name} is {_archive(path)}."
    if start.startswith(_OLD_OFFICE):
        return f"{path.name} is {_old_office(path)}."
    what = next((what for magic, what in _MAGIC.items() if start.startswith(magic)), "")
    return f"{path.name} is {what}." if what else ""


def _archive(path: Path) -> str:
    with path.open("rb") as archive:
        beginning = archive.read(_LOOKED_AT)
    known = next((what for inside, what in _INSIDE_ZIP if inside in beginning), "")
    return known or _other_archive(path)


def _other_archive(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/") and "__MACOSX" not in name]
    except (zipfile.BadZipFile, OSError):
        return "an Excel workbook or another ZIP archive that cannot be unpacked: save or download it again"
    if system := next(filter(None, map(_program, names)), ""):
        return system
    endings = sorted({PurePath(name).suffix.lower() for name in names} - {"", ".db"})  # Thumbs.db
    if endings and _PICTURES.issuperset(endings):
        return (
            f"a ZIP archive of pictures ({len(names):,}) without questions: add the file of questions that names them"
            " to the archive, or export the questions with their pictures again"
        )
    held = f" (it holds {', '.join(endings[:8])})" if endings else ""
    return f"a ZIP archive without questions that Kindred reads{held}: unpack it and choose one file"


def _old_office(path: Path) -> str:
    with path.open("rb") as file:
        beginning = file.read(_LOOKED_AT)
        file.seek(max(path.stat().st_size - _LOOKED_AT, 0))
        parts = beginning + file.read(_LOOKED_AT)
    named = (what for inside, what in _INSIDE_OLD_OFFICE if inside.encode("utf-16-le") in parts)
    return next(named, "an old Office file: open it and save it in today's format, such as XLSX")


def foreign_text(beginning: str, name: str, *, is_ours_by_name: bool = False) -> str:
    """Describe a text file that is neither a table nor JSON, and suggest a conversion; empty for other files.

    >>> foreign_text("<html>", "bank.xml")[:47]
    'bank.xml is a web page, which Kindred does not '
    """
    beginning = beginning.lstrip()
    if part := next((what for form, what in _PARTS_OF_PACKAGES if re.match(form, beginning)), ""):
        return f"{name} is {part}. Choose the whole package, which is a ZIP archive."
    kinds = _MARKUP if is_ours_by_name else _MARKUP + _PLAIN
    what = next((what for form, what in kinds if re.match(form, beginning)), "")
    return f"{name} is {what}, which Kindred does not read yet: {_TABLE}." if what else ""


def foreign_program(beginning: str, name: str) -> str:
    """Return what to do with a file of a system whose questions are programs; empty for other files.

    >>> foreign_program("", "exercise.Rmd")[:57]
    'exercise.Rmd is from R/exams, which Kindred does not read'
    """
    what = _program(name, beginning)
    return f"{name} is {what}." if what else ""


def _program(name: str, beginning: str = "") -> str:
    for system, names, texts, advice in _PROGRAMS:
        if re.search(rf"(?i)(?:{names})$", name) or re.search(texts, beginning):
            return f"from {system}, which Kindred does not read: {advice}"
    return ""


def not_what_its_name_says(name: str) -> str:
    """Return the message for a file of unknown format that is named like an archive; empty for other names."""
    is_archive = name.lower().endswith(_ENDINGS_OF_ARCHIVES)
    what = "it is named like an archive but is not one. Download or save it again"
    return f"{name} is damaged: {what}." if is_archive else ""
