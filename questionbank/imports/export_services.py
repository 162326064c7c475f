"""Exporting questions of the bank to a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from analytics.analysed_text import record_text
from analytics.records import ObservedFigures, PredictedLabels, QuestionRecord
from questionbank.bank.attachment_services import AttachmentStore
from questionbank.bank.question_selectors import numbered_question_records, questions_matching
from questionbank.core.errors import NotFound, ValidationFailed
from questionbank.formats import WRITTEN, write
from questionbank.formats.seam import Attachments, CannotHold
from questionbank.models import ItemStatistics, KnowledgeHierarchy, User
from questionbank.registry.serving import serving
from questionbank.rendering.titles import opening_text
from questionbank.responses.set_selectors import overall_statistics
from questionbank.similar.predictions import predict_many

PREDICTED_AT_ONCE = 64
FIGURES_AT_ONCE = 500
MOST_PREDICTED = 3  # concepts per question
LEAST_PREDICTED = 0.5  # least probability of an exported concept; a guess that is probably wrong does not help there
_NORMAL_95 = 1.96  # standard errors on either side of a 95 % interval
NAMED = 10  # questions listed on the page for each kind of loss


@dataclass(slots=True)
class ExportLosses:
    """What a format cannot hold of some questions.

    Attributes:
        questions: number of questions checked.
        refused: number of questions that are left out, by reason.
        lost: number of questions that lose something, by what is lost.
        first: id and text of the first questions, for each key of `refused` and `lost`.
    """

    questions: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    first: dict[str, list[tuple[int, str]]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.refused or self.lost)

    def look_at(self, pk: int, record: QuestionRecord, format: str, attachments: Attachments) -> None:
        """Count what the format cannot hold of a question."""
        self.questions += 1
        try:
            lost = WRITTEN[format].losses(record, attachments)
        except CannotHold as error:
            lost = [str(error)]
            self.refused[lost[0]] += 1
        else:
            self.lost.update(lost)
        for what in lost:
            named = self.first.setdefault(what, [])
            if len(named) < NAMED:
                named.append((pk, opening_text(record.text, record.content)))


def export_file(*, path: Path, format: str, filters: Mapping[str, str]) -> tuple[int, ExportLosses]:
    """Export matching questions to a file, replaced atomically; return their number and the losses.

    A file cannot hold the names of hierarchies: filter by a hierarchy to export only its concepts.

    Raises:
        ValidationFailed: a filter or the format is unknown, or the file cannot be written.
    """
    questions = questions_matching(filters=filters)
    hierarchy = KnowledgeHierarchy.objects.filter(name=filters.get("hierarchy", "")).first()
    if format not in WRITTEN:
        raise ValidationFailed(f"The format {format!r} is not known; use one of {', '.join(WRITTEN)}.")
    losses, store = ExportLosses(), AttachmentStore()

    def watched() -> Iterator[QuestionRecord]:
        records = numbered_question_records(questions, hierarchy=hierarchy, originals_of=format)
        for pk, record in with_figures(records, user=None):
            losses.look_at(pk, record, format, store)
            yield record

    written = write(with_own_ids(watched()), path, format, store)
    return written - sum(losses.refused.values()), losses


def export_pieces(*, records: Iterable[QuestionRecord], format: str) -> Iterator[bytes]:
    """Yield the file in pieces, in bounded memory.

    Raises:
        NotFound: there is no such format.
    """
    if format not in WRITTEN:
        raise NotFound("There is no such format.")
    return WRITTEN[format].write(with_own_ids(records), AttachmentStore())


def export_losses(*, records: Iterable[tuple[int, QuestionRecord]], format: str) -> ExportLosses:
    """Return what the format cannot hold, by writing each question and reading it again.

    Args:
        records: (id, record) pairs.

    Raises:
        NotFound: there is no such format.
    """
    if format not in WRITTEN:
        raise NotFound("There is no such format.")
    losses, store = ExportLosses(), AttachmentStore()
    for pk, record in records:
        losses.look_at(pk, record, format, store)
    return losses


def with_predictions(records: Iterable[tuple[int, QuestionRecord]]) -> Iterator[tuple[int, QuestionRecord]]:
    """Yield records with the predictions of the models in use, in the bank's default hierarchy.

    Raises:
        ServiceUnavailable: there are no vectors yet.
    """
    models = serving()
    left = iter(records)
    while block := list(islice(left, PREDICTED_AT_ONCE)):
        predictions = predict_many(
            texts=[record_text(record) for _pk, record in block],
            languages=[record.language for _pk, record in block],
            serving=models,
        )
        for (pk, record), found in zip(block, predictions, strict=True):
            concepts = tuple(
                (concept.path, concept.probability)
                for concept in found.concepts[:MOST_PREDICTED]
                if concept.probability >= LEAST_PREDICTED
            )
            percent = found.difficulty.percent if found.difficulty else None
            yield pk, replace(record, predicted=PredictedLabels(concepts, percent))


def with_figures(
    records: Iterable[tuple[int, QuestionRecord]], *, user: User | None
) -> Iterator[tuple[int, QuestionRecord]]:
    """Yield records with the figures of all responses in the bank, if the person may see them."""
    if user is not None and not user.has_perm("questionbank.responses_read"):
        yield from records
        return
    left = iter(records)
    while block := list(islice(left, FIGURES_AT_ONCE)):
        rows = overall_statistics(user=user).filter(question__in=[pk for pk, _record in block])
        figures = {row.question_id: _observed(row) for row in rows.only("question_id", "people", "figures")}
        for pk, record in block:
            yield pk, replace(record, observed=figures[pk]) if pk in figures else record


def _observed(row: ItemStatistics) -> ObservedFigures:
    named = {name: round(value, 4) for name, value in row.figures.items()}
    b, margin = named.get("difficulty"), _NORMAL_95 * named.get("difficulty_error", 0.0)
    low, high = (None, None) if b is None else (round(b - margin, 4), round(b + margin, 4))
    return ObservedFigures(row.people, named.get("facility"), named.get("discrimination"), b, low, high)


def with_own_ids(records: Iterable[QuestionRecord]) -> Iterator[QuestionRecord]:
    """Yield records with unique ids: if two sources use the same id, later ones get a numeric suffix."""
    used: set[str] = set()
    for record in records:
        identifier, again = record.id, 1
        while identifier in used:
            again += 1
            identifier = f"{record.id}#{again}"
        used.add(identifier)
        yield record if identifier == record.id else replace(record, id=identifier)
