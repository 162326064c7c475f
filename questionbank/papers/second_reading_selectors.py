"""Where a language model reads a test paper differently from the review.

The lines are divided where a question begins in both readings, so that each place holds whole questions of both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise

from questionbank.models import DocumentDraft, LanguageModelUse
from questionbank.papers.paper_lines import ReviewedLine, Role
from questionbank.papers.question_assembly import assemble
from questionbank.papers.selectors import (
    DocumentReview,
    FoundItem,
    Passage,
    document_corrected,
    document_review,
    passages_of,
    with_picture_widths,
    with_sections,
)
from questionbank.registry.language_model_use_selectors import language_model_use


@dataclass(frozen=True, slots=True)
class OtherPlace:
    """Lines that the model reads differently.

    Attributes:
        roles: keys of these lines with the model's role; those that a person has set keep theirs.
        items: the questions that the model reads in them.
    """

    roles: tuple[tuple[str, str], ...]
    items: tuple[FoundItem, ...]


@dataclass(frozen=True, slots=True)
class SecondReading:
    """A language model's reading of a test paper beside that of the review.

    Attributes:
        reason: why it cannot be used; empty if it can.
        pieces: the number of pieces that the paper was read in.
        is_likelier: whether its questions are so much more coherent that, by its exam, it is probably right.
        places: what it reads differently, by the key of the first line of the passage to show it beside.
    """

    model: str
    host: str
    reason: str = ""
    pieces: int = 1
    is_likelier: bool = False
    places: Mapping[str, OtherPlace] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The model, and where texts are sent."""
        return _named(self.model, self.host)


def _named(model: str, host: str) -> str:
    return f"{model} at {host}" if host else f"{model} on this installation"


def second_reader() -> str:
    """Return the model that reads test papers, and its host; empty if that use is not switched on."""
    use = language_model_use(LanguageModelUse.Use.PAPERS)
    return _named(use.name, use.host) if use is not None and use.is_on else ""


def second_reading(draft: DocumentDraft) -> SecondReading | None:
    """Return the language model's reading of a paper; None if there is none, or not yet."""
    found = draft.model_reading
    if not found:
        return None
    reading = SecondReading(found["model"], found["host"], found.get("reason", ""), found.get("pieces", 1))
    if reading.reason:
        return reading
    places = _places(draft, document_review(draft), [Role(role) for role in found["roles"]])
    return replace(reading, is_likelier=found.get("is_likelier", False), places=places)


def _places(draft: DocumentDraft, review: DocumentReview, said: Sequence[Role]) -> dict[str, OtherPlace]:
    corrected = document_corrected(draft)
    rows = corrected.lines
    others = tuple(row if row.is_corrected else replace(row, role=said[int(row.key)]) for row in rows)
    if all(row.role is other.role for row, other in zip(rows, others, strict=True)):
        return {}
    lines, roles = [row.line for row in others], [row.role for row in others]
    settled = {place for place, row in enumerate(others) if row.is_corrected}
    paper, _instructions = with_sections(assemble(lines, roles, settled), lines, roles)
    paper = with_picture_widths(paper, draft.picture_widths)
    passages = passages_of(replace(corrected, lines=others), paper, draft.pictures)
    ours, theirs = _starts(review.passages), _starts(passages)
    places: dict[str, OtherPlace] = {}
    for begin, end in pairwise(sorted({*ours, len(rows)} & {*theirs, len(rows)})):
        changed = _changed(rows[begin:end], others[begin:end])
        if changed:
            holder = _holder(
                passage for start, passages in ours.items() if begin <= start < end for passage in passages
            )
            items = (one.item for start, those in theirs.items() if begin <= start < end for one in those)
            places[holder] = OtherPlace(changed, tuple(item for item in items if item is not None))
    return places


def _starts(passages: Sequence[Passage]) -> dict[int, list[Passage]]:
    """Return passages by the number of the line where each begins; those without lines begin with the next one."""
    starts: dict[int, list[Passage]] = {}
    counts = accumulate((len(passage.lines) for passage in passages), initial=0)
    for start, passage in zip(counts, passages, strict=False):
        starts.setdefault(start, []).append(passage)
    return starts


def _changed(rows: Sequence[ReviewedLine], others: Sequence[ReviewedLine]) -> tuple[tuple[str, str], ...]:
    pairs = zip(rows, others, strict=True)
    return tuple((other.key, str(other.role)) for row, other in pairs if row.role is not other.role)


def _holder(passages: Iterable[Passage]) -> str:
    """Return the key of the first line of the passage to show a place beside: the first one that has a question."""
    having_lines = [passage for passage in passages if passage.lines]
    chosen = next((passage for passage in having_lines if passage.item), having_lines[0])
    return chosen.lines[0].reviewed.key
