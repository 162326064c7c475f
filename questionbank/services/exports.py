"""Writing questions of the bank to a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from analytics.records import QuestionRecord
from questionbank.errors import NotFound, ValidationFailed
from questionbank.formats import WRITTEN, write
from questionbank.formats.seam import Attachments, CannotHold
from questionbank.models import KnowledgeHierarchy
from questionbank.selectors.questions.questions import question_records, questions_matching
from questionbank.services.attachments import AttachmentStore


@dataclass(slots=True)
class ExportLosses:
    """What a format cannot hold of some questions.

    Attributes:
        questions: that were looked at.
        refused: questions that are left out, by what they are.
        lost: questions that lose something, by what.
    """

    questions: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)

    def __bool__(self) -> bool:
        return bool(self.refused or self.lost)

    def look_at(self, record: QuestionRecord, format: str, attachments: Attachments) -> None:
        """Count what the format cannot hold of a question."""
        self.questions += 1
        try:
            self.lost.update(WRITTEN[format].losses(record, attachments))
        except CannotHold as error:
            self.refused[str(error)] += 1


def export_file(*, path: Path, format: str, filters: Mapping[str, str]) -> tuple[int, ExportLosses]:
    """Write the questions that match to a file, aside and then renamed; returns their number and what it lacks.

    A file has no room for the names of hierarchies: filter by one to take only its concepts along.

    Raises:
        ValidationFailed: a filter or the format is not known, or the file cannot be written.
    """
    questions = questions_matching(filters=filters)
    hierarchy = KnowledgeHierarchy.objects.filter(name=filters.get("hierarchy", "")).first()
    if format not in WRITTEN:
        raise ValidationFailed(f"The format {format!r} is not known; use one of {', '.join(WRITTEN)}.")
    losses, store = ExportLosses(), AttachmentStore()

    def watched() -> Iterator[QuestionRecord]:
        for record in question_records(questions, hierarchy=hierarchy, originals_of=format):
            losses.look_at(record, format, store)
            yield record

    written = write(with_own_ids(watched()), path, format, store)
    return written - sum(losses.refused.values()), losses


def export_pieces(*, records: Iterable[QuestionRecord], format: str) -> Iterator[bytes]:
    """Yield questions as the pieces of a file, in bounded memory.

    Raises:
        NotFound: there is no such format.
    """
    if format not in WRITTEN:
        raise NotFound("There is no such format.")
    return WRITTEN[format].write(with_own_ids(records), AttachmentStore())


def export_losses(*, records: Iterable[QuestionRecord], format: str) -> ExportLosses:
    """Return what the format cannot hold of some questions, by writing each and reading it again.

    Raises:
        NotFound: there is no such format.
    """
    if format not in WRITTEN:
        raise NotFound("There is no such format.")
    losses, store = ExportLosses(), AttachmentStore()
    for record in records:
        losses.look_at(record, format, store)
    return losses


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
