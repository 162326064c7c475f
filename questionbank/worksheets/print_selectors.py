"""The printed content of a worksheet: each version with its key, and the files that contain them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpResponse
from django.utils.text import slugify

from analytics.question_content import content_of
from questionbank.bank.question_selectors import numbered_question_records, picture_bytes
from questionbank.core.errors import NotFound
from questionbank.models import Attachment, Question, Worksheet
from questionbank.solving.solutions import equation_gives_answer
from questionbank.worksheets.printing.html import worksheet_html
from questionbank.worksheets.printing.latex import worksheet_latex
from questionbank.worksheets.printing.pdf import worksheet_pdf
from questionbank.worksheets.printing.word import worksheet_docx
from questionbank.worksheets.selectors import WorksheetRow
from questionbank.worksheets.sheet import VERSIONS, Mixing, PaperSize, PlannedQuestion, PlannedSection, Sheet
from questionbank.worksheets.versions import Arrangement, arrange

_SUFFIXES = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "image/svg+xml": ".svg",
}


def version_names(worksheet: Worksheet) -> list[str]:
    """Return the names of a worksheet's versions, such as A and B."""
    return list(VERSIONS[: worksheet.versions])


@dataclass(frozen=True, slots=True)
class ComposedVersion:
    """A version ready for printing.

    Attributes:
        numbers: numbers of the questions in the bank, in printed order.
        changed: which of them have other numbers in this version.
        kept: for the others, why they have the numbers of version A although numbers change.
    """

    sheet: Sheet
    numbers: tuple[int, ...]
    changed: frozenset[int]
    kept: Mapping[int, str]


def compose_versions(
    worksheet: Worksheet,
    versions: Sequence[str],
    *,
    rows: Sequence[WorksheetRow],
    key: bool = False,
    solutions: bool = False,
) -> list[ComposedVersion]:
    """Return some versions; the same worksheet, seed and version always give the same result.

    Args:
        rows: those of the worksheet that the viewer sees.
        key: include answers; `solutions` adds the worked solutions.
    """
    printed = [row for row in rows if row.question is not None and not row.reason]
    names, pictures = _pictures([row.question for row in printed if row.question is not None])
    sections = _planned(rows, printed, names)
    widths = _picture_widths(sections)
    languages = Counter(row.question.language for row in printed if row.question is not None)
    language = max(languages, key=languages.__getitem__, default="en")
    composed = []
    for version in versions:
        arranged = arrange(
            sections,
            Mixing(
                worksheet.seed,
                version,
                questions=worksheet.mixes_questions,
                options=worksheet.mixes_options,
                numbers=worksheet.changes_numbers,
            ),
            answers=key,
            solutions=solutions,
        )
        points = [item.points for section in arranged.sections for item in section.items if item.points is not None]
        sheet = Sheet(
            title=worksheet.printed_title,
            sections=arranged.sections,
            instructions=worksheet.instructions,
            version=version if worksheet.versions > 1 else "",
            columns=worksheet.columns,
            paper=PaperSize(worksheet.paper),
            total_points=sum(points) if points else None,
            has_name_field=worksheet.has_name_field and not key,
            shows_key=key,
            shows_solutions=key and solutions,
            pictures=pictures,
            picture_widths=widths,
            language=language,
            same_numbers=_same_numbers(arranged) if key else "",
        )
        composed.append(ComposedVersion(sheet, arranged.numbers, arranged.changed, arranged.kept))
    return composed


def _same_numbers(arranged: Arrangement) -> str:
    """List the questions of a version with the numbers of version A, and why: "2, 5 (not in English)"."""
    items = (item for section in arranged.sections for item in section.items)
    by_reason: dict[str, list[str]] = {}
    for item, number in zip(items, arranged.numbers, strict=True):
        if reason := arranged.kept.get(number):
            by_reason.setdefault(reason, []).append(item.number)
    return "; ".join(f"{', '.join(numbers)} ({reason})" for reason, numbers in by_reason.items())


def _planned(
    rows: Sequence[WorksheetRow], printed: Sequence[WorksheetRow], names: Mapping[str, str]
) -> list[PlannedSection]:
    """Return the sections; rows before the first heading form a section without one."""
    records = dict(numbered_question_records([row.question for row in printed if row.question is not None]))
    sections: list[tuple[str, str, list[PlannedQuestion]]] = [("", "", [])]
    for row in rows:
        if row.item.is_section:
            sections.append((row.item.heading, row.item.instructions, []))
        elif row.question is not None and not row.reason:
            record = records[row.question.pk]
            planned = PlannedQuestion(
                number=row.question.pk,
                record=record,
                points=row.item.points,
                answer_lines=row.item.answer_lines,
                may_change=bool(record.equation) and equation_gives_answer(row.question),
                pictures={
                    picture.name: names[picture.sha256]
                    for picture in record.content.pictures
                    if picture.sha256 in names
                },
            )
            sections[-1][2].append(planned)
    return [
        PlannedSection(tuple(planned), heading, instructions)
        for heading, instructions, planned in sections
        if planned or heading or instructions
    ]


def _picture_widths(sections: Sequence[PlannedSection]) -> dict[str, float]:
    """Return the source widths of pictures by their names on paper."""
    return {
        question.pictures[picture.name]: picture.width
        for section in sections
        for question in section.questions
        for picture in question.record.content.pictures
        if picture.width > 0 and picture.name in question.pictures
    }


def _pictures(questions: Iterable[Question]) -> tuple[dict[str, str], dict[str, bytes]]:
    """Return the name on paper of each picture by its hash, and its bytes by that name.

    Two questions may have different pictures of the same name, so the name on paper is derived from the hash.
    """
    hashes = {
        picture.sha256 for question in questions for picture in content_of(question.content).pictures if picture.sha256
    }
    types = Attachment.objects.filter(pk__in=hashes).values_list("pk", "media_type")
    names, pictures = {}, {}
    for sha256, media_type in types:
        if (data := picture_bytes(sha256)) is not None:
            names[sha256] = f"{sha256}{_SUFFIXES.get(media_type, '')}"
            pictures[names[sha256]] = data
    return names, pictures


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
