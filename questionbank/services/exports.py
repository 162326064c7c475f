"""Writing questions of the bank to a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from django.utils.translation import gettext as _

from analytics.records import QuestionRecord
from questionbank.errors import NotFound
from questionbank.formats import FORMATS, Format, write
from questionbank.models import KnowledgeHierarchy
from questionbank.selectors.questions.questions import question_records, questions_matching


def export_file(*, path: Path, format: str, filters: Mapping[str, str]) -> int:
    """Write the questions that match to a file, aside and then renamed; returns their number.

    A file has no room for the names of hierarchies: filter by one to take only its concepts along.

    Raises:
        ValidationFailed: a filter or the format is not known, or the file cannot be written.
    """
    questions = questions_matching(filters=filters)
    hierarchy = KnowledgeHierarchy.objects.filter(name=filters.get("hierarchy", "")).first()
    return write(with_own_ids(question_records(questions, hierarchy=hierarchy)), path, format)


def export_lines(*, records: Iterable[QuestionRecord], format: str) -> Iterator[bytes]:
    """Yield questions as the lines of a file, in bounded memory.

    Raises:
        NotFound: there is no such format.
    """
    if format not in FORMATS:
        raise NotFound(_("There is no such format."))
    return _lines(records, FORMATS[format])


def _lines(records: Iterable[QuestionRecord], chosen: Format) -> Iterator[bytes]:
    yield chosen.head.encode("utf-8")
    for record in with_own_ids(records):
        yield chosen.write(record).encode("utf-8")


def with_own_ids(records: Iterable[QuestionRecord]) -> Iterator[QuestionRecord]:
    """Yield records with ids of their own: where two sources use the same one, later ones get a number behind it."""
    used: set[str] = set()
    for record in records:
        identifier, again = record.id, 1
        while identifier in used:
            again += 1
            identifier = f"{record.id}#{again}"
        used.add(identifier)
        yield record if identifier == record.id else replace(record, id=identifier)
