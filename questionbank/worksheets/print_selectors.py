"""The printed content of a worksheet: each version, and its key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from analytics.question_content import content_of
from questionbank.bank.question_selectors import numbered_question_records, picture_bytes
from questionbank.models import Attachment, Question, User, Worksheet
from questionbank.solving.solutions import equation_gives_answer
from questionbank.worksheets.selectors import WorksheetRow, worksheet_rows
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
    key: bool = False,
    solutions: bool = False,
    user: User | None = None,
    rows: Sequence[WorksheetRow] | None = None,
) -> list[ComposedVersion]:
    """Return some versions; the same worksheet, seed and version always give the same result.

    Args:
        key: include answers; `solutions` adds the worked solutions.
    """
    rows = worksheet_rows(worksheet=worksheet, user=user) if rows is None else rows
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
