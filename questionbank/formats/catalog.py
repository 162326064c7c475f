"""The table of file formats, and reading and writing by format name.

To add a format: write a module with a reader of rows (and a writer), add a line here, and test it.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from analytics.json_lines import UNPACKED_LIMIT
from analytics.records import QuestionRecord
from questionbank.core.errors import ImportRefused, LineProblem, ValidationFailed
from questionbank.core.storage import written_aside
from questionbank.formats.archives import MAGIC, beginnings, is_archive, is_packed_folder, opened_archive, opened_folder
from questionbank.formats.canvas.package import canvas_losses, is_canvas, is_qti, read_canvas, write_canvas
from questionbank.formats.columns import OPTIONAL_FIELDS, holds_rows
from questionbank.formats.csv_files import write_csv
from questionbank.formats.fields import FileScale
from questionbank.formats.foreign import foreign_binary, foreign_program, foreign_text, not_what_its_name_says
from questionbank.formats.jsonl import write_json_lines
from questionbank.formats.latex.exam import is_exam
from questionbank.formats.latex.files import latex_losses, read_latex, write_latex
from questionbank.formats.layout import FileLayout, guess_layout
from questionbank.formats.lines import Progress, first_bytes, guess_encoding, refuse_unreadable
from questionbank.formats.moodle import plain_texts
from questionbank.formats.moodle.gift import gift_losses, is_gift, read_gift, write_gift
from questionbank.formats.moodle.xml import moodle_losses, read_moodle_xml, write_moodle_xml
from questionbank.formats.qti.metadata import VERSIONS, Version
from questionbank.formats.qti.package import archive_version, qti_losses, read_qti, text_version, write_qti
from questionbank.formats.question_files import ItemFile, QuestionFile
from questionbank.formats.scales import scale_names
from questionbank.formats.seam import Attachments, Format, NoAttachments, ReadContext
from questionbank.formats.sheets import guess_sheet_layout, is_workbook, workbook_losses, write_workbook
from questionbank.formats.xml_nodes import root_element

AUTO = "auto"


def _picture_losses(record: QuestionRecord, _attachments: Attachments) -> list[str]:
    """Return what formats with plain fields alone lose: the bytes of pictures, and items of other formats."""
    lost = ["the pictures"] if any(picture.sha256 for picture in record.content.pictures) else []
    return lost + (["the item as its source system wrote it"] if record.kind == "opaque" else [])


def _workbook_losses(record: QuestionRecord, attachments: Attachments) -> list[str]:
    workbook_losses(record)
    return _picture_losses(record, attachments)


def _qti(version: Version) -> Format:
    return Format(
        name=version.name,
        label=version.label,
        suffixes=(".zip", ".xml"),
        media_type="application/zip",
        sniff=lambda beginning, name: text_version(beginning, name) == version.name,
        sniff_archive=lambda archive: archive_version(archive) == version.name,
        read=partial(read_qti, format=version.name),
        write=partial(write_qti, version=version),
        losses=lambda record, _attachments: qti_losses(record, version),
        takes_predictions=True,
    )


_text = partial(Format, suffixes=(".txt",), media_type="text/plain")


_FORMATS = (
    Format(
        name="jsonl",
        label="JSON Lines",
        place="line",
        suffixes=(".jsonl", ".ndjson", ".json"),
        media_type="application/x-ndjson",
        write=write_json_lines,
        losses=_picture_losses,
    ),
    Format(
        name="csv",
        label="CSV",
        place="line",
        suffixes=(".csv", ".tsv"),
        media_type="text/csv",
        is_table=True,
        write=write_csv,
        losses=_picture_losses,
    ),
    Format(
        name="xlsx",
        label="Excel (XLSX)",
        place="row",
        suffixes=(".xlsx", ".xlsm", ".ods"),
        media_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        is_table=True,
        sniff_archive=is_workbook,
        write=write_workbook,
        losses=_workbook_losses,
    ),
    Format(
        name="moodle-xml",
        label="Moodle XML",
        place="line",
        suffixes=(".xml",),
        media_type="application/xml",
        sniff=lambda beginning, _name: root_element(beginning) == "quiz",
        read=read_moodle_xml,
        write=write_moodle_xml,
        losses=moodle_losses,
        takes_predictions=True,
    ),
    *map(_qti, VERSIONS.values()),
    Format(
        name="canvas",
        label="Canvas (QTI 1.2)",
        suffixes=(".zip", ".imscc"),
        media_type="application/zip",
        sniff=is_qti,
        sniff_archive=is_canvas,
        read=read_canvas,
        write=write_canvas,
        losses=canvas_losses,
    ),
    Format(
        name="exam",
        label="LaTeX (exam class)",
        suffixes=(".tex", ".ltx"),
        media_type="application/x-tex",
        sniff=is_exam,
        read=read_latex,
        write=write_latex,
        losses=latex_losses,
        reads_folders=True,
        is_paper=True,
    ),
    _text("aiken", "Aiken", place="line", sniff=plain_texts.is_aiken, read=plain_texts.read_aiken, is_paper=True),
    _text(
        "gift",
        "GIFT",
        place="line",
        suffixes=(".gift", ".gift.txt"),
        sniff=is_gift,
        read=read_gift,
        write=write_gift,
        losses=gift_losses,
    ),
    _text("cloze", "Cloze text of Moodle", sniff=plain_texts.is_cloze_text, read=plain_texts.read_cloze_text),
)
FORMATS: dict[str, Format] = {row.name: row for row in _FORMATS}
"""The only table of formats; pages, commands and imports all read it."""

WRITTEN: dict[str, Format] = {name: row for name, row in FORMATS.items() if row.is_written}
"""The formats that questions can be exported to."""


WORD_PROCESSORS = (".docx", ".odt", ".pdf", ".rtf")  # of test papers, never of files of questions
DOCUMENT_SUFFIXES = (*WORD_PROCESSORS, ".html", ".htm", ".md", ".tex", ".txt")


def known_formats() -> str:
    """Return the labels of the readable formats as a list within a sentence."""
    *labels, last = (candidate.label for candidate in FORMATS.values())
    return f"{', '.join(labels)} and {last}"


def known_suffixes() -> tuple[str, ...]:
    """Return the suffixes of readable files; only the last part of double suffixes, as browsers check no more."""
    endings = (f".{ending.rpartition('.')[2]}" for row in FORMATS.values() for ending in row.suffixes)
    return tuple(dict.fromkeys([*endings, ".tgz", ".tar", ".gz"]))


def sniff(path: Path) -> Format:
    """Return the format of a file, by its name or else by its beginning.

    Raises:
        ImportRefused: the format is not supported; if it belongs to another program, the message says what to do.
    """
    if is_packed_folder(path):
        return _sniff_archive(path)
    start = first_bytes(path)
    encoding = guess_encoding(start)
    beginning = start.decode("utf-8-sig" if encoding in ("utf-8", "utf-16") else encoding, "replace").lstrip()
    name = path.name.lower().removesuffix(".gz")
    laid_out = [
        candidate for candidate in FORMATS.values() if candidate.read is None and candidate.sniff_archive is None
    ]
    is_json = re.match(r'\{\s*"|\[\s*\{\s*"', beginning) is not None
    is_ours = any(name.endswith(candidate.suffixes) for candidate in laid_out)
    # Cells and strings may contain whatever other formats begin with.
    holds_others = is_json or (is_ours and holds_rows(guess_layout(path, is_table=True).fields))
    if not holds_others and (found := _by_content(beginning, path.name)):
        return found
    if foreign := foreign_text(beginning, path.name, is_ours_by_name=is_ours):
        raise ImportRefused(foreign)
    for candidate in laid_out:
        if name.endswith(candidate.suffixes) and (not is_json or not candidate.is_table):
            return candidate
    if is_json or beginning.startswith("{"):
        return FORMATS["jsonl"]
    if holds_rows(guess_layout(path, is_table=True).fields):
        return FORMATS["csv"]
    if fault := plain_texts.aiken_fault(beginning):
        raise ImportRefused(f"{path.name} looks like an Aiken file, but {fault}.")
    raise ImportRefused(
        not_what_its_name_says(path.name)
        or f"The format of {path.name} is not known; Kindred reads {known_formats()}."
        " A table needs a first row with the names of its columns, such as text, answer and concepts."
    )


def _by_content(beginning: str, name: str) -> Format | None:
    name = name.removesuffix(".gz")
    sniffed = (row for row in FORMATS.values() if row.sniff is not None and row.sniff(beginning, name.lower()))
    found = next(sniffed, None)
    if (found is None or found.media_type == "text/plain") and (what := foreign_program(beginning, name)):
        raise ImportRefused(what)  # rather than mistake a program's braces for GIFT answers
    return found


def _sniff_archive(path: Path) -> Format:
    if is_archive(path):
        with opened_archive(path) as archive:
            for candidate in FORMATS.values():
                if candidate.sniff_archive is not None and candidate.sniff_archive(archive):
                    return candidate
    with opened_folder(path, is_beginning=True) as folder:
        for beginning, name in beginnings(folder):
            for candidate in FORMATS.values():
                if candidate.reads_folders and candidate.sniff and candidate.sniff(beginning, name):
                    return candidate
    if is_archive(path):
        raise ImportRefused(foreign_binary(MAGIC, path))
    raise ImportRefused(
        f"{path.name} is an archive (tar) without questions that Kindred reads. Unpack it and choose one file."
    )


def layout_of(path: Path, format: str = AUTO, **given: Any) -> FileLayout:
    """Return the layout of a file: guessed, except for what `given` fixes (see `guess_layout`).

    Raises:
        ImportRefused: the file cannot be read, is not in a supported format, or has no such column.
    """
    chosen = _format_of(path, format)
    if chosen.read is not None:
        return FileLayout((), (), "utf-8")
    return _guess(path, chosen, **given)


def _guess(path: Path, format: Format, **given: Any) -> FileLayout:
    if format.sniff_archive is not None:
        return guess_sheet_layout(path, **given)
    return guess_layout(path, is_table=format.is_table, **given)


def _format_of(path: Path, format: str) -> Format:
    refuse_unreadable(path)
    if format != AUTO and format not in FORMATS:
        raise ImportRefused(f"The format {format!r} is not known; use one of {', '.join((AUTO, *FORMATS))}.")
    return sniff(path) if format == AUTO else FORMATS[format]


def read(
    path: Path,
    format: str = AUTO,
    *,
    scale: str = "",
    likely_scale: str = "",
    progress: Progress | None = None,
    layout: FileLayout | None = None,
    without: Collection[str] = (),
    unpacked_limit: int = UNPACKED_LIMIT,
    attachments: Attachments | None = None,
) -> QuestionFile | ItemFile:
    """Return a file of questions to iterate over.

    Args:
        format: a name of `FORMATS`, or ``"auto"``.
        scale: difficulty scale for lines that name none; values outside it are refused.
        likely_scale: the same, but values outside it are kept as published.
        progress: called from time to time with (bytes read, size of the file in bytes).
        layout: layout of the file; guessed if not given.
        without: fields to leave out, so that an unreadable column does not cause lines to be refused.
        attachments: where pictures are stored; nowhere by default.

    Raises:
        ImportRefused: the file as a whole cannot be read, or no column holds the question's text.
    """
    if scale and scale not in scale_names():
        raise ImportRefused(f"The difficulty scale {scale!r} is not known; use one of {', '.join(scale_names())}.")
    fields = [field for field in without if field not in OPTIONAL_FIELDS]
    if fields:
        raise ImportRefused(
            f"A file cannot be imported without {fields[0]!r}; you can leave out {', '.join(OPTIONAL_FIELDS)}."
        )
    if layout is None or not (layout.names or layout.is_table):  # item formats have neither columns nor keys
        chosen = _format_of(path, format)
        if chosen.read is not None:
            context = ReadContext(attachments or NoAttachments(), progress, unpacked_limit)
            return ItemFile(path, chosen, context)
        layout = layout or _guess(path, chosen)
    if layout.names and not holds_rows(layout.fields):
        raise ImportRefused(no_text_column(path, layout), [LineProblem(layout.header_line, "no column holds the text")])
    return QuestionFile(
        path,
        layout,
        FORMATS[layout.format],
        scale=FileScale(scale, likely_scale),
        without=with_companions(without),
        progress=progress,
        unpacked_limit=unpacked_limit,
    )


def with_companions(without: Collection[str]) -> frozenset[str]:
    """Return the fields to leave out, together with those that mean nothing without them.

    >>> sorted(with_companions(["facility"]))
    ['facility', 'responses']
    """
    return frozenset(without).union(filter(None, (OPTIONAL_FIELDS.get(field) for field in without)))


def no_text_column(path: Path, layout: FileLayout) -> str:
    """Return the message for a file in which no column is recognised as the question's text."""
    names = [name for name in layout.names if name][:20]
    if {"original", "paraphrase"} <= {*names}:
        return f"{path.name} holds pairs of paraphrases, not questions: upload it where paraphrases are reviewed."
    where = f"row {layout.header_line}" if layout.is_table else "the first lines"
    what = "column" if layout.is_table else "field"
    no_header = " (a table without a header: --header-row 0 --column 'text=Column 1')" if layout.is_table else ""
    return (
        f"No {what} of {path.name} is recognised as the question's text. In {where} it has {', '.join(names)}."
        f" Say which one it is: --column text={names[0] if names else 'NAME'}{no_header}"
    )


def write(records: Iterable[QuestionRecord], path: Path, format: str, attachments: Attachments | None = None) -> int:
    """Write questions to a temporary file, then rename it; return the number of questions.

    A name that ends in ``.gz`` gives a compressed file. What the format cannot hold is left out; see `export_losses`.

    Raises:
        ValidationFailed: the format is not known, or the file cannot be written.
    """
    chosen = WRITTEN.get(format)
    if chosen is None:
        raise ValidationFailed(f"The format {format!r} is not known; use one of {', '.join(WRITTEN)}.")
    written = 0

    def counted() -> Iterator[QuestionRecord]:
        nonlocal written
        for record in records:
            written += 1
            yield record

    pieces = chosen.write(counted(), attachments or NoAttachments())
    with written_aside(path) as raw:
        is_packed = path.name.lower().endswith(".gz")
        stream: BinaryIO | gzip.GzipFile = (
            gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) if is_packed else raw
        )
        for piece in pieces:
            if chosen.ending(piece) != chosen.suffixes[0] and path.name.lower().endswith(chosen.suffixes):
                raise ValidationFailed(
                    "The questions have pictures, so that the file is an archive: give it a name that ends in .zip."
                )
            stream.write(piece)
        if is_packed:
            stream.close()
    return written
